"""The report of Domeng, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from domeng_sim.core.codes import Cause, Outcome
from domeng_sim.games.domeng.kernel.counts import counts
from domeng_sim.games.domeng.report.figures import (
    CAMAT_GAMES,
    CAUSE_LABELS,
    NO_CAMAT,
    WHOLE_GAMES,
    figures,
)
from domeng_sim.games.domeng.report.parts import FAIR, MAX_TITLES, tallies_of
from domeng_sim.games.domeng.report.round_chapters import blocked_chapter, finish_chapter, pass_chapter, start_chapter
from domeng_sim.games.shared.length_bins import LENGTH_ANSWER
from domeng_sim.games.shared.measures import Figure, Panel, cells
from domeng_sim.games.shared.outline import Answer, Chapter, Outline, Plate
from domeng_sim.games.shared.panels import ROUNDS, tail_plate
from domeng_sim.games.shared.sides import Sides, by_side, mean, or_more, plate_of, share, sides_of
from domeng_sim.games.types import RuleValue

STANDING = ("no CAMAT yet", "as incumbent", "as challenger")
_ENDED = "Games: truncated ones too."


def _outcome_chapter(sheet: Mapping[str, Panel], strategies: Sides | None) -> Chapter:
    plates = [
        Plate(sheet["outcome"], "dots"),
        Plate(sheet["round"]),
        Plate(sheet["win"], "matrix", "winner"),
    ]
    if strategies is not None:
        rows = [
            figure
            for kind in Outcome
            for figure in strategies.row(
                f"win.{kind.label}", kind.name, cells("round_ends", kind=kind), ROUNDS, "share of rounds"
            )
        ]
        note = (
            "Rounds that a seat of this strategy wins so. If all play alike, each has a fifth of the outcome's share."
        )
        plates.append(
            plate_of("win_strategy", "Who wins, and how, by strategy (per seat)", rows, note, picture="matrix")
        )
    plates.append(Plate(sheet["plays"], "columns", "tiles played"))
    return Chapter("outcomes", "How rounds end", tuple(plates))


def _held_rows(sides: Sides, stones: int, count: str, key: str, unit: str) -> list[Figure]:
    return [
        figure
        for n in range(stones + 1)
        for figure in sides.row(f"{key}.{n}", str(n), cells(count, bin=n), cells(count), unit, own=True)
    ]


def _stones_chapter(sheet: Mapping[str, Panel], sides: Sequence[Sides], stones: int) -> Chapter:
    held, kept = cells("stones_held", weighted=True), cells("game_stones")

    def means(side: Sides) -> tuple[Figure, ...]:
        return (
            *side.row("held_mean", "at the end of a round", held, cells("stones_held"), "stones", own=True, mean=True),
            *side.row("game_held_mean", "at the end of a game", kept, WHOLE_GAMES, "stones", mean=True),
        )

    def held_after(count: str, key: str, unit: str) -> Callable[[Sides], list[Figure]]:
        return lambda side: _held_rows(side, stones, count, key, unit)

    spread: dict[str, Any] = {"layout": "spread", "picture": "lines", "axis": "stones"}
    plates = by_side(sides, "stones", "Stones held,", means, _ENDED, picture="dots")
    plates.append(Plate(sheet["held"], "lines", "stones"))
    after_rounds = held_after("stones_held", "held", "share of rounds")
    plates += by_side(sides[1:], "held", "Stones held at the end of a round,", after_rounds, **spread)
    after_games = held_after("game_end", "game_held", "share of games")
    plates += by_side(sides, "game_held", "Stones held at the end of a game,", after_games, _ENDED, **spread)
    for side in sides:
        rows = tuple(
            figure
            for cause in Cause
            for figure in side.row(
                f"received.{cause.label}",
                CAUSE_LABELS.get(cause, cause.name),
                cells("stones_moved", kind=cause),
                ROUNDS,
                "stones per round",
                mean=True,
            )
        )
        title = side.title("Stones received, by cause and")
        plates.append(plate_of(f"received_{side.key}", title.replace("and by", "and"), rows, picture="matrix"))
    plates += [Plate(sheet["cause"]), Plate(sheet["flow"], "matrix", "receiver")]
    text = f"Stones are penalties: fewer are better. {stones} are in the game; one fifth of them is {stones / 5:g}."
    return Chapter("stones", "Stones", tuple(plates), text)


def _camat_chapter(sheet: Mapping[str, Panel], sides: Sequence[Sides]) -> Chapter:
    def camat(side: Sides) -> tuple[Figure, ...]:
        return side.row("camat", "CAMAT", cells("camat"), CAMAT_GAMES, "share of CAMATs")

    def standing(side: Sides) -> tuple[Figure, ...]:
        return tuple(
            figure
            for kind, label in enumerate(STANDING)
            for figure in side.row(
                f"standing.{kind}",
                label,
                cells("standing_camat", kind=kind),
                cells("standing_games", kind=kind),
                "share of games with a CAMAT",
                own=True,
            )
        )

    note = (
        "Of the games with a CAMAT at their end that the seat began with this standing: how often it is the one. "
        'Truncated games are left out, while "incumbent appointed again" counts them.'
    )
    how: dict[str, Any] = {"left_out": NO_CAMAT, "picture": "dots", "fair": FAIR}
    plates = by_side(sides, "camat", "CAMAT", camat, **how)
    plates += by_side(sides, "standing", "CAMAT, incumbent or not,", standing, note, **how)
    plates += [Plate(sheet["game"]), Plate(sheet["game_quantiles"]), Plate(sheet["game_length"], "columns", "rounds")]
    title, axis = "Games of at least so many rounds until CAMAT", "rounds until CAMAT, at least"
    plates.append(tail_plate(title, CAMAT_GAMES, "share of games with a CAMAT", axis, NO_CAMAT))
    lengths = [
        mean(
            f"length.{kind}",
            label,
            cells("rounds_by_standing", kind=kind),
            cells("games_by_standing", kind=kind),
            "rounds per game with a CAMAT",
        )
        for kind, label in enumerate(("the first CAMAT of a match", "the incumbent again", "a challenger"))
    ]
    title = "Rounds until CAMAT, by who is appointed"
    plates.append(plate_of("length", title, lengths, left_out=NO_CAMAT, picture="dots"))
    again = [
        share(
            f"again.{n}",
            or_more(n, MAX_TITLES),
            cells("titles", bin=n + 1),
            cells("title_games", bin=n),
            "share of games with a CAMAT",
        )
        for n in range(1, MAX_TITLES)
    ]
    note = (
        "Of the games with a CAMAT at their end, begun by one who holds so many titles in a row: how often this one is "
        "appointed again. The end of a match cuts reigns off, but not these shares."
    )
    plates.append(
        plate_of(
            "again",
            "Streaks: appointed again after so many titles in a row",
            again,
            note,
            "histogram",
            left_out=NO_CAMAT,
            picture="lines",
            axis="titles in a row",
        )
    )
    reigns = [
        share(f"reign.{n}", or_more(n, MAX_TITLES), cells("titles", bin=n), cells("titles", bin=1), "share of reigns")
        for n in range(2, MAX_TITLES)
    ]
    note = "Of all reigns, those that were cut off by the end of their match included."
    plates.append(
        plate_of(
            "reign",
            "Reigns of at least so many titles in a row",
            reigns,
            note,
            "histogram",
            picture="tail",
            axis="titles in a row, at least",
        )
    )
    return Chapter("camat", "CAMAT", tuple(plates))


def _answers(side: Sides) -> tuple[Answer, ...]:
    """What most people ask, by seat or by strategy."""
    ends = tuple((f"outcome.{kind.label}", kind.name) for kind in Outcome)
    each = [label if side.key == "strategy" else str(number) for number, label in enumerate(side.groups)]
    rare = tuple(
        (key, name)
        for kind in (Outcome.CEKI, Outcome.POLLO)
        for key, name in (
            (f"outcome.{kind.label}", kind.name),
            (f"start.{kind.label}.the starter", f"{kind.name} by the starter"),
        )
    )
    return (
        Answer("How rounds end", ends, "outcome", "Of all rounds."),
        Answer("CEKI and POLLO", rare, "finish_start", "Of all rounds."),
        Answer(
            "Who becomes CAMAT",
            (*((f"camat.{side.key}.{name}", "") for name in each), ("game.camat_again", "the incumbent again")),
            f"camat_{side.key}",
            "Of the games that ended with a CAMAT; the incumbent, of those that began with one.",
        ),
        Answer(
            "Stones held",
            (*((f"held_mean.{side.key}.{name}", "") for name in each), ("round.table_empty", "table empty")),
            f"stones_{side.key}",
            "A mean, at the end of a round; fewer are better.",
        ),
        Answer("Length of a game", LENGTH_ANSWER, "game_length", "Rounds until there is a CAMAT."),
    )


def outline(rules: Mapping[str, RuleValue], strategies: Sequence[str], by_strategy: bool = False) -> Outline:
    """The report of a run of Domeng.

    Parameters
    ----------
    rules
        All rules; `stones` sets the length of distributions.
    strategies
        Text of each seat's strategy.
    by_strategy
        Whether there are figures by strategy even if all seats have the same.
    """
    stones = int(rules["stones"])
    sheet = {panel.key: panel for panel in figures(rules).panels}
    sides = sides_of(strategies, by_strategy, counts(rules))
    chapters = (
        _outcome_chapter(sheet, sides[1] if len(sides) > 1 else None),
        _stones_chapter(sheet, sides, stones),
        _camat_chapter(sheet, sides),
        finish_chapter(sides),
        blocked_chapter(sheet),
        pass_chapter(sides),
        start_chapter(sheet),
    )
    return Outline(tallies_of(stones), chapters, _answers(sides[-1]))
