"""A fitted model as a text that is read in ten seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._estimator import GFlowCausal

_HEAD = ("edge", "probability", "direction", "weight", "score lost without")


def summary(model: GFlowCausal) -> str:
    """The data, the checks, the edges, and how far to trust them."""
    result = model.result_
    data, score, posterior = result["data"], result["score"], result["posterior"]
    lines = [f"{data['name']}: {data['rows']} rows, {len(data['variables'])} variables"]
    lines += [f"{finding['severity']}[{finding['code']}]: {finding['what']}" for finding in result["findings"]]
    pruning = f"pruning {score['prune']}; " if "prune" in score else ""
    lines.append(f"score {score['name']}: {score['value']:.1f}; {pruning}method {result['method']}")
    lines += ["", *_aligned([_HEAD, *map(_row, result["graph"]["edges"])]), ""]
    compelled = len(result["cpdag"]["directed"])
    drawn = f"{posterior['distinct']} of {posterior['samples']} drawn graphs are distinct"
    lines.append(f"{len(result['graph']['edges'])} edges, {compelled} compelled; {drawn}")
    lines.append(f"probabilities: weighting {posterior['weighting']}, worth {posterior['effective_sample_size']:.0f} draws")
    if model.sortability_ is not None:
        lines.append(model.sortability_["verdict"])
    if model.metrics_ is not None:
        metrics = model.metrics_
        lines.append(f"against the truth: SHD {metrics['shd']}, TPR {metrics['tpr']:.2f}, FDR {metrics['fdr']:.2f}")
    return "\n".join(lines)


def _row(edge: dict[str, Any]) -> tuple[str, ...]:
    def number(value: float | None, digits: str) -> str:
        return "" if value is None else format(value, digits)

    direction = "compelled" if edge["compelled"] else f"reversible ({edge['reversed_probability']:.2f})"
    ends = f"{edge['from']} -> {edge['to']}"
    return ends, f"{edge['probability']:.2f}", direction, number(edge["weight"], ".3f"), number(edge["delta_score"], ".1f")


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
