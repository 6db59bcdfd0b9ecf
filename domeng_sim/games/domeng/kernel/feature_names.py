"""The features of Domeng by name, each with its sentence; known without the compiler, for help and for checking."""

from __future__ import annotations

FEATURES: dict[str, str] = {
    "pips": "pips of the tile played, 0 to 12",
    "double": "1 if the tile is a double (LEMPA)",
    "mappakuling": "1 if both ends then have the same value (0 at a lead)",
    "follow_ups": "places of the rest of the own hand: moves that would fit the new ends",
    "values_kept": "number of different values in the rest of the own hand, 0 to 7",
    "unseen": "places of the unseen tiles at the new ends: moves that others may have",
    "next_void": "1 if the next player is known to be void at both ends (it must PASS)",
    "others_void": "number of the four others known to be void at both ends",
    "own_ends": "number of different ends that only the player can follow",
    "blocks_low": (
        "1 if the round surely ends as MANGUNO by this play and the own pips are low; "
        "without it `master` plays no worse that could be measured"
    ),
    "blocks_high": (
        "1 if the round surely ends as MANGUNO by this play and the own pips are not low; "
        "without it `master` plays no worse that could be measured"
    ),
    "finish_pair": (
        "1 if the last tile in hand would finish as CEKI or POLLO at the new ends; "
        "without it `master` plays no worse that could be measured"
    ),
    "drain": "others_void where the table is empty and the player holds stones: each PASS takes one of them",
    "cucuq_guard": (
        "5 minus the tiles of the next player, if that player is known to be void at both ends; "
        "if it won, the player would be CUCUQ"
    ),
    "next_pass": (
        "chance in thousandths that the next player must PASS, 0 to 1000, if the unseen tiles that its PASSes leave "
        "possible are equally likely in its hand"
    ),
    "drain_pass": (
        "the same chance summed over the four others, as if each of them met the new ends, where the table is empty "
        "and the player holds stones"
    ),
    "lead_double": "1 if the tile is a double (LEMPA) and leads the round",
}
"""In the order of the core's rows of weights."""

SIMPLE_FEATURES = frozenset({"pips", "double"})
"""Features of the tile alone; strategies with no others run in the fastest engine."""
FEATURE_SCALES = {"next_pass": 1000, "drain_pass": 1000}
"""Features that are counted in thousandths: their weights are by so much smaller."""
