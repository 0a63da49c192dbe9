"""Every reader on very many mutants, within bounds of time and memory.

    python -m tests.test_formats.fuzz 1000000 [reader ...]

Prints for each reader how many mutants were read and refused. Any error but BadTable, a reading of more than five
seconds, or more than two gigabytes end it with the mutant's seed.
"""

from __future__ import annotations

import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from diagnoser.formats import read_table
from diagnoser.formats.reading import How
from tests.test_formats import fuzzing, test_arff, test_bif, test_cases, test_delta, test_sdd, test_sheets, test_sliks
from tests.test_formats.test_csv import PLAIN

SECONDS = 5
BYTES = 2 << 30
CSV = [PLAIN.encode(), PLAIN.replace(",", ";").encode("cp1252"), b"x,1,0|1\ny,u,0:0.5|1:0.5\n", b"a,b\n+,-\n-,+\n"]
TEXTS = {
    "csv": ("a.csv", CSV, How()),
    "cases": ("a.csv", test_cases.SEEDS, How("diagnosis", "no")),
    "arff": ("a.arff", [test_arff.NAMED.encode(), test_arff.CLASSES.encode()], How()),
    "bif": ("a.bif", [test_bif.ONE.encode(), test_bif.MANY.encode()], How()),
    "sliks": ("a.js", [test_sliks.TINY.encode()], How()),
    "sdd": ("a.xml", [test_sdd.TINY.encode()], How()),
}


def too_slow(*_: object) -> None:
    raise TimeoutError(f"more than {SECONDS} seconds of CPU for one file")


def timed(read: Callable[[], object]) -> Callable[[], object]:
    def within() -> object:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            return read()
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    return within


def sources(place: Path, name: str) -> list[tuple[Path, list[bytes], How]]:
    """The files to put mutants into, and what they are made from; a folder has the others whole."""
    if name == "delta":
        folder = test_delta.folder(place)
        return [(folder / part, [(folder / part).read_bytes()], How()) for part in ("SPECS", "CHARS", "ITEMS")]
    if name == "sheets":
        return [(place / "a.xlsx", [test_sheets.xlsx(place / "seed.xlsx", S=test_sheets.ROWS).read_bytes()], How())]
    file, seeds, how = TEXTS[name]
    return [(place / file, seeds, how)]


def main() -> None:
    """Fuzz the readers that are named, or all."""
    rounds, names = int(sys.argv[1]), sys.argv[2:] or [*TEXTS, "delta", "sheets"]
    signal.signal(signal.SIGPROF, too_slow)
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    for name in names:
        with tempfile.TemporaryDirectory() as place:
            parts = sources(Path(place), name)
            fuzzing.ROUNDS = -(-rounds // len(parts))
            for file, seeds, how in parts:
                if name == "delta":
                    test_delta.folder(Path(place))  # the parts before were left in pieces
                started = time.process_time()
                source = Path(place) if name == "delta" else file
                put = fuzzing.into(file)
                read = timed(lambda source=source, how=how: read_table(source, how))
                known = fuzzing.refuses_or_reads(read, put, seeds, seed=2026)
                seconds = time.process_time() - started
                print(
                    f"{name} {file.name}: {fuzzing.ROUNDS:,} mutants, {known:,} read, {fuzzing.ROUNDS - known:,} "
                    f"refused, {seconds:.0f} s of CPU",
                    flush=True,
                )


if __name__ == "__main__":
    main()
