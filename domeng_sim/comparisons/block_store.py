"""Blocks on disk: a dataset with one table, `blocks`, from which a study goes on where it was."""

from __future__ import annotations

import contextlib
import datetime
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from domeng_sim.comparisons.blocks import Scores
from domeng_sim.comparisons.design import Lineup, Setting
from domeng_sim.core.printable import printable
from domeng_sim.errors import BadInput, Damaged, FieldRef, Refused, UserError
from domeng_sim.games.types import StrategyError
from domeng_sim.runs.counters import Ints
from domeng_sim.runs.plan import Range
from domeng_sim.runs.provenance import SCHEMA_VERSION, manifest_differences, software
from domeng_sim.runs.store import schema
from domeng_sim.runs.store.dataset import Dataset, holds_dataset
from domeng_sim.runs.store.location import Location
from domeng_sim.runs.store.manifest import STUDY_TABLE, study_identity
from domeng_sim.runs.store.open_storage import storage_of
from domeng_sim.runs.store.parts import Part, PartFiles, parquet_file, part_name


def _columns(setting: Setting) -> list[tuple[str, str]]:
    """Number columns behind block, lineup and strategy, each with its meaning; all are sums over the seatings."""
    scoring = setting.spec.scoring(setting.rules)
    totals = {
        "finished": "games that somebody won",
        "ended": "games that are over, won or not",
        "rounds": "rounds",
    }
    return [
        ("places", "seats of the strategy, over all seatings"),
        *((name, f"{totals.get(name, name)}, of the whole table") for name, _ in scoring.totals),
        *(
            (f"{key.replace('.', '_')}_{part}", f"{meaning} of {key}, of the whole table")
            for key in setting.figures
            for part, meaning in (("count", "events or amounts"), ("of", "trials"))
        ),
        ("won", "games that the strategy won"),
        *((measure.key, f"{measure.label}; the unit of its ratio is {measure.unit}") for measure in scoring.measures),
    ]


def block_schema(setting: Setting, provenance: str) -> pa.Schema:
    """Arrow schema of the `blocks` table: a row for each block, lineup and strategy of it.

    Parameters
    ----------
    setting
        What all games have in common.
    provenance
        JSON for the metadata.
    """
    label = pa.dictionary(pa.int8(), pa.string())

    def field(name: str, kind: pa.DataType, meaning: str) -> pa.Field:
        return pa.field(name, kind, nullable=False, metadata={"meaning": meaning})

    return schema.with_provenance(
        pa.schema(
            [
                field("block", pa.int64(), "match number: the same deals in all seatings"),
                field("lineup", label, "who sits at the table"),
                field("strategy", label, "strategy"),
                *(field(name, pa.int64(), meaning) for name, meaning in _columns(setting)),
            ]
        ),
        provenance,
    )


def to_table(scores: Scores, lineup: Lineup, blocks: Range, setting: Setting, provenance: str) -> pa.Table:
    """Scores as rows, by block and then in the order of the members."""
    n, members = scores.won.shape
    texts = list(dict.fromkeys(spec.text for spec in lineup.members))
    strategy = np.tile([texts.index(spec.text) for spec in lineup.members], n).astype(np.int8)
    numbers = np.concatenate(
        [
            np.tile(lineup.places, n)[:, np.newaxis],
            np.repeat(scores.totals, members, axis=0),
            np.repeat(scores.figures.reshape(n, -1), members, axis=0),
            scores.won.reshape(-1, 1),
            scores.amounts.reshape(n * members, -1),
        ],
        axis=1,
    )
    arrays = [
        pa.array(np.repeat(np.arange(blocks.first, blocks.end, dtype=np.int64), members)),
        pa.DictionaryArray.from_arrays(pa.array(np.zeros(n * members, np.int8)), pa.array([lineup.label])),
        pa.DictionaryArray.from_arrays(pa.array(strategy), pa.array(texts)),
        *(pa.array(np.ascontiguousarray(column)) for column in numbers.T),
    ]
    return pa.Table.from_arrays(arrays, schema=block_schema(setting, provenance))


def from_table(rows: pa.Table, lineup: Lineup, setting: Setting) -> Scores:
    """Scores from rows in the order of `to_table`."""
    scoring, members = setting.spec.scoring(setting.rules), len(lineup.members)

    def column(name: str) -> Ints:
        values: Ints = rows[name].to_numpy().astype(np.int64).reshape(-1, members)
        return values

    names = [f"{key.replace('.', '_')}_{part}" for key in setting.figures for part in ("count", "of")]
    n = rows.num_rows // members
    figures = np.stack([column(name)[:, 0] for name in names], axis=1) if names else np.zeros((n, 0), np.int64)
    return Scores(
        column("won"),
        np.stack([column(measure.key) for measure in scoring.measures], axis=2),
        np.stack([column(name)[:, 0] for name, _ in scoring.totals], axis=1),
        figures.reshape(n, -1, 2),
    )


class BlockStore:
    """Keeps the blocks of a study in a dataset.

    Parameters
    ----------
    dataset
        From `open_store`.
    setting
        What all games have in common.
    """

    def __init__(self, dataset: Dataset, setting: Setting) -> None:
        self.dataset, self._setting = dataset, setting
        self._lock = threading.Lock()
        manifest = dataset.manifest
        # what every part says of its making; what a later call adds to the study is not in it
        self._about = {key: manifest[key] for key in ("schema_version", "study", "software", *setting.to_json())}
        sizes = dataset.sizes()
        # of what is not there, or not whole, the blocks are played again
        self._known: dict[tuple[str, Range], Part] = {
            (part.lineup, part.matches): part for part in dataset.parts if sizes.get(part.path) == part.bytes
        }
        kept = {part.path for part in self._known.values()}
        manifest["parts"] = [part for part in manifest["parts"] if part["path"] in kept]

    def load(self, lineup: Lineup, blocks: Range) -> Scores | None:
        """Scores kept before, or None.

        Raises
        ------
        Damaged
            If their file cannot be read.
        """
        part = self._known.get((lineup.key, blocks))
        if part is None:
            return None
        path = self.dataset.directory / part.path
        try:
            with parquet_file(self.dataset.directory, part) as file:
                scores = from_table(file.read(), lineup, self._setting)
        except (pa.lib.ArrowException, OSError, KeyError, ValueError) as error:
            raise Damaged(
                f"{path} cannot be read; remove it, and ",
                FieldRef("resume", True),
                " plays its blocks again",
            ) from error
        if len(scores) != len(blocks):
            raise Damaged(f"{path} does not hold the blocks that its name says; remove it")
        return scores

    def _provenance(self, lineup: Lineup) -> str:
        members = [spec.to_json() for spec in lineup.members]
        return json.dumps({**self._about, "lineup": lineup.to_json(), "strategies": members}, sort_keys=True)

    def save(self, lineup: Lineup, blocks: Range, scores: Scores) -> None:
        """Keep scores; called from several threads."""
        rows = to_table(scores, lineup, blocks, self._setting, self._provenance(lineup))
        files = PartFiles(self.dataset.directory, part_name(blocks, lineup.key))
        try:
            files.write_table(STUDY_TABLE, rows)
            parts = files.finish(blocks, int(scores.totals[:, -1].sum()), lineup.key)
        except BaseException:
            files.abandon()
            raise
        with self._lock:
            self.dataset.add(parts)

    def finish(self, result: Mapping[str, Any], complete: bool) -> None:
        """Put the result into the manifest, and remove leftovers of killed calls."""
        if not self.dataset.parts:
            return  # of a dataset that was to be replaced, nothing has changed
        self.dataset.manifest |= {
            "status": "complete" if complete else "running",
            "totals": {name: result[name] for name in ("blocks", "games", "rounds") if name in result},
            "result": {key: value for key, value in result.items() if key != "seconds"},
            "run": {"finished": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")},
        }
        self.dataset.sweep()
        self.dataset.save()


def identity(setting: Setting, content: Mapping[str, Any]) -> str:
    """Digest of what decides the blocks of a study: the setting and the lineups, contents of strategies included."""
    return study_identity({**setting.to_json(), "lineups": content["lineups"], "software": software()})


@contextlib.contextmanager
def open_store(
    directory: Location,
    study: str,
    setting: Setting,
    content: Mapping[str, Any],
    *,
    resume: bool = False,
    overwrite: bool = False,
    take_over: bool = False,
    extend: bool = False,
) -> Iterator[BlockStore]:
    """Begin a dataset for a study, or go on with one, and hold its lock.

    Parameters
    ----------
    directory
        Where it is or will be.
    study
        Name of the command.
    setting
        What all games have in common.
    content
        All that decides the blocks: the setting, and the strategies and lineups; and the request, if it came by one.
    resume
        Go on with the study that is there.
    overwrite
        Replace a dataset that is there.
    take_over
        Take it from a writer that was killed, where the place of the dataset cannot know that it was.
    extend
        Whether strategies may be added to (or left out of) a study that is there: what was played of a lineup stays
        good, as long as no strategy of that name has changed.

    Raises
    ------
    Refused
        If the directory holds something else, or another study is to be resumed.
    """
    head = {
        "schema_version": SCHEMA_VERSION,
        "study": study,
        "identity": identity(setting, content),
        "software": software(),
        "request": {"arguments": [], "options": {}},
        **content,
    }
    goes_on = resume and holds_dataset(directory)
    if goes_on:
        _resumed(directory, head, setting, extend).refuse_damaged()
    else:
        Dataset.replaced(directory, overwrite)
    # all that can be refused is found out before anything is written; and again, once nobody else writes
    with storage_of(directory).hold(take_over):
        if goes_on:
            dataset = _resumed(directory, head, setting, extend)
            dataset.manifest["request"] = head["request"]
            lineups = {lineup["key"]: lineup for lineup in [*dataset.manifest["lineups"], *head["lineups"]]}
            if len(lineups) > len(dataset.manifest["lineups"]):
                # the setting stays as its parts have it, though there may be more rules by now
                known = {spec["text"]: spec for spec in [*dataset.manifest["strategies"], *head["strategies"]]}
                dataset.manifest |= {
                    "strategies": list(known.values()),
                    "lineups": list(lineups.values()),
                    "status": "running",
                }
                dataset.manifest["identity"] = study_identity(dataset.manifest)
                dataset.save()
        else:
            manifest = {**head, "status": "running", "tables": STUDY_TABLE, "parts": [], "totals": {}, "run": {}}
            dataset = Dataset.begin(directory, manifest, overwrite)
        try:
            yield BlockStore(dataset, setting)
        except UserError as error:
            # what was begun can be gone on with, unless it would fail again at the same place
            if not dataset.parts and (isinstance(error, BadInput) or isinstance(error.__cause__, StrategyError)):
                dataset.remove()
            raise
        finally:
            dataset.clear()


def _resumed(directory: Location, head: Mapping[str, Any], setting: Setting, extend: bool) -> Dataset:
    """The study that a directory holds.

    Raises
    ------
    Refused
        If it is another one.
    """
    dataset, study = Dataset.open(directory), head["study"]
    stored = dataset.manifest
    if stored.get("study") != study:
        kind = f"a study of `{stored['study']}`" if "study" in stored else "a run"
        raise Refused(
            f"{directory} holds {kind} and cannot be resumed by `{study}`; name another with ", FieldRef("out")
        )
    # its own version may have known fewer rules
    lines = _changed({**stored, "rules": dataset.rules}, head, list(setting.to_json()), extend)
    if lines:
        raise Refused(f"{directory} holds another study and cannot be resumed as this one: {'; '.join(lines)}")
    return dataset


def _changed(stored: Mapping[str, Any], head: Mapping[str, Any], keys: Sequence[str], extend: bool) -> list[str]:
    """What forbids to go on, a line each."""
    lines = manifest_differences(stored, head, keys)
    before, now = ({spec["text"]: spec["content_hash"] for spec in where["strategies"]} for where in (stored, head))
    lines += [f"the strategy {text} has changed" for text in before if text in now and before[text] != now[text]]
    if not extend and list(before) != list(now):
        lines.append(f"strategies were {', '.join(before)}, now {', '.join(now)}")
    keys_of = [[lineup["key"] for lineup in where["lineups"]] for where in (stored, head)]
    if not extend and not lines and keys_of[0] != keys_of[1]:
        tables = (", ".join(lineup["label"] for lineup in where["lineups"]) for where in (stored, head))
        lines.append("tables were {}, now {}".format(*tables))
    return [printable(line) for line in lines]
