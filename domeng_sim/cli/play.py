"""``domeng-sim play``."""

from __future__ import annotations

import datetime
import math
import secrets
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from domeng_sim.cli.options import Directory, WholeNumber, available_cores, parse_rules, split_seats
from domeng_sim.cli.say import tell
from domeng_sim.errors import BadInput, UserError
from domeng_sim.games import GAMES, game
from domeng_sim.games.spec import GameSpec
from domeng_sim.runs.config import MAX_PER_MATCH, MAX_SEED, RunConfig
from domeng_sim.strategies.resolve import StrategySpec, person, resolve

PACE = 0.7
MAX_PACE = 60.0
_DEFAULT_OPPONENTS = "; ".join(f"{spec.title}: {','.join(spec.opponents)}" for spec in GAMES.values())
_DEFAULT_LIKE = "; ".join(f"{spec.title}: {spec.opponents[0]}" for spec in GAMES.values())


def _seats_of_people(text: str, spec: GameSpec) -> list[int]:
    """Seats at which people sit, from a text such as ``0`` or ``0,2``."""
    found: list[int] = []
    for word in split_seats(text):
        if not (word.isascii() and word.isdigit() and len(word) < 3 and int(word) < spec.seats):
            raise BadInput(f"--seat takes seats from 0 to {spec.seats - 1}, such as 0 or 0,1, not {word!r}")
        if int(word) in found:
            raise BadInput(f"--seat names seat {word} twice")
        found.append(int(word))
    return sorted(found)


def _others(text: str | None, people: Sequence[int], spec: GameSpec) -> list[StrategySpec]:
    """Strategies of the seats at which nobody sits, in the order of the seats after the first person's."""
    n = spec.seats - len(people)
    if text is None:
        return [resolve(name, spec) for name in spec.opponents[:n]]
    if not n:
        raise BadInput("--against has nobody to play: people sit at all seats")
    names = split_seats(text)
    if len(names) == 1:
        names *= n
    if len(names) != n or "" in names:
        raise BadInput(f"--against takes one strategy, or one for each of the {n} other seats, not {len(names)}")
    return [resolve(name, spec) for name in names]


def _new_config(options: dict[str, Any], rule_texts: tuple[str, ...]) -> RunConfig:
    """The match that was asked for, before anybody has chosen anything."""
    try:
        spec = game(options["game"] or "domeng")
        if spec.telling is None:
            raise BadInput(f"rounds of {spec.title} cannot be told yet, so nobody can play it")
        people = _seats_of_people(options["seat"] or "0", spec)
        others = iter(_others(options["against"], people, spec))
        seats = tuple(person(spec) if number in people else next(others) for number in range(spec.seats))
        return RunConfig(
            game=spec.name,
            rules=spec.resolve_rules(parse_rules(rule_texts)),
            seats=seats,
            seed=secrets.randbits(64) if options["seed"] is None else options["seed"],
            matches=1,
            games_per_match=options["games"] or 1,
            level="events",
            hands=True,
        )
    except ValueError as error:
        raise BadInput(str(error)) from error


def _new_directory() -> Path:
    """A name in the current directory that nobody has."""
    stem = datetime.datetime.now().strftime("domeng-play-%Y%m%d-%H%M%S")
    number, path = 1, Path(stem)
    while path.exists():
        number += 1
        path = Path(f"{stem}-{number}")
    return path


def _refuse_with_resume(options: dict[str, Any], rule_texts: tuple[str, ...]) -> None:
    for name in ("game", "seat", "against", "seed", "games"):
        if options[name] is not None:
            raise BadInput(f"--{name} does not go with --resume; the game has it")
    if rule_texts:
        raise BadInput("--rule does not go with --resume; the game has its rules")


def _plain_characters(asked: bool) -> bool:
    """Whether to do without characters beyond ASCII."""
    try:
        "┌│›·±".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return True
    return asked


@click.command()
@click.option("--game", type=click.Choice(list(GAMES)), help="The game.  [default: domeng]")
@click.option("--seat", metavar="N[,N]", help="Your seat; several for people at one keyboard.  [default: 0]")
@click.option(
    "--against",
    metavar="S[,S...]",
    help=f"Strategies of the other seats: one for all, or one for each in order.  [default: {_DEFAULT_OPPONENTS}]",
)
@click.option("--games", type=WholeNumber(1, MAX_PER_MATCH), help="How many games to play.  [default: 1]")
@click.option(
    "--rule", "rules", multiple=True, metavar="NAME=VALUE", help="A rule, see `domeng-sim rules`; repeatable."
)
@click.option(
    "--seed", type=WholeNumber(0, MAX_SEED), help="0 to 2^64-1; the same seed deals the same tiles.  [default: drawn]"
)
@click.option("--hints", is_flag=True, help="Show the odds before each of your decisions; the key h does it for one.")
@click.option("--review", is_flag=True, help="After each round, say which of your decisions cost how much.")
@click.option(
    "--like", metavar="S", help=f"For the odds: how you play on after the move in question.  [default: {_DEFAULT_LIKE}]"
)
@click.option(
    "--pace",
    type=click.FloatRange(0, MAX_PACE),
    metavar="SECONDS",
    help="Time between two things that others do, up to 60.  [default: 0.7 on a terminal, else 0]",
)
@click.option("--out", type=Directory(), help="Directory that keeps the game.  [default: a new one]")
@click.option("--resume", is_flag=True, help="Go on with the game in --out.")
@click.option("--trust", is_flag=True, help="With --resume: run the Python code of strategies that is stored in --out.")
@click.option("--ascii", "ascii_only", is_flag=True, help="Draw with ASCII characters only.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour on the terminal.")
def command(
    rules: tuple[str, ...],
    hints: bool,
    review: bool,
    like: str | None,
    pace: float | None,
    out: Path | None,
    resume: bool,
    trust: bool,
    ascii_only: bool,
    color: str,
    **options: Any,
) -> int:
    """Take a seat and play against strategies.

    You see what a player may know and nothing else.  Choose a move by its number, by the arrows and Enter, or by typing
    the tile and its end (6|4r); h shows the odds of each move, t the table again, ? how the game is played, q leaves.
    The game is kept in a dataset like those of `run`, after every move: go on with it by --resume, look at it by
    `show`, `report` and `odds --from`.

    \b
    Examples:
      domeng-sim play
      domeng-sim play --seat 2 --against banker --hints
      domeng-sim play --game draw --rule table=12x8 --review
      domeng-sim play --seat 0,1 --games 3
      domeng-sim play --resume --out domeng-play-20260101-200000
    """
    if resume:
        if out is None:
            raise BadInput("--resume needs --out, the directory of the game to go on with")
        _refuse_with_resume(options, rules)
        config = None
    else:
        config = _new_config(options, rules)
        if out is not None and out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise BadInput(f"{out} holds something already; go on with a game by --resume, or name another directory")
    if pace is not None and math.isnan(pace):
        raise BadInput(f"--pace takes seconds from 0 to {MAX_PACE:g}, not nan")
    from domeng_sim.cli.ask import at_terminal
    from domeng_sim.cli.people import Manners

    directory = out if out is not None else _new_directory()
    if pace is None:
        pace = PACE if at_terminal() else 0.0
    manners = Manners(_plain_characters(ascii_only), color, pace, hints, review)
    return _play(config, directory, manners, like, trust)


def _check_like(like: str, spec: GameSpec) -> None:
    try:
        resolve(like, spec)
    except ValueError as error:
        raise BadInput(str(error)) from error


def _go_on(directory: Path) -> str:
    return f"domeng-sim play --resume --out {shlex.quote(str(directory))}"


def _play(config: RunConfig | None, directory: Path, manners: Any, like: str | None, trust: bool) -> int:
    """Play a match, or the one in a directory if there is no `config`."""
    from domeng_sim.cli.ask import asker
    from domeng_sim.cli.bar import make_progress
    from domeng_sim.cli.people import Host, Left
    from domeng_sim.games.types import StrategyError
    from domeng_sim.positions.advise import Adviser
    from domeng_sim.positions.interactive_match import Sitting, keep, resumed
    from domeng_sim.positions.odds import Session
    from domeng_sim.runs.store.dataset import Dataset

    progress = make_progress(quiet=False)
    try:
        asked = resumed(directory, trust) if config is None else config
        if like is not None:
            _check_like(like, asked.spec)
        # before anything is compiled
        Dataset.replaced(directory, overwrite=True)
        sitting = Sitting(asked, progress)
        adviser = None
        if asked.spec.odds is not None:
            adviser = Adviser(sitting, like or asked.spec.opponents[0], Session(available_cores(), progress))
            if manners.hints or manners.review:
                adviser.prepare()
        with keep(sitting, directory) as keeper:
            tell(f"seed {asked.seed}; kept in {directory}")
            try:
                host = Host(sitting, keeper, asker(manners.ascii), manners, adviser)
                if config is None:
                    host.skip_told()
                host.play()
            except Left as left:
                tell(f"left; the game is kept. Go on with: {_go_on(directory)}")
                return int(left.args[0])
    except StrategyError as error:
        raise UserError(str(error)) from error
    name = shlex.quote(str(directory))
    print(f"\nThe match is over. It is kept in {directory}:")
    print(f"  domeng-sim show {name} --match 0\n  domeng-sim report {name}")
    return 0
