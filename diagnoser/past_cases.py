"""Past cases to learn from: a file with a row for each, or a knowledge base, as columns, labels and weights.

Files are read by pandas. What each column is taken for, and what is left out and why, is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from algos.splits import EACH, KINDS, NOMINAL, NUMBER
from algos.table import Float64
from diagnoser.errors import BadFile, UsageError
from diagnoser.kb import KnowledgeBase
from diagnoser.saved import saved_sessions, sessions_about
from diagnoser.text import counted, nearest

if TYPE_CHECKING:
    import pandas as pd

NUMBERS, NAMES = KINDS[NUMBER], KINDS[NOMINAL]
ENDINGS = (".csv", ".tsv", ".parquet", ".arff", ".xlsx", ".xls", ".ods")
MISSING = ("", "?", "NA", "N/A", "n/a", "nan", "NaN", "null", "unknown")
FEW = 20
"""Rows below which a column without a repeated value is no sign of an id."""


@dataclass(frozen=True)
class PastCases:
    """n cases."""

    target: str
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    """Of `splits.KINDS`, one a column."""
    columns: NDArray[np.object_]
    """(n, m) numbers, with NaN for missing ones, and texts, with None."""
    labels: NDArray[np.object_]
    """(n,) texts."""
    weights: Float64
    """(n,)"""
    costs: Mapping[str, float]
    """Those that the source gives."""
    said: tuple[str, ...]
    """What was understood and what was left out, a line each."""

    @property
    def nominal(self) -> list[int]:
        """Places of the columns that are no numbers."""
        return [place for place, kind in enumerate(self.kinds) if kind != NUMBERS]


def read_frame(path: Path) -> pd.DataFrame:
    """The file as pandas reads it. Raises BadFile."""
    import pandas as pd

    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise BadFile(path, "past cases are not read from such files", f"give one of {', '.join(ENDINGS)}")
    how: dict[str, Any] = {"keep_default_na": False, "na_values": list(MISSING)}
    try:
        if ending in (".csv", ".tsv"):
            return pd.read_csv(path, sep="\t" if ending == ".tsv" else ",", skipinitialspace=True, **how)
        if ending == ".parquet":
            return pd.read_parquet(path)
        if ending == ".arff":
            from scipy.io import arff

            data, _ = arff.loadarff(path)
            frame = pd.DataFrame(data)
            for name in frame.select_dtypes(object):
                frame[name] = frame[name].str.decode("utf-8").replace(dict.fromkeys(MISSING))
            return frame
        return pd.read_excel(path, engine="calamine", **how)
    except ImportError as error:
        needed = error.name or "pyarrow"
        raise BadFile(path, f"such files need the package {needed}", f"install {needed}") from None
    except (OSError, ValueError, KeyError, NotImplementedError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else " ".join(str(error).split())
        raise BadFile(path, f"the cases cannot be read: {reason}", "check the file") from None


def from_file(
    path: Path, target: str, kinds: Mapping[str, str], dropped: Sequence[str], kept: Sequence[str]
) -> PastCases:
    """The rows of a file. `kinds` and `kept` overrule what the columns look like. Raises BadFile, UsageError."""
    frame = read_frame(path)
    frame.columns = [str(name).strip() for name in frame.columns]
    names = list(frame.columns)
    if doubled := sorted({name for name in names if names.count(name) > 1}):
        raise BadFile(path, "two columns have the same name", "rename one", column=doubled[0])
    for name in (target, *kinds, *dropped, *kept):
        if name not in names:
            raise UsageError(f'the file has no column "{name}"; {nearest(name, names)}')
    said = []
    labelled = frame[target].notna()
    if not labelled.all():
        said.append(f"left out: {counted(int((~labelled).sum()), 'row')} without {target}")
        frame = frame[labelled].reset_index(drop=True)
    if frame.empty:
        raise BadFile(path, "no row says what was found", "fill the column", column=target)
    labels = np.array([_text(value) for value in frame[target]], np.object_)
    columns, used, used_kinds = [], [], []
    for name in names:
        if name == target or name in dropped:
            continue
        column, kind = column_of(path, name, frame[name], kinds.get(name))
        why = None if name in kept else _useless(name, column, labels)
        if why:
            said.append(f"left out: {name}, {why}")
            continue
        columns.append(column)
        used.append(name)
        used_kinds.append(kind)
        said.append(f"{name}: {_described(column, kind)}")
    if not used:
        raise BadFile(path, "no column is left to ask about", "keep one with --keep")
    stacked = np.empty((len(labels), len(used)), np.object_)
    for place, column in enumerate(columns):
        stacked[:, place] = column
    return PastCases(target, tuple(used), tuple(used_kinds), stacked, labels, np.ones(len(labels)), {}, tuple(said))


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def column_of(path: Path, name: str, series: pd.Series[Any], kind: str | None) -> tuple[NDArray[Any], str]:
    """The values and what they are. Raises BadFile where they cannot be numbers and should."""
    import pandas as pd

    numeric = pd.api.types.is_numeric_dtype(series) and not pd.api.types.is_bool_dtype(series)
    if kind is None:
        kind = NUMBERS if numeric else NAMES
    if kind == NUMBERS:
        numbers = pd.to_numeric(series, errors="coerce").astype(float)
        wrong = series[numbers.isna() & series.notna()]
        if len(wrong):
            place = int(wrong.index[0]) + 2
            raise BadFile(
                path,
                "this is not a number",
                f"correct it or say --kind {name}=nominal",
                line=place,
                column=name,
                value=str(wrong.iloc[0]),
            )
        if np.isinf(numbers).any():
            place = int(np.flatnonzero(np.isinf(numbers))[0]) + 2
            raise BadFile(path, "a number has no end", "write a number or leave it blank", line=place, column=name)
        return numbers.to_numpy(), kind
    return np.array(
        [None if value is None or value != value else _text(value) for value in series.astype(object)], np.object_
    ), kind


def _useless(name: str, column: NDArray[Any], labels: NDArray[np.object_]) -> str | None:
    """Why a column tells nothing that would hold for a new case."""
    known = [
        (value, label) for value, label in zip(column, labels, strict=True) if value is not None and value == value
    ]
    values = {value for value, _ in known}
    if not values:
        return "it is blank"
    if len(values) == 1 and len(known) == len(column):
        return "it is the same everywhere"
    whole = all(isinstance(value, str) or float(value).is_integer() for value in values)
    if len(known) >= FEW and len(values) == len(known) and whole and _numbered(name, column):
        return "it looks like a number of the case: no value occurs twice"
    pairs = set(known)
    classes = {label for _, label in pairs}
    if len(classes) > 1 and len(pairs) == len(values) == len(classes) and len(known) >= FEW:
        return "it says the same as the answer"
    return None


def _numbered(name: str, column: NDArray[Any]) -> bool:
    """Texts that never repeat, whole numbers that only rise, or a name that says so."""
    words = name.casefold().replace("-", "_").split("_")
    if isinstance(column[0], str) or {"id", "index", "number", "no", "nr", "key", "uuid"} & set(words):
        return True
    numbers = column.astype(float)
    return bool((np.diff(numbers[~np.isnan(numbers)]) > 0).all())


def _described(column: NDArray[Any], kind: str) -> str:
    missing = sum(value is None or value != value for value in column)
    values = {value for value in column if value is not None and value == value}
    what = f"numbers {min(values):g} to {max(values):g}" if kind == NUMBERS else counted(len(values), "value")
    return what + (f", {missing} missing" if missing else "")


def from_table(kb: KnowledgeBase) -> PastCases:
    """Each hypothesis is a case that weighs its prior; the answer is its group where the table has groups.

    A cell that allows several outcomes, and one that is unknown, is a missing value.
    """
    columns = np.full((len(kb.hypotheses), len(kb.tests)), None, np.object_)
    unsure = 0
    for x in range(len(kb.hypotheses)):
        for d, test in enumerate(kb.tests):
            code = kb.code(x, d)
            if code >= 0:
                columns[x, d] = test.outcomes[code].id
            else:
                unsure += not kb.cell(x, d).unknown
    words = f"{counted(len(kb.hypotheses), kb.hypothesis_word)}; {counted(unsure, 'cell')} with several outcomes"
    weights = np.array([hypothesis.prior for hypothesis in kb.hypotheses])
    return _of_table(kb, columns, range(len(kb.hypotheses)), weights, (f"{words} count as missing",))


def from_sessions(kb: KnowledgeBase, folder: Path) -> PastCases:
    """Each saved session about this table that ended with a confirmed hypothesis is a case of weight 1.

    What was not asked, "could not tell", and an answer of several outcomes are missing values. Raises UsageError where
    there is no such session.
    """
    rows, found = [], []
    about, left_out = sessions_about(kb, saved_sessions(folder))
    for session in about:
        state = session.case.state
        if state.confirmed not in kb.hypothesis_index:
            continue
        row = np.full(len(kb.tests), None, np.object_)
        for answer in state.answers:
            place = kb.test_index.get(answer.test)
            if place is not None and len(answer.outcomes) == 1:
                row[place] = answer.outcomes[0]
        rows.append(row)
        found.append(kb.hypothesis_index[state.confirmed or ""])
    if not rows:
        raise UsageError(f"no session in {folder} about {kb.title} ends with something confirmed")
    open_end = len(about) - len(rows)
    said = [counted(len(rows), "confirmed session"), *left_out]
    if open_end:
        said.append(f"left out: {counted(open_end, 'session')} that confirm nothing of the table")
    return _of_table(kb, np.array(rows, np.object_), found, np.ones(len(rows)), tuple(said))


def _of_table(
    kb: KnowledgeBase, columns: NDArray[np.object_], rows: Sequence[int], weights: Float64, said: tuple[str, ...]
) -> PastCases:
    """Cases whose columns are the tests of a table; rows: the hypothesis of each."""
    grouped = any(hypothesis.group for hypothesis in kb.hypotheses)
    labels = [(grouped and kb.hypotheses[row].group) or kb.hypotheses[row].id for row in rows]
    return PastCases(
        "group" if grouped else kb.hypothesis_word,
        tuple(test.id for test in kb.tests),
        (KINDS[EACH],) * len(kb.tests),
        columns,
        np.array(labels, np.object_),
        weights,
        {test.id: test.cost for test in kb.tests},
        said,
    )
