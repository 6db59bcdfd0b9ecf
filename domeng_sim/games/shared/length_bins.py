"""Bins for the lengths of games: fine for short games, coarser for long ones."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

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


SINGLE_LENGTHS = 24
"""Games shorter than this are told by their very number of rounds, longer ones in two groups an octave."""

LENGTH_STARTS = tuple(length_bin_start(position) for position in range(N_LENGTH_BINS + 1))
"""Smallest number of rounds of each bin, and at last of what is beyond all bins."""


def length_groups() -> Iterator[tuple[str, range]]:
    """Groups of bins for a table of lengths, each with its label.

    Yields
    ------
    label : str
        ``7`` or ``24-31``.
    bins : range
        Positions of the bins.
    """
    edges = [*range(1, SINGLE_LENGTHS + 1)]
    while edges[-1] < LENGTH_STARTS[-1]:
        # 24, 32, 48, 64, ...: every one of them begins a bin
        edges.append(edges[-1] + (1 << (edges[-1].bit_length() - 2)))
    bin_of = {start: position for position, start in enumerate(LENGTH_STARTS)}
    for first, beyond in pairwise(edges):
        label = f"{first}" if beyond == first + 1 else f"{first}-{beyond - 1}"
        yield label, range(bin_of[first], bin_of[beyond])


LENGTH_ANSWER = (
    ("game.rounds", "mean"),
    ("game.rounds.q05", "5 % end by round"),
    ("game.rounds.q50", "half end by round"),
    ("game.rounds.q95", "95 % end by round"),
)
"""How long games last, in the figures that stand at the head of a report."""
