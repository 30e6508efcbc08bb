"""What a notebook shows: a drawing of the graph, and a table of its edges."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._estimator import GFlowCausal
    from ._graph import Graph

#: More edges than this are drawn but not listed; the table says how many.
MOST_ROWS = 50


def graph_html(graph: Graph) -> str:
    """The drawing alone."""
    return _scrolling(graph.to_svg())


def model_html(model: GFlowCausal) -> str:
    """What to beware of, the drawing, and the edges with their probabilities."""
    result = model.result_
    is_single = result["posterior"]["by"] == "none"
    heads = ["edge", "direction", "weight"] if is_single else ["edge", "P(→)", "P(←)", "P(none)", "direction", "weight"]
    head = _row("th", heads)
    edges = result["graph"]["edges"]
    rows = "".join(_row("td", _cells(edge, is_single)) for edge in edges[:MOST_ROWS])
    if len(edges) > MOST_ROWS:
        rows += f'<tr><td colspan="{len(heads)}">and {len(edges) - MOST_ROWS} more: summary(all=True) lists them</td></tr>'
    verdict = result.get("sortability", {}).get("verdict", "")
    title = f"{result['method']} on {result['data']['name']}: {result['score']['name']} {result['score']['value']:.1f}"
    return (
        f"<div><p><b>{escape(title)}</b></p>{_caveats(model)}{_scrolling(model.to_svg())}"
        f"<table>{head}{rows}</table><p>{escape(verdict)}</p></div>"
    )


def _cells(edge: dict[str, Any], is_single: bool) -> list[str]:
    chances = ("probability", "reverse_probability", "absent_probability")
    probability = [] if is_single else [f"{edge[chance]:.2f}" for chance in chances]
    direction = "compelled" if edge["compelled"] else "reversible"
    weight = "" if edge["weight"] is None else format(edge["weight"], ".3f")
    return [f"{edge['from']} → {edge['to']}", *probability, direction, weight]


def _caveats(model: GFlowCausal) -> str:
    """What the command line warns of."""
    said = [finding["what"] for finding in model.findings_ if finding["severity"] == "warning"]
    caveat = model._fitted().caveat()
    lines = said if caveat is None else [*said, caveat]
    return "".join(f'<p style="border-left:4px solid #c77700;padding-left:0.6em">⚠ {escape(line)}</p>' for line in lines)


def _row(element: str, cells: list[str]) -> str:
    return f"<tr>{''.join(f'<{element}>{escape(cell)}</{element}>' for cell in cells)}</tr>"


def _scrolling(drawing: str) -> str:
    return f'<div style="overflow-x:auto">{drawing}</div>'
