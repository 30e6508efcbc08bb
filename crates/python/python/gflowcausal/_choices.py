"""Options that take one of a few names, and what was meant by a name that does not exist."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, get_args

from . import _options
from ._errors import ArgumentError, GFlowCausalError, UnknownMethodError


def did_you_mean(name: Any, known: Iterable[str]) -> str | None:
    """A suggestion for a name that was misspelt, if one is near."""
    same = {one.replace("-", "_").lower(): one for one in known}
    found = [same[near] for near in get_close_matches(str(name).replace("-", "_").lower(), same, n=1)]
    return f"did you mean {found[0]!r}?" if found else None


#: What a number of an option is to be, by the type that reads it.
_NUMBERS = {"u64": "a whole number, 0 or more", "usize": "a whole number, 0 or more", "f64": "a number"}


def in_words(error: GFlowCausalError) -> GFlowCausalError:
    """The same error, where it speaks of the types of another language, in the words of this one."""
    said = re.fullmatch(r"invalid (?:type|value): (?:\w+ )*?[`\"]?([^`\"]*)[`\"]?, expected (\w+) in `([\w-]+)`", str(error.args[0]))
    if said is None or said[2] not in _NUMBERS:
        return error
    return type(error)(f"{said[3].replace('-', '_')} is {said[1]}, but must be {_NUMBERS[said[2]]}", error.code, error.fix)


def check_choices(options: Mapping[str, Any]) -> None:
    """Refuses a name that an option does not take, with the nearest that it does."""
    for name, value in options.items():
        known = get_args(getattr(_options, name.capitalize(), None))
        if not known or value is None or value in known:
            continue
        fix = did_you_mean(value, known) or f"choose one of {', '.join(known)}"
        if name == "method":
            raise UnknownMethodError(f"there is no method '{value}'", "unknown-method", fix)
        raise ArgumentError(f"unknown {name} {value!r}: known are {', '.join(known)}", "bad-option", fix)


def name_lists(option: str, value: Any) -> list[str] | None:
    """Tiers such as ``[["age", "sex"], ["dose"]]``, or a list of names, as the texts of the command line."""
    if value is None or isinstance(value, str):
        return None if value is None else [value]
    parts = list(value)
    if option != "tiers" or all(isinstance(part, str) for part in parts):
        return [part if option == "tiers" else _quoted(part) for part in parts]
    return [" | ".join(", ".join(map(_quoted, [tier] if isinstance(tier, str) else tier)) for tier in parts)]


def _quoted(name: Any) -> str:
    text = str(name)
    quote = "'" if '"' in text else '"'
    return f"{quote}{text}{quote}" if any(mark in text for mark in ",|") else text


class ScoreOption:
    """The option ``score``, which can also be called as scikit-learn calls its method."""

    def __get__(self, model: Any, owner: type[Any]) -> Any:
        if model is None:
            return self
        return CallableScore.of(model.__dict__["score"], model)

    def __set__(self, model: Any, value: Any) -> None:
        model.__dict__["score"] = value


class CallableScore(str):
    """The name of a score; calling it with rows gives their held-out score."""

    _model: Any

    @classmethod
    def of(cls, name: Any, model: Any) -> CallableScore:
        made = cls(name)
        made._model = model
        return made

    def __call__(self, X: Any, y: None = None) -> float:
        score: float = self._model.held_out_score(X, y)
        return score
