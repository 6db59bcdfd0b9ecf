"""``domeng-sim show``."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from domeng_sim.api.requests.base import optional
from domeng_sim.api.requests.kinds import ALL, SWITCH
from domeng_sim.api.requests.positions import ShowRequest
from domeng_sim.cli.options import Display, request_command
from domeng_sim.cli.say import COMPILING, tell
from domeng_sim.core.announce import when_compiling
from domeng_sim.errors import BadInput, UserError, not_together
from domeng_sim.games.types import StrategyError, Undecided
from domeng_sim.runs.command import command_words
from domeng_sim.runs.store.location import location

if TYPE_CHECKING:
    from rich.console import Console

    from domeng_sim.games.shared.narrative import Look, Story
    from domeng_sim.positions.replay import Rows, Source

SCHEMA_VERSION = 2
"""Of the JSON output, whose events have the columns of the `events` table."""
_WHOLE_GAME = 1 << 30
_MOST_NAME, LEAST_WIDTH = 24, 20


@dataclass(frozen=True, kw_only=True)
class PageView(Display):
    """How a round is printed."""

    step_through: bool = optional(
        SWITCH,
        "Page through by arrow keys or Enter; without a terminal, print all.",
        not_with=("json",),
        repeats=False,
    )
    ascii: bool = optional(SWITCH, "Draw with ASCII characters.")


def _source(request: ShowRequest) -> Source:
    """Where the match is from: a run, or a configuration."""
    from domeng_sim.positions.replay import of_config, open_run

    if request.run is None:
        return of_config(request.config)
    source = open_run(location(request.run))
    if request.trust:
        source = source.trusting()
    if request.named_game not in (None, source.spec.name):
        raise BadInput(f"{request.run} is a run of {source.spec.name}, not of {request.named_game}")
    return source


def _names(source: Source) -> dict[int, str]:
    """Names of the seats, with what plays there unless that is the same in all."""
    texts = [strategy.text for strategy in source.seats]
    if len(set(texts)) == 1:
        return {seat: f"seat {seat}" for seat in range(len(texts))}
    short = [text if len(text) <= _MOST_NAME else f"...{text[3 - _MOST_NAME :]}" for text in texts]
    return {seat: f"seat {seat} ({text})" for seat, text in enumerate(short)}


def _spans(numbers: Sequence[int]) -> str:
    return f"{numbers[0]} to {numbers[-1]}" if len(numbers) > 1 else f"only {numbers[0]}"


def _rows_and_keys(
    source: Source, match: int, game: int, round_: int | None
) -> tuple[Rows, list[tuple[int, int]], tuple[int, int] | None]:
    """The rows, the rounds that were asked for, and the round after them in the match."""
    from domeng_sim.positions.replay import keys_of

    rows = source.rows(match, (game, _WHOLE_GAME if round_ is None else round_))
    there = keys_of(rows)
    of_game = [key for key in there if key[0] == game]
    if not of_game:
        games = sorted({key[0] for key in there})
        raise BadInput(f"match {match} has no game {game}; its games: {_spans(games)}")
    asked = of_game if round_ is None else [(game, round_)]
    if asked[0] not in there:
        rounds = [key[1] for key in of_game]
        raise BadInput(f"game {game} of match {match} has no round {round_}; its rounds: {_spans(rounds)}")
    return rows, asked, next((key for key in there if key > asked[-1]), None)


def _events(rows: Rows, key: tuple[int, int], viewers: frozenset[int] | None) -> list[dict[str, Any]]:
    """Rows of a round as objects; tiles that are not seen are null."""
    at = [k for k, pair in enumerate(zip(rows["game"], rows["round"], strict=True)) if pair == key]
    events = [{name: column[k] for name, column in rows.items()} for k in at]
    for event in events:
        if event["event"] in ("deal", "draw") and viewers is not None and event["seat"] not in viewers:
            event["tile"] = None
    return events


def _look(console: Console, ascii_only: bool) -> Look:
    from domeng_sim.cli.show_page import CHARACTERS
    from domeng_sim.games.shared.narrative import Look

    try:
        CHARACTERS.encode(console.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        ascii_only = True
    return Look(ascii_only, max(console.width, LEAST_WIDTH))


def _print_lines(console: Console, lines: Sequence[Any]) -> None:
    from rich.text import Text

    for line in lines:
        console.print(Text(line.text, line.style), no_wrap=True, overflow="ignore", crop=False)


def _facts(source: Source) -> str:
    """The seats, the rules and the seed in a line."""
    from domeng_sim.analysis.format import seats_line
    from domeng_sim.cli.render import rules_line

    rules = rules_line(source.rules, {rule.name: rule.default for rule in source.spec.rules})
    return f"Seats: {seats_line([strategy.text for strategy in source.seats])}. Rules: {rules}. Seed: {source.seed}."


def _print_after(console: Console, commands: Mapping[str, Sequence[str]]) -> None:
    from rich.text import Text

    from domeng_sim.cli.terminal import Printer

    console.print()
    for label, words in commands.items():
        console.print(Text(f"{label}:", "dim"))
        Printer(console).command(shlex.join(words))


def _is_interactive() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def _page_through(source: Source, stories: Sequence[Story], console: Console, look: Look) -> int:
    from domeng_sim.cli.pager import turn_pages
    from domeng_sim.cli.show_page import PageLine, page_lines, pages_of
    from domeng_sim.games.shared.narrative import Look

    pages = pages_of(stories)

    def lines(number: int, width: int, height: int) -> list[PageLine]:
        return page_lines(pages[number], source.telling, Look(look.ascii, max(width, LEAST_WIDTH), max(height, 1)))

    return turn_pages(len(pages), lines, color=console.color_system is not None)


def _show_json(
    source: Source, rows: Rows, stories: Sequence[Story], viewers: frozenset[int] | None, words: Sequence[str]
) -> None:
    rounds = [
        {
            "match": story.match,
            "game": story.game,
            "round": story.round,
            "outcome": story.outcome,
            "winner": story.winner,
            "events": _events(rows, (story.game, story.round), viewers),
        }
        for story in stories
    ]
    document = {
        "schema_version": SCHEMA_VERSION,
        "command": shlex.join(words),
        "game": source.spec.name,
        "seed": str(source.seed),
        "rules": dict(source.rules),
        "seats": [strategy.text for strategy in source.seats],
        "rounds": rounds,
    }
    print(json.dumps(document, allow_nan=False, indent=1))


@request_command(
    ShowRequest,
    PageView,
    epilog="The number before each step is that of the `events` table: `domeng-sim odds --from RUN --match M "
    "--game-number G --round R --step K` gives the odds of what could be played there.",
)
def command(request: ShowRequest, view: PageView) -> int:
    """Replay a round step by step: who played what and where, who gave which stone, how it ended and why.

    The round is one of RUN, a directory of `domeng-sim run` (what was not stored is played again from the seed), or,
    with --seed, of a match that need never have been played.

    \b
    Examples:
      domeng-sim show my-run --match 3
      domeng-sim show my-run --match 3 --game-number 1 --round 2 --step-through
      domeng-sim show my-run --find pollo --limit 5
      domeng-sim show --seed 7 --seats banker,random,random,random,random --round all
      domeng-sim show --seed 7 --game draw --rule table=10x6
    """
    try:
        source = _source(request)
        with when_compiling(lambda: None if view.quiet else tell(COMPILING)):
            if request.find is not None:
                if view.step_through:
                    raise not_together("find", request.find, "step_through")
                from domeng_sim.cli.show_find import list_finds

                return list_finds(request, source, view)
            viewers = request.viewers(source.spec.seats)
            return _show(request, source, viewers, view)
    except Undecided as error:
        raise BadInput(f"a round is shown when it is over: {error}") from error
    except StrategyError as error:
        raise UserError(str(error)) from error


def _show(request: ShowRequest, source: Source, viewers: frozenset[int] | None, view: PageView) -> int:
    """Tell the rounds that were asked for."""
    from domeng_sim.positions.replay import stories

    match, game, round_ = request.match or 0, request.game_number or 0, request.wanted_round
    rows, keys, following = _rows_and_keys(source, match, game, round_)
    told_rounds = stories(source, rows, keys, _names(source), viewers)
    here: int | str = ALL if round_ is None else round_
    if view.json:
        _show_json(source, rows, told_rounds, viewers, request.at(match, game, here).words(**view.asked(), json=True))
        return 0
    from domeng_sim.cli.show_page import PageLine, told, wrapped
    from domeng_sim.cli.terminal import terminal

    console = terminal(view.color)
    look = _look(console, view.ascii)
    is_interactive = view.step_through and _is_interactive()
    if is_interactive:
        status = _page_through(source, told_rounds, console, look)
        if status:
            return status
    else:
        _print_lines(console, [PageLine(text) for text in wrapped(_facts(source), look.width)])
        for story in told_rounds:
            console.print()
            _print_lines(console, told(story, source.telling, look))
    shown = {**view.asked(), "step_through": is_interactive}
    after: dict[str, Sequence[str]] = {}
    if following is not None:
        after["next"] = request.at(match, following[0], ALL if round_ is None else following[1]).words(**shown)
    elif request.run is None or source.matches is None or match + 1 < source.matches:
        after["the match is over; next"] = request.at(match + 1, 0, ALL if round_ is None else 0).words(**shown)
    if request.run is not None and source.spec.odds is not None and not is_interactive:
        step = _example(told_rounds)
        where = {"from_run": request.run, "match": match, "game_number": game, "round": keys[0][1], "step": step}
        where["trust"] = request.trust
        after["odds before a step"] = command_words("odds", where)
    _print_after(console, after)
    return 0


def _example(told_rounds: Sequence[Story]) -> int:
    """A step at which somebody plays."""
    steps = [step.at for step in told_rounds[0].steps if step.event == "play"]
    return steps[len(steps) // 2] if steps else 0
