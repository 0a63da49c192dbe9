"""Pictures of what a model was chosen from, by matplotlib, which is the extra "plots"."""

from __future__ import annotations

from pathlib import Path

from diagnoser.errors import UsageError
from diagnoser.model import Model

ENDINGS = (".png", ".svg")


def plot_curve(model: Model, path: Path) -> None:
    """Expected cost against the share of right answers, a line for each trade-off.

    Raises UsageError without matplotlib, for another kind of file, and for a model that nothing was chosen for.
    """
    if path.suffix.lower() not in ENDINGS:
        raise UsageError(f"pictures are written as {' or '.join(ENDINGS)}, not {path.suffix or 'without an ending'}")
    if not model.curve:
        raise UsageError("nothing was chosen for this model: it was trained with a given trade-off")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise UsageError("pictures need matplotlib: pip install 'diagnoser[plots]'") from None
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    for trade_off in sorted({point.trade_off for point in model.curve}):
        points = sorted((point for point in model.curve if point.trade_off == trade_off), key=lambda point: point.cost)
        axes.plot([p.cost for p in points], [p.score for p in points], marker="o", markersize=3, label=f"{trade_off:g}")
    axes.axvline(model.expected_cost, color="0.6", linewidth=1)
    axes.set_xlabel("expected cost on rows held out (grey: this tree on its own rows)")
    axes.set_ylabel("share of right answers")
    axes.legend(title="trade-off")
    figure.savefig(path)
