"""Generations of a tuning, kept beside the file that it makes, so that it goes on after a kill.

Only who was in a generation and what came out is kept: the search itself is gone through again, which takes no time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from domeng_sim.comparisons.tuning_result import Generation
from domeng_sim.errors import Damaged, FieldRef, Refused, UserError
from domeng_sim.runs.whole_file import whole_file

_FORM = 1


def state_path(out: Path) -> Path:
    """Where the generations of a tuning are kept.

    Examples
    --------
    >>> state_path(Path("my.toml")).name
    'my.toml.tune'
    """
    return out.with_name(f"{out.name}.tune")


@dataclass
class TuneState:
    """What is kept of a tuning.

    Attributes
    ----------
    path
        Its file; None keeps nothing.
    identity
        Digest of what is tuned.
    request
        What was asked, by field.
    generations
        Those that are known.
    written
        The file of strategies as it was written last.
    """

    path: Path | None = None
    identity: str = ""
    request: Mapping[str, Any] = field(default_factory=dict)
    generations: Sequence[Generation] = ()
    written: str = ""

    def keep(self, generations: Sequence[Generation]) -> None:
        """Keep these generations, or more that are known already."""
        self.generations = generations if len(generations) >= len(self.generations) else self.generations
        if self.path is None:
            return
        content = {
            "form": _FORM,
            "identity": self.identity,
            "request": self.request,
            "generations": [one.to_json() for one in self.generations],
            "written": self.written,
        }
        with whole_file(self.path) as file:
            file.write(json.dumps(content).encode())


def read_state(path: Path) -> TuneState | None:
    """What a file keeps; None if there is no such file.

    Raises
    ------
    UserError
        If it cannot be read.
    Damaged
        If it is no such file.
    """
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise Damaged(f"{path} does not hold generations of a tuning") from error
    try:
        if content["form"] != _FORM:
            raise ValueError
        rows = tuple(Generation.from_json(row) for row in content["generations"])
        return TuneState(path, str(content["identity"]), dict(content["request"]), rows, str(content["written"]))
    except (KeyError, TypeError, ValueError) as error:
        raise Damaged(f"{path} does not hold generations of a tuning") from error


def open_state(out: Path, identity: str, request: Mapping[str, Any], resume: bool, overwrite: bool) -> TuneState:
    """What is known of a tuning, once nothing speaks against writing its files.

    Parameters
    ----------
    out
        The file of strategies.
    identity, request
        What is tuned.
    resume
        Whether to go on with what is there.
    overwrite
        Whether files that are there may be replaced.

    Raises
    ------
    Refused
        If something is there that is not to be replaced.
    """
    path = state_path(out)
    known = read_state(path) if resume else None
    if known is not None:
        if known.identity != identity:
            raise Refused(f"{path} keeps another tuning; go on with the same options, or name another file")
        if out.exists() and out.read_bytes() != known.written.encode():
            raise Refused(f"{out} was changed after it was written; move it away, or name another file")
        known.request = request
        return known
    for one in (out, path):
        if one.exists() and not overwrite:
            go_on = (", go on with it by ", FieldRef("resume", True)) if one == path else ()
            exists = (f"{one} exists already; replace it by ", FieldRef("overwrite", True), *go_on)
            raise Refused(*exists, ", or name another file with ", FieldRef("out"))
    return TuneState(path, identity, request)
