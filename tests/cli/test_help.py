"""Help texts read well."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from domeng_sim.cli import COMMANDS, cli


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help__shows_no_marks_of_its_own_formatting_and_says_what_the_command_is_for(name: str) -> None:
    shown = CliRunner().invoke(cli, [*filter(None, [name]), "--help"])
    assert shown.exit_code == 0
    assert "\\b" not in shown.output and "\b" not in shown.output
    assert max(map(len, shown.output.splitlines())) <= 110
    assert shown.output.splitlines()[2].strip()
