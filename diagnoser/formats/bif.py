"""BIF networks with one layer of diseases above one layer of findings.

With one root variable its states are the hypotheses, its distribution the prior, and each child is a test with
P(finding | state). With several two-state roots exactly one of them is taken to be present: hypothesis i is root i in
its state for present and all others in the other, its prior in proportion to its odds. Deeper networks are refused.

The format's readers in public libraries come with frameworks many times the size of this program.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from diagnoser.errors import BadTable
from diagnoser.formats.cells import number
from diagnoser.formats.csv import NEGATIVE
from diagnoser.formats.draft import Draft, safe_id, safe_test
from diagnoser.formats.reading import How, Reading
from diagnoser.formats.rows import old_text
from diagnoser.kb import Hypothesis, Outcome, Test
from diagnoser.text import clean

_TOKEN = re.compile(r'\s+|//[^\n]*|/\*.*?(?:\*/|\Z)|"[^"\n]*"|[{}()\[\];,|]|[^\s{}()\[\];,|"]+|"', re.DOTALL)
_SUM = 1e-6
_NO = {*NEGATIVE, "n", "none", "not", "negative", "healthy", "normal", "f", "off"}


@dataclass(slots=True)
class _Variable:
    name: str
    line: int
    states: tuple[str, ...]
    parents: tuple[str, ...] = ()
    rows: dict[tuple[str, ...], tuple[float, ...]] = field(default_factory=dict)
    """Probabilities of the states by the states of the parents."""


class _Words:
    """The words of a file one after the other, each with its line."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self._words: list[tuple[str, int]] = []
        line = 1
        for match in _TOKEN.finditer(text):
            word = match[0]
            if not (word.isspace() or word.startswith(("//", "/*"))):
                self._words.append((word, line))
            line += word.count("\n")
        self._place, self.line = 0, 1

    def more(self) -> bool:
        return self._place < len(self._words)

    def next(self) -> str:
        if not self.more():
            raise self.error("the file ends in the middle", "close what is open")
        word, self.line = self._words[self._place]
        self._place += 1
        return word

    def peek(self) -> str:
        return self._words[self._place][0] if self.more() else ""

    def expect(self, *words: str) -> str:
        word = self.next()
        if word not in words:
            wanted = " or ".join(f'"{one}"' for one in words)
            raise self.error(f"{wanted} is expected here", "mend it", word)
        return word

    def listed(self, end: str) -> list[str]:
        """Words up to `end`, with or without commas between them."""
        found: list[str] = []
        while (word := self.next()) != end:
            if word in "{}()[];|":
                raise self.error(f'"{end}" is expected here', "mend it", word)
            if word != ",":
                found.append(word)
        return found

    def skip(self, end: str) -> None:
        while self.next() != end:
            pass

    def error(self, problem: str, remedy: str, value: str | None = None) -> BadTable:
        shown = None if value is None else clean(value)
        return BadTable(self.path, problem, remedy, line=self.line, value=shown)


def read(path: Path, how: How) -> Reading:  # noqa: ARG001  a network says all itself
    """Read a network of diseases and findings. Raises BadTable."""
    text, encoding = old_text(path)
    words = _Words(path, text)
    title, variables = _network(words)
    draft = Draft(path, title)
    if encoding:
        draft.remark(encoding)
    roots = [v for v in variables.values() if not v.parents]
    findings = [v for v in variables.values() if v.parents]
    names = {root.name for root in roots}
    deep = [v.name for v in findings if not names.issuperset(v.parents)]
    if deep:
        problem = f"the network has more than two layers: {', '.join(deep[:5])} depend on findings"
        raise BadTable(path, problem, "only diseases above findings make a table")
    if not findings:
        raise BadTable(path, "no variable depends on another, so there is no finding", "choose a network with both")
    used = {parent for finding in findings for parent in finding.parents}
    for root in roots:
        if root.name not in used:
            draft.leave_out(f'variable "{root.name}": no finding depends on it')
    diseases = [root for root in roots if root.name in used]
    if len(diseases) == 1:
        _one_root(draft, diseases[0], findings)
    else:
        _many_roots(draft, diseases, findings)
    return draft.finish(hypothesis_word="diagnosis", hypotheses_word="diagnoses")


def _network(words: _Words) -> tuple[str, dict[str, _Variable]]:
    title, variables = "", dict[str, _Variable]()
    while words.more():
        kind = words.expect("network", "variable", "probability")
        if kind == "network":
            title = words.next().strip('"') if words.peek() != "{" else ""
            words.expect("{")
            words.skip("}")
        elif kind == "variable":
            variable = _variable(words)
            if variable.name in variables:
                where = variables[variable.name].line
                raise words.error(f"the variable stands in line {where} already", "rename one", variable.name)
            variables[variable.name] = variable
        else:
            _distribution(words, variables)
    for variable in variables.values():
        parents = math.prod(len(variables[p].states) for p in variable.parents)
        if len(variable.rows) != parents:
            words.line = variable.line
            problem = f"{len(variable.rows)} of {parents} distributions are given for this variable"
            raise words.error(problem, "give one for each state of what it depends on", variable.name)
    return title, variables


def _variable(words: _Words) -> _Variable:
    name, line = words.next().strip('"'), words.line
    words.expect("{")
    states: list[str] = []
    while (word := words.next()) != "}":
        if word == "property":
            words.skip(";")
            continue
        if word != "type":
            raise words.error('"type" or "property" is expected here', "mend it", word)
        words.expect("discrete")
        words.expect("[")
        count = words.next()
        words.expect("]")
        words.expect("{")
        states = [state.strip('"') for state in words.listed("}")]
        words.expect(";")
        if count != str(len(states)):
            raise words.error(f"{len(states)} states are named, not {clean(count)}", "mend the number", name)
    if len(states) < 2 or len(set(states)) < len(states):
        raise words.error("a variable has two different states at least", "name them", name)
    return _Variable(name, line, tuple(states))


def _distribution(words: _Words, variables: Mapping[str, _Variable]) -> None:
    words.expect("(")
    names: list[str] = []
    while (word := words.next()) != ")":
        if word in "{}()[];":
            raise words.error('")" is expected here', "mend it", word)
        if word not in (",", "|"):
            names.append(word.strip('"'))
    parents = names[1:]
    for name in names:
        if name not in variables:
            raise words.error("there is no variable of this name", "declare it above", name)
    if not names or len(set(names)) < len(names):
        raise words.error("different variables are expected here", "mend it")
    variable = variables[names[0]]
    if variable.rows:
        raise words.error("its probabilities are given already", "take one out", variable.name)
    variable.parents = tuple(parents)
    given = [variables[parent].states for parent in parents]
    combinations = math.prod(len(states) for states in given)
    if combinations > 100_000:
        raise words.error(f"{combinations:,} distributions are too many", "choose a smaller network", variable.name)
    everywhere: tuple[float, ...] | None = None
    words.expect("{")
    while (word := words.next()) != "}":
        if word == "property":
            words.skip(";")
        elif word == "table":
            _fill_table(words, variable, given)
        elif word == "default":
            everywhere = _probabilities(words, variable)
        elif word == "(":
            key = tuple(state.strip('"') for state in words.listed(")"))
            if len(key) != len(given) or any(state not in states for state, states in zip(key, given, strict=True)):
                raise words.error("these are no states of what it depends on", "mend them", " ".join(key))
            if key in variable.rows:
                raise words.error("these states have their probabilities already", "take one out", " ".join(key))
            variable.rows[key] = _probabilities(words, variable)
        else:
            raise words.error('"table", "default" or states in brackets are expected here', "mend it", word)
    if everywhere is not None:
        for key in _keys(given):
            variable.rows.setdefault(key, everywhere)


def _keys(given: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """All combinations of the parents' states, the last changing first."""
    keys: list[tuple[str, ...]] = [()]
    for states in given:
        keys = [(*key, state) for key in keys for state in states]
    return keys


def _fill_table(words: _Words, variable: _Variable, given: Sequence[Sequence[str]]) -> None:
    """`table` lists the probabilities state by state of the variable, each over all combinations of the parents."""
    if variable.rows:
        raise words.error("its probabilities are given already", "take one out", variable.name)
    values = _numbers(words)
    keys = _keys(given)
    if len(values) != len(keys) * len(variable.states):
        raise words.error(
            f"{len(values)} numbers for {len(keys) * len(variable.states)}", "mend the table", variable.name
        )
    for place, key in enumerate(keys):
        variable.rows[key] = _checked(words, variable, values[place :: len(keys)])


def _probabilities(words: _Words, variable: _Variable) -> tuple[float, ...]:
    values = _numbers(words)
    if len(values) != len(variable.states):
        raise words.error(f"{len(values)} probabilities for {len(variable.states)} states", "mend them", variable.name)
    return _checked(words, variable, values)


def _numbers(words: _Words) -> list[float]:
    found = []
    for text in words.listed(";"):
        value = number(text)
        if value is None or not 0 <= value <= 1:
            raise words.error("this is no probability", "write a number from 0 to 1", text)
        found.append(value)
    return found


def _checked(words: _Words, variable: _Variable, values: Sequence[float]) -> tuple[float, ...]:
    total = math.fsum(values)
    if abs(total - 1) > _SUM:
        raise words.error(f"the probabilities sum to {total:g}, not to 1", "mend them", variable.name)
    return tuple(value / total for value in values)


def _add_findings(draft: Draft, findings: Sequence[_Variable]) -> list[list[str]]:
    """Each finding as a test; the ids of its states."""
    found = []
    for finding in findings:
        ids = [safe_id(state) for state in finding.states]
        outcomes = tuple(Outcome(i, clean(state)) for i, state in zip(ids, finding.states, strict=True))
        draft.add_test(Test(safe_test(finding.name), outcomes), finding.line)
        found.append(ids)
    return found


def _put(
    draft: Draft, row: int, findings: Sequence[_Variable], ids: list[list[str]], states: Mapping[str, str]
) -> None:
    for test, finding in enumerate(findings):
        shares = finding.rows[tuple(states[parent] for parent in finding.parents)]
        draft.put(row, test, {i: share for i, share in zip(ids[test], shares, strict=True) if share > 0})


def _one_root(draft: Draft, root: _Variable, findings: Sequence[_Variable]) -> None:
    ids = _add_findings(draft, findings)
    for state, prior in zip(root.states, root.rows[()], strict=True):
        if prior <= 0:
            draft.leave_out(f'diagnosis "{state}": its probability is 0')
            continue
        row = draft.add_hypothesis(Hypothesis(clean(state), clean(state), prior), root.line)
        _put(draft, row, findings, ids, {root.name: state})


def _many_roots(draft: Draft, roots: Sequence[_Variable], findings: Sequence[_Variable]) -> None:
    draft.remark("exactly one of the diagnoses is taken to be present")
    for root in roots:
        if len(root.states) != 2:
            problem = f'"{root.name}" has {len(root.states)} states; of several diagnoses each is there or not'
            raise BadTable(draft.path, problem, "choose a network of two-state diagnoses", line=root.line)
    ids = _add_findings(draft, findings)
    there = {root.name: _present(draft, root) for root in roots}
    absent = {root.name: root.states[1 - there[root.name]] for root in roots}
    for root in roots:
        present, missing = root.rows[()][there[root.name]], root.rows[()][1 - there[root.name]]
        if not 0 < present < 1:
            draft.leave_out(f'diagnosis "{root.name}": its probability is {present:g}')
            continue
        row = draft.add_hypothesis(Hypothesis(clean(root.name), clean(root.name), present / missing), root.line)
        _put(draft, row, findings, ids, absent | {root.name: root.states[there[root.name]]})


def _present(draft: Draft, root: _Variable) -> int:
    """Which of two states says that the disease is there: the one beside a word for no."""
    no = [state.casefold() in _NO for state in root.states]
    if sum(no) != 1:
        problem = f'it cannot be told which state of "{root.name}" says that it is there: {", ".join(root.states)}'
        raise BadTable(draft.path, clean(problem), "call them yes and no", line=root.line)
    return no.index(False)
