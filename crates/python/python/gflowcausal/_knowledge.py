"""What is known beforehand."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from . import _native
from ._errors import ArgumentError


@dataclass(frozen=True)
class Knowledge:
    """Edges that must or must not be there, tiers, and how many parents at most.

    Variables of a later tier never cause those of an earlier one; those of a closed tier do not cause each other.

    >>> knowledge = Knowledge(tiers=[["age", "sex"], ["dose"]], closed_tiers=[1], forbid=[("sex", "dose")])
    >>> print(knowledge.to_tetrad())
    /knowledge
    addtemporal
    1* "age" "sex"
    2 "dose"
    forbiddirect
    "sex" "dose"
    <BLANKLINE>
    """

    require: Sequence[str | tuple[str, str]] = ()
    forbid: Sequence[str | tuple[str, str]] = ()
    tiers: Sequence[Sequence[str]] = ()
    #: Numbers of tiers, counted from 1.
    closed_tiers: Sequence[int] = ()
    max_parents: int | None = None
    #: More statements, in Tetrad's format.
    text: str = ""

    def __post_init__(self) -> None:
        for number, tier in enumerate(self.tiers, start=1):
            if isinstance(tier, str):
                message = f"tier {number} is the text '{tier}', but must be a list of names"
                raise ArgumentError(message, "bad-constraint", f"write [{tier!r}]")
        for number in self.closed_tiers:
            if not 1 <= number <= len(self.tiers):
                message = f"there is no tier {number} to close: tiers are counted from 1 to {len(self.tiers)}"
                raise ArgumentError(message, "bad-constraint")

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Knowledge:
        """Reads a knowledge file of Tetrad's."""
        return cls(text=_native.read_knowledge(path))

    def to_tetrad(self) -> str:
        """All but ``max_parents`` in Tetrad's format."""
        lines = [self.text.rstrip("\n") or "/knowledge"]
        if self.tiers:
            lines.append("addtemporal")
            for number, tier in enumerate(self.tiers, start=1):
                star = "*" if number in self.closed_tiers else ""
                lines.append(" ".join([f"{number}{star}", *map(_quoted, tier)]))
        for section, edges in (("forbiddirect", self.forbid), ("requiredirect", self.require)):
            if edges:
                lines.append(section)
                lines.extend(f"{_quoted(cause)} {_quoted(effect)}" for cause, effect in map(ends, edges))
        return "\n".join(lines) + "\n"


def _quoted(name: Any) -> str:
    name = str(name)
    if '"' in name or "\n" in name:
        raise ArgumentError(f"the name {name!r} has no place in Tetrad's format", "bad-constraint", "rename it")
    return f'"{name}"'


def edge_texts(edges: Iterable[Any] | None) -> list[str]:
    """Edges written ``"A->B"`` or as pairs of names, all as texts."""
    given = [] if edges is None else [edges] if isinstance(edges, str) else edges
    return [edge if isinstance(edge, str) else "->".join(ends(edge)) for edge in given]


def ends(edge: Any) -> tuple[str, str]:
    """Cause and effect of an edge written ``"A->B"`` or as a pair of names."""
    parts = edge.split("->") if isinstance(edge, str) else list(edge)
    if len(parts) != 2:
        raise ArgumentError(f"{edge!r} is no edge", "bad-constraint", "write 'A->B' or ('A', 'B')")
    cause, effect = (str(part).strip() if isinstance(edge, str) else str(part) for part in parts)
    return cause, effect


def knowledge_options(knowledge: Any, max_parents: int | None) -> dict[str, Any]:
    """The options that say what ``knowledge`` says: a `Knowledge`, a file, or Tetrad's text."""
    if knowledge is None:
        return {"max_parents": max_parents}
    if isinstance(knowledge, str) and "\n" in knowledge:
        knowledge = Knowledge(text=knowledge)
    if not isinstance(knowledge, Knowledge):
        knowledge = Knowledge.read(knowledge)
    limits = [most for most in (knowledge.max_parents, max_parents) if most is not None]
    return {"knowledge": knowledge.to_tetrad(), "max_parents": min(limits, default=None)}
