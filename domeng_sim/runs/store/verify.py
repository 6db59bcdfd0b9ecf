"""Every file of a dataset against its manifest, and the manifest against itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import pyarrow as pa

from domeng_sim.errors import Refused, UserError
from domeng_sim.runs.store import schema
from domeng_sim.runs.store.dataset import MANIFEST, Dataset
from domeng_sim.runs.store.files import file_digest
from domeng_sim.runs.store.parts import OURS, Part


@dataclass(frozen=True)
class Deviation:
    """Something that is not as the manifest says.

    Attributes
    ----------
    text
        What, in a line.
    of_file
        Whether a part file is at fault, which is played again once it is gone.
    """

    text: str
    of_file: bool = False

    def __str__(self) -> str:
        return self.text


def verify(dataset: Dataset) -> list[Deviation]:
    """Check a dataset; it may have been opened though its manifest contradicts itself.

    Returns
    -------
    list of Deviation
        Empty if all is well.
    """
    found = [Deviation(f"{MANIFEST}: {line}") for line in dataset.wrong]
    try:
        sizes = dataset.sizes()
    except Refused as error:
        return [*found, Deviation(str(error))]
    found += _wrong_parts(dataset, sizes)
    found += _not_listed(dataset, sizes)
    if not found and "study" not in dataset.manifest:
        found += _wrong_counts(dataset)
    return found


def _not_listed(dataset: Dataset, sizes: dict[str, int]) -> Iterator[Deviation]:
    """Files that readers of a table's folder would take in though they are no parts."""
    listed = {part.path for part in dataset.parts}
    for path in sizes:
        name = path.partition("/")[2]
        # in a run that is not complete it may be a leftover, which the next call removes
        if name.endswith(".parquet") and path not in listed and (dataset.complete or not OURS.fullmatch(name)):
            yield Deviation(f"{path}: not in the manifest, but readers of the folder would take it in")


def _wrong_parts(dataset: Dataset, sizes: dict[str, int]) -> Iterator[Deviation]:
    """What is wrong with the parts; what they were made with otherwise than the manifest says, once for all of them."""
    told: set[tuple[str, ...]] = set()
    for part in dataset.parts:
        wrong = _wrong_part(dataset, part, sizes)
        if isinstance(wrong, Deviation):
            yield wrong
        elif wrong and tuple(wrong) not in told:
            told.add(tuple(wrong))
            yield Deviation(f"{MANIFEST}: {', '.join(wrong)} differ from what {part.path} was made with")


def _wrong_part(dataset: Dataset, part: Part, sizes: dict[str, int]) -> Deviation | list[str]:
    """What is wrong with a part, or the keys of the manifest that are not as it was made with."""
    if part.path not in sizes:
        return Deviation(f"{part.path}: missing{_in_its_place(dataset, part)}", of_file=True)
    try:
        content = dataset.storage.open(part.place)
    except OSError as error:
        return Deviation(f"{part.path}: cannot be read ({_first_line(error)})", of_file=True)
    with content:
        return _wrong_content(dataset, part, sizes, content)


def _wrong_content(dataset: Dataset, part: Part, sizes: dict[str, int], content: BinaryIO) -> Deviation | list[str]:
    """What is wrong in a part file; see `_wrong_part`."""
    try:
        intact = file_digest(content) == part.sha256
    except OSError as error:
        return Deviation(f"{part.path}: cannot be read ({_first_line(error)})", of_file=True)
    if not intact:
        return Deviation(f"{part.path}: damaged (checksum differs)", of_file=True)
    # a file is as it was written from here on: whatever is wrong, to remove it would mend nothing
    try:
        if sizes[part.path] != part.bytes:
            return Deviation(f"{part.path}: has another size than the manifest says")
        content.seek(0)
        with schema.open_parquet(content, part.sha256) as file:
            rows, about = file.metadata.num_rows, (file.metadata.metadata or {}).get(schema.METADATA_KEY, b"{}")
        told = json.loads(about)
    except (OSError, ValueError, pa.lib.ArrowException) as error:
        return Deviation(f"{part.path}: is as it was written, but cannot be read ({_first_line(error)})")
    if rows != part.rows:
        return Deviation(f"{part.path}: has other rows than the manifest says")
    manifest = dataset.manifest
    if told.get("identity", manifest["identity"]) != manifest["identity"]:
        return Deviation(f"{part.path}: belongs to another run")
    # a study may take in more strategies later, and be gone on with by other libraries
    later = ("strategies", "software") if "study" in manifest else ()
    changed = [key for key in told if key in manifest and told[key] != manifest[key] and key not in later]
    if "study" in manifest and told.get("lineup") not in manifest["lineups"]:
        changed.append("lineups")
    return changed


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0]


def _in_its_place(dataset: Dataset, part: Part) -> str:
    """What stands where a part is missing."""
    there = part.name in dataset.storage.entries(part.table)
    return " (a folder, a link or the like stands in its place)" if there else ""


def _wrong_counts(dataset: Dataset) -> Iterator[Deviation]:
    """Counts that are not those of the manifest or of the other tables."""
    if not dataset.parts:
        return
    try:
        counts = dataset.counts()
    except UserError as error:
        yield Deviation(str(error))
        return
    counted = dataset.spec.totals(counts)
    for table in ("games", "rounds"):
        rows = sum(part.rows for part in dataset.parts if part.table == table)
        if table in dataset.tables and rows != counted[table]:
            yield Deviation(f"{table}: {rows} rows, counted {counted[table]}")
