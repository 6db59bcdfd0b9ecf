"""Commands made of requests: every field is an option, and a configuration file may give any of them."""

from __future__ import annotations

import dataclasses
import os
import shlex
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from domeng_sim.api.requests.base import Option, Request, is_given, optional, options_of
from domeng_sim.api.requests.kinds import FILE, STRATEGY, SWITCH, Kind, choice
from domeng_sim.api.requests.positions import position_fields
from domeng_sim.cli.complaint import Complaint
from domeng_sim.cli.help_text import Command
from domeng_sim.cli.say import tell
from domeng_sim.errors import BadField, BadInput, FieldRef, UserError, unknown_field
from domeng_sim.games import GAMES
from domeng_sim.runs.command import OPTIONS, on_command_line, option
from domeng_sim.runs.config import DEFAULT_GAME
from domeng_sim.strategies.resolve import presets

R = TypeVar("R", bound=Request)
V = TypeVar("V", bound=Request)

ARGUMENTS = {"name": "[NAME]", "names": "A B C...", "a": "A", "b": "B", "run": "RUN", "runs": "RUN...", "tuned": "NAME"}
"""What stands for fields that are given by their place."""

COLORS = choice("auto", "always", "never")
_SHORT = {"quiet": ["-q"], "out": ["-o"]}
CONFIG = "config"
_GATHERED = "parts"
"""The field that holds the options with which a position is written."""
_OF_THE_MOMENT = ("resume", "overwrite", "config", "save_config", "help")
"""What no configuration file holds."""


@dataclass(frozen=True, kw_only=True)
class Quiet(Request):
    """How a command speaks."""

    quiet: bool = optional(SWITCH, "Say nothing but the result and errors.", repeats=False)
    color: str = optional(COLORS, "Colour on the terminal.", usual="auto", repeats=False)


@dataclass(frozen=True, kw_only=True)
class Display(Quiet):
    """How a result is printed."""

    json: bool = optional(SWITCH, "Print the result as JSON.", repeats=False)


class FieldType(click.ParamType):  # type: ignore[type-arg]
    """Type of all options: the request reads the value, so that there is one message whoever gave it.

    Parameters
    ----------
    kind
        What the field takes.
    """

    def __init__(self, kind: Kind) -> None:
        self.name = kind.metavar
        self._kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value as it was given."""
        return value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """What may be typed next: the values, names of strategies and rules, or files."""
        spec = GAMES.get(ctx.params.get("game") or DEFAULT_GAME, GAMES[DEFAULT_GAME])
        kind, before = self._kind, ""
        if kind.metavar.startswith(STRATEGY.metavar):
            before = incomplete[: incomplete.rfind(",") + 1]
            words: Any = presets(spec)
        elif kind.metavar.startswith("NAME"):
            words = [f"{rule.name}=" for rule in spec.rules]
        elif kind.metavar in (FILE.metavar, "DIR", "RUN", "RUN..."):
            return [CompletionItem(incomplete, type="file" if kind is FILE else "dir")]
        else:
            words = kind.choices
        return [CompletionItem(before + word) for word in words if (before + word).startswith(incomplete)]


def _parameter(name: str, known: Option, is_required: bool) -> click.Parameter:
    """The option, or the argument, that gives a field."""
    kind = known.kind
    if known.is_argument:
        n = -1 if ARGUMENTS[name].endswith("...") else 1
        return click.Argument([name], metavar=ARGUMENTS[name], nargs=n, required=is_required, type=FieldType(kind))
    default = f"  [default: {known.default}]" if known.default else ""
    names = [option(name), *_SHORT.get(name, []), name]
    if not kind.metavar:
        return click.Option(names, is_flag=True, help=known.sentence, default=None, type=FieldType(kind))
    several = {"multiple": True} if kind.is_several else {}
    return click.Option(
        names, metavar=kind.metavar, help=known.sentence + default, type=FieldType(kind), default=None, **several
    )


def _position_parameters() -> Iterator[click.Parameter]:
    """Options with which positions of any game are written."""
    fields = position_fields()
    n_games = max((len(by_game) for by_game in fields.values()), default=0)
    for name, by_game in fields.items():
        field = next(iter(by_game.values()))
        is_same = len(by_game) == n_games and len(set(by_game.values())) == 1
        told = field.sentence if is_same else " ".join(f"{title}: {its.sentence}" for title, its in by_game.items())
        shape: dict[str, Any] = {"is_flag": True} if field.is_flag else {"metavar": field.metavar}
        yield click.Option([option(name), name], help=told, default=None, **shape)


def _parameters(*requests: type[Request]) -> Iterator[click.Parameter]:
    for request in requests:
        fields = {field.name: field for field in dataclasses.fields(request)}
        for name, known in options_of(request):
            if name == _GATHERED:
                yield from _position_parameters()
            else:
                yield _parameter(name, known, fields[name].default is dataclasses.MISSING)


# --- Configuration files ----------------------------------------------------------------------------------------------


def read_config(path: Path, known: Mapping[str, str]) -> dict[str, Any]:
    """Options from a TOML file.

    Parameters
    ----------
    path
        The file.
    known
        Fields by the names that they may have there, with underscores.

    Returns
    -------
    dict
        By field.

    Raises
    ------
    BadInput
        If the file cannot be read, is no TOML, or has a name that is no option.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise BadInput(f"{path}: {os.strerror(error.errno or 0)}") from error
    except RecursionError as error:
        raise BadInput(f"{path} is not valid TOML: brackets within brackets") from error
    except ValueError as error:
        # wrong TOML, wrong characters, or a number that is too long
        raise BadInput(f"{path} is not valid TOML: {error}") from error
    found: dict[str, Any] = {}
    for name, value in content.items():
        field = known.get(name.replace("-", "_"))
        if field is None:
            raise unknown_field(name, value, sorted(one.replace("_", "-") for one in known), str(path))
        if field in found:
            raise BadField(field, value, message=(f"{path}: {name} stands there twice, under two names",))
        found[field] = value
    return found


def _config_names(params: list[click.Parameter]) -> dict[str, str]:
    """Fields by the names that they may have in a file."""
    names = {name: name for param in params if (name := param.name) and name not in _OF_THE_MOMENT}
    return names | {OPTIONS[name]: name for name in names if name in OPTIONS}


def _load_config(ctx: click.Context, param: click.Parameter, value: str | None) -> Path | None:
    """Let a file give the options that the command line does not."""
    if value is None:
        return None
    with _told_to(ctx):
        path = FILE.check("config", value)
        ctx.meta[CONFIG] = path
        found = read_config(path, _config_names(ctx.command.params))
        several = {param.name for param in ctx.command.params if param.multiple}
        # the request reads a list or a table, which click would take to pieces
        ctx.default_map = {name: (value,) if name in several else value for name, value in found.items()}
    return path  # type: ignore[no-any-return]


def _config_parameters() -> list[click.Parameter]:
    return [
        click.Option(
            ["--config"],
            metavar="FILE",
            is_eager=True,
            expose_value=False,
            callback=_load_config,
            help="TOML file with the same names, [rules] for --rule; options given here win.",
        ),
        click.Option(
            ["--save-config"], metavar="FILE", help="Write such a file with what this command would do, and stop."
        ),
    ]


def _save_config(path: Path, request: Request, quiet: bool) -> None:
    import tomli_w

    content = {name.replace("_", "-"): value for name, value in request.saved().items()}
    # tables come last in TOML
    content = dict(sorted(content.items(), key=lambda item: isinstance(item[1], dict)))
    try:
        with path.open("xb") as file:
            file.write(tomli_w.dumps(content).encode())
    except FileExistsError as error:
        raise BadInput(f"{path} exists already; name another file") from error
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from error
    if not quiet:
        tell(f"wrote {path}; run it with: domeng-sim {request.command} --config {shlex.quote(str(path))}")


# --- Commands ---------------------------------------------------------------------------------------------------------


class _told_to:  # noqa: N801 (used as a function is)
    """Say errors in the words of the command line, or of the configuration file that gave the field."""

    def __init__(self, ctx: click.Context) -> None:
        self._ctx = ctx

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not isinstance(error, UserError):
            return
        field = error.field if isinstance(error, BadField) else ""
        where = f"{self._ctx.meta[CONFIG]}: " if field and _is_from_file(self._ctx, field) else ""
        raise Complaint(where + error.told(self._word), error.status, self._ctx if field else None) from error

    def _word(self, field: FieldRef) -> str:
        if field.name in ARGUMENTS:
            return ARGUMENTS[field.name].partition(" ")[0].removesuffix("...")
        if _is_from_file(self._ctx, field.name) and field.value is None:
            return field.name.replace("_", "-")
        return on_command_line(field)


def _is_from_file(ctx: click.Context, field: str) -> bool:
    return ctx.get_parameter_source(field) is ParameterSource.DEFAULT_MAP


def _fill(ctx: click.Context, request: type[R], values: dict[str, Any]) -> R:
    """The request with what was given; what the command line gives wins over the file, also against its partners."""
    options = dict(options_of(request))
    for name, known in options.items():
        if known.kind.is_several and name in values and _is_from_file(ctx, name):
            (values[name],) = values[name]
        for other in known.not_with:
            for one, partner in ((name, other), (other, name)):
                given = ctx.get_parameter_source(one) is ParameterSource.COMMANDLINE and is_given(values.get(one))
                if given and _is_from_file(ctx, partner):
                    values[partner] = None
    filled = {name: value for name in options if name in values and is_given(value := values[name])}
    there = (ctx.default_map or {}).get("rules")
    if "rules" in filled and there and not _is_from_file(ctx, "rules"):
        read = options["rules"].kind.check
        filled["rules"] = {**read("rules", there[0]), **read("rules", filled["rules"])}
    if _GATHERED in options:
        filled[_GATHERED] = {name: value for name in position_fields() if is_given(value := values.get(name))}
    return request(**filled)


def _check_environment() -> None:
    """Refuse what the compiler would not be loaded with; it is not used here, but it is looked at."""
    text = os.environ.get("NUMBA_NUM_THREADS", "1")
    try:
        fits = int(text) >= 1
    except ValueError:
        fits = False
    if not fits:
        raise BadInput(f"the environment variable NUMBA_NUM_THREADS must be a number from 1 on, not {text!r}; unset it")


def request_command(
    request: type[R], view: type[V], epilog: str = ""
) -> Callable[[Callable[[R, V], int]], click.Command]:
    """Decorate a function that carries out a request, so that it is a command.

    Parameters
    ----------
    request
        What is asked: each field is an option.
    view
        How the result is printed; its fields are options too.
    epilog
        What stands below the options in help.
    """

    def decorate(function: Callable[[R, V], int]) -> click.Command:
        @click.pass_context
        def call(ctx: click.Context, /, **values: Any) -> int:
            save = values.pop("save_config", None)
            with _told_to(ctx):
                _check_environment()
                seen, asked = _fill(ctx, view, values), _fill(ctx, request, values)
                if save is not None:
                    _save_config(FILE.check("save_config", save), asked, bool(getattr(seen, "quiet", False)))
                    return 0
                return function(asked, seen)

        params = list(_parameters(request, view))
        if "seed" in {param.name for param in params}:
            params += _config_parameters()
        return Command(request.command, params=params, callback=call, help=function.__doc__, epilog=epilog or None)

    return decorate
