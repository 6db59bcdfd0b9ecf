"""The block of words by which Python and machine code pass things: laid down here, taken up by `core.entry_compiler`.

A number is one word, an array its address and lengths, and the elements of a tuple lie side by side. The first two
words are for what comes back.
"""

from __future__ import annotations

import ctypes
import struct
from typing import Any

import numpy as np

NONE, INT, UINT, FLOAT, BOOL = range(5)
"""Kinds of what comes back."""
RESULT, KIND, N_HEAD = 0, 1, 2
"""The first words of a block."""
OPEN, CLOSE = "(", ")"
_WORD = (1 << 64) - 1
_SCALARS = {int: INT, np.int64: INT, np.uint64: UINT, bool: BOOL, np.bool_: BOOL, float: FLOAT, np.float64: FLOAT}

Kinds = tuple[Any, ...]
"""Types of arguments in the order of their words: a kind of number, (dtype, dimensions) of an array, and for a tuple
its class, `OPEN`, its elements and `CLOSE`."""


def flatten(value: Any, words: list[int], kinds: list[Any]) -> None:
    """Lay a value down in words.

    Parameters
    ----------
    value
        A number, a contiguous array, or a tuple of such.
    words, kinds
        Appended to.

    Raises
    ------
    TypeError
        If it is something else.
    """
    of = type(value)
    kind = _SCALARS.get(of)
    if kind is not None:
        kinds.append(kind)
        words.append(_bits_of(value) if kind == FLOAT else int(value) & _WORD)
    elif of is np.ndarray:
        if not value.flags.c_contiguous:
            raise TypeError("an array that is not contiguous")
        kinds.append((value.dtype, value.ndim))
        words.append(value.__array_interface__["data"][0])
        words += value.shape
    elif isinstance(value, tuple):
        kinds += (of, OPEN)
        for element in value:
            flatten(element, words, kinds)
        kinds.append(CLOSE)
    elif isinstance(value, int):  # members of enumerations
        flatten(int(value), words, kinds)
    else:
        raise TypeError(f"{of.__name__} cannot be passed to machine code")


def _bits_of(number: float) -> int:
    bits: int = struct.unpack("Q", struct.pack("d", number))[0]
    return bits


def result_of(block: ctypes.Array[ctypes.c_uint64]) -> Any:
    """What a function returned."""
    word, kind = block[RESULT], block[KIND]
    if kind == NONE:
        return None
    if kind == FLOAT:
        return struct.unpack("d", struct.pack("Q", word))[0]
    return bool(word) if kind == BOOL else word - (1 << 64) if kind == INT and word >> 63 else word
