"""Pictures for notebooks: a layered drawing of a graph, and a table of its edges."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._estimator import GFlowCausal
    from ._graph import Edge, Graph

#: More edges than this are drawn but not listed.
MOST_ROWS = 50

_WIDTH, _HEIGHT, _GAP = 110, 30, 40


def graph_html(graph: Graph) -> str:
    """The drawing alone."""
    return f"<figure>{_svg(graph)}<figcaption>{escape(_caption(graph))}</figcaption></figure>"


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
        f"<div><p><b>{escape(title)}</b></p>{graph_html(model.graph_)}"
        f"<table>{head}{rows}</table><p>{escape(verdict)}</p></div>"
    )


def _caption(graph: Graph) -> str:
    return f"{len(graph.names)} variables, {len(graph.edges)} edges"


def _layers(graph: Graph) -> list[list[str]]:
    """Each variable one layer below its lowest cause; edges without direction do not count."""
    depth = dict.fromkeys(graph.names, 0)
    arrows = [edge for edge in graph.edges if edge.directed]
    for _ in graph.names:
        lower = {edge.effect: depth[edge.cause] + 1 for edge in arrows if depth[edge.effect] <= depth[edge.cause]}
        if not lower:
            break
        depth.update(lower)
    layers: list[list[str]] = [[] for _ in range(max(depth.values(), default=0) + 1)]
    for name in graph.names:
        layers[min(depth[name], len(layers) - 1)].append(name)
    return _untangled(layers, arrows)


def _untangled(layers: list[list[str]], arrows: list[Edge]) -> list[list[str]]:
    """Each layer sorted by the mean place of what leads into it."""
    place: dict[str, float] = {}
    for layer in layers:
        causes = {name: [place[e.cause] for e in arrows if e.effect == name and e.cause in place] for name in layer}
        layer.sort(key=lambda name: sum(causes[name]) / len(causes[name]) if causes[name] else 0.5)
        place.update({name: (k + 0.5) / len(layer) for k, name in enumerate(layer)})
    return layers


def _svg(graph: Graph) -> str:
    layers = _layers(graph)
    widest = max(map(len, layers), default=1)
    width, height = widest * (_WIDTH + 20) + 20, len(layers) * (_HEIGHT + _GAP) + 20
    centre = {
        name: (20 + (k + 0.5) * (width - 40) / len(layer), 20 + depth * (_HEIGHT + _GAP) + _HEIGHT / 2)
        for depth, layer in enumerate(layers)
        for k, name in enumerate(layer)
    }
    lines = "".join(_line(edge, centre) for edge in graph.edges)
    boxes = "".join(_box(name, *centre[name]) for name in graph.names)
    marker = (
        '<defs><marker id="gfc-tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0 0L8 4L0 8z" fill="#456"/></marker></defs>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{min(width, 900):.0f}" '
        f'role="img" aria-label="{escape(_caption(graph))}">{marker}{lines}{boxes}</svg>'
    )


def _line(edge: Edge, centre: dict[str, tuple[float, float]]) -> str:
    (x0, y0), (x1, y1) = centre[edge.cause], centre[edge.effect]
    down = 1 if y1 > y0 else -1
    y0, y1 = (y0 + down * _HEIGHT / 2, y1 - down * _HEIGHT / 2) if y0 != y1 else (y0 - _HEIGHT / 2, y1 - _HEIGHT / 2)
    bend = (y0 + y1) / 2 if y0 != y1 else y0 - _GAP / 2
    opacity = 1.0 if edge.probability is None else max(0.2, edge.probability)
    tip = ' marker-end="url(#gfc-tip)"' if edge.directed else ""
    return (
        f'<path d="M{x0:.0f} {y0:.0f}C{x0:.0f} {bend:.0f} {x1:.0f} {bend:.0f} {x1:.0f} {y1:.0f}" fill="none" '
        f'stroke="#456" stroke-width="1.5" opacity="{opacity:.2f}"{tip}/>'
    )


def _box(name: str, x: float, y: float) -> str:
    shown = name if len(name) <= 14 else name[:13] + "…"
    return (
        f'<g><title>{escape(name)}</title><rect x="{x - _WIDTH / 2:.0f}" y="{y - _HEIGHT / 2:.0f}" width="{_WIDTH}" '
        f'height="{_HEIGHT}" rx="6" fill="#eef4fa" stroke="#456"/><text x="{x:.0f}" y="{y + 4:.0f}" '
        f'text-anchor="middle" font-family="sans-serif" font-size="12">{escape(shown)}</text></g>'
    )
