"""Ask of strategies, of positions and of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from domeng_sim.api.playing import Strategies
from domeng_sim.errors import BadInput
from domeng_sim.games import game as game_of
from domeng_sim.strategies.spec import resolve, seat
from domeng_sim.studies.answers import Odds
from domeng_sim.studies.compare import compare as compare_blocks
from domeng_sim.studies.comparison import Comparison
from domeng_sim.studies.lineups import Setting
from domeng_sim.studies.looks import Session
from domeng_sim.studies.odds import DEFAULT_SAMPLES, exact_odds, odds_of, sampled_odds
from domeng_sim.studies.odds import Session as OddsSession
from domeng_sim.studies.questions import Gate, Question
from domeng_sim.studies.report import Report
from domeng_sim.studies.report import report as make_report
from domeng_sim.studies.stopping import DEFAULT_MAX_BLOCKS, Stopping, parse_until

if TYPE_CHECKING:
    from os import PathLike

DEFAULT_BLOCKS = 2_000
"""Blocks that `compare` plays if nothing is said."""


def compare(
    a: str,
    b: str,
    *,
    blocks: int | None = None,
    until: str | None = None,
    sprt: tuple[float, float] | None = None,
    max_blocks: int = DEFAULT_MAX_BLOCKS,
    against: Strategies | None = None,
    all_mixes: bool = False,
    games_per_match: int = 10,
    rules: Mapping[str, int | str] | None = None,
    seed: int = 0,
    threads: int = 1,
    game: str = "domeng",
) -> Comparison:
    """Compare two strategies on the same deals, as ``domeng-sim compare`` does.

    Parameters
    ----------
    a, b
        Names, TOML files or functions, as on the command line.
    blocks
        How many blocks, fixed beforehand: the intervals are Student's. If nothing else is said, 2000.
    until
        Go on until the share is known so well, as in ``0.2pp``, or until it is ``decided``; intervals then hold at
        every look.
    sprt
        Two shares that a sequential test tells apart, as in ``(0.20, 0.21)``; see `Comparison.test`.
    max_blocks
        Where `until` and `sprt` give up.
    against
        A strategy, or one for each other seat, into whose table both go in turn; None to let them meet each other, in
        Domeng one among four both ways.
    all_mixes
        Whether all 32 seatings of both are played; in Domeng only.
    games_per_match
        Games of a match; a block is one match.
    rules
        Options and amounts that differ from the defaults.
    seed
        0 to 2^64 - 1.
    threads
        How many threads play; the answer does not depend on it.
    game
        The game.

    Raises
    ------
    BadInput
        If something cannot be taken; the message says what would be right.

    Examples
    --------
    >>> import domeng_sim
    >>> answer = domeng_sim.compare("random", "random", blocks=100)
    >>> answer.ends[0].share.value, answer.ends[0].share.half_width
    (0.2, 0.0)
    >>> domeng_sim.compare("starver", "random", game="draw", until="decided").sentence
    'starver is better than random'
    >>> domeng_sim.compare("heaviest", "random", game="draw", sprt=(0.5, 0.55)).test.verdict
    'H1'
    """
    spec = game_of(game)
    setting = Setting(game, spec.resolve_rules(rules or {}), seed, games_per_match)
    if sprt is not None and (blocks or until):
        raise BadInput("sprt decides when to stop; it goes with max_blocks only")
    radius, decided = (0.0, False) if until is None else parse_until(until)
    if blocks is None:
        blocks = 0 if until or sprt else DEFAULT_BLOCKS
    company: list[str] = []
    if against is not None:
        company = [against] * (spec.seats - 1) if isinstance(against, str) else list(against)
    question = Question(
        setting,
        resolve(a, spec),
        resolve(b, spec),
        (1,) if sprt or spec.seats == 2 else (1, spec.seats - 1),
        all_mixes,
        tuple(resolve(text, spec) for text in company),
        None if sprt is None else Gate(*sprt),
    )
    stopping = Stopping(blocks=blocks, radius=radius, decided=decided, max_blocks=max_blocks)
    return compare_blocks(question, stopping, Session(threads=threads))


def odds(
    *,
    samples: int | None = None,
    until: str | None = None,
    exact: bool = False,
    own: str = "random",
    opponents: Strategies = "random",
    rules: Mapping[str, int | str] | None = None,
    seed: int = 0,
    threads: int = 1,
    game: str = "domeng",
    **position: str | int | Sequence[int],
) -> Odds:
    """Odds of each move of a position, as ``domeng-sim odds`` gives them.

    Parameters
    ----------
    samples
        Deals drawn among those that agree with what was seen; 100,000 if nothing is said.
    until
        Draw until winning is known so well, as in ``0.5pp``, in place of a number of samples.
    exact
        Go through all courses of the round on all of these deals instead, all players playing at random.
    own
        How the player who asks plays on.
    opponents
        How the others do: one strategy, or one for each, by seat.
    rules
        Options and amounts that differ from the defaults.
    seed
        0 to 2^64 - 1.
    threads
        How many threads play; the odds do not depend on it.
    game
        The game.
    **position
        Written as on the command line, several numbers also as a tuple: in Domeng ``hand``, ``hands``, ``log``,
        ``stones``, ``table``, ``seat``, ``camat``, ``first_round``, in Draw ``hand``, ``hands``, ``log``, ``seat``,
        ``scores``.

    Raises
    ------
    PositionError
        If there can be no such position; the message says why.

    Examples
    --------
    >>> import domeng_sim
    >>> asked = {"hand": "6|5 4|1 3|1 2|1", "log": "0:6|6 1:6|4r 2:pass 3:6|2l 4:4|4r", "stones": "2,1,2,3,4"}
    >>> answer = domeng_sim.odds(samples=2000, **asked)
    >>> sorted(move.text for move in answer.moves)
    ['2|1 left', '4|1 right']
    >>> domeng_sim.odds(until="2pp", **asked | {"stones": (2, 1, 2, 3, 4)}).reason
    'until'
    >>> answer = domeng_sim.odds(game="draw", samples=2000, hand="6|2 5|4 4|1 3|3 3|2 1|1", log="0:6|6 1:6|4r")
    >>> sorted(move.text for move in answer.moves)
    ['4|1 right', '5|4 right', '6|2 left']
    """
    spec = game_of(game)
    asked = odds_of(spec)
    texts = {name.replace("_", "-"): _written(value) for name, value in position.items()}
    radius, decided = (0.0, False) if until is None else parse_until(until)
    if decided:
        raise BadInput("until takes a half-width in percentage points, such as 0.5pp")
    if until and (samples or exact):
        raise BadInput("until stands in place of samples, and does not go with exact")
    found = asked.read(texts, spec.resolve_rules(rules or {}))
    session = OddsSession(threads=threads)
    if exact:
        return exact_odds(spec, found, session=session)
    others = [opponents] * (spec.seats - 1) if isinstance(opponents, str) else list(opponents)
    others.insert(found.seat, own)
    seats = [seat(resolve(text, spec)) for text in others]
    return sampled_odds(spec, found, seats, seed, samples or DEFAULT_SAMPLES, until=radius, session=session)


def _written(value: str | int | Sequence[int]) -> str:
    """A part of a position as on the command line."""
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else ",".join(map(str, value))


def report(*directories: str | PathLike[str], tables: str = "events", threads: int = 1) -> Report:
    """What came out of a run, or of several side by side, as ``domeng-sim report`` shows it.

    Parameters
    ----------
    *directories
        Datasets; the others are compared with the first.
    tables
        Tables beyond this level are not read.
    threads
        How many threads read.

    Raises
    ------
    BadInput
        If a directory holds no run, or the runs are of different games.

    Examples
    --------
    >>> import domeng_sim, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = domeng_sim.run(f"{folder}/first", matches=20, seed=1, tables="games")
    ...     made = domeng_sim.report(f"{folder}/first")
    >>> made.chapters[0].title
    'How rounds end'
    """
    return make_report([Path(directory) for directory in directories], tables=tables, threads=threads)
