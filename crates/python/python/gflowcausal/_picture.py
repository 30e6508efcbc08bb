"""Pictures that a notebook shows, files keep and matplotlib draws."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from ._errors import ArgumentError
from ._files import write_bytes
from ._optional import need

#: What a picture shows.
Kind = Literal["graph", "consensus", "cpdag", "probabilities", "effects", "training"]


class Picture:
    """A picture of a result. It shows itself in a notebook."""

    def __init__(self, render: Callable[[str], bytes]) -> None:
        self._render = render
        self._svg = render("svg").decode()

    @property
    def svg(self) -> str:
        """The picture as SVG."""
        return self._svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture, as SVG, PNG or PDF by its name."""
        suffix = Path(path).suffix.lower()
        if suffix not in (".svg", ".png", ".pdf"):
            message = f"'{os.fspath(path)}' does not say the format of a picture"
            raise ArgumentError(message, "unknown-format", "end the name in .svg, .png or .pdf")
        write_bytes(path, self._render(suffix[1:]))

    def draw(self, ax: Any) -> Any:
        """Draws the picture into axes of matplotlib's, and gives them back."""
        image = need("matplotlib.image", "ax=").imread(io.BytesIO(self._render("png")), format="png")
        ax.imshow(image)
        ax.set_axis_off()
        return ax

    def _repr_svg_(self) -> str:
        return self._svg

    def __repr__(self) -> str:
        return "Picture: a notebook shows it, save(path) writes it"
