"""Control variates: less variance from a quantity whose mean is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from domeng_sim.stats.clusters import student
from domeng_sim.stats.estimate import Estimate, check_level

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Controlled:
    """Mean adjusted by control variates.

    Attributes
    ----------
    estimate
        Adjusted mean with its Student interval.
    se, plain_se
        Standard errors with and without the controls.
    beta
        Coefficients, float64, shape (controls,).
    rho2
        Share of the variance that the controls explain, in [0, 1].
    """

    estimate: Estimate
    se: float
    plain_se: float
    beta: Array
    rho2: float


def adjust(
    y: ArrayLike, controls: ArrayLike, means: ArrayLike, *, level: float = 0.95, unit: str = "share", looks: int = 1
) -> Controlled:
    """Adjust a mean by control variates, mean(y) - beta (mean(c) - known mean of c).

    Parameters
    ----------
    y
        One score per block, shape (blocks,).
    controls
        Shape (blocks,) or (blocks, controls): known to the simulation, such as the pips of A's first hand.
    means
        Their true means, a number or shape (controls,).
    level
        Two-sided confidence level in (0, 1).
    unit, looks
        Passed on to the `Estimate`.

    Raises
    ------
    ValueError
        If there are fewer than 3 blocks more than controls, or the controls are constant or depend on each other.

    References
    ----------
    Cochran 1977, Sampling Techniques, chapter 7 (regression estimator): residual variance with n - 1 - controls degrees
    of freedom, and the uncertainty of beta included.
    """
    check_level(level)
    scores, c = np.asarray(y, dtype=np.float64), np.asarray(controls, dtype=np.float64)
    if c.ndim == 1:
        c = c[:, np.newaxis]
    if scores.ndim != 1 or c.ndim != 2 or c.shape[0] != scores.size:
        raise ValueError(f"y has shape {scores.shape} and controls {c.shape}; wanted (blocks,) and (blocks, controls)")
    n, q = c.shape
    if n < q + 3:
        raise ValueError(f"{n} blocks are too few for {q} controls, wanted at least {q + 3}")
    centred, deviation = c - c.mean(axis=0), scores - scores.mean()
    beta, _, rank, _ = np.linalg.lstsq(centred, deviation, rcond=None)
    if rank < q:
        raise ValueError("a control is constant or a combination of the others")
    away = c.mean(axis=0) - np.broadcast_to(np.asarray(means, dtype=np.float64), (q,))
    residual = deviation - centred @ beta
    df = n - 1 - q
    spread = float(residual @ residual) / df
    leverage = float(away @ np.linalg.solve(centred.T @ centred, away))
    se = float(np.sqrt(spread * (1 / n + leverage)))
    total = float(deviation @ deviation)
    value = float(scores.mean() - beta @ away)
    reach = student(df, level) * se
    estimate = Estimate(value, value - reach, value + reach, level, "control-variate", unit, n, looks=looks)
    explained = 1 - float(residual @ residual) / total if total > 0 else 0.0
    return Controlled(estimate, se, float(np.sqrt(total / (n - 1) / n)), beta, min(max(explained, 0.0), 1.0))
