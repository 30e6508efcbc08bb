"""What the boundary costs: memory copied once, and next to no time outside the native half."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

MEASURE = """
    import re
    import numpy as np
    from gflowcausal._data import as_data

    def peak():
        return int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) * 1024

    data = np.ones(({rows}, 50), order={order!r})
    open("/proc/self/clear_refs", "w").write("5")
    before = peak()
    table = as_data(data)
    print((peak() - before) / data.nbytes)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is asked of Linux")
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_matrix_is_copied_once(order):
    program = textwrap.dedent(MEASURE.format(rows=200_000, order=order))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert 0.9 < float(done.stdout) < 1.1
