"""Files that people ask for: pages, pictures, tables."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from domeng_sim.errors import BadInput, FieldRef, Refused, UserError
from domeng_sim.runs.store.files import Folder


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file that gets its name when all is written, so that a reader, or a crash, sees the old one or the new.

    Parameters
    ----------
    path
        Where it will be.

    Raises
    ------
    UserError
        If it cannot be written.
    """
    try:
        with Folder(path.parent) as folder, folder.writing(path.name) as file:
            yield file
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from error


def refuse_file(path: Path, field: str, overwrite: bool) -> None:
    """Refuse to write where that cannot be, or would replace something, before any work is done.

    Parameters
    ----------
    path
        Where the file would be.
    field
        Name of the field that names it.
    overwrite
        Whether a file that is there may be replaced.

    Raises
    ------
    Refused
        If something is there.
    BadInput
        If there is no directory for it.
    """
    if path.is_dir():
        raise Refused(f"{path} is a directory; name a file with ", FieldRef(field))
    if not path.parent.is_dir():
        raise BadInput(f"{path.parent} is no directory, so {path.name} cannot be written there")
    if path.exists() and not overwrite:
        exists = f"{path} exists already; replace it by ", FieldRef("overwrite", True), ", or name another file with "
        raise Refused(*exists, FieldRef(field))
