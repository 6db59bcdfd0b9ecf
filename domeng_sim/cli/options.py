"""Options that several commands share, and how they become a configuration."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from domeng_sim.core.parse_int import whole_number
from domeng_sim.core.tables import LEVELS
from domeng_sim.errors import BadInput
from domeng_sim.games import GAMES, game
from domeng_sim.games.spec import GameSpec
from domeng_sim.runs.config import MAX_PER_MATCH, MAX_SEED, MAX_TOTAL, RunConfig
from domeng_sim.runs.store.files import directory_path
from domeng_sim.strategies.resolve import StrategySpec, resolve

Command = TypeVar("Command", bound=Callable[..., Any])

DEFAULT_ROUNDS = 1_000_000


class WholeNumber(click.ParamType):  # type: ignore[type-arg]
    """Type of an option that takes a whole number.

    Parameters
    ----------
    low, high
        Range, both ends included.
    """

    name = "number"

    def __init__(self, low: int, high: int) -> None:
        self.low, self.high = low, high

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number; a usage error if it is none."""
        try:
            return whole_number(value, self.low, self.high)
        except ValueError as error:
            self.fail(f"{error}.", param, ctx)


def parse_rules(texts: tuple[str, ...]) -> dict[str, str]:
    """Rules given as ``name=value``.

    Raises
    ------
    BadInput
        If a text is no such pair, or a rule is given twice with different values.
    """
    rules: dict[str, str] = {}
    for text in texts:
        name, equals, value = (piece.strip() for piece in text.partition("="))
        if not equals or not name or not value:
            raise BadInput(f"--rule takes name=value, such as stones=20, not {text!r}")
        if rules.setdefault(name, value) != value:
            raise BadInput(f"the rule {name} is given twice, as {rules[name]} and {value}; give it once")
    return rules


class Directory(click.ParamType):  # type: ignore[type-arg]
    """A directory to write to."""

    name = "directory"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path, unless the name is that of something else."""
        return directory_path(value)


def available_cores() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


CONFIG_KEYS = {
    "game", "matches", "rounds", "games-per-match", "rounds-per-match", "strategy", "seats", "rule", "rules", "seed",
    "threads", "tables", "hands", "out", "quiet", "json", "color",
}  # fmt: skip
"""Names in a configuration file: those of the options, and ``rules`` for ``rule``."""

COLORS = ("auto", "always", "never")


def simulation_options(command: Command) -> Command:
    """Options of all commands that simulate."""
    for option in (
        click.option("--game", type=click.Choice(list(GAMES)), help="The game.  [default: domeng]"),
        click.option(
            "--rule", "rules", multiple=True, metavar="NAME=VALUE", help="A rule, see `domeng-sim rules`; repeatable."
        ),
        click.option(
            "--seed",
            type=WholeNumber(0, MAX_SEED),
            help="0 to 2^64-1; the same seed plays the same.  [default: drawn, printed and stored]",
        ),
        click.option(
            "--threads",
            type=WholeNumber(1, 1024),
            help="Threads; the results do not depend on it.  [default: all cores]",
        ),
        click.option("--quiet", "-q", is_flag=True, help="Say nothing but the result and errors."),
        click.option(
            "--color", type=click.Choice(COLORS), default="auto", help="Colour on the terminal."
        ),
    ):  # fmt: skip
        command = option(command)
    return command


def read_config(path: Path) -> dict[str, Any]:
    """Options from a TOML file.

    Returns
    -------
    dict
        By option name, with underscores.

    Raises
    ------
    BadInput
        If the file cannot be read, is no TOML, or has a name that is no option.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"{path}: {os.strerror(error.errno or 0)}") from error
    except (ValueError, RecursionError) as error:
        # wrong TOML, wrong characters, or a number that is too long
        raise BadInput(f"{path} is not valid TOML: {error}") from error
    options: dict[str, Any] = {}
    for name, value in content.items():
        key = name.replace("_", "-")
        if key not in CONFIG_KEYS:
            raise BadInput(f"{path}: no option {name!r}; there are {', '.join(sorted(CONFIG_KEYS))}")
        if key.replace("-", "_") in options:
            raise BadInput(f"{path}: {key} stands there twice, with - and with _")
        options[key.replace("-", "_")] = value
    if "rule" in options:
        if "rules" in options:
            raise BadInput(f"{path}: rule and rules are the same; give one of them")
        rules = options["rules"] = options.pop("rule")
        texts = [rules] if isinstance(rules, str) else rules
        if isinstance(texts, list) and all(isinstance(text, str) for text in texts):
            # as on the command line
            options["rules"] = parse_rules(tuple(texts))
    return _checked_config(path, options)


_NUMBERS = {
    "matches": (1, MAX_TOTAL),
    "rounds": (1, MAX_TOTAL),
    "games_per_match": (1, MAX_PER_MATCH),
    "rounds_per_match": (1, MAX_PER_MATCH),
    "seed": (0, MAX_SEED),
    "threads": (1, 1024),
}
_KINDS: dict[str, tuple[type, str]] = {
    "game": (str, "a text"),
    "strategy": (str, "a text"),
    "seats": (str, "a list of texts"),
    "tables": (str, "a text"),
    "out": (str, "a text"),
    "color": (str, "a text"),
    "hands": (bool, "true or false"),
    "quiet": (bool, "true or false"),
    "json": (bool, "true or false"),
    "rules": (dict, "a table: [rules], and below it lines like stones = 20"),
}
EXCLUSIVE = (("matches", "rounds"), ("games_per_match", "rounds_per_match"), ("strategy", "seats"))
"""Pairs of options that do not go together."""


def _checked_config(path: Path, options: dict[str, Any]) -> dict[str, Any]:
    for name, (low, high) in _NUMBERS.items():
        if name in options:
            try:
                options[name] = whole_number(options[name], low, high)
            except ValueError as error:
                raise BadInput(f"{path}: {name.replace('_', '-')}: {error}") from error
    seats = options.get("seats")
    if isinstance(seats, list) and not all(isinstance(text, str) for text in seats):
        raise BadInput(f"{path}: seats must be a list of texts, not {seats!r}")
    for name, (kind, words) in _KINDS.items():
        if name in options and not isinstance(options[name], (kind, list) if name == "seats" else kind):
            raise BadInput(f"{path}: {name} must be {words}, not {options[name]!r}")
    for one, other in EXCLUSIVE:
        if one in options and other in options:
            names = f"{one.replace('_', '-')} and {other.replace('_', '-')}"
            raise BadInput(f"{path}: {names} do not go together; give one of them")
    if options.get("tables") not in (None, *LEVELS):
        raise BadInput(f"{path}: tables must be {', '.join(LEVELS)}, not {options['tables']!r}")
    if options.get("color") not in (None, *COLORS):
        raise BadInput(f"{path}: color must be {', '.join(COLORS)}, not {options['color']!r}")
    if options.get("game") not in (None, *GAMES):
        raise BadInput(f"{path}: game must be {', '.join(GAMES)}, not {options['game']!r}")
    return options


def split_seats(text: str) -> list[str]:
    """Strategies of a table, separated by commas."""
    return [piece.strip() for piece in text.split(",")]


def _strategies(options: Mapping[str, Any], spec: GameSpec) -> tuple[StrategySpec, ...]:
    """A strategy for each seat; those of a stored run are there already, others are looked up."""
    seats = options.get("seats")
    if seats is None:
        strategy = options.get("strategy", "random")
        if not strategy.strip():
            raise BadInput("--strategy is empty; `domeng-sim strategies` lists the strategies")
        return (resolve(strategy, spec),) * spec.seats
    found = split_seats(seats) if isinstance(seats, str) else list(seats)
    if len(found) != spec.seats or "" in found:
        given = f"{len(found)}" if "" not in found else "one without a name"
        raise BadInput(f"--seats takes {spec.seats} strategies separated by commas, not {given}")
    resolved = {text: resolve(text, spec) for text in dict.fromkeys(found) if isinstance(text, str)}
    return tuple(one if isinstance(one, StrategySpec) else resolved[one] for one in found)


def make_config(options: Mapping[str, Any]) -> RunConfig:
    """The configuration of a run.

    Parameters
    ----------
    options
        Those that were given, by name with underscores; the others take their defaults.

    Raises
    ------
    BadInput
        If they do not go together.
    """
    import secrets  # with its own imports it would take a tenth of the time of a usage error

    try:
        spec = game(options.get("game") or "domeng")
        rules = spec.resolve_rules(options.get("rules") or {})
        specs = _strategies(options, spec)
        seed = options.get("seed")
        matches, rounds = options.get("matches") or 0, options.get("rounds") or 0
        games_per_match, rounds_per_match = options.get("games_per_match") or 0, options.get("rounds_per_match") or 0
        return RunConfig(
            game=spec.name,
            rules=rules,
            seats=specs,
            # 0 is a seed like any other
            seed=secrets.randbits(64) if seed is None else seed,
            matches=matches,
            rounds=rounds if rounds or matches else DEFAULT_ROUNDS,
            games_per_match=games_per_match if games_per_match or rounds_per_match else 10,
            rounds_per_match=rounds_per_match,
            level=options.get("tables") or "rounds",
            hands=bool(options.get("hands")),
        )
    except ValueError as error:
        raise BadInput(str(error)) from error
