"""The title that resembles a query most, by `difflib`'s ratio, found fast and exactly.

``difflib`` finds the longest common block of two texts, then the longest ones left and right of it, and so
on. Its ratio is twice the length of all these blocks over the length of both texts. Its Python loops take
a millisecond for ten titles, most of an environment step. Here one integer holds a text position a bit, so
that one machine operation moves many comparisons at once; and titles whose longest common *subsequence*
with the query is too short to win, which bounds the blocks from above, are not measured at all.
"""

from collections.abc import Iterable
from difflib import SequenceMatcher

# From this length on, difflib disregards frequent characters: left to difflib itself.
_AUTOJUNK_LENGTH = 200


def similarity(query: str, title: str) -> float:
    """Compute ``difflib.SequenceMatcher(None, query, title).ratio()``.

    Parameters
    ----------
    query, title : str
        Compared as they are.

    Returns
    -------
    float
        In 0..1.
    """
    return _Title(title).ratio(query)


class _Title:
    """One title, prepared to be compared with many queries."""

    def __init__(self, lower: str) -> None:
        self.lower = lower
        self.length = len(lower)
        self._matcher: SequenceMatcher[str] | None = None
        if self.length >= _AUTOJUNK_LENGTH:
            self._matcher = SequenceMatcher(None, "", lower)
        # A row of the comparison matrix: one bit a position of the title, and a zero bit at its end, which
        # keeps a diagonal from running on into the next row. Whole bytes, so that rows can be joined.
        self.n_bytes = self.length // 8 + 1
        rows: dict[str, int] = {}
        for position, character in enumerate(lower):
            rows[character] = rows.get(character, 0) | 1 << position
        self._rows = {character: bits.to_bytes(self.n_bytes, "little") for character, bits in rows.items()}
        self._zero_row = bytes(self.n_bytes)

    def ratio(self, query: str) -> float:
        total = len(query) + self.length
        if not total:
            return 1.0
        if self._matcher is not None:
            self._matcher.set_seq1(query)
            return self._matcher.ratio()
        return 2.0 * self._n_matched(query) / total

    def _n_matched(self, query: str) -> int:
        """Count the characters in all common blocks."""
        width = 8 * self.n_bytes
        rows, zero = self._rows, self._zero_row
        matrix = int.from_bytes(b"".join([rows.get(character, zero) for character in query]), "little")
        ones = int.from_bytes((b"\x01" + bytes(self.n_bytes - 1)) * len(query), "little")
        matched = 0
        pending = [(0, len(query), 0, self.length)]
        while pending:
            top, bottom, left, right = pending.pop()
            columns = (1 << right) - (1 << left)
            rectangle = ((ones >> width * (len(query) - (bottom - top))) << top * width) * columns
            cells = matrix & rectangle
            if not cells:
                continue
            # A cell survives the n-th round if a common block of n + 1 characters begins there.
            size, begins, shifted = 1, cells, cells
            while True:
                shifted >>= width + 1
                longer = begins & shifted
                if not longer:
                    break
                size, begins = size + 1, longer
            # difflib takes the block that begins first in the query, then first in the title: the lowest bit.
            row, column = divmod((begins & -begins).bit_length() - 1, width)
            matched += size
            if top < row and left < column:
                pending.append((top, row, left, column))
            if row + size < bottom and column + size < right:
                pending.append((row + size, bottom, column + size, right))
        return matched


class TitleMatcher:
    """Finds the most similar of a few titles.

    Parameters
    ----------
    titles : iterable of str
        In the order that decides ties.
    """

    def __init__(self, titles: Iterable[str]) -> None:
        self.titles = tuple(titles)
        self._titles = [_Title(title.lower()) for title in self.titles]
        self._by_lower: dict[str, str] = {}
        for title in self.titles:
            self._by_lower.setdefault(title.lower(), title)
        self._lay_out()

    def _lay_out(self) -> None:
        """Put all titles into one integer, a bit a character, with a zero bit after each title."""
        self._positions: dict[str, int] = {}
        self._spans: list[tuple[int, int, int]] = []
        self._all = 0
        start = 0
        for title in self._titles:
            ones = (1 << title.length) - 1
            self._spans.append((start, ones, title.length))
            self._all |= ones << start
            for position, character in enumerate(title.lower, start):
                self._positions[character] = self._positions.get(character, 0) | 1 << position
            start += title.length + 1

    def best(self, query: str, above: float = -1.0) -> str | None:
        """Return the title equal to the query, ignoring case, else the most similar one.

        Parameters
        ----------
        query : str
            Any text.
        above : float, default -1
            A similar title counts only with a ratio over this.

        Returns
        -------
        str or None
            The first of equals; None if no title counts.
        """
        lower = query.lower()
        if lower in self._by_lower:
            return self._by_lower[lower]
        bounds = self._upper_bounds(lower)
        best, best_ratio = len(bounds), above
        for index in sorted(range(len(bounds)), key=bounds.__getitem__, reverse=True):
            if bounds[index] < best_ratio:
                break
            ratio = self._titles[index].ratio(lower)
            if ratio > best_ratio or (ratio == best_ratio and index < best < len(bounds)):
                best, best_ratio = index, ratio
        return self.titles[best] if best < len(bounds) else None

    def _upper_bounds(self, query: str) -> list[float]:
        """Bound each title's ratio from above, by the longest common subsequence in place of the blocks.

        The subsequences of all titles are worked out at once, by the recurrence of Hyyrö (2004),
        "Bit-parallel LCS-length computation revisited": a zero bit is a matched character, and a carry
        that leaves a title falls on the bit between two of them, which is cleared.
        """
        unmatched, everything = self._all, self._all
        for positions in map(self._positions.get, query):
            if positions is not None:
                hits = unmatched & positions
                unmatched = ((unmatched + hits) | (unmatched - hits)) & everything
        n = len(query)
        return [
            2.0 * (length - (unmatched >> start & ones).bit_count()) / (n + length)
            for start, ones, length in self._spans
        ]
