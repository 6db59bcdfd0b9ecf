from __future__ import annotations

from importlib import metadata

from domeng_sim.version import __version__


def test_version__is_that_of_the_installed_distribution() -> None:
    assert metadata.version("domeng-sim") == __version__
