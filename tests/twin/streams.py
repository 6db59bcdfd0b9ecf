"""The random numbers of the twin: Philox blocks, deals by unranking, one word for every choice.

Everything is a pure function of its arguments. Integers of Python have no size, so every place where a word
of 32 or 64 bits wraps around says so with a `%`.
"""

from __future__ import annotations

from math import comb

WORD32 = 2**32
WORD64 = 2**64

# What a block of random numbers is for; each purpose has blocks of its own.
DEAL = 0
CHOICE = 1
PLAYOUT = 3


def philox4x32(counter: tuple[int, int, int, int], key: tuple[int, int]) -> tuple[int, int, int, int]:
    """Philox4x32-10: ten rounds of multiply, swap and xor (Salmon et al. 2011, "Parallel random numbers")."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        product0 = 0xD2511F53 * c0
        product1 = 0xCD9E8D57 * c2
        high0, low0 = product0 // WORD32, product0 % WORD32
        high1, low1 = product1 // WORD32, product1 % WORD32
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        # The key moves on between two rounds.
        k0 = (k0 + 0x9E3779B9) % WORD32
        k1 = (k1 + 0xBB67AE85) % WORD32
    return c0, c1, c2, c3


def block(seed: int, match: int, round_in_match: int, purpose: int, attempt: int = 0) -> tuple[int, int]:
    """The two 64-bit words A and B for (seed, match, round counted through the match, purpose, attempt)."""
    key = (seed % WORD32, seed // WORD32)
    counter = (match % WORD32, match // WORD32, round_in_match, purpose + 256 * attempt)
    w0, w1, w2, w3 = philox4x32(counter, key)
    return w0 + w1 * WORD32, w2 + w3 * WORD32


def mul(x: int, n: int) -> tuple[int, int]:
    """x / 2^64 times n: the whole part, 0 to n - 1, and the fraction that is left, again as a word of 64 bits."""
    return x * n // WORD64, x * n % WORD64


def subset_of_rank(rank: int, size: int) -> list[int]:
    """The positions c0 < c1 < ... of the subset with this rank in colexicographic order.

    The rank of a subset is C(c0,1) + C(c1,2) + C(c2,3) + ...; so the highest position is the greatest c with
    C(c,size) <= rank, and the others are the subset of the rank that is left.
    """
    positions = []
    for k in range(size, 0, -1):
        c = k - 1
        while comb(c + 1, k) <= rank:
            c += 1
        positions.insert(0, c)
        rank -= comb(c, k)
    assert rank == 0
    return positions


def deal_from_ranks(ranks: list[int]) -> tuple[list[list[int]], list[int]]:
    """Five hands and the three unused tiles; seat s gets the 5-subset of rank ranks[s] of the tiles that remain."""
    remaining = list(range(28))
    hands = []
    for rank in ranks:
        hand = [remaining[position] for position in subset_of_rank(rank, 5)]
        hands.append(hand)
        remaining = [tile for tile in remaining if tile not in hand]
    return hands, remaining


def ranks_from_words(a: int, b: int) -> list[int] | None:
    """The ranks of five hands from two random words; None if the words are rejected.

    There are C(28,5), C(23,5), C(18,5), C(13,5), C(8,5) hands for the seats 0 to 4: A serves the first two, B the
    others. 2^64 is no multiple of these numbers; the words that would make some deals likelier are rejected
    (Lemire 2019, "Fast random integer generation in an interval").
    """
    rank0, a = mul(a, 98280)
    rank1, a = mul(a, 33649)
    if a < WORD64 % (98280 * 33649):
        return None
    rank2, b = mul(b, 8568)
    rank3, b = mul(b, 1287)
    rank4, b = mul(b, 56)
    if b < WORD64 % (8568 * 1287 * 56):
        return None
    return [rank0, rank1, rank2, rank3, rank4]


def deal(seed: int, match: int, round_in_match: int) -> tuple[list[list[int]], list[int]]:
    """The five hands (sorted tile numbers, by seat) and the three unused tiles of a round."""
    attempt = 0
    while True:
        a, b = block(seed, match, round_in_match, DEAL, attempt)
        ranks = ranks_from_words(a, b)
        if ranks is not None:
            return deal_from_ranks(ranks)
        attempt += 1


def mix(z: int) -> int:
    """The output function of SplitMix64 (Steele, Lea and Flood 2014)."""
    z ^= z >> 30
    z = z * 0xBF58476D1CE4E5B9 % WORD64
    z ^= z >> 27
    z = z * 0x94D049BB133111EB % WORD64
    z ^= z >> 31
    return z


def seat_word(seed: int, match: int, round_in_match: int, seat: int, copy: int = 0, purpose: int = CHOICE) -> int:
    """The word of a seat for a round: an element of the SplitMix64 sequence that starts at the round's word A."""
    a, _ = block(seed, match, round_in_match, purpose)
    element = 8 * copy + seat
    return mix((a + (element + 1) * 0x9E3779B97F4A7C15) % WORD64)


def choice_word(
    seed: int, match: int, round_in_match: int, seat: int, decision: int, copy: int = 0, purpose: int = CHOICE
) -> int:
    """The word for one choice of one seat: its word for the round, multiplied once for each choice before.

    `decision` is the number of tiles that the seat has already played in this round. The multiplier is from Steele and
    Vigna 2022, "Computationally easy, spectrally good multipliers for congruential pseudorandom number generators".
    """
    word = seat_word(seed, match, round_in_match, seat, copy, purpose)
    for _ in range(decision):
        word = word * 0xF1357AEA2E62A9C5 % WORD64
    return word
