"""Chooses the construct for the next random puzzle of the matrix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from random import Random

from tests.helpers.matrix.constructs import LOOKING, Pair


class Agenda:
    """Chooses constructs, the least drawn ones first; the method `drawn` counts the pairs of each puzzle.

    With `only`, a puzzle has that pair and is otherwise as plain as possible; `more` contains further constructs for
    the same context.
    """

    def __init__(
        self,
        pairs: Collection[Pair],
        refused: Mapping[Pair, str],
        only: Pair | None = None,
        more: Sequence[str] = (),
    ) -> None:
        self.pairs = frozenset(pairs)
        self.refused = refused
        self.only = only
        self.more = more
        self.counts: Counter[Pair] = Counter()
        self.tried: Counter[Pair] = Counter()
        self.boards: set[str] = set()  # board features of the current puzzle

    def choose(self, rng: Random, context: str, rows: Sequence[str]) -> str | None:
        """One of the rows that the context allows; None if it allows none, or if a different pair is wanted."""
        if self.only is not None:
            is_here = self.only[0] == context or (context == "goal.expr" and self.is_looked_at)
            return self.only[1] if is_here and self.only[1] in rows else None
        open_ = [
            row
            for row in rows
            if (context, row) in self.pairs and (context, row) not in self.refused
        ]
        if not open_:
            return None
        if rng.random() < 0.2:
            return rng.choice(open_)

        def weight(row: str) -> tuple[int, int, float]:
            pair = (context, row)
            counts = min(self.counts[pair], 3)
            if counts and row in LOOKING:
                looked = (self.counts[f"looked at: {board}", row] for board in self.boards)
                counts = min(counts, *looked, 3)
            return counts, self.tried[pair], rng.random()

        chosen = min(open_, key=weight)
        self.tried[context, chosen] += 1
        return chosen

    @property
    def is_looked_at(self) -> bool:
        """Whether the wanted pair consists of a feature of the board and an expression about this feature."""
        return self.only is not None and self.only[0].startswith("looked at: ")

    def context(self, rng: Random, contexts: Mapping[str, Sequence[str]]) -> str:
        """A random context; those with many missing pairs are more likely."""
        names = list(contexts)
        if self.only is not None:
            for name in names:
                if self.only[0] == name or self.only[0].startswith(f"{name}."):
                    return name
            return rng.choice(names)
        left = [
            1 + sum(not self.counts[c, row] for c, rows in [(name, contexts[name])] for row in rows)
            for name in names
        ]
        return rng.choices(names, left)[0]

    def chance(self, rng: Random, share: float) -> bool:
        """Whether to add a random part; never, if a specific pair is wanted."""
        return self.only is None and rng.random() < share

    def drawn(self, pairs: Iterable[Pair]) -> None:
        """Count the pairs of a puzzle."""
        self.counts.update(pairs)

    def missing(self) -> list[Pair]:
        """The pairs that the language allows but that occurred in no puzzle."""
        return sorted(p for p in self.pairs if p not in self.refused and not self.counts[p])
