"""Priors from a file: by name, by position, and one bad file an error."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest

from diagnoser.errors import BadFile
from diagnoser.formats import open_table
from diagnoser.formats.prior import with_prior
from diagnoser.kb import KnowledgeBase
from tests.conftest import SHARED


@pytest.fixture
def animals(tmp_path: Path) -> KnowledgeBase:
    path = tmp_path / "animals.csv"
    path.write_text("name,a\ncat,1\ndog,0\ncow,1\n")
    return open_table(path)


def priors(kb: KnowledgeBase, folder: Path, text: str, column: int) -> tuple[list[float], tuple[str, ...]]:
    path = folder / "prior.csv"
    path.write_bytes(text.encode())
    changed = with_prior(kb, path, column)
    assert [h.id for h in changed.hypotheses] == [h.id for h in kb.hypotheses]
    return [h.prior for h in changed.hypotheses], changed.notices


def test_wiser_priors() -> None:
    path = SHARED / "data" / "wiser_prior.csv"
    if not path.exists():
        pytest.skip("../shared/data/wiser_prior.csv is not here")
    kb = open_table(SHARED / "data" / "wiser_clean.csv")
    lines = path.read_bytes().decode().replace("\r", "\n").split("\n")[1:]
    for column in range(3):
        written = [float(line.split(",")[column]) for line in lines]
        changed = with_prior(kb, path, column)
        assert [h.prior for h in changed.hypotheses] == pytest.approx([w / sum(written) for w in written], rel=1e-12)
        assert abs(math.fsum(h.prior for h in changed.hypotheses) - 1) < 1e-12
        assert changed.notices[-1] == f"priors are matched by position: column {column}, counted from 0, of {path}"
    with pytest.raises(BadFile, match="there is no column 3; columns count from 0; choose one from 0 to 2"):
        with_prior(kb, path, 3)


@pytest.mark.parametrize(
    ("text", "column", "expected", "by_position"),
    [
        ("cow,5\ncat,2\ndog,3\n", 1, [0.2, 0.3, 0.5], False),
        ("name,uniform,mine\ncow,1,5\ncat,1,2\r\rdog,1,3", 2, [0.2, 0.3, 0.5], False),
        (",0,1\ncow,1,5\ncat,1,2\ndog,1,3\n", 2, [0.2, 0.3, 0.5], False),
        ("2\n3\n5\n", 0, [0.2, 0.3, 0.5], True),
        ("prior\n2\n3\n5\n", 0, [0.2, 0.3, 0.5], True),
        ("0,1,\n9,2\r9,3\r9,5", 1, [0.2, 0.3, 0.5], True),
        ("0.2,x\n0.3,x\n0.5,x\n", 0, [0.2, 0.3, 0.5], True),
    ],
)
def test_priors_match_by_name_or_by_position(
    animals: KnowledgeBase, tmp_path: Path, text: str, column: int, expected: list[float], by_position: bool
) -> None:
    found, notices = priors(animals, tmp_path, text, column)
    assert found == pytest.approx(expected, rel=1e-15)
    assert any("by position" in notice for notice in notices) == by_position


def test_numbers_may_be_names(tmp_path: Path) -> None:
    path = tmp_path / "bare.csv"
    path.write_text("id,a\n7,x\n8,y\n9,y\n")
    kb = open_table(path)
    found, notices = priors(kb, tmp_path, "id,p\n9,5\n7,2\n8,3\n", 1)
    assert found == pytest.approx([0.2, 0.3, 0.5])
    assert notices == kb.notices
    found, notices = priors(kb, tmp_path, "1,2\n1,3\n1,5\n", 1)
    assert found == pytest.approx([0.2, 0.3, 0.5])
    assert notices[-1].startswith("priors are matched by position")


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("1\n2\n", 0, ("2 rows of priors for 3 hypotheses", "one row for each")),
        ("1\n2\n3\n4\n", 0, ("4 rows of priors for 3 hypotheses",)),
        ("1\n2\n3\n", 1, ("there is no column 1", "columns count from 0", "from 0 to 0")),
        ("1\n2\n3\n", -1, ("there is no column -1",)),
        ("1\n0\n3\n", 0, ("line 2", "column 0", "columns count from 0", 'value "0"', "no positive number", "0.02")),
        ("1\n-2\n3\n", 0, ("line 2", 'value "-2"')),
        ("0\n1\n3\n", 0, ("line 1", 'value "0"', "no positive number")),
        ("1\n1e-101\n3\n", 0, ("line 2", 'value "1e-101"', "not between 1e-100 and 1e100", "scale all")),
        ("1\n2e100\n3\n", 0, ("line 2", "not between 1e-100 and 1e100")),
        ("prior\n1\nnan\n3\n", 0, ("line 3", 'value "nan"')),
        ("1,1\n1,\n1,1\n", 1, ("line 2", "column 1", 'value ""')),
        ("cat,1\ndog,2\nbull,3\n", 1, ('line 3, value "bull"', "no such hypothesis", "known are")),
        ("cat,1\ndog,2\nCow,3\n", 1, ('value "Cow"', 'did you mean "cow"?')),
        ("cat,1\ndog,2\n", 1, ('no prior for "cow" (1 missing)', "add a row")),
        ("cat,1\ndog,2\ncat,3\ncow,1\n", 1, ("line 3", '"cat"', "line 1 already", "remove one")),
        ("name,p\ncat,1\ndog\ncow,1\n", 1, ("line 3", "1 fields, expected 2")),
        ("cat;1\ndog;2\ncow;3\n", 1, ("divided by semicolons",)),
        ("", 0, ("the file is empty",)),
        (",\n,\n", 0, ("there is no row with a prior", "one row for each hypothesis")),
    ],
)
def test_bad_priors(animals: KnowledgeBase, tmp_path: Path, text: str, column: int, said: tuple[str, ...]) -> None:
    with pytest.raises(BadFile) as caught:
        priors(animals, tmp_path, text, column)
    message = str(caught.value)
    assert message.startswith(str(tmp_path / "prior.csv"))
    for words in said:
        assert words in message


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_refused_and_not_waited_for(animals: KnowledgeBase, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(BadFile, match="no regular file"):
        with_prior(animals, tmp_path / "pipe.csv", 0)
