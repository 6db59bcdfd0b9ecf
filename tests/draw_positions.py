"""Positions of Draw, naively: all deals behind one by trying everything, and odds by going through every course.

Built on the twin's rounds and tables; shares nothing with the core but the rows of real rounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from fractions import Fraction
from itertools import combinations, permutations
from math import comb, factorial
from typing import Any

from domeng_sim.core.tiles import mask_tiles
from domeng_sim.games.types import Task
from domeng_sim.positions.replay import with_labels
from tests.draw_runs import BLOCK, DRAW, Runs
from tests.twin import draw as twin

Rows = list[dict[str, Any]]
HIDDEN = -2
"""Stands for a tile that was not seen."""


def columns(rows: Rows) -> dict[str, list[Any]]:
    """Rows as columns of the `events` table."""
    return {name: [row[name] for row in rows] for name in rows[0]}


def seen_by(events: Rows, seat: int) -> list[tuple[Any, ...]]:
    """What a player saw of the events of a round, the deal left out."""
    return [
        (
            row["event"],
            row["seat"],
            HIDDEN if row["event"] == "draw" and row["seat"] != seat else row["tile"],
            row["side"],
            row["direction"],
        )
        for row in events
        if row["event"] != "deal"
    ]


class Impossible(Exception):
    """A deal from which the round could not have gone as it did."""


def replay(rules: Mapping[str, Any], hands: list[list[int]], stock: list[int], seen: list[Any], seat: int) -> Any:
    """Play a round as it was seen, from a deal; returns the twin's round as it stands then.

    Raises
    ------
    Impossible
        If it could not have gone like that, or is over.
    """
    rules = {"draw": "none", **rules}
    state = twin._Round(rules, hands, stock)
    starter, highest = twin.opening(state.hands)
    for event, who, number, end, direction in seen:
        tile = None if number < 0 else twin.ALL_TILES[number]
        if event == "lead":
            if who != starter or tile not in state.hands[who]:
                raise Impossible
            if rules["opening_lead"] == "highest" and tile != highest:
                raise Impossible
            state.put(who, twin.Move(tile, None, None, None, (None,)), None)
            drawn: list[twin.Tile] = []
            continue
        if event == "draw":
            limit = 1 if rules["draw"] == "one" else 14
            if state.moves(state.hands[who]) or not state.may_draw() or len(drawn) >= limit:
                raise Impossible
            drawn.append(state.stock.pop(0))
            state.hands[who].append(drawn[-1])
            if number != HIDDEN and drawn[-1] != tile:
                raise Impossible
            continue
        moves = state.moves(state.hands[who])
        if event == "pass" or drawn:
            # What everybody knows of this player, in the words of the twin's `draw_tiles`.
            fitting = {move.tile for move in state.moves(twin.ALL_TILES)}
            kept = len(drawn) - (event == "play")
            state.ruled_out[who] = fitting | (set() if kept else state.ruled_out[who])
        if event == "play":
            [*fitting] = [move for move in moves if move.tile == tile and move.end == end]
            if not fitting or direction not in fitting[0].directions:
                raise Impossible
            state.put(who, fitting[0], direction)
            if not state.hands[who]:
                raise Impossible  # the round is over
        else:
            could_draw = state.may_draw() and not (rules["draw"] == "one" and drawn)
            if moves or could_draw:
                raise Impossible
        drawn = []
        if not state.may_draw() and not state.moves(state.hands[0] + state.hands[1]):
            raise Impossible
    return state


def every_deal(rules: Mapping[str, Any], events: Rows, step: int, seat: int) -> Iterator[Any]:
    """All rounds that the player cannot tell from the one of these events before a step, found by trying everything."""
    dealt = [row["tile"] for row in events if row["event"] == "deal" and row["seat"] == seat]
    past = [row for row in events[:step] if row["event"] != "deal"]
    seen = seen_by(past, seat)
    order = []  # the tiles drawn, as far as they were seen
    for row, following in zip(past, [*past[1:], None], strict=True):
        if row["event"] == "draw":
            at_once = row["seat"] != seat and following is not None and following["event"] == "play"
            order.append(row["tile"] if row["seat"] == seat or at_once else None)
    known = {*dealt, *(tile for tile in order if tile is not None)}
    unknown = [tile for tile in range(28) if tile not in known]
    rest_of_stock = [None] * (14 - len(order))
    # A tile that the other played was dealt to it or drawn: that saves most of the tries.
    played = {row["tile"] for row in past if row["event"] in ("lead", "play")} & set(unknown)
    n_unseen = order.count(None)
    for other in combinations(unknown, 7):
        left = [tile for tile in unknown if tile not in other]
        if len(played.intersection(left)) > n_unseen:
            continue
        for sequence in permutations(left):
            if played.intersection(sequence[n_unseen:]):
                continue
            tiles = iter(sequence)
            stock = [next(tiles) if tile is None else tile for tile in [*order, *rest_of_stock]]
            hands = [dealt, list(other)] if seat == 0 else [list(other), dealt]
            try:
                yield replay(rules, hands, stock, seen, seat)
            except Impossible:
                continue


def runs_of(draw: str) -> tuple[Runs, dict[str, str]]:
    """The game in which so many tiles are drawn in a turn, and its rule that says so."""
    return (BLOCK, {}) if draw == "none" else (DRAW, {"draw": draw})


def core_rows(job: Task, runs: Runs = DRAW) -> Rows:
    """Rows of the `events` table by the core, with labels."""
    tables, _ = runs.core(job)
    events = runs.spec.tables["events"]
    table = {name: with_labels(events, name, values.tolist()) for name, values in tables["events"].items()}
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


def n_tries(events: Rows, step: int, seat: int) -> int:
    """How many deals `every_deal` tries."""
    rows = [row for row in events[:step] if row["event"] != "deal"]
    seen = sum(
        row["event"] == "draw" and (row["seat"] == seat or (k + 1 < len(rows) and rows[k + 1]["event"] == "play"))
        for k, row in enumerate(rows)
    )
    unknown = 28 - 7 - seen
    return comb(unknown, 7) * factorial(unknown - 7)


# --- Every course -----------------------------------------------------------------------------------------------------

Values = tuple[str, int, int]
"""How a round ended, who won, and the points."""


def courses(state: Any, turn: int, drawn: int = 0) -> dict[Values, Fraction]:
    """The probabilities of all ends of a round, all players at random, the order of the stock unknown.

    Parameters
    ----------
    state
        The twin's round.
    turn
        Whose turn it is.
    drawn
        Tiles that it has drawn in this turn.
    """
    found: dict[Values, Fraction] = {}

    def take(values: dict[Values, Fraction], chance: Fraction) -> None:
        for value, p in values.items():
            found[value] = found.get(value, Fraction(0)) + chance * p

    moves = state.moves(state.hands[turn])
    if moves:
        for move in moves:
            take(after_play(state, turn, move, move.directions[0]), Fraction(1, len(moves)))
    elif state.may_draw() and not (state.rules["draw"] == "one" and drawn):
        for tile in state.stock:
            after = changed(state)
            after.stock.remove(tile)
            after.hands[turn].append(tile)
            take(courses(after, turn, drawn + 1), Fraction(1, len(state.stock)))
    else:
        take(after_turn(state, turn), Fraction(1))
    return found


def changed(state: Any) -> Any:
    """A copy of a round, to be changed."""
    after = copy(state)
    after.hands = [list(hand) for hand in state.hands]
    after.stock, after.played = list(state.stock), list(state.played)
    after.plays = list(state.plays)
    after.events = []
    return after


def after_play(state: Any, turn: int, move: Any, direction: str | None) -> dict[Values, Fraction]:
    """The same after a play."""
    after = changed(state)
    after.put(turn, move, direction)
    if not after.hands[turn]:
        return {("out", turn, twin.pips(after.hands[1 - turn])): Fraction(1)}
    return after_turn(after, turn)


def after_turn(state: Any, turn: int) -> dict[Values, Fraction]:
    """The same after a turn."""
    if not state.may_draw() and not state.moves(state.hands[0] + state.hands[1]):
        left = [twin.pips(hand) for hand in state.hands]
        if left[0] == left[1]:
            return {("tied", -1, 0): Fraction(1)}
        return {("blocked", left.index(min(left)), abs(left[0] - left[1])): Fraction(1)}
    return courses(state, 1 - turn)


def measures_of(values: Mapping[Values, Fraction], seat: int) -> dict[str, Fraction]:
    """The measures of the odds, from the probabilities of all ends."""
    zero = Fraction(0)
    found = dict.fromkeys(("win", "outcome_out", "outcome_blocked", "outcome_tied", "own_out", "own_blocked"), zero)
    found |= {"points": zero, "points_other": zero, "points_net": zero}
    for (outcome, winner, points), p in values.items():
        found[f"outcome_{outcome}"] += p
        if winner == seat:
            found["win"] += p
            found[f"own_{outcome}"] += p
            found["points"] += p * points
        elif winner >= 0:
            found["points_other"] += p * points
    found["points_net"] = found["points"] - found["points_other"]
    return found


def play_on(state: Any, turn: int, choose: twin.Choose, chosen: Any) -> Values:
    """Play a round on to its end, `chosen` (a move and its direction) first; the round is changed."""
    while True:
        if chosen is None:
            if not state.moves(state.hands[turn]):
                state.draw_tiles(turn)
            moves = state.moves(state.hands[turn])
            if moves:
                position, direction = choose(turn, state.view(turn, 0), moves)
                chosen = moves[position], direction
        if chosen is not None:
            state.put(turn, *chosen)
            if not state.hands[turn]:
                return "out", turn, twin.pips(state.hands[1 - turn])
        [*ended] = after_turn(state, turn) if is_blocked(state) else ()
        if ended:
            return ended[0]
        turn, chosen = 1 - turn, None


def is_blocked(state: Any) -> bool:
    """Whether neither player can play or draw."""
    return not state.may_draw() and not state.moves(state.hands[0] + state.hands[1])


# --- Odds naively -----------------------------------------------------------------------------------------------------

ENDS = {"l": "left", "r": "right"}
DIRECTIONS = {"s": "straight", "l": "left", "r": "right", "": None}


def small_positions(runs: Runs, given: Mapping[str, Any], most: int, chunk: int = 100) -> Iterator[Any]:
    """Positions with few deals and small trees, some from either side, at most one of a round.

    Parameters
    ----------
    runs
        The game.
    given
        Rules, as far as they are not the usual ones.
    most
        Most courses of all moves of a position.
    chunk
        Rounds that are played at a time.
    """
    rules, n_found = runs.spec.resolve_rules(given), 0
    late = 8 if "draw" in rules else 0
    for seed in range(11, 111):
        rows = core_rows(runs.task(rules, seed=seed, rounds=chunk), runs)
        events: Rows = []
        for row in rows:
            events = events + [row] if row["step"] else [row]
            if row["event"] != "end":
                continue
            for step in range(14, len(events) - 2):
                draws = sum(other["event"] == "draw" for other in events[:step])
                if events[step]["event"] not in ("play", "pass", "draw") or draws < late:
                    continue
                is_open = n_found % 2 == 1
                here = runs.spec.odds.from_rows(columns(events), rules, row["game"], row["round"], step, None, is_open)
                if (len(here.moves) > 1) == (n_found % 3 < 2) and is_small(runs, here, most):
                    n_found += 1
                    yield here
                    break


def is_small(runs: Runs, here: Any, most: int) -> bool:
    """Whether going through everything naively takes no time, and yet there is something to go through."""
    if here.n_deals > 100:
        return False
    kernel = runs.spec.odds.kernel()
    trees = [kernel.expand(here, move, 0, here.n_deals, most) for move in range(len(here.moves))]
    return None not in trees and 10 < sum(tree.leaves for tree in trees) < most


def state_of(here: Any, deal: Any) -> Any:
    """The twin's round at a position, with the hidden tiles of a deal."""
    other = sum(deal[:-1]) & ~here.played
    hands = [here.hands[seat] if here.hands[seat] is not None else other for seat in (0, 1)]
    tiles = [[twin.ALL_TILES[tile] for tile in mask_tiles(mask)] for mask in hands]
    stock = [twin.ALL_TILES[tile] for tile in mask_tiles(deal[-1])]
    state = twin._Round({"draw": "none", **here.rules}, [list(range(7)), list(range(7, 14))], list(range(14, 28)))
    state.hands = [list(twin.ALL_TILES), []]
    state.stock = []
    for act in here.acts:
        if act.kind == "play":
            tile = twin.ALL_TILES[act.tile]
            if act.end:
                [move] = [move for move in state.moves([tile]) if move.end == ENDS[act.end]]
                state.put(0, move, DIRECTIONS[act.direction])
            else:
                state.put(0, twin.Move(tile, None, None, None, (None,)), None)
    state.hands, state.stock = tiles, stock
    return state


def naive_odds(here: Any, move: Any) -> dict[str, Fraction]:
    """The measures of a move by going through everything."""
    total: dict[str, Fraction] = {}
    for deal in here.hidden.deals():
        state = state_of(here, deal)
        if move.kind == "play":
            tile = twin.ALL_TILES[move.tile]
            [played] = [way for way in state.moves([tile]) if way.end == ENDS[move.end]]
            values = after_play(state, here.seat, played, DIRECTIONS[move.direction])
        elif move.kind == "pass":
            values = after_turn(changed(state), here.seat)
        else:
            values = courses(state, here.turn, here.under_way)
        for name, value in measures_of(values, here.seat).items():
            total[name] = total.get(name, Fraction(0)) + value / here.n_deals
    return total
