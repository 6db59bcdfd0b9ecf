"""Bins for the lengths of games: fine for short games, coarser for long ones."""

from __future__ import annotations

N_LENGTH_BINS = 256 + 8 * 16
"""Bins of the lengths of games: 0 to 255 rounds one by one, then 16 bins an octave up to 65,535."""


def length_bin_start(position: int) -> int:
    """Smallest number of rounds that falls into a bin.

    Examples
    --------
    >>> [length_bin_start(position) for position in (7, 255, 256, 257, 272)]
    [7, 255, 256, 272, 512]
    """
    if position < 256:
        return position
    octave, part = divmod(position - 256, 16)
    return (16 + part) << (octave + 4)
