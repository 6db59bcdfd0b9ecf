"""Chapters of the report of Domeng on single rounds: CEKI and POLLO, blocked rounds, PASSes, starting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from domeng_sim.core.codes import Outcome
from domeng_sim.games.domeng.report.parts import FAIR, MAX_TURNS
from domeng_sim.games.shared.measures import Cells, Figure, Panel, cells
from domeng_sim.games.shared.outline import Chapter, Plate
from domeng_sim.games.shared.panels import ROUNDS
from domeng_sim.games.shared.sides import Sides, mean, or_more, plate_of, share

FINISHES = (Outcome.CAPPU, Outcome.CEKI, Outcome.POLLO)
BLOCKS = (Outcome.MANGUNO, Outcome.MATTIKKENG)
PLACES = ("the starter", "1 after", "2 after", "3 after", "4 after")


def finish_chapter(sides: Sequence[Sides]) -> Chapter:
    """CEKI and POLLO: by side, by starter or not, by number of plays, by tile."""
    rare = (Outcome.CEKI, Outcome.POLLO)
    plates = []
    for side in sides:
        per_round = tuple(
            figure
            for kind in rare
            for figure in side.row(
                f"finish.{kind.label}",
                f"{kind.name}, of all rounds",
                cells("round_ends", kind=kind),
                ROUNDS,
                "share of rounds",
            )
        )
        of_own = tuple(
            figure
            for kind in rare
            for figure in side.row(
                f"finish_own.{kind.label}",
                f"{kind.name}, of its CAPPUs",
                cells("round_ends", kind=kind),
                cells("round_ends", kind=FINISHES),
                "share of CAPPUs",
                own=True,
            )
        )
        title = side.title("CEKI and POLLO")
        plates.append(
            plate_of(f"finish_{side.key}", title, (*per_round, *of_own), "CAPPUs: all three kinds.", picture="dots")
        )
    others = (1, 2, 3, 4)
    each_other = Cells(ROUNDS.count, (("kind", tuple(range(len(Outcome))) * len(others)),))
    starts = []
    for kind in rare:
        for column, at, trials in (("the starter", (0,), ROUNDS), ("another seat", others, each_other)):
            own = cells("round_ends", kind=kind, other=at)
            finishes = cells("round_ends", kind=FINISHES, other=at)
            starts.append(
                share(
                    f"start.{kind.label}.{column}",
                    f"{kind.name}, of all rounds",
                    own,
                    trials,
                    "share of rounds",
                    column,
                )
            )
            starts.append(
                share(
                    f"start_own.{kind.label}.{column}",
                    f"{kind.name}, of its CAPPUs",
                    own,
                    finishes,
                    "share of CAPPUs",
                    column,
                )
            )
    starts.sort(key=lambda figure: "own" in figure.key)
    plates.append(
        plate_of(
            "finish_start",
            "CEKI and POLLO by starter or not (per seat)",
            starts,
            "Another seat: each of the other four.",
            picture="dots",
        )
    )
    by_plays = [
        share(
            f"finish_plays.{kind.label}.{n}",
            str(n),
            cells("end_plays", kind=kind, bin=n),
            cells("end_plays", kind=FINISHES, bin=n),
            "share of CAPPUs",
            kind.name,
        )
        for n in range(5, 26)
        for kind in rare
    ]
    note = "Of the rounds that a player finished with this number of tiles on the table."
    plates.append(
        plate_of(
            "finish_plays",
            "CEKI and POLLO by number of plays",
            by_plays,
            note,
            "spread",
            picture="lines",
            axis="tiles played",
        )
    )
    note = "Rows: the higher half, columns: the lower. Doubles make POLLO, the others CEKI."
    all_tiles = [
        share(
            f"finish_tile.{hi}{lo}",
            f"{hi}|",
            cells("finishes", kind=1, bin=_tile(hi, lo)),
            cells("finishes", bin=_tile(hi, lo)),
            "share of CAPPUs",
            f"|{lo}",
        )
        for hi in range(7)
        for lo in range(hi + 1)
    ]
    plates.append(
        Plate(
            Panel(
                "finish_tile",
                "CEKI and POLLO by tile that finished",
                tuple(all_tiles),
                note,
                columns=tuple(f"|{lo}" for lo in range(7)),
            ),
            "matrix",
            "lower half",
        )
    )
    last = [
        share(
            f"last_tile.{hi}{lo}", f"{hi}|", cells("finishes", bin=_tile(hi, lo)), ROUNDS, "share of rounds", f"|{lo}"
        )
        for hi in range(7)
        for lo in range(hi + 1)
    ]
    plates.append(
        Plate(
            Panel(
                "last_tile",
                "The tile that finishes a hand",
                tuple(last),
                "Rows: the higher half, columns: the lower.",
                columns=tuple(f"|{lo}" for lo in range(7)),
            ),
            "matrix",
            "lower half",
        )
    )
    return Chapter("finishes", "CEKI and POLLO", tuple(plates))


def _tile(hi: int, lo: int) -> int:
    return hi * (hi + 1) // 2 + lo


def blocked_chapter(sheet: Mapping[str, Panel]) -> Chapter:
    """Blocked rounds: MANGUNO against MATTIKKENG, by number of tiles out."""
    at = [
        share(
            f"blocked.{kind.label}.{n}",
            str(n),
            cells("end_plays", kind=kind, bin=n),
            ROUNDS,
            "share of rounds",
            kind.name,
        )
        for n in range(1, 26)
        for kind in BLOCKS
    ]
    odds = [
        share(
            f"manguno.{n}",
            str(n),
            cells("end_plays", kind=Outcome.MANGUNO, bin=n),
            cells("end_plays", kind=BLOCKS, bin=n),
            "share of blocked rounds",
        )
        for n in range(1, 26)
    ]
    total = [
        share("blocked.all", "blocked", cells("round_ends", kind=BLOCKS), ROUNDS, "share of rounds"),
        share(
            "manguno.all",
            "MANGUNO wins",
            cells("round_ends", kind=Outcome.MANGUNO),
            cells("round_ends", kind=BLOCKS),
            "share of blocked rounds",
        ),
        share(
            "mattikkeng.all",
            "MATTIKKENG wins",
            cells("round_ends", kind=Outcome.MATTIKKENG),
            cells("round_ends", kind=BLOCKS),
            "share of blocked rounds",
        ),
    ]
    return Chapter(
        "blocked",
        "Blocked rounds",
        (
            plate_of("blocked", "Blocked rounds: MANGUNO against MATTIKKENG", total),
            plate_of("blocked_at", "Rounds blocked, by tiles out", at, "", "spread", picture="lines", axis="tiles out"),
            plate_of(
                "manguno",
                "MANGUNO wins, by tiles out",
                odds,
                "The others are won by a MATTIKKENG.",
                "histogram",
                picture="lines",
                axis="tiles out",
            ),
            Plate(sheet["suffered"], "matrix"),
        ),
    )


def pass_chapter(sides: Sequence[Sides]) -> Chapter:
    """PASSes by side and by turn."""
    plates = []
    for side in sides:
        rows = (
            *side.row("passes", "PASSes", cells("passes"), ROUNDS, "passes per round", mean=True),
            *side.row("passebunge", "of these PASSEBUNGE", cells("passebunge"), ROUNDS, "passes per round", mean=True),
        )
        plates.append(
            plate_of(f"passes_{side.key}", side.title("PASSes"), rows, "Closing passes included.", picture="dots")
        )
    turns = [
        share(
            f"turn.{name}.{n}",
            or_more(n, MAX_TURNS),
            cells("turns", kind=kinds, bin=n),
            cells("turns", bin=n),
            "share of turns",
            column,
        )
        for n in range(1, MAX_TURNS + 1)
        for name, column, kinds in (("pass", "PASS", (1, 2)), ("passebunge", "of these PASSEBUNGE", (2,)))
    ]
    note = "Of the rounds that reach this turn (the lead is turn 1). The closing passes of blocked rounds are left out."
    plates.append(plate_of("turns", "PASSes by turn of the round", turns, note, "spread", picture="lines", axis="turn"))
    return Chapter("passes", "PASSes", tuple(plates))


def _start_rows(later: int) -> list[Figure]:
    whole = cells("place_rounds", kind=later)
    key = ("first", "later")[later]
    appointed = cells("place_camat", kind=later)
    rows: list[Figure] = []
    for place, name in enumerate(PLACES):
        at = {"kind": later, "other": place}
        rows += [
            share(f"start_{key}.wins.{place}", "rounds won", cells("place_wins", **at), whole, "share of rounds", name),
            share(
                f"start_{key}.camat.{place}",
                "CAMAT",
                cells("place_camat", **at),
                appointed,
                "share of appointments",
                name,
            ),
            mean(
                f"start_{key}.stones.{place}",
                "stones held after it",
                cells("place_stones", **at),
                whole,
                "stones",
                name,
            ),
            mean(f"start_{key}.passes.{place}", "PASSes", cells("place_passes", **at), whole, "passes per round", name),
        ]
    order = {"wins": 0, "camat": 1, "stones": 2, "passes": 3}
    return sorted(rows, key=lambda figure: order[figure.key.split(".")[1]])


def start_chapter(sheet: Mapping[str, Panel]) -> Chapter:
    """What befalls the places counted from the starter."""
    by_outcome = [
        share(
            f"place.{kind.label}.{other}",
            kind.name,
            cells("round_ends", kind=kind, other=other),
            ROUNDS,
            "share of rounds",
            name,
        )
        for kind in Outcome
        for other, name in enumerate(PLACES)
    ]
    return Chapter(
        "start",
        "The effect of starting",
        (
            Plate(sheet["distance"], "dots", fair=FAIR),
            plate_of("place", "The winner's place, by outcome", by_outcome, picture="matrix"),
            plate_of("start_first", "First rounds of a match: who holds the highest double starts", _start_rows(0)),
            plate_of("start_later", "Later rounds: the CAMAT starts, or the last winner", _start_rows(1)),
        ),
        "Places are counted clockwise from the starter. In later rounds the starter is who has just done well, so "
        "there the starter's share also tells who that is, not only what starting is worth.",
    )
