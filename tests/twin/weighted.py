"""Strategies of the twin: `random`, and weighted ones whose features are written out from the player's view.

A *word* here is a function `word(seat, view)` that gives the 64 random bits of the choice at hand; `words` makes the
one that a run uses, and a test may pass any other.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from itertools import combinations
from math import comb, exp
from typing import Any

from .domeng import ALL_TILES, Choose, Move, Tile, clockwise_after, is_double, pips
from .streams import CHOICE, choice_word, mul

Word = Callable[[int, dict[str, Any]], int]


def words(seed: int, copy: int = 0, purpose: int = CHOICE) -> Word:
    """The words of a run: decision 0 is the first tile that the seat plays in the round, then 1, and so on."""

    def word(seat: int, view: dict[str, Any]) -> int:
        decision = 5 - view["tiles_held"][seat]
        return choice_word(seed, view["match"], view["round_in_match"], seat, decision, copy, purpose)

    return word


def seated(strategies: list[Choose]) -> Choose:
    """Five strategies, by seat, as one."""

    def choose(seat: int, view: dict[str, Any], moves: list[Move]) -> int:
        return strategies[seat](seat, view, moves)

    return choose


def choose_random(word: Word) -> Choose:
    """`random`: uniform over the distinct moves."""

    def choose(seat: int, view: dict[str, Any], moves: list[Move]) -> int:
        # A choice among n things takes k = floor(word * n / 2^64).
        k, _ = mul(word(seat, view), len(moves))
        return k

    return choose


def choose_weighted(weights: dict[str, Any], temperature: float, word: Word) -> Choose:
    """A weighted strategy: the score of a move is the sum of weight times feature."""
    exact = thousandths(weights)

    def choose(seat: int, view: dict[str, Any], moves: list[Move]) -> int:
        scores = []
        for move in moves:
            feature = features(view, move)
            scores.append(sum(weight * feature[name] for name, weight in exact.items()))
        best = max(scores)

        if temperature == 0:
            # Among the moves with the highest score, in their order, the k-th.
            tied = [index for index, score in enumerate(scores) if score == best]
            k, _ = mul(word(seat, view), len(tied))
            return tied[k]

        # Probability proportional to exp((score - max) / T): the first move whose cumulated weight exceeds u * total.
        # What is less likely than exp(-700), which no draw ever takes, is never taken.
        behind = [(best - score) / 1000 / temperature for score in scores]
        chances = [exp(-x) if x <= 700 else 0.0 for x in behind]
        total = 0.0
        for chance in chances:
            total += chance
        u = (word(seat, view) >> 11) * 2.0**-53
        cumulated = 0.0
        for index, chance in enumerate(chances):
            cumulated += chance
            if cumulated > u * total:
                return index
        raise AssertionError("u * total is below total")

    return choose


def thousandths(weights: dict[str, Any]) -> dict[str, int]:
    """The weights as integers of thousandths, so that scores are exact and ties are real ties."""
    exact = {}
    for name, weight in weights.items():
        assert name in FEATURES, name
        value = Decimal(str(weight)) * 1000
        assert value == int(value), (name, weight)
        exact[name] = int(value)
    return exact


FEATURES = [
    "pips",
    "double",
    "mappakuling",
    "follow_ups",
    "values_kept",
    "unseen",
    "next_void",
    "others_void",
    "own_ends",
    "blocks_low",
    "blocks_high",
    "finish_pair",
    "drain",
    "cucuq_guard",
    "next_pass",
    "drain_pass",
    "lead_double",
]


def places(tiles: list[Tile], ends: tuple[int, int]) -> int:
    """The pairs of a tile and a distinct end value that the tile has a half of."""
    return len([(tile, value) for tile in tiles for value in set(ends) if value in tile])


def chance_of_pass(possible: list[Tile], n_held: int, ends: tuple[int, int]) -> int:
    """How many thousandths of the hands of so many possible tiles must PASS, rounded down."""
    if len(possible) < n_held:
        return 0
    unfit = [tile for tile in possible if not set(tile) & set(ends)]
    if len(possible) < 9:
        # As long as there are few: hand by hand.
        hands = list(combinations(possible, n_held))
        passing = [hand for hand in hands if not any(set(tile) & set(ends) for tile in hand)]
        return 1000 * len(passing) // len(hands)
    return 1000 * comb(len(unfit), n_held) // comb(len(possible), n_held)


def features(view: dict[str, Any], move: Move) -> dict[str, int]:
    """The features of a move; "after" means after this play."""
    seat = view["seat"]
    next_seat = (seat + 1) % 5
    others = clockwise_after(seat)
    is_lead = view["left"] is None

    # After the play: my hand, the ends, and the tiles that I have not seen (held by others, or unused).
    hand = [tile for tile in view["hand"] if tile != move.tile]
    hi, lo = move.tile
    if is_lead:
        ends = (lo, hi)
    elif move.end == "left":
        ends = (move.new, view["right"])
    else:
        ends = (view["left"], move.new)
    on_table = [tile for _, what, tile, _, _, _ in view["log"] if what in ("lead", "play")] + [move.tile]
    unseen = [tile for tile in ALL_TILES if tile not in on_table and tile not in hand]

    def is_void(other: int) -> bool:
        """Whether the PASSes of that seat show that it can join nothing at either end."""
        return ends[0] in view["voids"][other] and ends[1] in view["voids"][other]

    feature: dict[str, int] = {}
    # Pips of the tile played.
    feature["pips"] = hi + lo
    # 1 if it is a double.
    feature["double"] = int(is_double(move.tile))
    # 1 if after the play both ends have the same value (0 at a lead).
    feature["mappakuling"] = int(ends[0] == ends[1] and not is_lead)
    # Places for my own remaining tiles.
    feature["follow_ups"] = places(hand, ends)
    # Number of distinct values on my remaining tiles.
    feature["values_kept"] = len({value for tile in hand for value in tile})
    # Places for the tiles that I have not seen.
    feature["unseen"] = places(unseen, ends)
    # 1 if the next player clockwise is void at both ends.
    feature["next_void"] = int(is_void(next_seat))
    # Number of the four others void at both ends.
    feature["others_void"] = len([other for other in others if is_void(other)])
    # Number of distinct end values that some tile of mine has and no unseen tile has.
    feature["own_ends"] = len(
        [
            value
            for value in set(ends)
            if any(value in tile for tile in hand) and not any(value in tile for tile in unseen)
        ]
    )
    # The round surely ends MANGUNO by me, and my pips are low (or high) against what the shortest other hand may be
    # expected to hold: its number of tiles times the mean pips of an unseen tile. Both sides times the number of unseen
    # tiles, to stay with whole numbers.
    blocks = hand != [] and places(hand, ends) == 0 and places(unseen, ends) == 0
    fewest = min(view["tiles_held"][other] for other in others)
    low = pips(hand) * len(unseen) < fewest * pips(unseen)
    feature["blocks_low"] = int(blocks and low)
    feature["blocks_high"] = int(blocks and not low)
    # 1 if my one tile left could finish as CEKI (its halves are the two different ends) or POLLO (a double, and both
    # ends have its value).
    feature["finish_pair"] = 0
    if len(hand) == 1:
        last = hand[0]
        if is_double(last):
            feature["finish_pair"] = int(ends == last)
        else:
            feature["finish_pair"] = int(set(ends) == set(last))
    # 0 if the table holds stones or I hold none; else each of the others void at both ends takes stones from me.
    if view["table"] > 0 or view["stones"][seat] == 0:
        feature["drain"] = 0
    else:
        feature["drain"] = feature["others_void"]
    # 0 unless the next player is void at both ends; then 5 minus the tiles held there (if that player wins, I am
    # CUCUQ).
    feature["cucuq_guard"] = 5 - view["tiles_held"][next_seat] if feature["next_void"] else 0

    # The chance that a player must PASS at the new ends, if any tiles that I have not seen, and in whose values its
    # PASSes do not show it void, are equally likely in its hand.
    def pass_chance(other: int) -> int:
        possible = [tile for tile in unseen if not set(tile) & view["voids"][other]]
        return chance_of_pass(possible, view["tiles_held"][other], ends)

    feature["next_pass"] = pass_chance(next_seat)
    # 0 if the table holds stones or I hold none; else the sum of the chances of the four others.
    if view["table"] > 0 or view["stones"][seat] == 0:
        feature["drain_pass"] = 0
    else:
        feature["drain_pass"] = sum(map(pass_chance, others))
    # 1 if a double leads.
    feature["lead_double"] = int(is_lead and is_double(move.tile))
    assert list(feature) == FEATURES
    return feature
