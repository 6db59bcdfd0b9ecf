"""What is counted from the tables for the report of Domeng."""

from __future__ import annotations

from collections.abc import Callable

from domeng_sim.games.domeng.report.figures import CAMAT_GAMES, SEATS
from domeng_sim.games.shared.measures import cells
from domeng_sim.games.shared.outline import TableTally
from domeng_sim.games.shared.panels import ROUNDS
from domeng_sim.games.types import Count

MAX_TITLES = 31
"""Titles in a row are told apart up to here; the last counter holds all that are longer."""

MAX_TURNS = 63
"""Turns of a round, likewise."""

FAIR = 1 / len(SEATS)


def _tally(name: str) -> Callable[[], Callable[..., int]]:
    def load() -> Callable[..., int]:
        from domeng_sim.games.domeng.report import tallies

        function: Callable[..., int] = getattr(tallies, f"tally_{name}")
        return function

    return load


def _by_seat(name: str) -> tuple[str, ...]:
    return tuple(f"{name}_{seat}" for seat in SEATS)


def tallies_of(stones: int) -> tuple[TableTally, ...]:
    """What is counted from the tables; `stones` sets the length of a distribution."""
    place = (("kind", 2), ("other", 5))
    standing = (("kind", 3), ("seat", 5))
    games = (
        Count("game_end", (("seat", 5), ("bin", stones + 1)), "games (CAMAT or truncated) by stones held at their end"),
        Count(
            "standing_games",
            standing,
            "games with a CAMAT by standing of the seat: no CAMAT yet, incumbent, challenger",
        ),
        Count("standing_camat", standing, "of these, games after which the seat is CAMAT"),
        Count("games_by_standing", (("kind", 3),), "games with a CAMAT by standing of who was appointed"),
        Count("rounds_by_standing", (("kind", 3),), "their rounds"),
        Count("titles", (("seat", 5), ("bin", MAX_TITLES + 1)), "appointments by how many in a row this is"),
        Count(
            "title_games",
            (("seat", 5), ("bin", MAX_TITLES + 1)),
            "games with a CAMAT by titles in a row of the incumbent",
        ),
    )
    rounds = (
        Count("end_plays", (("kind", 5), ("bin", 26)), "rounds by outcome and tiles played"),
        Count("place_rounds", (("kind", 2),), "rounds: first of a match, later"),
        Count("place_wins", place, "rounds won by distance clockwise from the starter"),
        Count("place_camat", place, "appointments to CAMAT by distance from the starter"),
        Count("place_passes", place, "PASSes by distance from the starter"),
        Count("place_stones", place, "stones held at the end of rounds by distance from the starter"),
    )
    events = (
        Count(
            "turns",
            (("kind", 3), ("bin", MAX_TURNS + 1)),
            "turns by what was done (tile, PASS, PASSEBUNGE) and number of the turn; closing passes left out",
        ),
        Count("finishes", (("kind", 2), ("bin", 28)), "hands finished by whether with a MAPPAKULING, and tile"),
    )
    passes, held = _by_seat("passes"), _by_seat("stones")
    return (
        TableTally(
            "games",
            ("match", "incumbent", "camat", "ended", "rounds", *held),
            games,
            3,
            (cells("titles"), CAMAT_GAMES),
            _tally("games"),
        ),
        TableTally(
            "rounds",
            ("match", "game", "round", "starter", "outcome", "winner", "plays", "camat", *passes, *held),
            rounds,
            1,
            (cells("place_rounds"), ROUNDS),
            _tally("rounds"),
        ),
        TableTally(
            "events",
            ("match", "event", "tile", "left_end", "right_end"),
            events,
            9,
            (cells("turns", bin=1), ROUNDS),
            _tally("events"),
        ),
    )
