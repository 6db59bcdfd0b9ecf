"""Domeng as the rules tell it, for checking: the rule stands as a quotation beside the code that does it.

Tables (hands that come in, rows that go out) speak in tile numbers; players (the view and the moves) see tiles as
pairs (hi, lo). Seats are 0 to 4; -1 means nobody.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

SEATS = [0, 1, 2, 3, 4]
NOBODY = -1

Tile = tuple[int, int]
Row = dict[str, Any]

# "The amounts are parameters of the rules, with these defaults"; the first reading of each option is the default.
DEFAULT_RULES: dict[str, Any] = {
    "opening_lead": "any",
    "passebunge": "every",
    "closing_passes": "award",
    "mattikkeng_winner": "lowest",
    "camat_check": "after",
    "stones": 25,
    "pass_stones": 1,
    "passebunge_stones": 2,
    "cappu_stones": 1,
    "ceki_stones": 3,
    "pollo_stones": 5,
    "manguno_stones": 1,
    "mattikkeng_stones": 5,
    "mattikkeng_shared_stones": 1,
    "max_rounds": 10000,
}

OPTIONS = {
    "opening_lead": ["any", "double"],
    "passebunge": ["every", "first"],
    "closing_passes": ["award", "free"],
    "mattikkeng_winner": ["lowest", "next"],
    "camat_check": ["after", "before"],
}


class Move(NamedTuple):
    """A tile, the end it is joined to (None at a lead), the value joined and the value that becomes the new end."""

    tile: Tile
    end: str | None
    joined: int | None
    new: int | None


Choose = Callable[[int, dict[str, Any], list[Move]], int]


def complete_rules(rules: dict[str, Any]) -> dict[str, Any]:
    """These rules, and the defaults for all that they do not name."""
    for name, value in rules.items():
        if name in OPTIONS:
            assert value in OPTIONS[name], (name, value)
        elif name == "max_rounds":
            # "`max_rounds` rounds (default 10,000, at most 65,535)"
            assert 1 <= value <= 65535, (name, value)
        else:
            # "Each is 0 to 255."
            assert name in DEFAULT_RULES and 0 <= value <= 255, (name, value)
    return {**DEFAULT_RULES, **rules}


# --- Tiles ------------------------------------------------------------------------------------------------------------

# "Double-six set: 28 tiles [hi|lo], 6 >= hi >= lo >= 0, each once." In the order of their numbers.
ALL_TILES: list[Tile] = [(hi, lo) for hi in range(7) for lo in range(hi + 1)]


def tile_number(tile: Tile) -> int:
    # "Tile number t = hi*(hi+1)/2 + lo, so [0|0]=0, [1|0]=1, [1|1]=2, ..., [6|6]=27."
    hi, lo = tile
    return hi * (hi + 1) // 2 + lo


def is_double(tile: Tile) -> bool:
    # "A double (LEMPA) has hi == lo."
    hi, lo = tile
    return hi == lo


def pips(tiles: list[Tile]) -> int:
    # "The pips of a tile are hi + lo; of a hand, the sum over its tiles."
    return sum(hi + lo for hi, lo in tiles)


def hand_mask(tiles: list[Tile]) -> int:
    # "A hand is the 28-bit mask with bit t set for each tile held."
    return sum(2 ** tile_number(tile) for tile in tiles)


def clockwise_after(seat: int) -> list[int]:
    """The four other seats, in turn. "clockwise is +1 modulo 5"."""
    return [(seat + n) % 5 for n in (1, 2, 3, 4)]


def cucuq_of(winner: int, rules: dict[str, Any]) -> int:
    # "CUCUQ: the seat before FIRST CAPPU (-1 clockwise)"
    return (winner - 1) % 5


def lead_moves(hand: list[Tile]) -> list[Move]:
    # "The starter leads any tile of the hand." In the order of the tile numbers.
    return [Move(tile, None, None, None) for tile in sorted(hand, key=tile_number)]


def moves_at(hand: list[Tile], left: int, right: int) -> list[Move]:
    """The distinct legal moves at these ends, in order: by 8 * (value joined) + (value of the new end)."""
    moves = []
    for tile in hand:
        for end, value in (("left", left), ("right", right)):
            # "Where both ends have the same value, joining a tile left or right is one and the same move, written as
            # `left`."
            if end == "right" and left == right:
                continue
            # "A tile may be joined to an end whose value equals one of its halves; the other half becomes that end."
            hi, lo = tile
            if hi == value:
                moves.append(Move(tile, end, value, lo))
            elif lo == value:
                moves.append(Move(tile, end, value, hi))
    return sorted(moves, key=lambda move: 8 * move.joined + move.new)


# --- A round ----------------------------------------------------------------------------------------------------------


class _Round:
    """One round under way: what lies on the table, who holds what, and the rows written so far."""

    def __init__(self, rules: dict[str, Any], hands: list[list[int]], stones: list[int], table: int) -> None:
        self.rules = rules
        self.hands = [[ALL_TILES[number] for number in sorted(hand)] for hand in hands]
        # "Each round all 28 tiles are shuffled; each seat gets 5; 3 stay unused, face down, unknown to everybody."
        assert [len(hand) for hand in self.hands] == [5, 5, 5, 5, 5]
        self.unused = [tile for tile in ALL_TILES if all(tile not in hand for hand in self.hands)]
        self.played: list[Tile] = []
        self.left: int | None = None
        self.right: int | None = None
        self.stones = list(stones)
        self.table = table
        self.total_stones = sum(stones) + table
        self.began_with = (list(stones), table)
        self.last_mappano = NOBODY
        self.plays = 0
        self.passes = [0, 0, 0, 0, 0]
        self.passebunges = [0, 0, 0, 0, 0]
        self.voids: list[set[int]] = [set(), set(), set(), set(), set()]
        self.log: list[tuple[int, str, Tile | None, str | None, int, int]] = []
        self.events: list[Row] = []
        self.keys = {"match": 0, "game": 0, "round": 0}
        self.check()

    def check(self) -> None:
        """What is true at every moment of a round."""
        # "The total over table and players is 25 at every moment."
        assert self.table + sum(self.stones) == self.total_stones
        assert self.table >= 0 and min(self.stones) >= 0
        # Each tile is in exactly one place.
        everywhere = self.played + self.unused + [tile for hand in self.hands for tile in hand]
        assert sorted(everywhere) == sorted(ALL_TILES)

    # Rows

    def write_event(
        self,
        event: str,
        seat: int,
        tile: Tile | None = None,
        end: str | None = None,
        from_table: int = 0,
        given: list[int] | None = None,
    ) -> None:
        """A row of `events`. The ends are those after the event, -1 before the first tile."""
        self.check()
        given = given or [0, 0, 0, 0, 0]
        row = {
            **self.keys,
            "step": len(self.events),
            "event": event,
            "seat": seat,
            "tile": -1 if tile is None else tile_number(tile),
            "side": end,
            "left_end": -1 if self.left is None else self.left,
            "right_end": -1 if self.right is None else self.right,
            "stones": from_table + sum(given),
            "from_table": from_table,
        }
        for s in SEATS:
            row[f"given_{s}"] = given[s]
        self.events.append(row)

    # Stones

    def award(self, to: int, n: int, givers: list[int]) -> tuple[int, list[int]]:
        """Move the stones; returns how many came from the table and how many from each seat."""
        # "award(to, n, givers): take min(n, table) from the table;"
        from_table = min(n, self.table)
        self.table -= from_table
        self.stones[to] += from_table
        missing = n - from_table
        # "what is missing is taken from givers in order, each giving at most what it holds;"
        given = [0, 0, 0, 0, 0]
        for giver in givers:
            # "a giver that is `to` itself gives nothing."
            if giver == to:
                continue
            gift = min(missing, self.stones[giver])
            self.stones[giver] -= gift
            self.stones[to] += gift
            given[giver] += gift
            missing -= gift
        # "What still is missing is not awarded ("at most n")."
        return from_table, given

    # Turns

    def put(self, seat: int, move: Move) -> None:
        """The seat plays a tile: the lead, or a tile joined to an end."""
        self.hands[seat].remove(move.tile)
        self.played.append(move.tile)
        self.plays += 1
        # "LAST MAPPANO: whoever played the most recent tile."
        self.last_mappano = seat
        if move.end is None:
            # "The first tile [hi|lo] sets left = lo, right = hi."
            hi, lo = move.tile
            self.left, self.right = lo, hi
            what = "lead"
        else:
            # "The other half becomes that end."
            if move.end == "left":
                assert self.left == move.joined
                self.left = move.new
            else:
                assert self.right == move.joined
                self.right = move.new
            what = "play"
        self.write_event(what, seat, move.tile, move.end)
        self.log.append((seat, what, move.tile, move.end, self.left, self.right))

    def pass_turn(self, seat: int, awarded: bool = True) -> None:
        """The seat PASSes, and gets stones for it (unless it is a closing PASS that awards nothing)."""
        # "A PASS by a player who has played no tile yet in this round is a PASSEBUNGE. Every such PASS counts"
        is_passebunge = len(self.hands[seat]) == 5
        # "with `first`, only the first such PASS of a player in a round is a PASSEBUNGE, later ones are ordinary
        # PASSes."
        if self.rules["passebunge"] == "first" and self.passebunges[seat] > 0:
            is_passebunge = False
        self.passes[seat] += 1
        if is_passebunge:
            self.passebunges[seat] += 1
        # A PASS shows that the seat has neither value.
        self.voids[seat].add(self.left)
        self.voids[seat].add(self.right)
        what = "passebunge" if is_passebunge else "pass"
        # "PASS, at once | the passer | 1 | LAST MAPPANO"; "PASSEBUNGE, at once | the passer | 2 | LAST MAPPANO"
        amount = self.rules["passebunge_stones"] if is_passebunge else self.rules["pass_stones"]
        if not awarded:
            amount = 0
        from_table, given = self.award(to=seat, n=amount, givers=[self.last_mappano])
        self.write_event(what, seat, from_table=from_table, given=given)
        self.log.append((seat, what, None, None, self.left, self.right))

    def somebody_can_play(self) -> bool:
        return any(moves_at(hand, self.left, self.right) for hand in self.hands)

    def view(self, seat: int, starter: int, camat: int, round_in_match: int) -> dict[str, Any]:
        """What the player may know, in copies.

        "Own hand; the chain, who played each tile at which end; every PASS and the ends at which it happened; how many
        tiles each player holds; stones of all and on the table; CAMAT, starter, LAST MAPPANO, seats, the rules. Never
        another hand, nor the unused tiles."
        """
        return {
            "seat": seat,
            "hand": list(self.hands[seat]),
            "left": self.left,
            "right": self.right,
            "log": list(self.log),
            "tiles_held": [len(hand) for hand in self.hands],
            "stones": list(self.stones),
            "table": self.table,
            "began_with": self.began_with,
            "passes": list(self.passes),
            "voids": [set(values) for values in self.voids],
            "last_mappano": self.last_mappano,
            "starter": starter,
            "camat": camat,
            "rules": dict(self.rules),
            # These two only find the random word of a choice.
            "match": self.keys["match"],
            "round_in_match": round_in_match,
        }


def play_round(
    rules: dict[str, Any],
    hands: list[list[int]],
    starter: int,
    stones: list[int],
    table: int,
    choose: Choose,
    forced_lead: int | None = None,
    camat: int = NOBODY,
    match: int = 0,
    game: int = 0,
    round_in_game: int = 0,
    round_in_match: int = 0,
    always: bool = False,
) -> tuple[Row, list[Row]]:
    """Play one round; returns its row of `rounds` and its rows of `events`.

    `hands` are five lists of tile numbers, `forced_lead` is the number of the tile that must be led, `camat` the CAMAT
    of before. `choose(seat, view, moves)` gives an index in `moves`; it is not asked where only one move is legal,
    unless it is to be asked always.
    """
    rules = complete_rules(rules)
    state = _Round(rules, hands, stones, table)
    state.keys = {"match": match, "game": game, "round": round_in_game}
    dealt = [list(hand) for hand in state.hands]

    # "`deal` (25 rows a round: seat, tile; ends -1)"
    for seat in SEATS:
        for tile in dealt[seat]:
            state.write_event("deal", seat, tile)

    def chosen(seat: int, moves: list[Move]) -> Move:
        if len(moves) == 1 and not always:
            return moves[0]
        index = choose(seat, state.view(seat, starter, camat, round_in_match), list(moves))
        assert 0 <= index < len(moves)
        return moves[index]

    # "Clockwise from the starter."
    seat = starter
    while True:
        ends_before = (state.left, state.right)
        if state.plays == 0:
            moves = lead_moves(state.hands[seat])
            if forced_lead is not None:
                moves = [move for move in moves if tile_number(move.tile) == forced_lead]
                assert len(moves) == 1
        else:
            moves = moves_at(state.hands[seat], state.left, state.right)

        # "A player who holds a tile that fits an end must play one (which tile, and which end, is the strategy's
        # choice); a player who holds none must PASS. There is no voluntary PASS."
        if moves:
            move = chosen(seat, moves)
            state.put(seat, move)
            # "CAPPU: a player has played the last tile of the hand. The round ends at once;"
            if not state.hands[seat]:
                outcome = _kind_of_cappu(move, ends_before, (state.left, state.right))
                break
            # "MANGUNO: after a play that empties no hand, nobody, LAST MAPPANO included, holds a tile that fits."
            if not state.somebody_can_play():
                outcome = "blocked"
                break
        else:
            state.pass_turn(seat)
        seat = (seat + 1) % 5

    if outcome == "blocked":
        # "Then all five PASS in turn, the player after LAST MAPPANO first and LAST MAPPANO last, each PASS awarded as
        # below"; "with `free`, these five PASSes are counted and labelled as ever but award nothing."
        for passer in clockwise_after(state.last_mappano) + [state.last_mappano]:
            state.pass_turn(passer, awarded=rules["closing_passes"] == "award")

    # Who wins, and what is awarded to whom.
    cucuq = NOBODY
    mattikkengs: list[int] = []
    if outcome == "blocked":
        # "LAST MAPPANO is the MANGUNO."
        manguno = state.last_mappano
        mattikkengs = _mattikkengs(state.hands, manguno)
        if not mattikkengs:
            # "No MATTIKKENG: the MANGUNO wins; outcome `manguno`."
            outcome, winner = "manguno", manguno
            # "CUCUQ: the seat before the MANGUNO | 1 | the MANGUNO"
            cucuq = cucuq_of(manguno, rules)
            to, amount, givers = cucuq, rules["manguno_stones"], [manguno]
        else:
            # "Some: a MATTIKKENG wins; outcome `mattikkeng`."
            outcome = "mattikkeng"
            winner = _winning_mattikkeng(state.hands, mattikkengs, rules["mattikkeng_winner"])
            if len(mattikkengs) == 1 and pips(state.hands[winner]) < pips(state.hands[manguno]):
                # "exactly one MATTIKKENG, strictly fewer pips | the MANGUNO | 5 | the MATTIKKENG"
                to, amount, givers = manguno, rules["mattikkeng_stones"], [winner]
            else:
                # "several, or one with equal pips | the MANGUNO | 1 | the MATTIKKENGs: the winner first, then the
                # others clockwise after the MANGUNO"
                others = [seat for seat in mattikkengs if seat != winner]
                to, amount, givers = manguno, rules["mattikkeng_shared_stones"], [winner] + others
    else:
        # "that player is FIRST CAPPU and wins."
        first_cappu = winner = state.last_mappano
        # "CUCUQ: the seat before FIRST CAPPU (-1 clockwise) | 1 | FIRST CAPPU"; "`ceki` | the same | 3"; "`pollo` | the
        # same | 5"
        cucuq = cucuq_of(first_cappu, rules)
        to, amount, givers = cucuq, rules[f"{outcome}_stones"], [first_cappu]

    table_before = state.table
    from_table, given = state.award(to, amount, givers)
    state.write_event("award", to, from_table=from_table, given=given)
    state.write_event("end", winner)

    # "After the awards of a round that ended by CAPPU (plain, CEKI or POLLO): if the table holds no stone and FIRST
    # CAPPU holds none, FIRST CAPPU is appointed CAMAT"
    appointed = NOBODY
    if outcome in ("cappu", "ceki", "pollo"):
        # "with `before`, the table must have been empty before that round's closing award, and FIRST CAPPU's own stones
        # are counted after it."
        table_counted = table_before if rules["camat_check"] == "before" else state.table
        if table_counted == 0 and state.stones[winner] == 0:
            appointed = winner
            state.write_event("camat", winner)

    row: Row = {
        **state.keys,
        "starter": starter,
        "outcome": outcome,
        "winner": winner,
        "last_mappano": state.last_mappano,
        "cucuq": cucuq,
        "mattikkeng_seats": sum(2**seat for seat in mattikkengs),
        "plays": state.plays,
    }
    for name, values in (
        ("passes", state.passes),
        ("passebunge", state.passebunges),
        ("pips", [pips(hand) for hand in state.hands]),
        ("stones", state.stones),
    ):
        for seat in SEATS:
            row[f"{name}_{seat}"] = values[seat]
    row["table_stones"] = state.table
    row["camat"] = appointed
    for seat in SEATS:
        row[f"hand_{seat}"] = hand_mask(dealt[seat])
    return row, state.events


def _kind_of_cappu(move: Move, before: tuple[int, int], after: tuple[int, int]) -> str:
    # "MAPPAKULING: a play after which both ends have the same value."
    mappakuling = after[0] == after[1]
    # "Two ways only: a non-double that fits both of two different ends, or a double joined where both ends already had
    # its value."
    hi, lo = move.tile
    fits_two_different_ends = not is_double(move.tile) and {hi, lo} == set(before)
    double_at_equal_ends = is_double(move.tile) and before == (hi, hi)
    assert mappakuling == (fits_two_different_ends or double_at_equal_ends)
    # "CEKI: the last tile is a MAPPAKULING and not a double. POLLO: the last tile is a MAPPAKULING and a double."
    if not mappakuling:
        return "cappu"
    return "pollo" if is_double(move.tile) else "ceki"


def _mattikkengs(hands: list[list[Tile]], manguno: int) -> list[int]:
    """The MATTIKKENGs, clockwise after the MANGUNO."""
    # "MATTIKKENG: each *other* player whose unplayed pips are equal to or lower than the MANGUNO's."
    return [seat for seat in clockwise_after(manguno) if pips(hands[seat]) <= pips(hands[manguno])]


def _winning_mattikkeng(hands: list[list[Tile]], mattikkengs: list[int], option: str) -> int:
    """Which of the MATTIKKENGs (given clockwise after the MANGUNO) wins."""
    # "with `next`, the first MATTIKKENG clockwise after the MANGUNO, whatever the pips."
    if option == "next":
        return mattikkengs[0]
    # "With several, the winner is the one with the fewest unplayed pips; on a tie the first of those clockwise after
    # the MANGUNO."
    fewest = min(pips(hands[seat]) for seat in mattikkengs)
    return next(seat for seat in mattikkengs if pips(hands[seat]) == fewest)


# --- A match ----------------------------------------------------------------------------------------------------------


def opening(hands: list[list[int]]) -> tuple[int, int]:
    """Who starts the first round of a match, and the number of the double that says so."""
    # "First round of a match: the holder of [6|6]; if it is unused, of [5|5]; then [4|4]; then [3|3]."
    for value in (6, 5, 4, 3):
        double = tile_number((value, value))
        for seat in SEATS:
            if double in hands[seat]:
                return seat, double
    # "(Only three tiles are unused, so one of these four is always held.)"
    raise AssertionError("none of the four highest doubles was dealt")


def play_match(
    rules: dict[str, Any],
    deals: Callable[[int], list[list[int]]],
    choose: Choose,
    games: int | None = None,
    rounds: int | None = None,
    match: int = 0,
) -> dict[str, list[Row]]:
    """Play a match of so many games, or of so many rounds; returns its tables `games`, `rounds` and `events`.

    `deals(round_in_match)` gives the five hands of a round, as tile numbers.
    """
    rules = complete_rules(rules)
    assert games is not None or rounds is not None
    tables: dict[str, list[Row]] = {"games": [], "rounds": [], "events": []}
    round_in_match = 0
    camat = NOBODY
    winner = NOBODY

    def match_is_over() -> bool:
        return len(tables["games"]) == games or round_in_match == rounds

    # "Match: consecutive games at one table, the same five strategies in the same seats."
    while not match_is_over():
        # "Game: from 25 stones on the table until a CAMAT is appointed."
        game = len(tables["games"])
        incumbent = camat
        stones = [0, 0, 0, 0, 0]
        table = rules["stones"]
        outcomes: list[str] = []
        # A game is under way until it has ended by a CAMAT or by `max_rounds`.
        ended = "unfinished"
        while ended == "unfinished" and not match_is_over():
            hands = deals(round_in_match)
            forced_lead = None
            if round_in_match == 0:
                starter, double = opening(hands)
                # "with `double`, the starter by rule 1 must lead that very double; starters by rule 2 still lead any
                # tile."
                if rules["opening_lead"] == "double":
                    forced_lead = double
            elif camat != NOBODY:
                # "Any later round: the CAMAT, if the match has one; otherwise the winner of the round before."
                starter = camat
            else:
                starter = winner

            row, events = play_round(
                rules,
                hands,
                starter,
                stones,
                table,
                choose,
                forced_lead=forced_lead,
                camat=camat,
                match=match,
                game=game,
                round_in_game=len(outcomes),
                round_in_match=round_in_match,
            )
            tables["rounds"].append(row)
            tables["events"].extend(events)
            round_in_match += 1
            outcomes.append(row["outcome"])
            winner = row["winner"]
            stones = [row[f"stones_{seat}"] for seat in SEATS]
            table = row["table_stones"]
            assert table + sum(stones) == rules["stones"]

            if row["camat"] != NOBODY:
                # "FIRST CAPPU is appointed CAMAT; the game ends; all stones return to the table; the next game of the
                # match begins, started by this CAMAT, and so is every round until another game ends (the same player
                # may be appointed again)."
                camat = row["camat"]
                ended = "camat"
            elif len(outcomes) == rules["max_rounds"]:
                # "A game with no CAMAT after `max_rounds` rounds ... ends as *truncated* ... Its stones return to the
                # table and the match goes on; the CAMAT of before, if any, still starts, else the winner of the last
                # round."
                ended = "truncated"

        game_row: Row = {
            "match": match,
            "game": game,
            "rounds": len(outcomes),
            "incumbent": incumbent,
            "camat": camat if ended == "camat" else NOBODY,
        }
        for seat in SEATS:
            game_row[f"stones_{seat}"] = stones[seat]
        for outcome in ("ceki", "pollo", "manguno", "mattikkeng"):
            game_row[outcome] = outcomes.count(outcome)
        game_row["ended"] = ended
        tables["games"].append(game_row)
    return tables
