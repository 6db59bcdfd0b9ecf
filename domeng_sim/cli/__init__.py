"""The command line.  A command's module is imported when it is chosen, so that help is instant."""

from __future__ import annotations

import importlib
import io
import os
import sys
import warnings
from pathlib import Path

import click

from domeng_sim.cli.complaint import Complaint
from domeng_sim.cli.help_text import STATUSES, Context
from domeng_sim.cli.say import drop_stdout, tell
from domeng_sim.cli.signals import end_on_signals, leave
from domeng_sim.core.printable import printable
from domeng_sim.errors import Interrupted, UserError
from domeng_sim.runs.command import on_command_line
from domeng_sim.version import __version__

COMMANDS = {
    "run": "Play many rounds and write the result tables.",
    "report": "Show what came out of a run, or of several side by side.",
    "export": "Write rows of a table as CSV, JSON lines or Arrow.",
    "compare": "Is strategy A better than strategy B?",
    "tournament": "Rank several strategies.",
    "sensitivity": "How much does each reading of the rules matter?",
    "tune": "Find better weights for a strategy.",
    "sweep": "How do shares and figures go over a grid of weights, options and rules?",
    "power": "How many blocks does a comparison take?",
    "show": "Replay a round, step by step.",
    "odds": "What should I play here?  Odds of each move of a position.",
    "play": "Take a seat and play against strategies.",
    "strategies": "List the strategies, or explain one.",
    "rules": "List the options and amounts of the rules.",
    "merge": "Make one dataset of pieces of a run.",
    "verify": "Check a run's files against its manifest.",
}
"""Every command with its one line of help; the module of the same name holds it as `command`."""


_LONGEST = 1600
"""Characters of an error; all that we say ourselves is shorter."""


class LazyGroup(click.Group):
    """A group that imports a command when it is chosen."""

    context_class = Context

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of `COMMANDS`."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"domeng_sim.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="`domeng-sim run` alone plays a million rounds of random players.  `domeng-sim COMMAND --help` tells more."
    f"\n\n{STATUSES}\n\ndocs/reference.md has environment variables, JSON documents, shell completion and names; "
    "docs/glossary.md the words.",
)
@click.version_option(__version__, prog_name="domeng-sim")
def cli() -> None:
    """Simulate domino games: odds with intervals, and tables of what was played."""


def _complain(message: str, context: click.Context | None = None) -> None:
    where = context.command_path if context is not None else "domeng-sim"
    # what cannot be printed, or would break the line, is escaped
    line = printable(" ".join(message.split()))
    if len(line) > _LONGEST:
        # something long was given; the end says what would be right
        line = f"{line[: _LONGEST // 2]} ... {line[-_LONGEST // 2 :]}"
    tell(f"{where}: error: {line}")


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    """Tell what a library warns of, as of a variable that it cannot read, in a line."""
    tell(f"domeng-sim: warning: {(str(message).splitlines() or [''])[0]}")


def _run(arguments: list[str] | None) -> int:
    result = cli.main(arguments, prog_name="domeng-sim", standalone_mode=False)
    sys.stdout.flush()
    return result if isinstance(result, int) else 0


def main(arguments: list[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments
        Words after the program's name; None for those of the process.

    Returns
    -------
    int
        Exit status: 0 done, 1 error, 2 bad input, 3 refused, 4 damaged data, 130 and 143 stopped by a signal.
    """
    if arguments is not None:
        return _status(arguments)
    end_on_signals()
    warnings.showwarning = _warn
    status = _status(None)
    if status in (130, 143):
        leave(status)
    return status


def _status(arguments: list[str] | None) -> int:
    """Run a command; what goes wrong becomes a line and a status."""
    if sys.stdout is None:
        # closed by whoever started us
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        # a name that the terminal's encoding does not have is no reason to fail
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        return _run(arguments)
    except click.UsageError as error:
        hint = f" (see {error.ctx.command_path} --help)" if error.ctx is not None else ""
        _complain(f"{error.format_message()}{hint}", error.ctx)
        return 2
    except Complaint as error:
        hint = f" (see {error.ctx.command_path} --help)" if error.ctx is not None else ""
        _complain(f"{error.format_message()}{hint}", error.ctx)
        return error.status
    except click.ClickException as error:
        _complain(error.format_message())
        return error.exit_code
    except UserError as error:
        _complain(error.told(on_command_line))
        return error.status
    except Interrupted as stopped:
        return stopped.args[0] if stopped.args else 130
    except SystemExit as ended:
        # of SIGTERM, or of rich, where nobody reads our output any more
        drop_stdout()
        return ended.code if ended.code == 143 else 0
    except (KeyboardInterrupt, click.Abort):
        tell("stopped")
        return 130
    except BrokenPipeError:
        # whoever read our output went away, as `head` does; nothing is wrong
        drop_stdout()
        return 0
    except OSError as error:
        drop_stdout()
        _complain(str(error))
        return 1
    except MemoryError:
        _complain("not enough memory; fewer --threads take less")
        return 1
