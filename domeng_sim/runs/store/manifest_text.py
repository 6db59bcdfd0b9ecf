"""The text of a manifest, which carries its own digest: a bit that flips, or an edit by hand, is noticed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from domeng_sim.errors import BadInput, Damaged
from domeng_sim.runs.provenance import SCHEMA_VERSION
from domeng_sim.runs.store.location import Location

_SEAL = b' "digest": '
"""How the last line but one begins."""


def manifest_text(manifest: Mapping[str, Any]) -> bytes:
    """The text of a manifest: a line for each part, however many there are, and its digest.

    Only the encoder that indents nothing is quick, and a manifest is written after each part.
    """
    head = json.dumps({key: value for key, value in manifest.items() if key != "parts"}, indent=1)
    parts = ",".join(f"\n  {json.dumps(part)}" for part in manifest["parts"])
    return sealed(f'{head[:-2]},\n "parts": [{parts}\n ],\n'.encode())


def sealed(lines: bytes) -> bytes:
    """The lines of a manifest, and after them the SHA-256 of all their bytes."""
    return b'%s%s"%s"\n}\n' % (lines, _SEAL, hashlib.sha256(lines).hexdigest().encode())


def is_sealed(content: bytes) -> bool:
    """Whether a manifest is, byte for byte, as it was written."""
    return sealed(content.rpartition(_SEAL)[0]) == content


def document(content: bytes, path: Location) -> Any:
    """The JSON of a manifest of this version; nothing else of it is known to be right.

    Parameters
    ----------
    content
        What stands in the file.
    path
        Where it stands, for messages.

    Raises
    ------
    BadInput
        If an older version wrote it.
    Damaged
        If it is no manifest of this version.
    """
    try:
        found = json.loads(content, parse_constant=_no_number)
        version = found["schema_version"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise damaged(path, "not the JSON of one") from error
    if type(version) is int and 0 < version < SCHEMA_VERSION:
        raise BadInput(
            f"{path.parent} was written by an older domeng-sim, whose columns had other types and names (schema "
            f"version {version}, not {SCHEMA_VERSION}); make it again in another directory, or remove it"
        )
    if version != SCHEMA_VERSION or isinstance(version, bool):
        raise Damaged(
            f"{path} has the schema version {str(version)[:20]}, not {SCHEMA_VERSION}: not from this domeng-sim"
        )
    return found


def damaged(path: Location, what: str) -> Damaged:
    """What to raise for a manifest that cannot be taken."""
    return Damaged(f"{path} is damaged, or no manifest of domeng-sim ({what}); nothing was changed")


def _no_number(text: str) -> None:
    raise ValueError(text)
