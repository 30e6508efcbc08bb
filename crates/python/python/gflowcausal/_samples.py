"""Graphs that a policy draws."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from ._graph import Dag, Edge


@dataclass(frozen=True)
class Sample:
    """One graph drawn from the posterior."""

    graph: Dag
    #: Its score over the temperature, plus the structure prior.
    log_reward: float
    #: The logarithm of the probability that the sampler draws it, where that is known.
    log_prob: float | None
    #: How often it was drawn along this order.
    count: int
    #: The order that it was drawn along.
    order: list[str]


class Samples(Sequence[Sample]):
    """Drawn graphs, each once for each order it was drawn along; they are made when they are read."""

    def __init__(self, names: Sequence[str], lines: bytes) -> None:
        self.names = list(names)
        self._drawn = [json.loads(line) for line in lines.splitlines()]

    @overload
    def __getitem__(self, at: int) -> Sample: ...
    @overload
    def __getitem__(self, at: slice) -> list[Sample]: ...
    def __getitem__(self, at: int | slice) -> Sample | list[Sample]:
        if isinstance(at, slice):
            return [self[k] for k in range(*at.indices(len(self)))]
        drawn = self._drawn[at]
        graph = Dag(self.names, [Edge(*edge) for edge in drawn["edges"]])
        return Sample(graph, drawn["log_reward"], drawn["log_prob"], drawn["count"], drawn["order"])

    def __len__(self) -> int:
        return len(self._drawn)

    def __iter__(self) -> Iterator[Sample]:
        return (self[k] for k in range(len(self)))

    @property
    def total(self) -> int:
        """How many graphs were drawn, repetitions included."""
        return int(sum(drawn["count"] for drawn in self._drawn))

    @property
    def distinct(self) -> int:
        """How many different graphs there are among them."""
        return len({frozenset(map(tuple, drawn["edges"])) for drawn in self._drawn})

    def __repr__(self) -> str:
        return f"Samples({self.total} graphs, {self.distinct} different)"
