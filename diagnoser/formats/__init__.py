"""Where tables come from: `open_table` chooses the reader, by the end of the file's name.

A reader is a module with a function `read(path, how)` that gives a Reading and raises BadTable. It is imported only
for its own files.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

import knowledge_bases
from diagnoser.errors import BadTable, UsageError
from diagnoser.formats.reading import How, Reading
from diagnoser.kb import KnowledgeBase
from diagnoser.text import clean, nearest

READERS = {
    **dict.fromkeys((".csv", ".tsv", ".tab", ".txt"), "csv"),
    **dict.fromkeys((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), "sheets"),
    ".arff": "arff",
    ".bif": "bif",
    ".js": "sliks",
    ".json": "trained",
    ".xml": "sdd",
}
"""Module of the reader by the end of a file's name."""
HOW = {"csv": ("cases", "absent"), "sheets": ("cases", "absent", "sheet"), "arff": ("cases",)}
"""What a reader can be told of `How`."""
DELTA_FILES = frozenset({"chars", "items", "specs"})
"""A DELTA data set is a folder with these three, under any capitals; any of them stands for it."""
USUAL = How()


def shipped_tables() -> dict[str, Path]:
    """Folder of each table that ships with the program, by name."""
    return knowledge_bases.shipped()


def open_table(source: str | Path, prior: str | Path | None = None, column: int = 0) -> KnowledgeBase:
    """Read a table: a folder, its kb.toml, another program's file, or the name of a shipped table.

    A path that exists goes before a name, unless it is a folder that holds no table. Where `prior` is given, the
    priors are those in this column, counted from 0, of that CSV file. Raises BadTable, and BadFile for the priors.
    """
    kb = read_table(source).told
    if prior is None:
        return kb
    from diagnoser.formats.prior import with_prior

    return with_prior(kb, prior, column)


def read_table(source: str | Path, how: How = USUAL) -> Reading:
    """The table of a source, as `open_table` finds it, with the account of its file.

    Raises BadTable, and UsageError where `how` says what has no meaning for such a file.
    """
    place = _found(source)
    ours = (place / "kb.toml").is_file()
    name = "folder" if ours else "delta" if place.is_dir() else READERS[place.suffix.lower()]
    for option, wanted in asdict(how).items():
        if wanted != getattr(USUAL, option) and option not in HOW.get(name, ()):
            raise UsageError(f"--{option} has no meaning for {clean(str(place))}; leave it out")
    if ours:
        from diagnoser.formats.folder import read_folder  # pydantic, only where it is needed

        return read_folder(place)
    read: Callable[[Path, How], Reading] = import_module(f"diagnoser.formats.{name}").read
    return read(place, how)


def lasting_source(source: str | Path) -> str:
    """What opens the same table from any folder: an absolute path, or the name of a shipped one. Raises BadTable."""
    place = _found(source)
    return str(source) if shipped_tables().get(str(source)) == place else str(place.resolve())


def _found(source: str | Path) -> Path:
    """The folder with kb.toml, or another program's file or folder, that this is. Raises BadTable."""
    path = Path(source)
    try:
        is_folder, is_file, exists = path.is_dir(), path.is_file(), path.exists()
        if is_folder:
            declared = (path / "kb.toml").is_file()
        elif path.name:
            declared = path.with_name("kb.toml").is_file()
        else:
            declared = False
    except OSError as error:
        raise BadTable(path, f"cannot be read ({error.strerror})", "check the path and its permissions") from None
    if is_folder and declared:
        return path
    if is_file and path.name == "kb.toml":
        return path.parent
    shipped = shipped_tables()
    if not is_file and str(source) in shipped:
        return shipped[str(source)]
    if is_folder:
        if _holds_delta(path):
            return path
        raise BadTable(path, "the folder has no kb.toml", "choose a folder with kb.toml and table.csv, or a .csv file")
    if not exists:
        problem = "there is no such file, and no shipped table of this name"
        raise BadTable(path, problem, nearest(str(source), shipped))
    if not is_file:
        raise BadTable(path, "this is neither a file nor a folder", "choose a folder with kb.toml, or a .csv file")
    if path.name == "table.csv" and declared:
        return path.parent
    if path.name.casefold() in DELTA_FILES and _holds_delta(path.parent):
        return path.parent
    if path.suffix.lower() not in READERS:
        problem = f'files that end in "{path.suffix}" are not read' if path.suffix else "the kind of file is not known"
        raise BadTable(path, problem, f"choose a folder with kb.toml, or one of {', '.join(sorted(READERS))}")
    return path


def _holds_delta(folder: Path) -> bool:
    return {entry.name.casefold() for entry in folder.iterdir()} >= DELTA_FILES
