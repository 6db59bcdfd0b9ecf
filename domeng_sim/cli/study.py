"""What the commands that compare strategies share: options, and how a study is run and ends."""

from __future__ import annotations

import json
import secrets
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from domeng_sim.cli.options import Directory, WholeNumber, available_cores, parse_rules
from domeng_sim.cli.say import tell
from domeng_sim.comparisons.design import Setting
from domeng_sim.comparisons.stopping import BEST_AT, DEFAULT_MAX_BLOCKS, MAX_BLOCKS, Stopping, parse_until
from domeng_sim.errors import BadInput
from domeng_sim.games import game
from domeng_sim.games.spec import GameSpec
from domeng_sim.runs.config import MAX_PER_MATCH
from domeng_sim.strategies.resolve import StrategySpec, resolve

if TYPE_CHECKING:
    from domeng_sim.cli.signals import Stop
    from domeng_sim.comparisons.sequential import Session

Command = TypeVar("Command", bound=Callable[..., Any])

DEFAULT_GAMES = 10


def _add(command: Command, *options: Callable[[Command], Command]) -> Command:
    for option in options:
        command = option(command)
    return command


def setting_options(command: Command) -> Command:
    """Length of a match, and JSON."""
    return _add(
        command,
        click.option(
            "--games-per-match",
            type=WholeNumber(1, MAX_PER_MATCH),
            help=f"Games of a match; a block is one match, in all its seatings.  [default: {DEFAULT_GAMES}]",
        ),
        click.option("--json", "as_json", is_flag=True, help="Print the result as JSON."),
    )


def stopping_options(command: Command) -> Command:
    """How far to go."""
    return _add(
        command,
        click.option(
            "--best-at",
            type=WholeNumber(1, MAX_BLOCKS),
            help=f"Blocks at which the intervals are tightest, where they hold at every look.  [default: {BEST_AT}]",
        ),
        click.option("--level", type=float, help="Confidence level.  [default: 0.95]"),
        click.option("--time-limit", type=float, metavar="SECONDS", help="Stop after this time."),
        click.option(
            "--max-blocks",
            type=WholeNumber(1, MAX_BLOCKS),
            help=f"Stop there in any case.  [default: {DEFAULT_MAX_BLOCKS}]",
        ),
        click.option(
            "--blocks",
            type=WholeNumber(1, MAX_BLOCKS),
            help="Play exactly so many: Student intervals, which hold at this number only.",
        ),
        click.option(
            "--until",
            "untils",
            multiple=True,
            metavar="0.5pp|decided",
            help="Stop at this half-width, in percentage points, or once a difference is established.",
        ),
    )


def store_options(command: Command) -> Command:
    """Where blocks are kept."""
    return _add(
        command,
        click.option("--overwrite", is_flag=True, help="Replace the dataset in --out."),
        click.option(
            "--resume", is_flag=True, help="Go on with the study in --out; give the same strategies and rules."
        ),
        click.option("--out", type=Directory(), help="Keep the blocks in this directory.  [default: nowhere]"),
    )


def stored_seed(directory: Path) -> int | None:
    """Seed of the study that a directory holds; None if there is nothing to go on with."""
    try:
        return int(json.loads((directory / "manifest.json").read_text(encoding="utf-8"))["seed"])
    except (OSError, ValueError, KeyError, TypeError):
        return None  # `open_store` says what is wrong


def make_setting(options: Mapping[str, Any]) -> Setting:
    """What all games have in common.  Without a seed: that of the study to be resumed, else one is drawn."""
    try:
        spec = game(options.get("game") or "domeng")
        rules = spec.resolve_rules(parse_rules(options.get("rules") or ()))
    except ValueError as error:
        raise BadInput(str(error)) from error
    given = options.get("seed")
    if given is None and options.get("resume"):
        given = stored_seed(options["out"])
    return Setting(
        spec.name,
        rules,
        secrets.randbits(64) if given is None else given,
        options.get("games_per_match") or DEFAULT_GAMES,
    )


def strategies(texts: list[str], spec: GameSpec) -> tuple[StrategySpec, ...]:
    """The strategies that these texts name."""
    try:
        found = {text: resolve(text, spec) for text in dict.fromkeys(texts)}
    except ValueError as error:
        raise BadInput(str(error)) from error
    return tuple(found[text] for text in texts)


def make_stopping(options: Mapping[str, Any], default: Stopping) -> Stopping:
    """How far to go, by what was given, and by `default` where nothing was."""
    radius, decided = 0.0, False
    for text in options.get("untils") or ():
        wanted, until_decided = parse_until(text)
        radius, decided = max(radius, wanted), decided or until_decided
    seconds = options.get("time_limit")
    if seconds is not None and not 0 < seconds < 1e9:
        raise BadInput(f"--time-limit takes seconds above 0, not {seconds}")
    blocks = options.get("blocks") or 0
    if blocks and options.get("max_blocks"):
        raise BadInput("--blocks and --max-blocks do not go together; give one of them")
    limited = bool(radius or decided or seconds or options.get("max_blocks"))
    level = options.get("level")
    return Stopping(
        blocks=blocks or (0 if limited else default.blocks),
        radius=radius if limited or blocks else default.radius,
        decided=decided,
        max_blocks=options.get("max_blocks") or default.max_blocks,
        seconds=seconds or 0.0,
        level=default.level if level is None else level,
        best_at=options.get("best_at") or default.best_at,
    )


def check_store(options: Mapping[str, Any]) -> None:
    """Refuse what does not go together."""
    if options.get("resume") and options.get("overwrite"):
        raise BadInput("--resume and --overwrite do not go together; give one of them")
    for name in ("resume", "overwrite"):
        if options.get(name) and options.get("out") is None:
            raise BadInput(f"--{name} needs --out, the directory of the study")


def setting_words(setting: Setting) -> list[str]:
    """The setting as options of the command line."""
    words = []
    if setting.game != "domeng":
        words += ["--game", setting.game]
    for rule in setting.spec.rules:
        if setting.rules[rule.name] != rule.default:
            words += ["--rule", f"{rule.name}={setting.rules[rule.name]}"]
    if setting.games_per_match != DEFAULT_GAMES:
        words += ["--games-per-match", str(setting.games_per_match)]
    return [*words, "--seed", str(setting.seed)]


def resume_hint(words: list[str], out: Path | None) -> Callable[[], str]:
    """What to tell when a study is stopped, found out then."""

    def hint() -> str:
        if out is None:
            return "stopped; nothing was kept (name a directory with --out to be able to go on)"
        again = [*words, "--out", str(out)]
        try:
            stored = json.loads((out / "manifest.json").read_bytes())
            begun = stored.get("study") == words[1] and f"--seed {stored['seed']} " in f"{' '.join(words)} "
            kept = begun and bool(stored["parts"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            begun = kept = False
        if kept:
            return f"stopped; finished blocks are kept. Go on with: {shlex.join([*again, '--resume'])}"
        how = "--resume" if begun else "--overwrite" if (out / "manifest.json").exists() else ""
        return f"stopped before the first block was finished. Begin again with: {shlex.join([*again, *how.split()])}"

    return hint


def make_session(options: Mapping[str, Any], stop: Stop, store: Any = None) -> Session:
    """With what a study is played."""
    from domeng_sim.cli.bar import make_progress
    from domeng_sim.comparisons.sequential import Session

    return Session(
        options.get("threads") or available_cores(), make_progress(options["quiet"]), stop.event, store, stop.over
    )


def tell_seed(options: Mapping[str, Any], setting: Setting, what: str) -> None:
    """A line on stderr before the play begins."""
    if not options["quiet"]:
        threads = options.get("threads") or available_cores()
        tell(f"{what}; seed {setting.seed}, {threads} thread{'s' * (threads > 1)}")


def print_json(result: Mapping[str, Any]) -> None:
    """Exactly one document on standard output."""
    print(json.dumps(result, allow_nan=False, indent=1))
