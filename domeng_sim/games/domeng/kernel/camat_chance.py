"""The chance of becoming CAMAT, between two rounds: how strong each seat stands, from stones and who starts.

The strengths are a table that ``python -m tools.camat_chance`` fits to games of `master` against itself; the file tells
how it was made. A seat's chance is its strength divided by the sum of all.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import Word
from domeng_sim.core.jit import kernel
from domeng_sim.games.domeng.kernel.deal import N_SEATS
from domeng_sim.games.domeng.kernel.state import byte, on_table
from domeng_sim.games.domeng.rules import RULES, rules_row
from domeng_sim.games.types import RuleValue

CHANCES = 10_000
"""A chance of 1."""
N_STONES = 26
FILE = Path(__file__).with_suffix(".csv")
_LENGTH = next(number for number, rule in enumerate(RULES) if rule.name == "max_rounds")
_USUAL = np.array(rules_row({rule.name: rule.default for rule in RULES}), np.uint64)


@cache
def strengths() -> npt.NDArray[np.int64]:
    """Strengths, shape (stones on the table, stones of the seat, seats between the next starter and it, clockwise)."""
    table = np.zeros((N_STONES, N_STONES, N_SEATS), np.int64)
    with FILE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            table[int(row["table"]), int(row["stones"])] = [int(row[f"strength_{n}"]) for n in range(N_SEATS)]
    table.setflags(write=False)
    return table


def are_usual(rules: Mapping[str, RuleValue]) -> bool:
    """Whether the table is for these rules, as `is_fitted` says to the core."""
    return all(rules[rule.name] == rule.default for rule in RULES if rule.name != "max_rounds")


@kernel
def is_fitted(rules: Any) -> bool:
    """Whether the table is for these rules: all are the usual ones, but for the length of games."""
    place, same = 0, True
    for number in rules:
        same = same and (number == _USUAL[place] or place == _LENGTH)
        place += 1
    return same


@kernel
def chance_of_camat(table: npt.NDArray[np.int64], stones: Word, camat: int, starter: int, seat: int) -> int:
    """The chance of a seat of becoming the next CAMAT, in ten-thousandths.

    Parameters
    ----------
    table
        From `strengths`.
    stones
        Stones after a round, as in `DomengRoundState`.
    camat
        The CAMAT appointed, or -1.
    starter
        Who starts the next round.
    seat
        Who asks.
    """
    if camat >= 0:
        return CHANCES if camat == seat else 0
    total, own, lying = 0, 0, on_table(stones)
    for other in range(N_SEATS):
        behind = other - starter
        strength = table[lying, byte(stones, other), behind if behind >= 0 else behind + N_SEATS]
        total += strength
        if other == seat:
            own = strength
    return CHANCES * own // total
