"""Pieces of a run -> one dataset, the same in every byte as if one machine had played it.

Everything is checked before anything is written, and the pieces stay until the whole is complete.
"""

from __future__ import annotations

import contextlib
import datetime
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from domeng_sim.errors import BadField, BadInput, Damaged, FieldRef, Refused
from domeng_sim.runs.executors.threads import Threads
from domeng_sim.runs.plan import Range
from domeng_sim.runs.provenance import manifest_differences, provenance
from domeng_sim.runs.session import Session
from domeng_sim.runs.store.dataset import Dataset, holds_dataset
from domeng_sim.runs.store.location import Location
from domeng_sim.runs.store.open_storage import storage_of
from domeng_sim.runs.store.parts import Part

_MOST_SHOWN = 5


@dataclass(frozen=True)
class Merged:
    """What became of pieces of a run.

    Attributes
    ----------
    dataset
        The whole.
    pieces
        How many there were.
    linked
        How many of its files are links to the content of those of the pieces, and took no room.
    """

    dataset: Dataset
    pieces: int
    linked: int


def merge(
    pieces: Sequence[Location],
    directory: Location,
    *,
    move: bool = False,
    overwrite: bool = False,
    take_over: bool = False,
    session: Session | None = None,
) -> Merged:
    """Make one dataset of pieces of a run: of shards, or of runs that were not finished.

    Parameters
    ----------
    pieces
        Directories of the pieces.
    directory
        Where the whole will be.
    move
        Remove the pieces once the whole is complete.
    overwrite
        Replace a dataset that is there.
    take_over
        Take datasets in a store from writers that were killed.
    session
        With what.

    Raises
    ------
    BadInput
        If one is no piece of a run, or nobody can tell how many matches the run has.
    Refused
        If they are pieces of different runs, matches are missing or there twice, or the directory holds something.
    Damaged
        If a file is missing, or is not what was written.
    Interrupted
        If it was stopped; then nothing has changed.
    """
    session = session or Session()
    datasets = [Dataset.open(piece) for piece in pieces]
    _refuse_place(datasets, directory, overwrite)
    whole = _whole(datasets)
    owners = _owners(datasets)
    _refuse_gaps(whole, owners)
    found = [(dataset, part) for dataset, parts in owners.values() for part in parts]
    _check_files(found, session)
    with storage_of(directory).hold(take_over):
        made = Dataset.begin(directory, whole, overwrite)
        try:
            linked = sum(_share(dataset, made, part) for dataset, part in found)
            made.add([part for _, part in found])
            last = max((one.manifest["run"].get("finished", "") for one in datasets), default="")
            now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
            made.finish(made.manifest["matches"], {"finished": last or now})
        except BaseException:
            made.remove()
            raise
        finally:
            made.clear()
    if move:
        for dataset in datasets:
            _remove(dataset, take_over)
    return Merged(made, len(datasets), linked)


def _refuse_place(datasets: Sequence[Dataset], directory: Location, overwrite: bool) -> None:
    """Refuse to replace what is not to be replaced, and to merge a dataset with itself or into itself."""
    places: set[Location] = set()
    for dataset in datasets:
        place = _resolved(dataset.directory)
        if place in places:
            raise BadField("runs", str(place), message=(f"{dataset.directory} is given twice",))
        places.add(place)
    if _resolved(directory) in places:
        raise Refused(f"{directory} is one of the pieces; name another directory with ", FieldRef("out"))
    if not overwrite and holds_dataset(directory):
        already = f"{directory} already holds a dataset; replace it by "
        raise Refused(already, FieldRef("overwrite", True), ", or name another with ", FieldRef("out"))
    Dataset.replaced(directory, overwrite)


def _resolved(place: Location) -> Location:
    return place.resolve() if isinstance(place, Path) else place


def _share(piece: Dataset, whole: Dataset, part: Part) -> bool:
    """Give a part file to the whole, by a link or else by a copy; whether it is a link, which takes no room."""
    with whole.storage.told():
        if whole.storage.link(part.place, piece.storage):
            return True
        new = whole.storage.new(part.place)
        with piece.storage.open(part.place) as file:
            shutil.copyfileobj(file, new.file, 1 << 20)
        new.finish()
        return False


def _whole(datasets: Sequence[Dataset]) -> dict[str, object]:
    """The manifest of the whole before it has parts, if these are pieces of one run."""
    first = datasets[0]
    for dataset in datasets:
        if "study" in dataset.manifest or "play" in dataset.manifest:
            raise BadInput(f"{dataset.directory} holds a {dataset.noun}; only pieces of runs can be merged")
        if dataset.config.n_matches is None:
            raise BadInput(
                f"{dataset.directory}: only the play tells how many matches this run has, so it has no pieces; runs of "
                "a number of matches, or of rounds of a fixed number a match, can be merged"
            )
    now = provenance(first.config)
    keys = list(now)
    # what says the same is written in the order in which a run writes it
    whole = {key: now[key] if now[key] == first.manifest[key] else first.manifest[key] for key in keys}
    for dataset in datasets[1:]:
        lines = manifest_differences(
            first.manifest, dataset.manifest, [key for key in keys if key not in ("identity", "command")]
        )
        if not lines and dataset.manifest["plan"] != first.manifest["plan"]:
            lines = ["they are cut into other parts"]
        if lines:
            runs = f"{first.directory} and {dataset.directory} are pieces of different runs"
            raise Refused(f"{runs}: {'; '.join(lines[:_MOST_SHOWN])}")
    plan = first.manifest["plan"]
    n_matches = first.manifest["matches"]
    return {**whole, "status": "running", "matches": n_matches, "plan": plan, "parts": [], "totals": {}, "run": {}}


def _owners(datasets: Sequence[Dataset]) -> dict[Range, tuple[Dataset, list[Part]]]:
    """By matches, the piece that holds them and their files.

    Raises
    ------
    Refused
        If two of them hold the same matches.
    Damaged
        If a file is not there, or has another size.
    """
    owners: dict[Range, tuple[Dataset, list[Part]]] = {}
    for dataset in datasets:
        sizes = dataset.sizes()
        for part in dataset.parts:
            if sizes.get(part.path) != part.bytes:
                wrong = "is not there" if part.path not in sizes else "has another size than its manifest says"
                again = dataset.resume_command
                raise Damaged(f"{dataset.directory / part.path} {wrong}; remove it and run `{again}`")
            owner, parts = owners.setdefault(part.matches, (dataset, []))
            if owner is not dataset:
                raise Refused(
                    f"{owner.directory} and {dataset.directory} both hold matches {part.first_match} to "
                    f"{part.last_match}; leave out one of them"
                )
            parts.append(part)
    return owners


def _refuse_gaps(whole: dict[str, object], owners: dict[Range, tuple[Dataset, list[Part]]]) -> None:
    """Refuse to go on if matches are in no piece."""
    frame = Dataset(Path(), whole)
    tables = len(frame.tables)
    gaps: list[list[int]] = []
    for matches in frame.plan.ranges(frame.span()):
        if matches in owners and len(owners[matches][1]) == tables:
            continue
        if gaps and gaps[-1][1] == matches.first:
            gaps[-1][1] = matches.end
        else:
            gaps.append([matches.first, matches.end])
    if gaps:
        shown = ", ".join(f"{first} to {end - 1}" for first, end in gaps[:_MOST_SHOWN])
        shown += f" and {len(gaps) - _MOST_SHOWN} more gaps" * (len(gaps) > _MOST_SHOWN)
        unfinished = {one.directory: one for one, _ in owners.values() if one.shard is not None and not one.complete}
        hint = next((f"; go on with `{one.resume_command}`" for one in unfinished.values()), "")
        raise Refused(f"matches {shown} are in none of the pieces{hint}")


def _check_files(found: Sequence[tuple[Dataset, Part]], session: Session) -> None:
    """Compare every file with its checksum.

    Raises
    ------
    Damaged
        If one is not what was written.
    """

    def digest(item: tuple[Dataset, Part]) -> tuple[Dataset, Part, str]:
        session.check()
        dataset, part = item
        with dataset.storage.told(part.place):
            return dataset, part, dataset.digest(part)

    done, progress = 0, session.progress
    progress.begin(sum(part.bytes for _, part in found), 0, "bytes")
    try:
        with contextlib.closing(Threads(session.threads).map(digest, found, session.check)) as checked:
            for dataset, part, sha256 in checked:
                if sha256 != part.sha256:
                    again = dataset.resume_command
                    raise Damaged(
                        f"{dataset.directory / part.path} is damaged (checksum differs); remove it and run `{again}`"
                    )
                done += part.bytes
                progress.update(done)
    finally:
        progress.end()


def _remove(piece: Dataset, take_over: bool) -> None:
    """Remove a piece, and its directory if nothing else is in it."""
    with piece.storage.hold(take_over):
        piece.remove()
    if isinstance(piece.directory, Path):
        with contextlib.suppress(OSError):
            piece.directory.rmdir()
