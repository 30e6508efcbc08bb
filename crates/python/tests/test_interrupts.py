"""Callbacks, progress, Ctrl-C, threads."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from conftest import QUICK

import gflowcausal
from gflowcausal import GFlowCausal, Progress
from gflowcausal._progress import Notify, PlainBar


def test_a_callback_receives_each_step(simulated):
    received: list[Progress] = []
    GFlowCausal(callback=received.append, **QUICK).fit(simulated)
    assert received[0].step == "searching" and received[-1].step == "done"
    iterations = [progress.iteration for progress in received if progress.step == "iteration"]
    assert iterations == list(range(1, len(iterations) + 1))
    assert {progress.iterations for progress in received if progress.step == "iteration"} == {30}


def test_an_exception_of_a_callback_is_passed_on(simulated):
    def fail(progress):
        if progress.iteration == 3:
            raise RuntimeError("enough")

    model = GFlowCausal(callback=fail, iterations=100_000, samples=10)
    with pytest.raises(RuntimeError, match="enough"):
        model.fit(simulated)
    assert model.training_["stopped"] == "interrupted"


def test_a_time_budget_ends_with_the_best_so_far(simulated):
    model = GFlowCausal(iterations=10_000_000, samples=10, time_budget=0.5).fit(simulated)
    assert model.training_["stopped"] == "interrupted"
    with pytest.raises(gflowcausal.GFlowCausalError, match="time_budget is -1"):
        GFlowCausal(time_budget=-1).fit(simulated)


def test_progress_is_drawn(simulated, capsys):
    GFlowCausal(progress=True, **QUICK).fit(simulated)
    assert "searching" in capsys.readouterr().err
    stream = io.StringIO()
    notify = Notify([PlainBar(stream)])
    notify("training", 0, 10)
    notify("done")
    assert "training |------------------------| 0/10" in stream.getvalue()


def test_two_fits_run_side_by_side(simulated):
    """Both are seen to be at work at the same time: neither holds the interpreter while it trains."""
    meeting = threading.Barrier(2, timeout=60)

    def meet(progress):
        if progress.iteration == 5:
            meeting.wait()

    models = [GFlowCausal(callback=meet, threads=1, seed=seed, **QUICK) for seed in (0, 1)]
    threads = [threading.Thread(target=model.fit, args=(simulated,)) for model in models]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(hasattr(model, "graph_") for model in models)


def test_python_goes_on_while_a_fit_runs():
    data = np.random.default_rng(0).normal(size=(2000, 12))
    ticks, done = [], threading.Event()

    def count():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.002)

    counter = threading.Thread(target=count)
    counter.start()
    GFlowCausal(iterations=60, samples=50).fit(data)
    done.set()
    counter.join()
    assert len(ticks) > 10


PROGRAM = """
    import os, signal, sys, threading
    import numpy as np
    from gflowcausal import GFlowCausal

    data = np.random.default_rng(0).normal(size=(500, {columns}))
    model = GFlowCausal({options}, callback=lambda progress: print(progress.step, flush=True))
    try:
        model.fit(data)
    except KeyboardInterrupt:
        print("interrupted", hasattr(model, "graph_"), flush=True)
"""


def interrupted(columns: int, options: str, wait_for: str) -> tuple[str, float]:
    """What the program prints after Ctrl-C, and how long that took."""
    program = textwrap.dedent(PROGRAM.format(columns=columns, options=options))
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        for line in running.stdout:
            if line.strip() == wait_for:
                break
        start = time.monotonic()
        os.kill(running.pid, signal.SIGINT)
        rest = running.stdout.read()
        passed = time.monotonic() - start
    return rest.splitlines()[-1], passed


def test_ctrl_c_keeps_the_best_so_far():
    said, _ = interrupted(8, "iterations=10_000_000, samples=20", "iteration")
    assert said == "interrupted True"


LONG = """
    import os, signal, threading
    import numpy as np
    from gflowcausal import GFlowCausal

    threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    model = GFlowCausal(method="exact")
    try:
        model.fit(np.random.default_rng(0).normal(size=(500, 20)))
    except KeyboardInterrupt:
        print("interrupted", hasattr(model, "graph_"))
        os._exit(0)
"""


def test_ctrl_c_ends_exact_sums_with_the_best_graph():
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(LONG)], capture_output=True, text=True, check=False)
    assert done.stdout == "interrupted True\n", done.stderr


SAMPLING = """
    import os, signal, threading, time
    import numpy as np
    from gflowcausal import GFlowCausal

    model = GFlowCausal(iterations=3, samples=10).fit(np.random.default_rng(0).normal(size=(200, 20)))
    threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        model.sample(1_000_000)
    except KeyboardInterrupt:
        print("interrupted")
        os._exit(0)
"""


def test_ctrl_c_ends_sampling():
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(SAMPLING)], capture_output=True, text=True, check=False)
    assert done.stdout == "interrupted\n", done.stderr


def test_ctrl_c_during_the_first_search_keeps_what_was_found():
    said, _ = interrupted(30, "samples=2000", "searching")
    assert said == "interrupted True"


LEFT_ALONE = """
    import os, signal, threading, time
    import numpy as np
    from gflowcausal import GFlowCausal

    # Nothing looks at the time within the eigenvectors of a large matrix.
    data = np.random.default_rng(0).normal(size=(1000, 900))
    model = GFlowCausal(method="ica-lingam", threads=1, out={out!r})
    threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        model.fit(data)
    except KeyboardInterrupt:
        before = -1.0
        while time.process_time() - before > 0.05:
            before = time.process_time()
            time.sleep(1)
        print("left alone", hasattr(model, "graph_"))
"""


def test_a_run_that_was_left_alone_writes_nothing(tmp_path):
    program = textwrap.dedent(LEFT_ALONE.format(out=str(tmp_path / "run")))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=300)
    # Where the signal came before the eigenvectors or after them, the run was not left alone but stopped, and is written.
    is_stopped = {"left alone False\n": False, "left alone True\n": True}.get(done.stdout)
    assert is_stopped is not None, done.stderr
    assert (tmp_path / "run" / "result.json").exists() == is_stopped
