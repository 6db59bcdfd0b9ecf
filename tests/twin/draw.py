"""Draw as the rules tell it, for checking: the rule stands as a quotation beside the code that does it.

Tables (hands that come in, rows that go out) speak in tile numbers; players (the view and the moves) see tiles as
pairs (hi, lo). Seats are 0 and 1; -1 means nobody.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, factorial
from typing import Any, NamedTuple

from .draw_table import Anywhere, Board, new_table
from .streams import WORD64, block, choice_word, mul, subset_of_rank

SEATS = [0, 1]
NOBODY = -1

# What a block of random numbers is for.
DRAW_DEAL = 4

Tile = tuple[int, int]
Row = dict[str, Any]

# The first reading of each option is the default.
DEFAULT_RULES: dict[str, Any] = {
    "opening_lead": "any",
    "draw": "until_fit",
    "target": 100,
    "table": "unbounded",
    "max_rounds": 10000,
}

OPTIONS = {"opening_lead": ["any", "highest"], "draw": ["until_fit", "one"]}


class Move(NamedTuple):
    """A tile, the end it is joined to (None at a lead), the values joined and made, and the free directions."""

    tile: Tile
    end: str | None
    joined: int | None
    new: int | None
    directions: tuple[str | None, ...]


Choice = tuple[int, str | None]
"""Position of a move, and one of its directions."""
Choose = Callable[[int, dict[str, Any], list[Move]], Choice]

# --- Tiles ------------------------------------------------------------------------------------------------------------

ALL_TILES: list[Tile] = [(hi, lo) for hi in range(7) for lo in range(hi + 1)]


def tile_number(tile: Tile) -> int:
    # "Tile number t = hi*(hi+1)/2 + lo"
    return ALL_TILES.index(tile)


def is_double(tile: Tile) -> bool:
    return tile[0] == tile[1]


def pips(tiles: list[Tile]) -> int:
    # "The pips of a tile are hi + lo; of a hand, the sum over its tiles."
    return sum(hi + lo for hi, lo in tiles)


def hand_mask(tiles: list[Tile]) -> int:
    return sum(2 ** tile_number(tile) for tile in tiles)


# --- Deals ------------------------------------------------------------------------------------------------------------


def hands_from_ranks(ranks: list[int]) -> list[list[int]]:
    """Two hands of tile numbers: each the subset of 4, then the subset of 3 with that rank of the tiles that remain."""
    remaining = list(range(28))
    hands: list[list[int]] = [[], []]
    for rank, size, seat in zip(ranks, (4, 3, 4, 3), (0, 0, 1, 1), strict=True):
        taken = [remaining[position] for position in subset_of_rank(rank, size)]
        hands[seat] += taken
        remaining = [tile for tile in remaining if tile not in taken]
    return [sorted(hand) for hand in hands]


def ranks_from_word(a: int) -> list[int] | None:
    """The ranks of the four parts of the hands: there are C(28,4), C(24,3), C(21,4), C(17,3) of them."""
    sizes = (20475, 2024, 5985, 680)
    ways = 1
    ranks = []
    for size in sizes:
        rank, a = mul(a, size)
        ranks.append(rank)
        ways *= size
    return None if a < WORD64 % ways else ranks


def stock_from_word(b: int, tiles: list[int]) -> list[int] | None:
    """The order of the stock: of the tiles left, in the order of their numbers, the one drawn next by a digit of B."""
    left = sorted(tiles)
    order = []
    while left:
        position, b = mul(b, len(left))
        order.append(left.pop(position))
    return None if b < WORD64 % factorial(len(tiles)) else order


def deal(seed: int, match: int, round_in_match: int) -> tuple[list[list[int]], list[int]]:
    """The two hands (sorted tile numbers, by seat) and the stock in the order of drawing."""
    attempt = 0
    while True:
        a, b = block(seed, match, round_in_match, DRAW_DEAL, attempt)
        ranks = ranks_from_word(a)
        if ranks is not None:
            hands = hands_from_ranks(ranks)
            stock = stock_from_word(b, [tile for tile in range(28) if tile not in hands[0] + hands[1]])
            if stock is not None:
                return hands, stock
        attempt += 1


# --- Starting ---------------------------------------------------------------------------------------------------------


def opening(hands: list[list[Tile]]) -> tuple[int, Tile]:
    """Who starts, and the tile that says so."""
    held = [(tile, seat) for seat in SEATS for tile in hands[seat]]
    # "The holder of the highest double starts;"
    doubles = [(tile, seat) for tile, seat in held if is_double(tile)]
    if doubles:
        tile, seat = max(doubles)
    else:
        # "if neither holds a double, the holder of the highest tile (most pips; then the higher half)."
        tile, seat = max(held, key=lambda entry: (sum(entry[0]), entry[0][0]))
    return seat, tile


# --- A round ----------------------------------------------------------------------------------------------------------


class _Round:
    """One round under way."""

    def __init__(self, rules: dict[str, Any], hands: list[list[int]], stock: list[int]) -> None:
        self.rules = rules
        # "Each player gets 7 tiles; 14 form the stock."
        assert [len(hand) for hand in hands] == [7, 7] and len(stock) == 14
        self.hands = [[ALL_TILES[number] for number in sorted(hand)] for hand in hands]
        self.stock = [ALL_TILES[number] for number in stock]
        self.table: Anywhere | Board = new_table(rules["table"])
        self.played: list[Tile] = []
        self.left: int | None = None
        self.right: int | None = None
        self.draws = [0, 0]
        self.passes = [0, 0]
        self.plays = [0, 0]
        self.ruled_out: list[set[Tile]] = [set(), set()]
        self.events: list[Row] = []
        self.starter = NOBODY
        self.scores = [0, 0]
        self.keys = {"match": 0, "game": 0, "round": 0}

    def write_event(
        self,
        event: str,
        seat: int,
        tile: Tile | None = None,
        end: str | None = None,
        direction: str | None = None,
        points: int = 0,
    ) -> None:
        # Each tile is in exactly one place.
        everywhere = self.played + self.stock + self.hands[0] + self.hands[1]
        assert sorted(everywhere) == sorted(ALL_TILES)
        self.events.append(
            {
                **self.keys,
                "step": len(self.events),
                "event": event,
                "seat": seat,
                "tile": -1 if tile is None else tile_number(tile),
                "side": end,
                "direction": direction,
                "left_end": -1 if self.left is None else self.left,
                "right_end": -1 if self.right is None else self.right,
                "stones": points,
                "from_table": 0,
            }
        )

    def moves(self, hand: list[Tile]) -> list[Move]:
        """The moves of these tiles, by 8 * (value joined) + (value made), then left before right."""
        found = []
        for tile in hand:
            for end, value in (("left", self.left), ("right", self.right)):
                # "Where both ends have the same value, joining a tile left or right is one and the same move, written
                # as `left`"; "on a finite table the two ends are always separate moves."
                if end == "right" and self.left == self.right and not self.table.is_finite:
                    continue
                # "A tile may be joined to an end whose value equals one of its halves; the other half becomes that
                # end."
                if value not in tile:
                    continue
                hi, lo = tile
                # "A tile fits an end only where some direction is free"
                directions = self.table.directions(tile, end)
                if directions:
                    found.append(Move(tile, end, value, lo if value == hi else hi, tuple(directions)))
        return sorted(found, key=lambda move: (8 * move.joined + move.new, move.end == "right"))

    def put(self, seat: int, move: Move, direction: str | None) -> None:
        self.hands[seat].remove(move.tile)
        self.played.append(move.tile)
        self.plays[seat] += 1
        if move.end is None:
            # "The first tile [hi|lo] sets left = lo, right = hi."
            self.right, self.left = move.tile
            self.table = self.table.lay_first(move.tile)
            self.write_event("lead", seat, move.tile)
        else:
            assert direction in move.directions
            if move.end == "left":
                self.left = move.new
            else:
                self.right = move.new
            self.table = self.table.lay(move.tile, move.end, direction)
            self.write_event("play", seat, move.tile, move.end, direction)

    def may_draw(self) -> bool:
        # "until a tile fits or only 2 tiles are left in the stock"; in Block "nobody draws"
        return self.rules["draw"] != "none" and len(self.stock) > 2

    def draw_tiles(self, seat: int) -> None:
        """A player without a fitting tile draws."""
        # What everybody now knows of this player: none of these tiles is in the hand.
        fitting = {move.tile for move in self.moves(ALL_TILES)}
        kept = 0
        # "Without one, the player draws from the stock, one tile at a time, until a tile fits or only 2 tiles are left"
        while self.may_draw():
            tile = self.stock.pop(0)
            self.hands[seat].append(tile)
            self.draws[seat] += 1
            self.write_event("draw", seat, tile)
            if self.moves([tile]):
                break
            kept += 1
            # "Option draw: with `one`, at most one tile per turn, played if it fits."
            if self.rules["draw"] == "one":
                break
        # A tile that was drawn and kept may be any but those.
        self.ruled_out[seat] = fitting | (set() if kept else self.ruled_out[seat])

    def log(self) -> list[Row]:
        """What everybody saw: "the chain, who played each tile at which end", draws and PASSes, and the ends there."""
        seen = [event for event in self.events if event["event"] in ("lead", "play", "draw", "pass")]
        return [{**event, "tile": -1} if event["event"] == "draw" else event for event in seen]

    def view(self, seat: int, round_in_match: int) -> dict[str, Any]:
        """What the player may know."""
        return {
            "seat": seat,
            "hand": list(self.hands[seat]),
            "left": self.left,
            "right": self.right,
            "played": list(self.played),
            "table": self.table,
            "tiles_held": [len(hand) for hand in self.hands],
            "n_stock": 0 if self.rules["draw"] == "none" else len(self.stock),
            "ruled_out": set(self.ruled_out[1 - seat]),
            "own_ruled_out": set(self.ruled_out[seat]),
            "plays": list(self.plays),
            "own_draws": [row["tile"] for row in self.events if row["event"] == "draw" and row["seat"] == seat],
            "starter": self.starter,
            "scores": list(self.scores),
            "rules": dict(self.rules),
            "closed": [end for end in ("left", "right") if self.played and self.table.is_closed(end)],
            "log": self.log(),
            # These only find the random word of a choice.
            "n_played": self.plays[seat],
            "match": self.keys["match"],
            "round_in_match": round_in_match,
        }


def play_round(
    rules: dict[str, Any],
    hands: list[list[int]],
    stock: list[int],
    choose: Choose,
    match: int = 0,
    game: int = 0,
    round_in_game: int = 0,
    round_in_match: int = 0,
    scores: tuple[int, int] = (0, 0),
) -> tuple[Row, list[Row], int, list[str]]:
    """Play one round.

    Returns its row of `rounds` (without scores), its rows of `events`, the points of the winner, and the ends of the
    chain that are closed.
    """
    rules = {**DEFAULT_RULES, **rules}
    state = _Round(rules, hands, stock)
    state.keys = {"match": match, "game": game, "round": round_in_game}
    dealt = [list(hand) for hand in state.hands]
    for seat in SEATS:
        for tile in dealt[seat]:
            state.write_event("deal", seat, tile)

    starter, highest = opening(state.hands)
    state.starter, state.scores = starter, list(scores)
    # "The starter leads any tile. Option opening_lead = any | highest: the very tile that gave the start."
    leads = [Move(tile, None, None, None, (None,)) for tile in dealt[starter]]
    if rules["opening_lead"] == "highest":
        leads = [move for move in leads if move.tile == highest]
    position, direction = choose(starter, state.view(starter, round_in_match), leads)
    state.put(starter, leads[position], direction)

    seat = starter
    while True:
        # "Or when neither can play nor draw, which is looked at after every complete turn (play or PASS, its draws
        # included)"; the lead is one.
        if not state.may_draw() and not state.moves(state.hands[0] + state.hands[1]):
            left_over = [pips(hand) for hand in state.hands]
            if left_over[0] == left_over[1]:
                # "equal pips: a tied round, nobody wins or scores."
                outcome, winner, points = "tied", NOBODY, 0
            else:
                # "the player with fewer pips wins and scores the difference;"
                outcome, winner = "blocked", left_over.index(min(left_over))
                points = max(left_over) - min(left_over)
            break
        # "In turn: a player with a fitting tile plays one."
        seat = 1 - seat
        if not state.moves(state.hands[seat]):
            # "No drawing with a fitting tile in hand."
            state.draw_tiles(seat)
        moves = state.moves(state.hands[seat])
        if moves:
            position, direction = choose(seat, state.view(seat, round_in_match), moves)
            state.put(seat, moves[position], direction)
            # "A round ends when a hand is empty: that player scores the pips left in the other hand (and is the winner
            # even with 0)."
            if not state.hands[seat]:
                outcome, winner, points = "out", seat, pips(state.hands[1 - seat])
                break
        else:
            # "then, if none fits, passes."
            state.passes[seat] += 1
            state.write_event("pass", seat)

    # "an `award` row (seat = the winner, stones = the points) unless tied; `end` has seat -1 in a tied round."
    if outcome != "tied":
        state.write_event("award", winner, points=points)
    state.write_event("end", winner)
    row: Row = {
        **state.keys,
        "starter": starter,
        "outcome": outcome,
        "winner": winner,
        "plays": len(state.played),
    }
    for name, values in (
        ("draws", state.draws),
        ("passes", state.passes),
        ("pips", [pips(hand) for hand in state.hands]),
        ("score", [0, 0]),
    ):
        for seat in SEATS:
            row[f"{name}_{seat}"] = values[seat]
    row["stock"] = len(state.stock)
    for seat in SEATS:
        row[f"hand_{seat}"] = hand_mask(dealt[seat])
    return row, state.events, points, [end for end in ("left", "right") if state.table.is_closed(end)]


# --- A match ----------------------------------------------------------------------------------------------------------


def play_match(
    rules: dict[str, Any],
    deals: Callable[[int], tuple[list[list[int]], list[int]]],
    choose: Choose,
    games: int | None = None,
    rounds: int | None = None,
    match: int = 0,
) -> dict[str, list[Row]]:
    """Play a match of so many games, or of so many rounds.

    Returns its tables `games`, `rounds` and `events`, and `closed`: for each round its number of closed ends.
    """
    rules = {**DEFAULT_RULES, **rules}
    tables: dict[str, list[Row]] = {"games": [], "rounds": [], "events": [], "closed": []}
    round_in_match = 0

    def match_is_over() -> bool:
        return len(tables["games"]) == games or round_in_match == rounds

    # "Match: a number of games."
    while not match_is_over():
        # "Game: rounds until a score reaches `target`"
        game = len(tables["games"])
        score = [0, 0]
        n_rounds = 0
        ended = "unfinished"
        while ended == "unfinished" and not match_is_over():
            hands, stock = deals(round_in_match)
            row, events, points, closed = play_round(
                rules, hands, stock, choose, match, game, n_rounds, round_in_match, (score[0], score[1])
            )
            if row["winner"] != NOBODY:
                score[row["winner"]] += points
            row["score_0"], row["score_1"] = score
            tables["rounds"].append(row)
            tables["events"].extend(events)
            tables["closed"].append({"match": match, "closed": len(closed)})
            n_rounds += 1
            round_in_match += 1
            if max(score) >= rules["target"]:
                ended = "finished"
            elif n_rounds == rules["max_rounds"]:
                ended = "truncated"
        tables["games"].append(
            {
                "match": match,
                "game": game,
                "rounds": n_rounds,
                "winner": score.index(max(score)) if ended == "finished" else NOBODY,
                "score_0": score[0],
                "score_1": score[1],
                "ended": ended,
            }
        )
    return tables


# --- Strategies -------------------------------------------------------------------------------------------------------


def word_of(seed: int | Callable[[dict[str, Any]], int], view: dict[str, Any], copy: int) -> int:
    """The word of a choice; choices are counted by the tiles that the seat has played in the round."""
    if callable(seed):
        return seed(view)
    return choice_word(seed, view["match"], view["round_in_match"], view["seat"], view["n_played"], copy)


def choose_random(seed: Any, copy: int = 0) -> Choose:
    def choose(seat: int, view: dict[str, Any], moves: list[Move]) -> Choice:
        # "`random` chooses uniformly among tile and end, then takes that direction": the first that is free.
        position, _ = mul(word_of(seed, view, copy), len(moves))
        return position, moves[position].directions[0]

    return choose


def softmax_position(scores: list[int], temperature: float, word: int) -> int:
    """Probability proportional to exp((score - max) / T): the first whose cumulated chance exceeds u * total."""
    chances = [exp((score - max(scores)) / 1000 / temperature) for score in scores]
    u = (word >> 11) * 2.0**-53
    return next(position for position in range(len(chances)) if sum(chances[: position + 1]) > u * sum(chances))


def score(weights: dict[str, int], found: dict[str, int]) -> int:
    return sum(weight * found[name] for name, weight in weights.items())


def choose_weighted(weights: dict[str, int], temperature: float, seed: Any, copy: int = 0) -> Choose:
    """Weights in thousandths by feature."""

    def choose(seat: int, view: dict[str, Any], moves: list[Move]) -> Choice:
        scores, directions = [], []
        for move in moves:
            rated = [score(weights, features(view, move, direction)) for direction in move.directions]
            # The best direction; of equals the first of straight, left and right.
            scores.append(max(rated))
            directions.append(move.directions[rated.index(max(rated))])
        word = word_of(seed, view, copy)
        if temperature > 0:
            position = softmax_position(scores, temperature, word)
        else:
            tied = [position for position, score in enumerate(scores) if score == max(scores)]
            position = tied[mul(word, len(tied))[0]]
        return position, directions[position]

    return choose


def features(view: dict[str, Any], move: Move, direction: str | None) -> dict[str, int]:
    """The features of a move; "after" means after this play."""
    hand = [tile for tile in view["hand"] if tile != move.tile]
    unseen = [tile for tile in ALL_TILES if tile not in [*view["played"], *view["hand"]]]
    possible = [tile for tile in unseen if tile not in view["ruled_out"]]
    stock_is_low = view["n_stock"] <= 2
    if move.end is None:
        ends = {"left": move.tile[1], "right": move.tile[0]}
        table = view["table"].lay_first(move.tile)
    else:
        ends = {"left": view["left"], "right": view["right"], move.end: move.new}
        table = view["table"].lay(move.tile, move.end, direction)

    def places(tiles: list[Tile]) -> int:
        """The moves that these tiles would have; joining equal ends is one move where the table has no bounds."""
        found = 0
        for tile in tiles:
            for end, value in ends.items():
                if end == "right" and ends["left"] == value and not table.is_finite:
                    continue
                if value in tile and table.directions(tile, end):
                    found += 1
        return found

    def only(tiles: list[Tile], others: list[Tile], end: str) -> bool:
        """Whether some of the tiles have the value of that end, and none of the others."""
        return any(ends[end] in tile for tile in tiles) and not any(ends[end] in tile for tile in others)

    def followed(tile: Tile, end: str) -> bool:
        return ends[end] in tile and bool(table.directions(tile, end))

    own_ends = 0
    for end in ends:
        if end == "right" and ends["left"] == ends["right"] and not table.is_finite:
            continue
        if any(followed(tile, end) for tile in hand) and not any(followed(tile, end) for tile in unseen):
            own_ends += 1
    closed = [end for end in ends if table.is_closed(end)]
    other_void = places(possible) == 0
    blocks = other_void and stock_is_low and hand != [] and places(hand) == 0
    low = pips(hand) * len(possible) < view["tiles_held"][1 - view["seat"]] * pips(possible)
    return {
        "pips": sum(move.tile),
        "double": int(is_double(move.tile)),
        "equal_ends": int(ends["left"] == ends["right"] and move.end is not None),
        "follow_ups": places(hand),
        "values_kept": len({value for tile in hand for value in tile}),
        "unseen": places(unseen),
        "other_moves": places(possible),
        "other_void": int(other_void),
        "other_draws": int(other_void and not stock_is_low),
        "other_passes": int(other_void and stock_is_low),
        "own_ends": own_ends,
        "stock_low": sum(move.tile) if stock_is_low else 0,
        "blocks_low": int(blocks and low),
        "blocks_high": int(blocks and not low),
        "closed_ends": len(closed),
        "walls": sum(only(possible, hand, end) for end in closed),
        "shuts_own": sum(only(hand, unseen, end) for end in closed),
        "turns": int(direction in ("left", "right")),
    }
