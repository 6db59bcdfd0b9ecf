"""The storage of a place: the one place that asks which kind it is."""

from __future__ import annotations

import functools

from domeng_sim.runs.store.location import Location, ObjectPath
from domeng_sim.runs.store.storage import Storage


@functools.lru_cache(maxsize=256)
def storage_of(where: Location) -> Storage:
    """The storage of a place; one and the same in a process, for a place may be held."""
    if isinstance(where, ObjectPath):
        from domeng_sim.runs.store.objects import ObjectStorage

        return ObjectStorage(where)
    from domeng_sim.runs.store.local import LocalStorage

    return LocalStorage(where)
