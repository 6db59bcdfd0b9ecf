"""The search player of the twin of two-player games: a few hidden deals, every move played out on each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .draw import Choice, Choose, Move, Tile, _Round, choose_random, choose_weighted, pips, word_of
from .search import GOLDEN, STEP, is_behind, is_better, number_below
from .streams import WORD64, mix, mul

Deals = Callable[[dict[str, Any]], tuple[int, Callable[[int], tuple[list[Tile], list[Tile]]]]]
"""From a view to the number of deals that agree, and the other's hand and the stock of the deal of a number."""


def order_of(stock: list[Tile], word: int) -> list[Tile]:
    """The order in which the stock is drawn, by the digits of a word."""
    left, order = sorted(stock), []
    while left:
        position, word = mul(word, len(left))
        order.append(left.pop(position))
    return order


def situation(view: dict[str, Any], hand: list[Tile], stock: list[Tile]) -> _Round:
    """The round as it stands, with a hand of the other and a stock."""
    seat = view["seat"]
    state = object.__new__(_Round)
    state.rules, state.table, state.played = view["rules"], view["table"], list(view["played"])
    state.left, state.right, state.stock = view["left"], view["right"], list(stock)
    state.hands = [sorted(view["hand"]), sorted(hand)] if seat == 0 else [sorted(hand), sorted(view["hand"])]
    state.plays, state.draws, state.passes = list(view["plays"]), [0, 0], [0, 0]
    state.ruled_out = [set(view["own_ruled_out"]), set(view["ruled_out"])]
    if seat:
        state.ruled_out.reverse()
    state.events, state.starter, state.scores = [], view["starter"], view["scores"]
    state.keys = {"match": view["match"], "game": 0, "round": 0}
    return state


def play_out(state: _Round, seat: int, move: Move, direction: str | None, choose: Choose) -> tuple[int, int]:
    """Who wins (-1: nobody) and by how many points, if the round goes on with a move."""
    state.put(seat, move, direction)
    while state.hands[seat]:
        if not state.may_draw() and not state.moves(state.hands[0] + state.hands[1]):
            left = [pips(hand) for hand in state.hands]
            return (-1 if left[0] == left[1] else left.index(min(left))), abs(left[0] - left[1])
        seat = 1 - seat
        if not state.moves(state.hands[seat]):
            state.draw_tiles(seat)
        moves = state.moves(state.hands[seat])
        if moves:
            position, direction = choose(seat, state.view(seat, 0), moves)
            state.put(seat, moves[position], direction)
    return seat, pips(state.hands[1 - seat])


def choose_search(
    n: int, value: str, weights: dict[str, int], temperature: float, seed: int, copy: int, deals: Deals
) -> Choose:
    """The search player; weights in thousandths by feature."""

    def base(word: Callable[[dict[str, Any]], int]) -> Choose:
        return choose_weighted(weights, temperature, word) if weights else choose_random(word)

    def choose(seat: int, view: dict[str, Any], moves: list[Move]) -> Choice:
        options = [(k, direction) for k, move in enumerate(moves) for direction in move.directions]
        if len(options) == 1:
            return options[0]
        luck = word_of(seed, view, copy)
        own = options.index(base(lambda _: luck)(seat, view, moves))
        n_deals, deal = deals(view)
        values: list[list[int]] = [[] for _ in options]
        alive = list(range(len(options)))
        for sample in range(n):
            if len(alive) == 1:
                break
            start = luck + (8 * sample + 1) * GOLDEN
            hand, stock = deal(number_below(start, n_deals))
            words = [mix((start + (s + 1) * GOLDEN) % WORD64) for s in range(3)]

            def lucky(now: dict[str, Any], words: list[int] = words) -> int:
                return words[now["seat"]] * STEP ** now["n_played"] % WORD64

            for k in alive:
                position, direction = options[k]
                state = situation(view, hand, order_of(stock, words[2]))
                winner, points = play_out(state, seat, moves[position], direction, base(lucky))
                worth = points if value == "points" else 1
                values[k].append(0 if winner < 0 else worth if winner == seat else -worth)
            if (sample + 1) % 16 == 0:
                best = max(alive, key=lambda k: (sum(values[k]), -k))
                alive = [k for k in alive if k == best or not is_behind(values[best], values[k])]
        better = [k for k in alive if own not in alive or is_better(values[k], values[own])]
        return options[max(better, key=lambda k: (sum(values[k]), -k)) if better else own]

    return choose
