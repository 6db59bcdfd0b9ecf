"""What all tests share: how Hypothesis searches, and what is left out where kernels run as plain Python."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

from tests.effort import COMPILED

# The same examples on every run, so that a failure is never a matter of luck. HYPOTHESIS_PROFILE=search looks further:
# other examples each time, and more of them. No deadline: the first call of a kernel compiles it.
settings.register_profile(
    "repeatable",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=100 if COMPILED else 20,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("search", settings.get_profile("repeatable"), derandomize=False, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs the compiler, or its speed, where it is off."""
    if COMPILED:
        return
    off = pytest.mark.skip(reason="needs the compiler, and NUMBA_DISABLE_JIT is set")
    for item in items:
        if item.get_closest_marker("compiled"):
            item.add_marker(off)
