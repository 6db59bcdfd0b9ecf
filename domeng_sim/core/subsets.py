"""Subsets by rank, for dealing hands."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt


@cache
def subsets(n: int, size: int) -> npt.NDArray[np.uint32]:
    """All subsets of a size of `n` positions, as masks, in colexicographic order: the order of the masks as numbers.

    The first C(m, size) of them are the subsets of the first m positions, so one array serves every smaller number.

    Parameters
    ----------
    n
        Number of positions, at most 32.
    size
        Positions in a subset.

    Returns
    -------
    ndarray of uint32
        Shape (C(n, size),).

    Examples
    --------
    >>> [f"{mask:04b}" for mask in subsets(4, 2).tolist()]
    ['0011', '0101', '0110', '1001', '1010', '1100']
    """
    of_size = {m: np.zeros(1, np.uint32) for m in range(n + 1)}
    for k in range(1, size + 1):
        of_size = {
            m: np.concatenate(
                [np.zeros(0, np.uint32)] + [of_size[top] | np.uint32(1 << top) for top in range(k - 1, m)],
            )
            for m in range(n + 1)
        }
    return of_size[n]
