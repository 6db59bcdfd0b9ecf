"""Write whole rounds as text, to be read when they change: `python -m tests.golden.make` writes rounds.txt anew."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from domeng_sim.core.codes import End, Event, Outcome
from domeng_sim.core.tiles import hand_text, tile_text
from domeng_sim.games.types import Seat
from tests.domeng_runs import RANDOM, Columns, core, task

FILE = Path(__file__).parent / "rounds.txt"
SEED = 2024
WEIGHTED = (
    Seat({"pips": 1000}),
    Seat({"follow_ups": 1000}),
    Seat({"next_void": 1000}),
    Seat({"drain": 1000}),
    Seat({}),
)

OTHER_READINGS = {
    "passebunge": "first",
    "closing_passes": "free",
    "mattikkeng_winner": "next",
    "camat_check": "before",
}

# Title, match, game, round, seats and rules; the rounds are chosen for what happens in them.
ROUNDS = [
    ("A CEKI that appoints a CAMAT", 0, 0, 5, RANDOM, {}),
    ("A plain CAPPU, in the first round of the next game, which the CAMAT starts", 0, 1, 0, RANDOM, {}),
    ("A POLLO", 10, 1, 0, RANDOM, {}),
    ("A MANGUNO", 0, 1, 1, RANDOM, {}),
    ("One MATTIKKENG, with fewer pips", 1, 0, 0, RANDOM, {}),
    ("Several MATTIKKENG, and too few stones on the table", 3, 0, 2, RANDOM, {}),
    ("The same deal with the other readings", 3, 0, 2, RANDOM, OTHER_READINGS),
    ("Two players with two PASSEBUNGE each, the first round of a match", 5, 0, 0, RANDOM, {}),
    ("Weighted strategies; a CAMAT", 0, 0, 8, WEIGHTED, {}),
]


def pick(table: Columns, game: int, round_: int) -> Columns:
    """The rows of one round of one match."""
    here = (table["game"] == game) & (table["round"] == round_)
    return {name: column[here] for name, column in table.items()}


def told(row: dict[str, int]) -> str:
    """An event as a line."""
    event, seat, ends = Event(row["event"]), row["seat"], f"{row['left_end']}-{row['right_end']}"
    if event == Event.LEAD:
        return f"{seat} leads {tile_text(row['tile']):<12}{ends}"
    if event == Event.PLAY:
        return f"{seat} joins {tile_text(row['tile'])} {End(row['side']).label:<8}{ends}"
    if event == Event.END:
        return f"{seat} wins"
    if event == Event.CAMAT:
        return f"{seat} is appointed CAMAT"
    what = {Event.PASS: "PASS", Event.PASSEBUNGE: "PASSEBUNGE", Event.AWARD: "is awarded"}[event]
    gifts = [f"{row['from_table']} from the table"] if row["from_table"] else []
    gifts += [f"{row[f'given_{giver}']} from {giver}" for giver in range(5) if row[f"given_{giver}"]]
    return f"{seat} {what:<12}+{row['stones']}" + (f" ({', '.join(gifts)})" if gifts else "")


def round_text(
    title: str, match: int, game: int, round_: int, seats: tuple[Seat, ...], rules: dict[str, object]
) -> str:
    """A round, from its rows."""
    tables, _ = core(task(rules, seats, SEED, (match, match + 1), games=game + 1))
    events = pick(tables["events"], game, round_)
    lists = {name: column.tolist() for name, column in events.items()}
    rows = [dict(zip(lists, values, strict=True)) for values in zip(*lists.values(), strict=True)]
    dealt = [[row["tile"] for row in rows if row["event"] == Event.DEAL and row["seat"] == seat] for seat in range(5)]
    end = {name: int(column[0]) for name, column in pick(tables["rounds"], game, round_).items()}
    lines = [
        title,
        f"seed {SEED}, match {match}, game {game}, round {round_}" + "".join(f", {k} = {v}" for k, v in rules.items()),
    ]
    lines += [f"  seat {seat}  {hand_text(hand)}" for seat, hand in enumerate(dealt)]
    held = np.concatenate(dealt)
    lines += [f"  unused  {hand_text(tile for tile in range(28) if tile not in held)}"]
    lines += [f"  {told(row)}" for row in rows if row["event"] != Event.DEAL]
    for name in ("passes", "passebunge", "pips", "stones"):
        lines += [f"  {name:<11}" + " ".join(f"{end[f'{name}_{seat}']:2}" for seat in range(5))]
    lines[-1] += f", table {end['table_stones']}"
    mattikkeng = [str(seat) for seat in range(5) if end["mattikkeng_seats"] >> seat & 1]
    lines += [
        f"  outcome {Outcome(end['outcome']).label}, winner {end['winner']}, cucuq {end['cucuq']}, "
        f"mattikkeng {' '.join(mattikkeng) or 'none'}, plays {end['plays']}"
    ]
    return "\n".join(lines) + "\n"


def text() -> str:
    """All rounds."""
    return "\n".join(round_text(*chosen) for chosen in ROUNDS)


if __name__ == "__main__":
    FILE.write_text(text())
