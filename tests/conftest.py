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


# What takes long, as the places of tests begin: whole games of twins, processes, simulations, pictures. `make quick`
# leaves it out, `make test` does not.
SLOW_TESTS = {
    "cli/": "compare documents export flipped one_line other play report run_d run_k run_p run_t search show studies",
    "conformance/": "domeng_ draw_ people tables telling two_ user_",
    "statistical/": "",
    "unit/": "charts draw_exact draw_hidden grid hidden notebooks part_player report.py report_page strategies_p stud",
    "unit/test_manifest.py::": "run__with match__with study__with",
}
SLOW = tuple(f"tests/{place}test_{name}" for place, names in SLOW_TESTS.items() for name in names.split() or [""])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow; skip what needs the compiler, or its speed, where it is off."""
    for item in items:
        if item.nodeid.startswith(SLOW):
            item.add_marker(pytest.mark.slow)
    if COMPILED:
        return
    off = pytest.mark.skip(reason="needs the compiler, and NUMBA_DISABLE_JIT is set")
    for item in items:
        if item.get_closest_marker("compiled"):
            item.add_marker(off)
