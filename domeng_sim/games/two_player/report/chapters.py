"""The report of two-player games, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from domeng_sim.core.codes import DrawOutcome
from domeng_sim.games.shared.length_bins import LENGTH_ANSWER
from domeng_sim.games.shared.measures import Figure, Panel, cells
from domeng_sim.games.shared.outline import Answer, Chapter, Outline, Plate
from domeng_sim.games.shared.panels import ROUNDS, tail_plate
from domeng_sim.games.shared.sides import Sides, by_side, mean, or_more, plate_of, share, sides_of
from domeng_sim.games.two_player.kernel.counts import counts
from domeng_sim.games.two_player.report.figures import (
    ENDED_GAMES,
    NOT_WON,
    SEATS,
    WON_GAMES,
    WON_ROUNDS,
    figures,
)
from domeng_sim.games.two_player.report.parts import MAX_PASSES, N_GROUPS, group_label, n_parts, part_label, tallies_of
from domeng_sim.games.types import RuleValue

FAIR = 1 / len(SEATS)
PLACES = ("the starter", "the other")
WINS = (DrawOutcome.OUT, DrawOutcome.BLOCKED)


def _by_outcome(key: str, count: str, positions: range) -> tuple[Figure, ...]:
    """Of the rounds at each position, how many end in each way."""
    return tuple(
        share(
            f"{key}.{kind.label}.{n}",
            str(n),
            cells(count, kind=kind, bin=n),
            cells(count, bin=n),
            "share of rounds",
            kind.label,
        )
        for n in positions
        for kind in DrawOutcome
    )


def _outcome_chapter(sheet: Mapping[str, Panel]) -> Chapter:
    return Chapter(
        "outcomes",
        "How rounds end",
        (
            Plate(sheet["outcome"], "dots"),
            Plate(sheet["round"]),
            Plate(sheet["plays"], "columns", "tiles played"),
            plate_of(
                "end_plays",
                "How rounds end, by tiles played",
                _by_outcome("end_plays", "end_plays", range(1, 27)),
                "Of the rounds that end with this number of tiles on the table.",
                "spread",
                picture="lines",
                axis="tiles played",
            ),
            *(Plate(sheet[key], "columns", "tiles left in the stock") for key in ("stock",) if key in sheet),
            plate_of(
                "end_stock",
                "How rounds end, by tiles left in the stock",
                _by_outcome("end_stock", "end_stock", range(2, 15)),
                "Of the rounds that end with this number of tiles left. While more than two are left, a round is not "
                "blocked: a player without a fitting tile can draw.",
                "spread",
                picture="lines",
                axis="tiles left in the stock",
            ),
        ),
    )


def _winner_chapter(sides: Sequence[Sides]) -> Chapter:
    def games(side: Sides) -> tuple[Figure, ...]:
        return side.row("games", "games won", cells("game_wins"), WON_GAMES, "share of games won")

    def rounds(side: Sides) -> tuple[Figure, ...]:
        return side.row("rounds", "rounds won", cells("round_ends", kind=WINS), WON_ROUNDS, "share of rounds won")

    def how(side: Sides) -> tuple[Figure, ...]:
        return tuple(
            figure
            for kind in WINS
            for figure in side.row(
                f"rounds_won.{kind.label}", kind.label, cells("round_ends", kind=kind), ROUNDS, "share of rounds"
            )
        )

    note = "Of the rounds that somebody won; tied rounds are left out."
    plates = (
        *by_side(sides, "games", "Games won", games, left_out=NOT_WON, picture="dots", fair=FAIR),
        *by_side(sides, "rounds", "Rounds won", rounds, note, picture="dots", fair=FAIR),
        *by_side(sides, "how", "How rounds are won,", how, picture="dots"),
    )
    return Chapter("winners", "Who wins", plates)


def _points_chapter(sheet: Mapping[str, Panel], sides: Sequence[Sides], target: int) -> Chapter:
    def points(side: Sides) -> tuple[Figure, ...]:
        return (
            *side.row("points", "per round", cells("scored"), ROUNDS, "points", mean=True),
            *side.row(
                "points_won", "per round won", cells("scored", kind=(0, 1)), cells("round_ends", kind=WINS), "points",
                own=True, mean=True,
            ),
            *side.row("pips", "pips left at the end of a round", cells("pips"), ROUNDS, "pips", mean=True),
        )  # fmt: skip

    def score(side: Sides) -> tuple[Figure, ...]:
        return side.row("game_score", "score", cells("game_scores"), ENDED_GAMES, "points per game", mean=True)

    plates = by_side(sides, "points", "Points", points, picture="dots")
    scored = tuple(
        mean(
            f"points_by.{kind.label}",
            kind.label,
            cells("scored", kind=kind),
            cells("round_ends", kind=kind),
            "points per round",
        )
        for kind in WINS
    )
    plates.append(plate_of("points_by", "Points of a round, by how it ends", scored, picture="dots"))
    plates.append(Plate(sheet["points"], "columns", "points"))
    groups = tuple(
        share(
            f"end_points.{kind.label}.{group}",
            group_label(group),
            cells("end_points", kind=kind, bin=group),
            cells("end_points", kind=kind),
            "share of rounds",
            kind.label,
        )
        for group in range(N_GROUPS)
        for kind in WINS
    )
    plates.append(
        plate_of(
            "end_points",
            "Points of a round, by how it ends: distributions",
            groups,
            "Of the rounds that end so.",
            "spread",
            picture="lines",
            axis="points",
        )
    )
    title, note = "Score at the end of a game,", "Games: truncated ones too."
    plates += by_side(sides, "score", title, score, note, picture="dots")
    loser = tuple(
        share(
            f"loser.{part}",
            part_label(part, target),
            cells("loser_score", bin=part),
            cells("loser_score"),
            "share of games won",
        )
        for part in range(n_parts(target))
    )
    plates.append(
        plate_of(
            "loser",
            "Score of the player who lost the game",
            loser,
            f"{target} points win.",
            "histogram",
            left_out=NOT_WON,
            picture="columns",
            axis="points",
        )
    )
    beyond = tuple(
        share(
            f"beyond.{group}",
            group_label(group),
            cells("beyond", bin=group),
            cells("beyond"),
            "share of games won",
        )
        for group in range(N_GROUPS)
    )
    plates.append(
        plate_of(
            "beyond",
            "Points of the winner of a game above the target",
            beyond,
            "",
            "histogram",
            left_out=NOT_WON,
            picture="columns",
            axis="points above the target",
        )
    )
    text = (
        "The winner of a round scores the pips left in the other hand; in a blocked round, by how much they exceed the "
        "winner's own."
    )
    return Chapter("points", "Points and scores", tuple(plates), text)


def _game_chapter(sheet: Mapping[str, Panel]) -> Chapter:
    title, axis = "Games of at least so many rounds until they are won", "rounds, at least"
    longer = tail_plate(title, WON_GAMES, "share of games won", axis, NOT_WON)
    plates = (
        Plate(sheet["game"]),
        Plate(sheet["game_quantiles"]),
        Plate(sheet["game_length"], "columns", "rounds"),
        longer,
    )
    return Chapter("games", "How long games last", plates)


def _draw_chapter(sides: Sequence[Sides], draws: bool) -> Chapter:
    def rows(side: Sides) -> tuple[Figure, ...]:
        return (
            *side.row("draws", "tiles drawn", cells("draws"), ROUNDS, "per round", mean=True),
            *side.row("passes", "PASSes", cells("passes"), ROUNDS, "per round", mean=True),
        )

    plates = by_side(sides, "draws", "Tiles drawn and PASSes" if draws else "PASSes", rows, picture="dots")
    passed = [
        share(f"passed.{n}", or_more(n, MAX_PASSES), cells("passed", bin=n), cells("passed"), "share of rounds")
        for n in range(MAX_PASSES + 1)
    ]
    plates.append(
        plate_of("passed", "PASSes in a round", passed, "By both.", "histogram", picture="columns", axis="PASSes")
    )
    return Chapter("draws", "Draws and PASSes" if draws else "PASSes", tuple(plates))


def _start_chapter(sheet: Mapping[str, Panel]) -> Chapter:
    won = tuple(
        share(
            f"place.{kind.label}.{other}",
            kind.label,
            cells("round_ends", kind=kind, other=other),
            cells("round_ends", kind=kind),
            f"share of rounds won {kind.label}" if kind == DrawOutcome.OUT else "share of blocked rounds won",
            name,
        )
        for kind in WINS
        for other, name in enumerate(PLACES)
    )
    rows = tuple(
        mean(f"place_{key}.{other}", label, cells(f"place_{key}", other=other), ROUNDS, "per round", name)
        for key, label in (
            ("points", "points"), ("draws", "tiles drawn"), ("passes", "PASSes"), ("pips", "pips left"),
        )
        for other, name in enumerate(PLACES)
    )  # fmt: skip
    games = tuple(
        share(
            f"first_games.{other}",
            name,
            cells("first_games", other=other),
            cells("first_games"),
            "share of games won",
        )
        for other, name in enumerate(("the starter of its first round", "the other"))
    )
    seats = tuple(
        share(f"starts.{seat}", f"seat {seat}", cells("starts", seat=seat), ROUNDS, "share of rounds") for seat in SEATS
    )
    return Chapter(
        "start",
        "The effect of starting",
        (
            Plate(sheet["starter"], "dots"),
            plate_of("place", "Rounds won by starter or not, by how they end", won, picture="dots", fair=FAIR),
            plate_of("place_means", "The starter and the other", rows),
            plate_of(
                "first_games",
                "Games won by who started their first round",
                games,
                left_out=NOT_WON,
                picture="dots",
                fair=FAIR,
            ),
            plate_of("starts", "Who starts rounds", seats, picture="dots", fair=FAIR),
        ),
        "The holder of the highest double starts, whoever won before. So starting tells nothing of who plays better, "
        "but the starter holds a double in all rounds but those (0.3 %) in which nobody does.",
    )


def _table_chapter(rules: Mapping[str, RuleValue]) -> Chapter:
    closed = [
        share(f"closed.{n}", str(n), cells("closed_ends", bin=n), cells("closed_ends"), "share of rounds")
        for n in range(3)
    ]
    mean_closed = mean(
        "closed.mean", "closed ends", cells("closed_ends", weighted=True), cells("closed_ends"), "ends per round"
    )
    return Chapter(
        "table",
        "The table",
        (
            plate_of(
                "closed",
                "Closed ends at the end of a round",
                closed,
                f"On a table of {rules['table']} half-tiles.",
                "histogram",
                picture="columns",
                axis="closed ends",
            ),
            plate_of("closed_mean", "Closed ends", [mean_closed]),
        ),
        "An end is closed where no tile can be laid, whatever its values.",
    )


def _answers(side: Sides, draws: bool) -> tuple[Answer, ...]:
    """What most people ask, by seat or by strategy."""
    ends = tuple((f"outcome.{kind.label}", kind.label) for kind in DrawOutcome)
    each = [label if side.key == "strategy" else str(number) for number, label in enumerate(side.groups)]
    return (
        Answer("How rounds end", ends, "outcome", "Of all rounds."),
        Answer(
            "Who wins",
            (
                *((f"games.{side.key}.{name}", "") for name in each),
                ("first_games.0", "who started the game"),
            ),
            f"games_{side.key}",
            "Of the games that were won.",
        ),
        Answer(
            "Points of a round",
            (("round.points", "mean"), *((f"points_by.{kind.label}", f"if {kind.label}") for kind in WINS)),
            "points",
            "Points that the winner scores.",
        ),
        Answer(
            "Tiles drawn and PASSes" if draws else "PASSes",
            (
                ("round.draws", "tiles drawn"),
                ("round.passes", "PASSes"),
                ("round.stock_used", "stock drawn down to two"),
            ),
            f"draws_{side.key}",
            "A mean of both players together in a round.",
        ),
        Answer("Length of a game", LENGTH_ANSWER, "game_length", "Rounds until a score reaches the target."),
    )


def outline(rules: Mapping[str, RuleValue], strategies: Sequence[str], by_strategy: bool = False) -> Outline:
    """The report of a run of a two-player game.

    Parameters
    ----------
    rules
        All rules; the target sets the length of a distribution, and closed ends are told of finite tables only.
    strategies
        Text of each seat's strategy.
    by_strategy
        Whether there are figures by strategy even if both seats have the same.
    """
    draws = "draw" in rules
    sheet = {panel.key: panel for panel in figures(rules).panels}
    sides = sides_of(strategies, by_strategy, counts(rules))
    chapters = [
        _outcome_chapter(sheet),
        _winner_chapter(sides),
        _points_chapter(sheet, sides, int(rules["target"])),
        _game_chapter(sheet),
        _draw_chapter(sides, draws),
        _start_chapter(sheet),
    ]
    if rules["table"] != "unbounded":
        chapters.append(_table_chapter(rules))
    return Outline(tallies_of(rules), tuple(chapters), _answers(sides[-1], draws)).of(counts(rules))
