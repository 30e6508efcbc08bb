"""Progress of a run, for callbacks and for people who wait."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple, TextIO

#: How often the plain bar is drawn, in seconds.
_EVERY = 0.2
_CELLS = 24


class Progress(NamedTuple):
    """What a run is doing."""

    #: ``"searching"``, ``"training"`` (about to begin), ``"iteration"`` (one is done), ``"sampling"`` or ``"done"``.
    step: str
    #: Iterations done.
    iteration: int = 0
    #: The most iterations there can be; 0 before training.
    iterations: int = 0
    loss: float | None = None
    #: The best log-reward so far, at temperature 1.
    best: float | None = None
    temperature: float | None = None


Callback = Callable[[Progress], Any]


class Notify:
    """Passes the native half's events on."""

    def __init__(self, listeners: list[Callback]) -> None:
        self._listeners = listeners
        self._last = Progress("searching")

    @classmethod
    def of(cls, callback: Callback | None, progress: bool) -> Notify | None:
        """The observers of progress, if any."""
        listeners = [callback] if callback is not None else []
        return cls(listeners + [bar()]) if progress else cls(listeners) if listeners else None

    def __call__(
        self,
        step: str,
        iteration: int | None = None,
        iterations: int | None = None,
        loss: float | None = None,
        best: float | None = None,
        temperature: float | None = None,
    ) -> None:
        before = self._last
        self._last = Progress(
            step,
            before.iteration if iteration is None else iteration,
            before.iterations if iterations is None else iterations,
            before.loss if loss is None else loss,
            before.best if best is None else best,
            before.temperature if temperature is None else temperature,
        )
        for listener in self._listeners:
            listener(self._last)

    def close(self) -> None:
        """Clears away what is still shown."""
        for listener in self._listeners:
            if isinstance(listener, (TqdmBar, PlainBar)):
                listener.close()


def bar(stream: TextIO | None = None) -> Callback:
    """A progress bar: tqdm's where it is installed, else a plain one on standard error."""
    try:
        tqdm = importlib.import_module("tqdm.auto").tqdm
    except ImportError:
        return PlainBar(stream or sys.stderr)
    return TqdmBar(tqdm(total=0, desc="searching", file=stream, leave=False))


class TqdmBar:
    """Drives a bar of tqdm's."""

    def __init__(self, shown: Any) -> None:
        self._shown = shown

    def __call__(self, progress: Progress) -> None:
        shown = self._shown
        if shown.total != progress.iterations:
            shown.reset(progress.iterations)
        shown.n = progress.iteration
        shown.set_description_str(progress.step, refresh=False)
        if progress.loss is not None:
            shown.set_postfix(loss=f"{progress.loss:.3g}", best=f"{progress.best:.1f}", refresh=False)
        shown.update(0)

    def close(self) -> None:
        """Takes the bar away."""
        self._shown.close()


class PlainBar:
    """A line that redraws itself."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._drawn = 0.0

    def __call__(self, progress: Progress) -> None:
        if time.monotonic() - self._drawn < _EVERY:
            return
        self._drawn = time.monotonic()
        full = _CELLS * progress.iteration // max(progress.iterations, 1)
        cells = "#" * full + "-" * (_CELLS - full)
        loss = "" if progress.loss is None else f", loss {progress.loss:.3g}, best {progress.best:.1f}"
        self._stream.write(f"\r{progress.step} |{cells}| {progress.iteration}/{progress.iterations}{loss}\x1b[K")
        self._stream.flush()

    def close(self) -> None:
        """Clears the line."""
        self._stream.write("\r\x1b[K")
        self._stream.flush()
