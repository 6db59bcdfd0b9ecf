"""The search player of the twin: a few hidden deals, every move played out on each, in the plainest way."""

from __future__ import annotations

import csv
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from math import comb, exp
from pathlib import Path
from typing import Any

from .domeng import (
    ALL_TILES,
    DEFAULT_RULES,
    SEATS,
    Choose,
    Move,
    Tile,
    lead_moves,
    moves_at,
    play_round,
    tile_number,
)
from .streams import WORD64, mix, mul, subset_of_rank
from .weighted import Word, choose_random, choose_weighted, features, thousandths

GOLDEN = 0x9E3779B97F4A7C15
STEP = 0xF1357AEA2E62A9C5
STRENGTHS = Path(__file__).parents[2] / "domeng_sim" / "games" / "domeng" / "kernel" / "camat_chance.csv"


# --- The deals that agree with what a player knows --------------------------------------------------------------------


class Case:
    """One way in which the round can have begun: some tiles are known, the others may be wherever no PASS denies it."""

    def __init__(self, view: dict[str, Any], unused: list[Tile], held: Tile | None) -> None:
        self.view, self.held = view, held
        known = {*unused, *([held] if held else []), *view["hand"], *played(view)}
        self.tiles = [tile for tile in ALL_TILES if tile not in known]
        others = [(view["seat"] + n) % 5 for n in (1, 2, 3, 4)]
        self.void = [seat for seat in others if view["voids"][seat]]
        self.free = [seat for seat in others if not view["voids"][seat]]
        self.lacks = {
            seat: view["tiles_held"][seat] - (held is not None and seat == view["starter"]) for seat in others
        }
        self.some_void_may = [tile for tile in self.tiles if any(self.may(seat, tile) for seat in self.void)]
        self.start = tuple(self.lacks[seat] for seat in self.void)
        left = len(self.tiles) - sum(self.start)
        self.n_free = 1
        for seat in self.free:
            self.n_free *= comb(left, self.lacks[seat])
            left -= self.lacks[seat]
        self.ways = cache(self._ways)
        self.n = self.ways(0, self.start) * self.n_free

    def may(self, seat: int, tile: Tile) -> bool:
        return not set(tile) & self.view["voids"][seat]

    def after(self, at: int, lacks: tuple[int, ...]) -> list[tuple[int | None, tuple[int, ...]]]:
        """Who may get a tile, nobody of the void ones first, and what they lack then."""
        found: list[tuple[int | None, tuple[int, ...]]] = [(None, lacks)]
        for k, seat in enumerate(self.void):
            if lacks[k] and self.may(seat, self.some_void_may[at]):
                found.append((seat, (*lacks[:k], lacks[k] - 1, *lacks[k + 1 :])))
        return found

    def _ways(self, at: int, lacks: tuple[int, ...]) -> int:
        if at == len(self.some_void_may):
            return int(not any(lacks))
        return sum(self.ways(at + 1, then) for _, then in self.after(at, lacks))

    def void_hands(self, which: int) -> dict[int, list[Tile]]:
        """The hidden tiles of the void seats that have a number."""
        hands: dict[int, list[Tile]] = {seat: [] for seat in self.void}
        lacks = self.start
        for at, tile in enumerate(self.some_void_may):
            ways_to_go = self.after(at, lacks)
            while which >= self.ways(at + 1, ways_to_go[0][1]):
                which -= self.ways(at + 1, ways_to_go.pop(0)[1])
            seat, lacks = ways_to_go[0]
            if seat is not None:
                hands[seat].append(tile)
        return hands

    def free_hand(self, seat: int, rank: int, rest: list[Tile]) -> list[Tile]:
        """The tiles of another seat, out of those that are left, that have a rank."""
        return [rest[position] for position in subset_of_rank(rank, self.lacks[seat])]

    def whole(self, seat: int, hand: list[Tile]) -> list[Tile]:
        """A hand with the tile that the starter is known to hold."""
        return [*hand, self.held] if self.held and seat == self.view["starter"] else hand

    def deal(self, number: int) -> dict[int, list[Tile]]:
        """The hidden hands of the deal of a number."""
        which, number = divmod(number, self.n_free)
        hands = self.void_hands(which)
        rest = without(self.tiles, hands)
        for seat in self.free:
            number, rank = divmod(number, comb(len(rest), self.lacks[seat]))
            hands[seat] = self.free_hand(seat, rank, rest)
            rest = without(rest, hands)
        return {seat: self.whole(seat, hands[seat]) for seat in self.lacks}


def without(tiles: list[Tile], hands: dict[int, list[Tile]]) -> list[Tile]:
    """The tiles that are in none of the hands."""
    return [tile for tile in tiles if not any(tile in hand for hand in hands.values())]


def played(view: dict[str, Any], seat: int | None = None) -> list[Tile]:
    """Tiles on the table, or those that a seat played."""
    return [tile for s, what, tile, *_ in view["log"] if what in ("lead", "play") and seat in (None, s)]


def cases(view: dict[str, Any]) -> list[Case]:
    """The ways in which the round can have begun: in the first one of a match the starter held the highest double."""
    if view["round_in_match"] > 0:
        return [Case(view, [], None)]
    found, higher = [], []
    starter = view["starter"]
    of_starter = played(view, starter) + (view["hand"] if view["seat"] == starter else [])
    for double in [(6, 6), (5, 5), (4, 4), (3, 3)]:
        hidden = double not in played(view) and double not in view["hand"]
        must_lead = view["rules"]["opening_lead"] == "double" and played(view) and played(view)[0] != double
        if double in of_starter and not must_lead:
            found.append(Case(view, higher, None))
        could_hold = view["tiles_held"][starter] > 0 and double[0] not in view["voids"][starter]
        if hidden and view["seat"] != starter and could_hold and not must_lead:
            found.append(Case(view, list(higher), double))
        if not hidden:
            break
        higher.append(double)
    return found


# --- Playouts ---------------------------------------------------------------------------------------------------------


def play_out(view: dict[str, Any], hands: dict[int, list[Tile]], move: Move, go_on: Choose) -> dict[str, Any]:
    """The row of the round if it is played again as it was, then with the move, then as `go_on` chooses."""
    full = {**hands, view["seat"]: view["hand"]}
    dealt = [sorted(tile_number(tile) for tile in full[seat] + played(view, seat)) for seat in SEATS]
    log = [(tile, end) for _, _, tile, end, *_ in view["log"]]

    def choose(seat: int, now: dict[str, Any], moves: list[Move]) -> int:
        at = len(now["log"])
        if at > len(log):
            return go_on(seat, now, moves)
        tile, end = log[at] if at < len(log) else (move.tile, move.end)
        return next(k for k, one in enumerate(moves) if (one.tile, one.end) == (tile, end))

    stones, table = view["began_with"]
    row, _ = play_round(view["rules"], dealt, view["starter"], stones, table, choose, camat=view["camat"])
    return row


@cache
def strengths() -> dict[tuple[int, int], list[int]]:
    lines = [line for line in STRENGTHS.read_text().splitlines() if not line.startswith("#")]
    rows = [{name: int(value) for name, value in row.items()} for row in csv.DictReader(lines)]
    return {(row["table"], row["stones"]): [row[f"strength_{behind}"] for behind in SEATS] for row in rows}


def value_of(row: dict[str, Any], view: dict[str, Any], what: str) -> int:
    """What the end of a round is worth to the player."""
    me, stones = view["seat"], [row[f"stones_{seat}"] for seat in SEATS]
    total = view["began_with"][1] + sum(view["began_with"][0])
    # The strengths are known for the usual rules only; how long a game may be does not matter.
    usual = {**view["rules"], "max_rounds": DEFAULT_RULES["max_rounds"]} == DEFAULT_RULES
    if what == "stones" or not usual:
        if row["camat"] >= 0:
            return 2 * total if row["camat"] == me else 0
        return total - stones[me]
    if row["camat"] >= 0:
        return 10_000 if row["camat"] == me else 0
    starts = row["winner"] if view["camat"] < 0 else view["camat"]
    strong = [strengths()[row["table_stones"], stones[seat]][(seat - starts) % 5] for seat in SEATS]
    return 10_000 * strong[me] // sum(strong)


# --- What the others chose --------------------------------------------------------------------------------------------

TRIES = 6


class Over(Exception):
    """The round has come to where the player is to move."""


def past_choices(view: dict[str, Any], hands: dict[int, list[Tile]]) -> list[tuple[int, dict[str, Any], Move, bool]]:
    """What was chosen in the round so far: seat, view (of any deal that agrees), move, whether that was a choice."""
    found: list[tuple[int, dict[str, Any], Move, bool]] = []
    full = {**hands, view["seat"]: view["hand"]}
    dealt = [sorted(tile_number(tile) for tile in full[seat] + played(view, seat)) for seat in SEATS]

    def choose(seat: int, now: dict[str, Any], moves: list[Move]) -> int:
        at = len(now["log"])
        if at == len(view["log"]):
            raise Over
        _, _, tile, end, *_ = view["log"][at]
        chosen = next(k for k, one in enumerate(moves) if (one.tile, one.end) == (tile, end))
        forced = at == 0 and view["round_in_match"] == 0 and view["rules"]["opening_lead"] == "double"
        found.append((seat, now, moves[chosen], not forced))
        return chosen

    stones, table = view["began_with"]
    with suppress(Over):
        play_round(view["rules"], dealt, view["starter"], stones, table, choose, camat=view["camat"], always=True)
    return found


def likelihood(
    view: dict[str, Any], choices: list[Any], seat: int, hand: list[Tile], weights: dict[str, Any], temperature: float
) -> float:
    """How likely the choices of a seat are if it holds a hand now."""
    likely = 1.0
    for _, now, chosen, is_choice in reversed([choice for choice in choices if choice[0] == seat]):
        # What it has played since, it held then; also where it had no choice.
        then = hand + played({"log": view["log"][len(now["log"]) :]}, seat)
        moves = lead_moves(then) if now["left"] is None else moves_at(then, now["left"], now["right"])
        if not is_choice or len(moves) == 1:
            continue
        moves.sort(key=lambda move: tile_number(move.tile) if now["left"] is None else 8 * move.joined + move.new)
        seen = {**now, "hand": then}
        exact = thousandths(weights)
        scores = []
        for move in moves:
            feature = features(seen, move)
            scores.append(sum(weight * feature[name] for name, weight in exact.items()))
        chances = [exp(-(max(scores) - score) / 1000 / temperature) for score in scores]
        total = 0.0
        for chance in chances:
            total += chance
        likely *= chances[moves.index(chosen)] / total
    return likely


def pick(chances: list[float], word: int) -> int:
    """A position in proportion to what stands there."""
    total = sum(chances)
    threshold, reached = (word >> 11) * 2.0**-53 * total, 0.0
    for position, chance in enumerate(chances):
        reached += chance
        if reached > threshold:
            return position
    return len(chances) - 1


def likely_deal(
    view: dict[str, Any], case: Case, choices: list[Any], tries: int, weights: dict[str, Any], temperature: float
) -> tuple[dict[int, list[Tile]], float]:
    """A deal whose hands are picked by what their owners chose, and what it counts."""
    hands: dict[int, list[Tile]] = {}
    counts, word = 1.0, tries

    def take(draw: Callable[[int], dict[int, list[Tile]]], n: int) -> None:
        nonlocal counts
        drawn = [draw(number_below(word + k * GOLDEN, n)) for k in range(TRIES)]
        chances = []
        for one in drawn:
            chance = 1.0
            for seat, hand in one.items():
                chance *= likelihood(view, choices, seat, case.whole(seat, hand), weights, temperature)
            chances.append(chance)
        hands.update(drawn[pick(chances, mix((word + TRIES * GOLDEN) % WORD64))])
        counts *= sum(chances) / TRIES

    if case.void:
        take(case.void_hands, case.ways(0, case.start))
    for seat in case.free:
        word += (TRIES + 1) * GOLDEN
        rest = without(case.tiles, hands)
        n_hands = comb(len(rest), case.lacks[seat])
        take(lambda rank, seat=seat, rest=rest: {seat: case.free_hand(seat, rank, rest)}, n_hands)
    return {seat: case.whole(seat, hands[seat]) for seat in case.lacks}, counts


def likely_deals(
    view: dict[str, Any], possible: list[Case], n: int, luck: int, weights: dict[str, Any], temperature: float
) -> list[dict[int, list[Tile]]]:
    """As many deals as are wanted, drawn again by what they count, systematically."""
    n_deals = sum(case.n for case in possible)
    choices = past_choices(view, next(case for case in possible if case.n).deal(0))
    pool, counts = [], []
    for sample in range(n):
        start = luck + (8 * sample + 1) * GOLDEN
        case, _ = case_of(possible, number_below(start, n_deals))
        hands, count = likely_deal(view, case, choices, mix((start + 7 * GOLDEN) % WORD64), weights, temperature)
        pool.append(hands)
        counts.append(count)
    step, first = sum(counts) / n, (mix(luck) >> 11) * 2.0**-53
    reached, times, taken = 0.0, [], 0
    for count in counts:
        reached += count
        before = taken
        while taken < n and (first + taken) * step < reached:
            taken += 1
        times.append(taken - before)
    times[-1] += n - taken
    # Whose copies are wanted: the first of them stays, the others take the first free places.
    free = [sample for sample in range(n) if not times[sample]]
    for sample in range(n):
        for _ in range(times[sample] - 1):
            pool[free.pop(0)] = pool[sample]
    return pool


# --- The choice -------------------------------------------------------------------------------------------------------


def number_below(start: int, n: int) -> int:
    """A uniform number below n: words that would favour some are mixed again."""
    number = mix(start % WORD64)
    while number * n % WORD64 < WORD64 % n:
        number = mix(number)
    return mul(number, n)[0]


def case_of(possible: list[Case], number: int) -> tuple[Case, int]:
    """The case of a deal, and its number there."""
    for case in possible:
        if number < case.n:
            return case, number
        number -= case.n
    raise AssertionError("there is no such deal")


def go_on_by(weights: dict[str, Any], temperature: float, word: Word) -> Choose:
    """A base strategy."""
    return choose_weighted(weights, temperature, word) if weights else choose_random(word)


def choose_search(
    n: int,
    value: str,
    weights: dict[str, Any],
    temperature: float,
    word: Word,
    model: tuple[dict[str, Any], float] | None = None,
) -> Choose:
    """The search player; with a model it concludes from what the others chose."""

    def choose(seat: int, view: dict[str, Any], moves: list[Move]) -> int:
        luck = word(seat, view)
        own = go_on_by(weights, temperature, word)(seat, view, moves)
        possible = cases(view)
        n_deals = sum(case.n for case in possible)
        pool = likely_deals(view, possible, n, luck, *model) if model else None
        values: list[list[int]] = [[] for _ in moves]
        alive = list(range(len(moves)))
        for sample in range(n):
            if len(alive) == 1:
                break
            start = luck + (8 * sample + 1) * GOLDEN
            case, left = case_of(possible, number_below(start, n_deals))
            hands = pool[sample] if pool else case.deal(left)
            seat_words = [mix((start + (s + 1) * GOLDEN) % WORD64) for s in SEATS]

            def lucky(s: int, now: dict[str, Any], seat_words: list[int] = seat_words) -> int:
                return seat_words[s] * STEP ** (5 - now["tiles_held"][s]) % WORD64

            for k in alive:
                row = play_out(view, hands, moves[k], go_on_by(weights, temperature, lucky))
                values[k].append(value_of(row, view, value))
            if (sample + 1) % 16 == 0:
                best = max(alive, key=lambda k: (sum(values[k]), -k))
                alive = [k for k in alive if k == best or not is_behind(values[best], values[k])]
        if own not in alive:
            return max(alive, key=lambda k: (sum(values[k]), -k))
        better = [k for k in alive if is_better(values[k], values[own])]
        return max(better, key=lambda k: (sum(values[k]), -k)) if better else own

    return choose


def is_better(one: list[int], other: list[int]) -> bool:
    """Whether the mean difference is at least one standard error above 0; see `is_behind`."""
    differences = [a - b for a, b in zip(one, other, strict=True)]
    return sum(differences) > 0 and sum(differences) ** 2 >= sum(d * d for d in differences)


def is_behind(best: list[int], one: list[int]) -> bool:
    """Whether it is 2.5 standard errors behind: D^2 (4 (n - 1) + 25) >= 25 n Q, both sides divided and rounded down."""
    differences = [a - b for a, b in zip(best, one, strict=True)]
    n, total = len(differences), sum(differences)
    return total > 0 and total**2 // n >= 25 * sum(d * d for d in differences) // (4 * n + 21)
