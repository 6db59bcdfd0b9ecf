"""Looks at a run that goes on until enough is known: at parts fixed beforehand, in their order.

What has been found when a part ends depends on the parts before it alone, and not on which thread was first: so the
same run ends at the same match whatever plays it, and however often it was interrupted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from domeng_sim.errors import Damaged
from domeng_sim.runs.plan import Plan
from domeng_sim.runs.store import schema
from domeng_sim.runs.store.dataset import Dataset, Part
from domeng_sim.runs.store.parts import parquet_file

_RARER = 20
"""From so many parts on, a look comes when there is a twentieth more."""


def next_look(parts: int) -> int:
    """Parts at the look after one at so many.

    Examples
    --------
    >>> next_look(0), next_look(39), next_look(40), next_look(1000)
    (1, 40, 42, 1050)
    """
    return parts + max(parts // _RARER, 1)


def looks_before(parts: int) -> int:
    """Number of looks at so many parts or fewer, with one at the last."""
    number, at = 0, 0
    while at < parts:
        number, at = number + 1, next_look(at)
    return number


class Aim(Protocol):
    """What is to be known."""

    expected: int
    """Matches that this is expected to take; 0 if nobody has asked."""

    def begin(self, plan: Plan) -> None:
        """Begin, with the plan of the run."""
        ...

    def add(self, counts: npt.NDArray[np.int64]) -> None:
        """Take in counts of further batches, in order."""
        ...

    def is_reached(self) -> bool:
        """Whether there is enough."""
        ...


class Looks:
    """The looks at a run under way.

    Parameters
    ----------
    dataset
        The run.
    aim
        What is to be known.

    Attributes
    ----------
    end
        Number of matches at which there was enough; None so far.
    """

    def __init__(self, dataset: Dataset, aim: Aim) -> None:
        self._dataset, self._aim = dataset, aim
        self._waiting: dict[int, Part] = {}
        self._parts, self._next = 0, next_look(0)
        self._first = 0 if dataset.shard is None else dataset.span().first
        self.end: int | None = None
        aim.begin(dataset.plan)
        self._blocks = dataset.spec.counts(dataset.rules)

    def add(self, parts: Iterable[Part]) -> bool:
        """Take in finished parts, and look where it is time to; whether there is enough."""
        whole = self._dataset.plan.part
        for part in parts:
            if part.table == "summary" and len(part.matches) == whole:
                self._waiting[part.first_match] = part
        while self.end is None and self._first + self._parts * whole in self._waiting:
            self._aim.add(self._counts(self._waiting.pop(self._first + self._parts * whole)))
            self._parts += 1
            if self._parts == self._next:
                self._next = next_look(self._parts)
                if self._aim.is_reached():
                    self.end = self._parts * whole
        return self.end is not None

    def _counts(self, part: Part) -> npt.NDArray[np.int64]:
        try:
            with parquet_file(self._dataset.directory, part) as file:
                return schema.table_to_counts(file.read(), self._blocks)
        except (pa.lib.ArrowException, OSError, LookupError, ValueError) as error:
            where = self._dataset.directory
            raise Damaged(
                f"{where / part.path} cannot be read; `domeng-sim verify {where}` checks all parts"
            ) from error
