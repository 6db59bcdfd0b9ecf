"""Fit the chance of becoming CAMAT between two rounds: ``python -m tools.camat_chance``, a minute or two.

Games of five `master` tell who became CAMAT after each of their rounds. A conditional logit (McFadden 1974) is fitted:
the chance of a seat is in proportion to exp(u), where u is linear in the terms of `terms`. The table of exp(u) in whole
numbers goes into the package, for the search player. How far a seat sits behind the next starter matters: with nothing
but who starts the log loss is 1.402 instead of 1.393.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
import numpy.typing as npt
import pandas
from scipy.optimize import minimize

import domeng_sim
from domeng_sim.games.domeng.kernel.camat_chance import FILE, N_STONES
from domeng_sim.version import __version__

SEATS = range(5)
SCALE = 1_000_000
Floats = npt.NDArray[np.float64]


def terms(table: Floats, stones: Floats, behind: Floats) -> Floats:
    """What u is linear in, along a last axis: stones, having none, and seats behind the starter, by what lies there."""
    lying, none = table / 25, (stones == 0).astype(float)
    empty, starts = (table == 0).astype(float), (behind == 0).astype(float)
    of_seat = [stones, np.sqrt(stones), none, starts * stones]
    for distance in range(4):  # the last seat is what the others are compared with
        there = (behind == distance).astype(float)
        of_seat += [there, there * none]
    return np.stack([part * by for part in of_seat for by in (np.ones_like(lying), lying, empty)], axis=-1)


def played(rounds: int, seed: int) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Terms of the seats after each round that was not the last of its game, and who became CAMAT."""
    run = domeng_sim.simulate(strategy="master", rounds=rounds, seed=seed, tables="rounds")
    rows = pandas.DataFrame(run.rounds).reset_index()
    rows["won"] = rows.groupby(["match", "game"])["camat"].transform("max")
    before = rows["camat"].where(rows["camat"] >= 0).groupby(rows["match"]).ffill()
    rows["next"] = before.fillna(rows["winner"]).astype(int)
    rows = rows[(rows["won"] >= 0) & (rows["camat"] < 0)]
    stones = np.stack([rows[f"stones_{seat}"].to_numpy(float) for seat in SEATS], axis=1)
    behind = np.stack([((seat - rows["next"]) % 5).to_numpy(float) for seat in SEATS], axis=1)
    table = np.repeat(rows["table_stones"].to_numpy(float)[:, np.newaxis], 5, axis=1)
    return terms(table, stones, behind), rows["won"].to_numpy(np.int64)


def loss(weights: Floats, known: Floats, won: npt.NDArray[np.int64]) -> tuple[float, Floats]:
    """Mean log loss and its gradient."""
    scores = known @ weights
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    here = np.arange(len(won))
    residual = chances.copy()
    residual[here, won] -= 1
    return -np.log(chances[here, won]).mean(), np.einsum("ns,nsk->k", residual, known) / len(won)


def main() -> int:
    """Fit and write the table."""
    parser = argparse.ArgumentParser(prog="python -m tools.camat_chance", description=main.__doc__)
    parser.add_argument("--rounds", type=int, default=250_000, help="rounds played to learn from")
    parser.add_argument("--seed", type=int, default=2026)
    asked = parser.parse_args()
    known, won = played(asked.rounds, asked.seed)
    fit = minimize(loss, np.zeros(known.shape[-1]), (known, won), jac=True, method="L-BFGS-B", options={"maxiter": 500})
    fresh = loss(fit.x, *played(asked.rounds // 4, asked.seed + 1))[0]
    lines = [
        "# Strengths of a seat between two rounds, by seats behind the next starter: its chance of becoming CAMAT is",
        "# its own divided by the sum of all.",
        f"# python -m tools.camat_chance --rounds {asked.rounds} --seed {asked.seed} (domeng-sim {__version__})",
        f"# log loss {fit.fun:.4f} after {len(won)} rounds of five `master`, {fresh:.4f} on fresh ones; ln 5 = 1.6094",
        f"table,stones,{','.join(f'strength_{behind}' for behind in SEATS)}",
    ]
    for table in range(N_STONES):
        for stones in range(N_STONES - table):
            every = terms(np.full(5, float(table)), np.full(5, float(stones)), np.arange(5.0)) @ fit.x
            lines.append(",".join(map(str, [table, stones, *(max(1, round(SCALE * np.exp(u))) for u in every)])))
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines[:4]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
