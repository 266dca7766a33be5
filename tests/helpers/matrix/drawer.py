"""The base of classes that draw a part of a random document."""

from __future__ import annotations

from random import Random

from tests.helpers.matrix.agenda import Agenda
from tests.helpers.matrix.boards import Drawing
from tests.helpers.matrix.constructs import EXPRESSIONS
from tests.helpers.matrix.expressions import Surroundings, condition


class Drawer:
    """Draws a part of a document for a board."""

    def __init__(self, rng: Random, agenda: Agenda, board: Drawing, around: Surroundings) -> None:
        self.rng, self.agenda, self.board, self.around = rng, agenda, board, around

    def _only(self, context: str, row: str | None = None) -> bool:
        only = self.agenda.only
        return only is not None and only[0] == context and (row is None or only[1] == row)

    def _conditions(self, context: str) -> str:
        """A condition with one or several constructs that the context lacks."""
        rng, agenda = self.rng, self.agenda
        number = 1 if agenda.only is not None else rng.choice([1, 1, 2, 3])
        rows = [agenda.choose(rng, context, EXPRESSIONS) or "compare Eq" for _ in range(number)]
        if self._only(context) or (agenda.is_looked_at and context == "goal.expr"):
            rows += agenda.more
            number = len(rows)
        found = []
        for row in rows:
            found.append(condition(self.around, row, is_bare=agenda.only is not None or number > 1))
        if number == 1:
            return found[0]
        return f" {rng.choice(['and', 'or', 'or'])} ".join(
            f"({part})" if " if " in part else part for part in found
        )
