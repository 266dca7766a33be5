"""Finds the cubes of a list that may intersect another cube, without testing every cube of the list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fewest.grounding.facts import ProvisionalFacts
from fewest.grounding.partial import PartialState


class CompatibleCubes:
    """A list of cubes, divided by the true facts about one variable or piece.

    The subject is the one that most cubes of the list determine. Two cubes that determine different facts about it do
    not intersect.
    """

    def __init__(self, cubes: Sequence[PartialState], facts: ProvisionalFacts) -> None:
        self._cubes, self._facts = cubes, facts
        subjects = Counter(
            subject
            for cube in cubes
            for fact in cube.positive
            if (subject := facts.subject_of(fact)) is not None
        )
        self._subject = max(subjects, key=lambda subject: subjects[subject], default=None)
        self._numbers: dict[int | None, list[int]] = {}
        for number, cube in enumerate(cubes):
            self._numbers.setdefault(self._fact_about_subject(cube), []).append(number)

    def _fact_about_subject(self, cube: PartialState) -> int | None:
        subject_of = self._facts.subject_of
        return next((f for f in cube.positive if subject_of(f) == self._subject), None)

    def with_cube(self, cube: PartialState) -> Sequence[PartialState]:
        """The cubes that may intersect a cube, in the order of the list."""
        if self._subject is None:
            return self._cubes
        fact = self._fact_about_subject(cube)
        if fact is None:
            return self._cubes
        numbers = sorted(self._numbers.get(fact, []) + self._numbers.get(None, []))
        return [self._cubes[number] for number in numbers]
