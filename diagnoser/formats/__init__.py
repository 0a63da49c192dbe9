"""Where tables come from: `open_table` chooses the reader."""

from __future__ import annotations

from pathlib import Path

import knowledge_bases
from diagnoser.errors import BadTable
from diagnoser.kb import KnowledgeBase


def shipped_tables() -> dict[str, Path]:
    """Folder of each table that ships with the program, by name."""
    return knowledge_bases.shipped()


def open_table(source: str | Path) -> KnowledgeBase:
    """Read a table: a folder, its kb.toml, a bare .csv file, or the name of a shipped table.

    A path that exists goes before a name, unless it is a folder that holds no table. Raises BadTable.
    """
    path = Path(source)
    try:
        is_folder, is_file, exists = path.is_dir(), path.is_file(), path.exists()
        declared = (path / "kb.toml" if is_folder else path.with_name("kb.toml") if path.name else path).is_file()
    except OSError as error:
        raise BadTable(path, f"cannot be read ({error.strerror})", "check the path and its permissions") from None
    if (is_folder and declared) or (is_file and path.name == "kb.toml"):
        return _read_folder(path if is_folder else path.parent)
    shipped = shipped_tables()
    if not is_file and str(source) in shipped:
        return _read_folder(shipped[str(source)])
    if is_folder:
        raise BadTable(path, "the folder has no kb.toml", "choose a folder with kb.toml and table.csv, or a .csv file")
    if not exists:
        from diagnoser.formats.rows import nearest

        problem = "there is no such file, and no shipped table of this name"
        raise BadTable(path, problem, nearest(str(source), shipped))
    if not is_file:
        raise BadTable(path, "this is neither a file nor a folder", "choose a folder with kb.toml, or a .csv file")
    if path.name == "table.csv" and declared:
        return _read_folder(path.parent)
    if path.suffix.lower() != ".csv":
        problem = f'files that end in "{path.suffix}" are not read' if path.suffix else "the kind of file is not known"
        raise BadTable(path, problem, "choose a folder with kb.toml, or save the table as .csv")
    from diagnoser.formats.csv import read_csv

    return read_csv(path)


def _read_folder(folder: Path) -> KnowledgeBase:
    from diagnoser.formats.folder import read_folder  # pydantic, only where it is needed

    return read_folder(folder)
