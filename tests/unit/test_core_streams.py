"""Words of bits and streams of random numbers, compiled and plain."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from domeng_sim.core import bits, streams
from domeng_sim.core.bits import U
from domeng_sim.core.codes import Purpose
from domeng_sim.core.jit import entry
from tests.effort import effort
from tests.twin import streams as twin

FULL = 2**64 - 1
words = st.integers(0, FULL) | st.integers(0, 63).map(lambda k: 1 << k) | st.sampled_from([0, 1, 2**63, FULL])


@entry
def bit_operations(a, b, out):
    out[0] = bits.popcount(a)
    out[1] = bits.lowest_bit(a)
    out[2] = bits.high_product(a, b)
    out[3] = bits.deposit(a, b)


@entry
def fill_blocks(keys, out):
    for i in range(keys.shape[0]):
        out[i, 0], out[i, 1] = streams.philox(keys[i, 0], keys[i, 1], keys[i, 2], keys[i, 3])


@entry
def fill_mixed(starts, out):
    for i in range(starts.shape[0]):
        out[i] = streams.mix(starts[i])


def blocks(keys):
    """Philox blocks of rows (seed, match, round, purpose)."""
    keys = np.array(keys, np.uint64)
    out = np.zeros((len(keys), 2), np.uint64)
    with np.errstate(over="ignore"):
        fill_blocks(keys, out)
    return out


def mixed(starts):
    starts = np.array(starts, np.uint64)
    out = np.zeros(len(starts), np.uint64)
    with np.errstate(over="ignore"):
        fill_mixed(starts, out)
    return out


@entry
def nth_bit(word, n):
    return bits.nth_bit(word, n)


by_table, by_clearing = entry(bits.deposit_by_table), entry(bits.nth_bit_by_clearing)


def spread(source, mask):
    """The low bits of `source` at the positions set in `mask`, written out."""
    positions = [k for k in range(64) if mask >> k & 1]
    return sum((source >> i & 1) << position for i, position in enumerate(positions))


@given(words, words)
@example(0, 0)
@example(FULL, FULL)
@example(1 << 63, 1 << 63)
def test_bit_operations__compiled_and_plain_are_what_they_say(a, b):
    out = np.zeros(4, np.uint64)
    bit_operations(U(a), U(b), out)
    expected = [
        len([k for k in range(64) if a >> k & 1]),
        next((k for k in range(64) if a >> k & 1), 64),
        a * b >> 64,
        spread(a, b),
    ]
    assert out.tolist() == expected
    plain = [bits.popcount(U(a)), bits.lowest_bit(U(a)), bits.high_product(U(a), U(b)), bits.deposit(U(a), U(b))]
    assert [int(word) for word in plain] == expected
    assert {type(word) for word in plain} == {np.uint64}


@given(words, words)
@example(0, FULL)
@example(FULL, 0)
@example(FULL, FULL)
@example(FULL, 1 << 63)
def test_deposit__by_tables_is_the_instruction(a, b):
    with np.errstate(over="ignore"):
        assert int(by_table(U(a), U(b))) == spread(a, b)
        assert int(bits.deposit_by_table(U(a), U(b))) == spread(a, b)


@given(words.filter(bool), st.integers(0, 63))
@example(FULL, 63)
@example(FULL, 0)
@example(1 << 63, 0)
def test_nth_bit__is_found_by_the_instruction_and_by_tables(word, n):
    places = [k for k in range(64) if word >> k & 1]
    n %= len(places)
    with np.errstate(over="ignore"):
        for found in (nth_bit, bits.nth_bit, by_clearing, bits.nth_bit_by_clearing):
            assert int(found(U(word), U(n))) == places[n]


# Salmon et al.'s Random123, file kat_vectors.
@pytest.mark.parametrize(
    ("key", "block"),
    [
        ((0, 0, 0, 0), (0xE169C58D_6627E8D5, 0x9B00DBD8_BC57AC4C)),
        ((FULL, FULL, 0xFFFFFFFF, 0xFFFFFFFF), (0x41C83B0E_408F276D, 0x6D5451FD_A20BC7C6)),
        (
            (0x299F31D0_A4093822, 0x85A308D3_243F6A88, 0x13198A2E, 0x03707344),
            (0x94FDCCEB_D16CFE09, 0x24126EA1_5001E420),
        ),
    ],
)
def test_philox__gives_the_published_words(key, block):
    assert tuple(blocks([key])[0].tolist()) == block


@given(st.lists(st.tuples(words, words, st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1)), min_size=1, max_size=8))
def test_philox__is_that_of_the_twin_for_any_key(keys):
    expected = [twin.block(seed, match, r, purpose % 256, purpose // 256) for seed, match, r, purpose in keys]
    assert [tuple(row) for row in blocks(keys).tolist()] == expected


def test_mix__gives_the_published_sequence_of_splitmix64():
    # The sequence of the start 1234567, as in the test of many implementations (Rosetta Code, "Pseudo-random
    # numbers/Splitmix64").
    starts = [(1234567 + n * streams.GOLDEN) % 2**64 for n in range(1, 6)]
    assert mixed(starts).tolist() == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@given(words)
@example(0)
def test_mix__is_that_of_the_twin(z):
    assert mixed([z]).tolist() == [twin.mix(z)]


def test_blocks__of_every_key_purpose_and_attempt_differ():
    n = effort(40, 3)
    seeds, matches, rounds = [0, 1, FULL - 1, FULL], [0, 1, 2**32, FULL], range(n)
    purposes = [int(purpose) + 256 * attempt for purpose in Purpose for attempt in range(3)]
    keys = list(itertools.product(seeds, matches, rounds, purposes))
    words = blocks(keys)
    assert len(np.unique(words[:, 0])) == len(np.unique(words[:, 1])) == len(keys)
    # Nor does one word of a block turn up in the other place.
    assert len(np.unique(words)) == 2 * len(keys)


@pytest.mark.compiled
def test_blocks__a_hundred_thousand_in_a_row_are_all_distinct():
    keys = [(1, match, r, Purpose.CHOICE) for match in range(1000) for r in range(100)]
    assert len(np.unique(blocks(keys))) == 2 * len(keys)


@given(st.integers(0, FULL), st.lists(st.integers(0, 10**6), min_size=5, max_size=5))
def test_seat_offsets_and_decision_factors__lead_to_the_words_of_the_twin(start, copies):
    offsets, factors = streams.seat_offsets(copies), streams.decision_factors(5)
    with np.errstate(over="ignore"):
        own = mixed([U(start) + offset for offset in offsets])
        table = own[:, None] * factors
    for seat, copy in enumerate(copies):
        word = twin.mix((start + (8 * copy + seat + 1) * 0x9E3779B97F4A7C15) % 2**64)
        for decision in range(5):
            assert table[seat, decision] == word * 0xF1357AEA2E62A9C5**decision % 2**64


def test_seat_offsets__of_all_copies_and_seats_differ():
    offsets = np.concatenate([streams.seat_offsets([copy] * 5) for copy in range(1000)])
    assert len(np.unique(offsets)) == 5000
