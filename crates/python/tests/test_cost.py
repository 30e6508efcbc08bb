"""What the boundary costs: memory copied once, and next to no time outside the native half."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import time

import pytest

import gflowcausal

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


def test_a_fit_spends_next_to_no_time_outside_the_native_half():
    """The interpreter's thread converts, waits and reads the result; the work is done on others."""
    data = gflowcausal.simulate(nodes=30, degree=2, rows=1000, seed=1, standardize=True).data
    before = time.thread_time()
    model = gflowcausal.GFlowCausal(iterations=100).fit(data)
    outside = time.thread_time() - before
    assert outside < 0.02 * model.result_["seconds"]["cpu"]
