"""Ask of strategies, of positions and of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from domeng_sim.analysis.report import report as make_report
from domeng_sim.api.options import (
    Strategies,
    as_bad_input,
    check_alone,
    check_numbers,
    find_game,
    find_others,
    find_strategies,
    options_of,
)
from domeng_sim.api.playing import DEFAULT_GAMES
from domeng_sim.api.results import Comparison, Odds, Report
from domeng_sim.comparisons.comparison import compare as compare_blocks
from domeng_sim.comparisons.design import Setting
from domeng_sim.comparisons.request import Gate, Question
from domeng_sim.comparisons.sequential import StudySession
from domeng_sim.comparisons.stopping import BEST_AT, DEFAULT_MAX_BLOCKS, Stopping, parse_until
from domeng_sim.core.tables import LEVELS
from domeng_sim.errors import BadInput
from domeng_sim.positions.odds import DEFAULT_SAMPLES, OddsSession, exact_odds, odds_of, sampled_odds
from domeng_sim.strategies.resolve import seat

if TYPE_CHECKING:
    from os import PathLike

DEFAULT_BLOCKS = 2_000
"""Blocks that `compare` plays if nothing is said."""


@options_of
def compare(
    a: str,
    b: str,
    *,
    blocks: int | None = None,
    until: str | None = None,
    sprt: tuple[float, float] | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    max_blocks: int | None = None,
    time_limit: float | None = None,
    level: float = 0.95,
    best_at: int | None = None,
    against: Strategies | None = None,
    field: int | Sequence[int] | None = None,
    all_mixes: bool = False,
    games_per_match: int | None = None,
    rules: Mapping[str, int | str] | None = None,
    seed: int = 0,
    threads: int = 1,
    game: str = "domeng",
) -> Comparison:
    """Compare two strategies on the same deals, as ``domeng-sim compare`` does.

    What is played is not kept: for that, and to go on with it, there is the command with ``--out``.

    Parameters
    ----------
    a, b
        Names, TOML files or functions, as on the command line.
    blocks
        How many blocks, fixed beforehand: the intervals are Student's. 2000 if nothing else is said, where the command
        goes on until the share is known.
    until
        Go on until the share is known so well, as in ``0.2pp``, or until it is ``decided``; intervals then hold at
        every look.
    sprt
        Two shares that a sequential test tells apart, as in ``(0.20, 0.21)``; see `Comparison.test`.
    alpha, beta
        Errors of the test: to accept the larger share where the smaller holds, and the other way round; 0.05 each if
        nothing is said.
    max_blocks
        Where to give up, 100,000 if nothing is said; it does not go with `blocks`.
    time_limit
        Seconds after which to stop at the next look.
    level
        Confidence level.
    best_at
        Blocks at which intervals that hold at every look are tightest; 2000 if nothing is said.
    against
        A strategy, or a list with one for each other seat, into whose table both go in turn; None to let them meet
        each other.
    field
        How many A sit at the table, the rest being B; or several such numbers. (1, 4) in Domeng if nothing is said.
    all_mixes
        Whether all 32 seatings of both are played; in Domeng only.
    games_per_match
        Games of a match, 10 if nothing is said; a block is one match in all its seatings.
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
    spec = find_game(game)
    given = check_numbers(
        blocks=blocks, max_blocks=max_blocks, best_at=best_at, games_per_match=games_per_match, seed=seed
    )
    n_threads = check_numbers(threads=threads)["threads"] or 1
    check_alone(blocks=blocks, max_blocks=max_blocks)
    check_alone(against=against, field=field)
    with as_bad_input():
        values = spec.resolve_rules(rules or {})
    setting = Setting(game, values, given["seed"] or 0, given["games_per_match"] or DEFAULT_GAMES)
    (first,) = find_strategies("a", [a], spec, 1)
    (second,) = find_strategies("b", [b], spec, 1)
    question = Question(
        setting,
        first,
        second,
        _counts_of_a(field, sprt is not None, spec.seats),
        all_mixes,
        () if against is None else tuple(find_others("against", against, spec)),
        _gate(sprt, alpha, beta),
    )
    if sprt is not None and (blocks is not None or until is not None):
        raise BadInput("sprt decides when to stop; it goes with max_blocks and time_limit only")
    if time_limit is not None and not 0 < time_limit < 1e9:
        raise BadInput(f"time_limit takes seconds above 0, not {time_limit}")
    radius, decided = (0.0, False) if until is None else parse_until(until)
    is_limited = any(option is not None for option in (until, sprt, max_blocks, time_limit))
    stopping = Stopping(
        blocks=given["blocks"] or (0 if is_limited else DEFAULT_BLOCKS),
        radius=radius,
        decided=decided,
        max_blocks=given["max_blocks"] or DEFAULT_MAX_BLOCKS,
        seconds=time_limit or 0.0,
        level=level,
        best_at=given["best_at"] or BEST_AT,
    )
    return Comparison.of(compare_blocks(question, stopping, StudySession(threads=n_threads)))


def _counts_of_a(field: int | Sequence[int] | None, is_test: bool, seats: int) -> tuple[int, ...]:
    """How many A sit at the tables that are compared."""
    if field is None:
        return (1,) if is_test or seats == 2 else (1, seats - 1)
    counts = tuple(dict.fromkeys([field] if isinstance(field, int) else field))
    if not counts or not all(n in range(1, seats) for n in counts):
        raise BadInput(f"field takes how many A sit at the table, 1 to {seats - 1}, not {field!r}")
    if is_test and counts != (1,):
        raise BadInput("sprt tests the share of one A among B; it does not go with another field")
    return counts


def _gate(sprt: tuple[float, float] | None, alpha: float | None, beta: float | None) -> Gate | None:
    """The sequential test."""
    if sprt is None:
        if alpha is not None or beta is not None:
            raise BadInput("alpha and beta belong to sprt")
        return None
    shares = tuple(sprt)
    if len(shares) != 2:
        raise BadInput(f"sprt takes two shares, as (0.20, 0.21), not {sprt!r}")
    return Gate(*shares, 0.05 if alpha is None else alpha, 0.05 if beta is None else beta)


@options_of
def odds(
    *,
    samples: int | None = None,
    until: str | None = None,
    exact: bool = False,
    own: str | None = None,
    opponents: Strategies | None = None,
    rules: Mapping[str, int | str] | None = None,
    seed: int = 0,
    threads: int = 1,
    game: str = "domeng",
    **position: str | int | Sequence[int] | None,
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
        How the player who asks plays on; ``--self`` of the command.
    opponents
        How the others do: one strategy, or a list with one for each, by seat.
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
    BadInput
        If something else cannot be taken.

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
    spec = find_game(game)
    asked = odds_of(spec)
    given = check_numbers(samples=samples, seed=seed, threads=threads)
    check_alone(samples=samples, until=until)
    if exact and not all(option is None for option in (samples, until, own, opponents)):
        raise BadInput(
            "exact goes through everything with all players at random; leave out samples, until and strategies"
        )
    radius, decided = (0.0, False) if until is None else parse_until(until)
    if decided:
        raise BadInput("until takes a half-width in percentage points, such as 0.5pp")
    texts = {name.replace("_", "-"): _written(value) for name, value in position.items() if value is not None}
    for name in position:
        if name.replace("_", "-") not in asked.fields:
            own_names = ["samples", "until", "exact", "own", "opponents", "rules", "seed", "threads", "game"]
            parts = [part.replace("-", "_") for part in asked.fields]
            raise BadInput(
                f"odds has no option {name!r}; there are {', '.join(own_names)}, and of a position {', '.join(parts)}"
            )
    with as_bad_input():
        values = spec.resolve_rules(rules or {})
    found = asked.read(texts, values)
    session = OddsSession(threads=given["threads"] or 1)
    if exact:
        return Odds.of(exact_odds(spec, found, session=session))
    players = find_others("opponents", "random" if opponents is None else opponents, spec)
    players[found.seat : found.seat] = find_strategies("own", ["random" if own is None else own], spec, 1)
    seats = [seat(player) for player in players]
    n_samples = given["samples"] or DEFAULT_SAMPLES
    seed_of = given["seed"] or 0
    return Odds.of(sampled_odds(spec, found, seats, seed_of, n_samples, until=radius, session=session))


def _written(value: str | int | Sequence[int]) -> str:
    """A part of a position as on the command line."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else ",".join(map(str, value))


@options_of
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
    if not directories:
        raise BadInput("report takes the directory of a run, or several")
    if tables not in LEVELS:
        raise BadInput(f"tables must be {', '.join(LEVELS)}, not {tables!r}")
    n_threads = check_numbers(threads=threads)["threads"] or 1
    return Report.of(make_report([Path(one) for one in directories], tables=tables, threads=n_threads))
