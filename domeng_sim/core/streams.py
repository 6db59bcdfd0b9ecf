"""Random numbers as a function of what they are for.

A block of random bits is Philox4x32-10 of a counter that holds match, round and purpose, under the seed as key
(Salmon, Moraes, Dror & Shaw 2011, *Parallel random numbers: as easy as 1, 2, 3*, SC11).  So the deal of a round
depends on (seed, match, round counted through the match) alone, whatever was played before, and any match can be
replayed by itself.

The random choices of the players in a round come from a word for each seat: an element of the SplitMix64 sequence
(Steele, Lea & Flood 2014, *Fast splittable pseudorandom number generators*, OOPSLA) whose start is drawn by Philox
for that round. The word of the seat's decision d is the d-th step of a multiplicative congruential generator from
there (multiplier from Steele & Vigna 2022, *Computationally easy, spectrally good multipliers for congruential
pseudorandom number generators*, Software: Practice and Experience 52); choices use its upper bits.  A player's luck
depends on nothing that another player does, nor on the names of the strategies.  A *copy* number tells apart copies
of a strategy that are to be independent; it is 0 unless asked for.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from domeng_sim.core.bits import U, Word
from domeng_sim.core.jit import kernel

STREAM_VERSION = 1
"""Rises when the same key gives other numbers."""

GOLDEN = 0x9E3779B97F4A7C15
"""Increment of SplitMix64."""
STEP = 0xF1357AEA2E62A9C5
"""Multiplier from one decision to the next."""

_M32 = U(0xFFFFFFFF)
_MUL0, _MUL1 = U(0xD2511F53), U(0xCD9E8D57)
_KEY0, _KEY1 = U(0x9E3779B9), U(0xBB67AE85)


@kernel
def philox(seed: Word, match: Word, round_: Word, purpose: Word) -> tuple[Word, Word]:
    """One block of Philox4x32-10.

    Parameters
    ----------
    seed
        Key, 64 bits.
    match
        Counter words 0 and 1.
    round_
        Counter word 2: the round, counted through the match, below 2^32.
    purpose
        Counter word 3: `codes.Purpose`, plus 256 for each attempt after the first.

    Returns
    -------
    tuple of two words
        Output words 0 and 1, and 2 and 3, the lower-numbered in the lower half.
    """
    c0, c1, c2, c3 = match & _M32, match >> U(32), round_, purpose
    k0, k1 = seed & _M32, seed >> U(32)
    for _ in range(10):
        p0, p1 = c0 * _MUL0, c2 * _MUL1
        c0, c1, c2, c3 = (p1 >> U(32)) ^ c1 ^ k0, p1 & _M32, (p0 >> U(32)) ^ c3 ^ k1, p0 & _M32
        k0, k1 = (k0 + _KEY0) & _M32, (k1 + _KEY1) & _M32
    return c0 | (c1 << U(32)), c2 | (c3 << U(32))


@kernel
def mix(z: Word) -> Word:
    """Output function of SplitMix64."""
    z = (z ^ (z >> U(30))) * U(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> U(27))) * U(0x94D049BB133111EB)
    return z ^ (z >> U(31))


def seat_offsets(copies: list[int]) -> npt.NDArray[np.uint64]:
    """Where the word of each seat lies after the start of the round's SplitMix64 sequence.

    Parameters
    ----------
    copies
        Copy number of the strategy of each seat.

    Returns
    -------
    ndarray of uint64
        Shape (seats,): golden x (8 copy + seat + 1), modulo 2^64.
    """
    return np.array([(8 * copy + seat + 1) * GOLDEN % 2**64 for seat, copy in enumerate(copies)], np.uint64)


def decision_factors(n_decisions: int) -> npt.NDArray[np.uint64]:
    """Factors from a seat's word to the words of its decisions 0 to `n_decisions` - 1."""
    return np.array([pow(STEP, decision, 2**64) for decision in range(n_decisions)], np.uint64)
