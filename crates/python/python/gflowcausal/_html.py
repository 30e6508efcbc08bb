"""What a notebook shows: a drawing of the graph, and a table of its edges."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

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
    rows = "".join(
        f"<tr><td>{escape(edge['from'])} → {escape(edge['to'])}</td><td>{edge['probability']:.2f}</td>"
        f"<td>{'compelled' if edge['compelled'] else 'reversible'}</td>"
        f"<td>{'' if edge['weight'] is None else format(edge['weight'], '.3f')}</td></tr>"
        for edge in result["graph"]["edges"][:MOST_ROWS]
    )
    head = "<tr><th>edge</th><th>probability</th><th>direction</th><th>weight</th></tr>"
    verdict = result.get("sortability", {}).get("verdict", "")
    title = f"{result['method']} on {result['data']['name']}: {result['score']['name']} {result['score']['value']:.1f}"
    return (
        f"<div><p><b>{escape(title)}</b></p>{_scrolling(model.to_svg())}"
        f"<table>{head}{rows}</table><p>{escape(verdict)}</p></div>"
    )


def _scrolling(drawing: str) -> str:
    return f'<div style="overflow-x:auto">{drawing}</div>'
