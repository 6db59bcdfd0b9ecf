"""``domeng-sim play``."""

from __future__ import annotations

import datetime
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from domeng_sim.api.requests.base import Request, available_cores, optional
from domeng_sim.api.requests.kinds import SWITCH
from domeng_sim.api.requests.positions import PlayRequest
from domeng_sim.cli.options import COLORS, request_command
from domeng_sim.cli.say import COMPILING, tell
from domeng_sim.core.announce import when_compiling
from domeng_sim.errors import BadInput, FieldRef, UserError
from domeng_sim.runs.command import command_line
from domeng_sim.runs.store.location import Location, location

PACE = 0.7
"""Seconds between two things that others do, on a terminal."""


def _new_directory() -> Path:
    """A name in the current directory that nobody has."""
    stem = datetime.datetime.now().strftime("domeng-play-%Y%m%d-%H%M%S")
    number, path = 1, Path(stem)
    while path.exists():
        number += 1
        path = Path(f"{stem}-{number}")
    return path


def _is_taken(out: Location) -> bool:
    """Whether something is there that is no empty place."""
    from domeng_sim.runs.store.open_storage import storage_of

    storage_of(out).refuse_unusable()
    return bool(storage_of(out).entries())


def _plain_characters(asked: bool) -> bool:
    """Whether to do without characters beyond ASCII."""
    try:
        "┌│›·±".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return True
    return asked


@dataclass(frozen=True, kw_only=True)
class TableView(Request):
    """How a match is shown to those who play it."""

    ascii: bool = optional(SWITCH, "Draw with ASCII characters only.", repeats=False)
    color: str = optional(COLORS, "Colour on the terminal.", usual="auto", repeats=False)


@request_command(PlayRequest, TableView)
def command(request: PlayRequest, view: TableView) -> int:
    """Take a seat and play against strategies.

    You see what a player may know and nothing else.  Choose a move by its number, by the arrows and Enter, or by typing
    the tile and its end (6|4r); h shows the odds of each move, t the table again, ? how the game is played, q leaves.
    The game is kept in a dataset like those of `run`, after every move: go on with it by --resume, look at it by
    `show`, `report` and `odds --from`.

    \b
    Examples:
      domeng-sim play
      domeng-sim play --seat 2 --opponents banker --hints
      domeng-sim play --game draw --rule table=12x8 --review
      domeng-sim play --seat 0,1 --games-per-match 3
      domeng-sim play --resume --out domeng-play-20260101-200000
    """
    out = None if request.out is None else location(request.out)
    if out is not None and not request.resume and _is_taken(out):
        held = f"{out} holds something already; go on with a game by ", FieldRef("resume", True)
        raise BadInput(*held, ", or name another directory")
    from domeng_sim.cli.ask import at_terminal, unheard
    from domeng_sim.cli.people import Manners

    pace = request.pace
    if pace is None:
        pace = PACE if at_terminal() else 0.0
    manners = Manners(_plain_characters(view.ascii), view.color, pace, request.hints, request.review)
    with unheard():
        return _play(request, out or _new_directory(), manners)


def _go_on(directory: Location) -> str:
    return command_line("play", {"resume": True, "out": directory})


def _play(request: PlayRequest, directory: Location, manners: Any) -> int:
    """Play a match, or go on with the one in a directory."""
    from domeng_sim.cli.ask import asker
    from domeng_sim.cli.bar import make_progress
    from domeng_sim.cli.people import Host, Left
    from domeng_sim.games.types import StrategyError
    from domeng_sim.positions.advise import Adviser
    from domeng_sim.positions.interactive_match import Sitting, keep, resumed
    from domeng_sim.positions.odds import OddsSession
    from domeng_sim.runs.store.dataset import Dataset

    progress = make_progress(quiet=False)
    try:
        asked = resumed(directory, request.trust) if request.config is None else request.config
        own = request.adviser(asked.spec)
        # before anything is compiled
        Dataset.replaced(directory, overwrite=True)
        sitting = Sitting(asked, progress)
        adviser = None
        if asked.spec.odds is not None:
            named = request.opponents is not None
            adviser = Adviser(sitting, own.text, OddsSession(available_cores(), progress), named)
            if manners.hints or manners.review:
                adviser.prepare()
        with keep(sitting, directory, request.take_over) as keeper, when_compiling(lambda: tell(COMPILING)):
            tell(f"seed {asked.seed}; kept in {directory}")
            try:
                host = Host(sitting, keeper, asker(manners.ascii), manners, adviser)
                if request.resume:
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
