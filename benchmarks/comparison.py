"""This method beside others on many data sets: `diagnoser compare` pooled, with random and with equal costs.

    python benchmarks/comparison.py [--folds N]

Iris, wine, breast cancer and digits come with scikit-learn; tic-tac-toe is generated: all boards at the end of a game
that x began, "x has won" against the rest. Penguins, cars and affairs come from palmerpenguins, vega_datasets and
statsmodels; a set whose package is not installed is left out and named. Random costs are whole, 1 to 10, with three
seeds. Pooled are the pairs of folds of all sets and seeds, each set weighing the same whatever its size.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from diagnoser.comparison import OURS, WAYS, Judged, Task, cost_ratio, judge, paired

SEEDS = (1, 2, 3)
Table = tuple[NDArray[np.object_], NDArray[np.object_], list[int]]
"""Columns, labels, places of nominal columns."""


def of_scikit(name: str) -> Table:
    """A set that comes with scikit-learn; all columns are numbers."""
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    return bunch.data.astype(object), np.array([str(one) for one in bunch.target], object), []


def tic_tac_toe() -> Table:
    """958 boards."""
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    ends: dict[str, str] = {}

    def play(board: str, turn: str) -> None:
        won = [board[a] for a, b, c in lines if board[a] == board[b] == board[c] != "b"]
        if won or "b" not in board:
            ends[board] = "won" if "x" in won else "not"
            return
        for place in (place for place, mark in enumerate(board) if mark == "b"):
            play(board[:place] + turn + board[place + 1 :], "o" if turn == "x" else "x")

    play("b" * 9, "x")
    return np.array([list(board) for board in ends], object), np.array(list(ends.values()), object), list(range(9))


def of_frame(read: Callable[[], object], target: str, dropped: tuple[str, ...]) -> Table:
    """A data frame; texts are nominal, rows without an answer are dropped."""
    import pandas as pd

    frame = read().dropna(subset=[target]).drop(columns=list(dropped))  # type: ignore[attr-defined]
    labels = frame.pop(target).astype(str).to_numpy(object)
    nominal = [place for place, name in enumerate(frame) if not pd.api.types.is_numeric_dtype(frame[name])]
    columns = np.empty(frame.shape, object)
    for place, name in enumerate(frame):
        values = frame[name]
        columns[:, place] = (
            [None if pd.isna(value) else str(value) for value in values] if place in nominal else values.astype(float)
        )
    return columns, labels, nominal


def penguins() -> Table:
    """Three species by bill, flipper, mass, island, sex and year."""
    from palmerpenguins import load_penguins

    return of_frame(load_penguins, "species", ())


def cars() -> Table:
    """Where cars come from."""
    from vega_datasets import data

    return of_frame(data.cars, "Origin", ("Name", "Year"))


def affairs() -> Table:
    """Whether there was one: Fair, 1978."""
    from statsmodels.datasets import fair

    frame = fair.load_pandas().data
    frame = frame.assign(affair=np.where(frame["affairs"] > 0, "yes", "no"))
    return of_frame(lambda: frame.iloc[::4], "affair", ("affairs",))


SETS: dict[str, Callable[[], Table]] = {
    "iris": lambda: of_scikit("iris"),
    "wine": lambda: of_scikit("wine"),
    "breast cancer": lambda: of_scikit("breast_cancer"),
    "digits": lambda: of_scikit("digits"),
    "tic-tac-toe": tic_tac_toe,
    "penguins": penguins,
    "cars": cars,
    "affairs": affairs,
}


def tables() -> Iterator[tuple[str, Table]]:
    """Every set whose package is there."""
    for name, load in SETS.items():
        try:
            yield name, load()
        except ImportError as error:
            print(f"{name}: left out, {error.name} is not installed")


def line(name: str, found: list[Judged]) -> None:
    """Ours and theirs, a way after the other."""
    ours = [one for one in found if one.way == OURS]
    print(f"{name:14} {OURS}: {fmean(o.score for o in ours):.3f} / {fmean(o.cost for o in ours):.3f}", end="")
    for way in WAYS[1:]:
        theirs = [one for one in found if one.way == way]
        print(f"; {way}: {fmean(o.score for o in theirs):.3f} / {fmean(o.cost for o in theirs):.3f}", end="")
    print()


def pooled(name: str, found: list[Judged]) -> None:
    """The paired intervals against every other way."""
    ours = [one for one in found if one.way == OURS]
    for way in WAYS[1:]:
        theirs = [one for one in found if one.way == way]
        ratio = cost_ratio(ours, theirs)
        better = paired([a.score - b.score for a, b in zip(ours, theirs, strict=True)])
        print(
            f"{name}: against {way}: cost {ratio[0]:.3f} ({ratio[1]:.3f} to {ratio[2]:.3f}), "
            f"right {better[0]:+.4f} ({better[1]:+.4f} to {better[2]:+.4f}), {len(ours)} folds"
        )


def main() -> None:
    """Print right answers / expected cost of every way on every set, then all pooled."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folds", type=int, default=5)
    folds, known = parser.parse_args().folds, list(tables())
    for costs in ("random costs", "equal costs"):
        everything: list[Judged] = []
        for name, (columns, labels, nominal) in known:
            found: list[Judged] = []
            for seed in SEEDS if costs == "random costs" else SEEDS[:1]:
                m = columns.shape[1]
                drawn = np.random.default_rng(seed).integers(1, 11, m).astype(float)
                paid = drawn if costs == "random costs" else np.ones(m)
                found += judge(Task(columns, labels, np.ones(len(labels)), nominal, paid, seed=seed), folds)
            line(f"{name}, {costs}", found)
            everything += found
        pooled(f"all, {costs}", everything)


if __name__ == "__main__":
    main()
