"""JSON Schema files of what commands print, made of `domeng_sim.cli.documents`."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

import msgspec

from domeng_sim.cli.documents import DOCUMENTS

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "schema"
_ATTRIBUTE = re.compile(r"^(?P<names>[\w, ]+)\n(?P<text>(?: {4}.*\n?)+)", re.MULTILINE)


def _classes(top: type) -> dict[str, type]:
    """The classes of a document by name."""
    found: dict[str, type] = {}
    waiting: list[Any] = [msgspec.inspect.type_info(top)]
    while waiting:
        one = waiting.pop()
        if isinstance(one, msgspec.inspect.StructType):
            if one.cls.__name__ in found:
                continue
            found[one.cls.__name__] = one.cls
            waiting += [field.type for field in one.fields]
        for name in ("item_type", "key_type", "value_type", "type"):
            waiting += [getattr(one, name)] if isinstance(getattr(one, name, None), msgspec.inspect.Type) else []
        waiting += getattr(one, "types", ())
    return found


def _sentences(of: type) -> dict[str, str]:
    """What is said of each field, in the docstrings of a class and of those that it is made of."""
    found: dict[str, str] = {}
    for one in reversed(of.__mro__):
        doc = inspect.cleandoc(one.__doc__ or "")
        _, _, attributes = doc.partition("Attributes\n----------\n")
        for match in _ATTRIBUTE.finditer(attributes + "\n"):
            found |= dict.fromkeys(match["names"].replace(" ", "").split(","), " ".join(match["text"].split()))
    return found


def schema(name: str) -> dict[str, Any]:
    """The schema of a document.

    Parameters
    ----------
    name
        A key of `DOCUMENTS`.
    """
    made = msgspec.json.schema(DOCUMENTS[name])
    classes = _classes(DOCUMENTS[name])
    for title, part in made["$defs"].items():
        of, sentences = classes.get(title), {}
        if of is not None:
            sentences = _sentences(of)
            part["description"] = inspect.cleandoc(of.__doc__ or "").partition("\n")[0]
        for field, kind in part.get("properties", {}).items():
            if field in sentences:
                # beside a reference other keys count too, in this version of JSON Schema
                kind["description"] = sentences[field]
        # what a later version adds is no error
        part.pop("additionalProperties", None) if "properties" in part else None
    title = "manifest.json of a " + name.partition("-")[0] if "manifest" in name else f"domeng-sim {name} --json"
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title.replace("-find", " --find")}
    return head | made


def pages() -> dict[Path, str]:
    """The files as they should be."""
    return {
        FOLDER / f"{name}.json": json.dumps(schema(name), indent=1, ensure_ascii=False) + "\n" for name in DOCUMENTS
    }
