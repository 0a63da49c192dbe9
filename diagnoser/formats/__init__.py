"""Where tables come from: `open_table` chooses the reader."""

from __future__ import annotations

from pathlib import Path

import knowledge_bases
from diagnoser.errors import BadTable
from diagnoser.kb import KnowledgeBase
from diagnoser.text import nearest


def shipped_tables() -> dict[str, Path]:
    """Folder of each table that ships with the program, by name."""
    return knowledge_bases.shipped()


def open_table(source: str | Path, prior: str | Path | None = None, column: int = 0) -> KnowledgeBase:
    """Read a table: a folder, its kb.toml, a bare .csv file, or the name of a shipped table.

    A path that exists goes before a name, unless it is a folder that holds no table. Where `prior` is given, the
    priors are those in this column, counted from 0, of that CSV file. Raises BadTable, and BadFile for the priors.
    """
    place = _found(source)
    if place.is_dir():
        from diagnoser.formats.folder import read_folder  # pydantic, only where it is needed

        kb = read_folder(place)
    else:
        from diagnoser.formats.csv import read_csv

        kb = read_csv(place)
    if prior is None:
        return kb
    from diagnoser.formats.prior import with_prior

    return with_prior(kb, prior, column)


def lasting_source(source: str | Path) -> str:
    """What opens the same table from any folder: an absolute path, or the name of a shipped one. Raises BadTable."""
    place = _found(source)
    return str(source) if shipped_tables().get(str(source)) == place else str(place.resolve())


def _found(source: str | Path) -> Path:
    """The folder with kb.toml, or the bare CSV file, that this is. Raises BadTable."""
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
        raise BadTable(path, "the folder has no kb.toml", "choose a folder with kb.toml and table.csv, or a .csv file")
    if not exists:
        problem = "there is no such file, and no shipped table of this name"
        raise BadTable(path, problem, nearest(str(source), shipped))
    if not is_file:
        raise BadTable(path, "this is neither a file nor a folder", "choose a folder with kb.toml, or a .csv file")
    if path.name == "table.csv" and declared:
        return path.parent
    if path.suffix.lower() != ".csv":
        problem = f'files that end in "{path.suffix}" are not read' if path.suffix else "the kind of file is not known"
        raise BadTable(path, problem, "choose a folder with kb.toml, or save the table as .csv")
    return path
