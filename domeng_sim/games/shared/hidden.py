"""Hidden tiles: how many deals agree with what was seen, and which one has a given number.

The hidden tiles go, one after the other, to the places that may have them and still lack tiles: seats, the unused
tiles, what a player drew in a turn.  How many ways there are to place the rest depends only on how many tiles each
place still lacks, so a table of some thousand whole numbers tells it for every moment.  With it a number below the
count of all deals is turned into the deal of that number by walking through the tiles once: a uniform number gives a
uniform deal, and nothing is rejected.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product


@dataclass(frozen=True)
class Hidden:
    """The tiles that nobody has shown, and where each may be.

    Attributes
    ----------
    tiles
        Their numbers.
    sizes
        By place, how many of them are there.
    cases
        One or more ways in which the position can have come about, which exclude each other: for each tile the mask of
        the places that may have it.
    n_proofs
        If not 0, then at least one of so many tiles, the first ones, is at place 0.
    """

    tiles: tuple[int, ...]
    sizes: tuple[int, ...]
    cases: tuple[tuple[int, ...], ...]
    n_proofs: int = 0

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """By place, how far the tables of `ways` go on when it lacks one tile more."""
        strides, stride = [], 1
        for size in self.sizes:
            strides.append(stride)
            stride *= size + 1
        return tuple(strides)

    @cached_property
    def ways(self) -> tuple[tuple[int, ...], ...]:
        """By case, and by how many tiles each place lacks, the ways to place the tiles that are left.

        What a place lacks, times its stride, summed over the places, is the position in the table.
        """
        return tuple(self._ways(case) for case in self.cases)

    def _ways(self, case: Sequence[int]) -> tuple[int, ...]:
        n, places = len(self.tiles), range(len(self.sizes))
        ways: list[int] = []
        # The first place counts fastest, as the strides do.
        for reverse in product(*(range(size + 1) for size in reversed(self.sizes))):
            lacking = reverse[::-1]
            placed = n - sum(lacking)
            if self.n_proofs and placed == self.n_proofs and lacking[0] == self.sizes[0]:
                ways.append(0)
                continue
            if placed == n:
                ways.append(1)
                continue
            here, may = len(ways), case[placed]
            ways.append(sum(ways[here - self.strides[p]] for p in places if lacking[p] and may >> p & 1))
        return tuple(ways)

    @cached_property
    def by_case(self) -> tuple[int, ...]:
        """Number of deals of each case."""
        return tuple(ways[-1] for ways in self.ways)

    @property
    def n_deals(self) -> int:
        """Number of deals that agree with what was seen."""
        return sum(self.by_case)

    def deal(self, number: int) -> tuple[int, ...]:
        """The deal of a number: by place, the mask of its hidden tiles.

        Parameters
        ----------
        number
            0 to `n_deals` - 1.

        Raises
        ------
        ValueError
            If there is no deal of that number.
        """
        if not 0 <= number < self.n_deals:
            raise ValueError(f"there are {self.n_deals} deals, so none has the number {number}")
        case = 0
        while number >= self.by_case[case]:
            number -= self.by_case[case]
            case += 1
        ways, may = self.ways[case], self.cases[case]
        lacking, masks = list(self.sizes), [0] * len(self.sizes)
        at = len(ways) - 1
        for position, tile in enumerate(self.tiles):
            for place in range(len(self.sizes)):
                if not (lacking[place] and may[position] >> place & 1):
                    continue
                here = ways[at - self.strides[place]]
                if number < here:
                    break
                number -= here
            masks[place] |= 1 << tile
            lacking[place] -= 1
            at -= self.strides[place]
        return tuple(masks)

    def deals(self) -> Iterator[tuple[int, ...]]:
        """All deals, in order of their numbers."""
        return map(self.deal, range(self.n_deals))

    def shortage(self) -> tuple[tuple[int, ...], int, int] | None:
        """Why no deal fits the first case: places that together lack more tiles than may be there.

        By Hall's theorem (1935) there are such places if, and only if, no deal fits.

        Returns
        -------
        places
            The fewest that show it.
        lacking
            Hidden tiles that must be there.
        possible
            Hidden tiles that may be there.
        """
        places = [place for place, size in enumerate(self.sizes) if size]
        for n in range(1, len(places) + 1):
            for group in combinations(places, n):
                mask = sum(1 << place for place in group)
                lacking = sum(self.sizes[place] for place in group)
                possible = sum(1 for may in self.cases[0] if may & mask)
                if possible < lacking:
                    return group, lacking, possible
        return None
