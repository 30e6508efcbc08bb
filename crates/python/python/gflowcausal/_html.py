"""What a notebook shows: a drawing of the graph, and a table of its edges."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._estimator import GFlowCausal
    from ._graph import Graph

#: More edges than this are drawn but not listed.
MOST_ROWS = 50


def graph_html(graph: Graph) -> str:
    """The drawing alone."""
    return _scrolling(graph.to_svg())


def model_html(model: GFlowCausal) -> str:
    """The drawing, the edges with their probabilities, and what to know of them."""
    result = model.result_
    is_single = result["posterior"]["by"] == "none"
    heads = ["edge", "direction", "weight"] if is_single else ["edge", "probability", "direction", "weight"]
    head = _row("th", heads)
    rows = "".join(_row("td", _cells(edge, is_single)) for edge in result["graph"]["edges"][:MOST_ROWS])
    verdict = result.get("sortability", {}).get("verdict", "")
    title = f"{result['method']} on {result['data']['name']}: {result['score']['name']} {result['score']['value']:.1f}"
    return (
        f"<div><p><b>{escape(title)}</b></p>{_scrolling(model.to_svg())}"
        f"<table>{head}{rows}</table><p>{escape(verdict)}</p></div>"
    )


def _cells(edge: dict[str, Any], is_single: bool) -> list[str]:
    probability = [] if is_single else [f"{edge['probability']:.2f}"]
    direction = "compelled" if edge["compelled"] else "reversible"
    weight = "" if edge["weight"] is None else format(edge["weight"], ".3f")
    return [f"{edge['from']} → {edge['to']}", *probability, direction, weight]


def _row(element: str, cells: list[str]) -> str:
    return f"<tr>{''.join(f'<{element}>{escape(cell)}</{element}>' for cell in cells)}</tr>"


def _scrolling(drawing: str) -> str:
    return f'<div style="overflow-x:auto">{drawing}</div>'
