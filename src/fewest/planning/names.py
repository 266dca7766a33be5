"""Readable names that the parsers of all planners accept, as in the move `slide_x-2-3_right2` and the fact
`(at x c2-3)`.

Names consist of lower-case letters, digits, `-` and `_`, and begin with a letter. Accents are removed. Any other letter
outside ASCII is written as its code (`曹` is `u66f9`), which the symbol table explains.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import groupby
from unicodedata import combining, normalize

from fewest.model.puzzle import PieceClass, Puzzle
from fewest.model.task import Fact, Operator, PermutationOperator, facts_in
from fewest.planning.macros import MacroOperator
from fewest.planning.task import PlanningTask

# Words of PDDL that some parsers do not accept as names.
_RESERVED = frozenset(
    {
        "action",
        "always",
        "and",
        "assign",
        "at-end",
        "at-most-once",
        "at-start",
        "axiom",
        "decrease",
        "define",
        "domain",
        "either",
        "exists",
        "forall",
        "imply",
        "increase",
        "initial",
        "maximize",
        "metric",
        "minimize",
        "not",
        "number",
        "object",
        "or",
        "over",
        "preference",
        "problem",
        "scale-down",
        "scale-up",
        "sometime",
        "total-cost",
        "total-time",
        "undefined",
        "when",
        "within",
    }
)


class PlanningNames:
    """The names of the facts and moves in a puzzle's planning task.

    The constants in `classes`, `cells`, `variables` and `values` are all distinct. `terms[f]` is fact f as a predicate
    and its constants; `facts[f]` is fact f as a readable text.
    """

    def __init__(self, puzzle: Puzzle, planning: PlanningTask) -> None:
        self.puzzle = puzzle
        self.planning = planning
        taken: dict[str, str] = {}
        shapes: dict[str, set[tuple[tuple[int, int], ...]]] = {}
        for piece in puzzle.classes:
            shapes.setdefault(piece.label or piece.kind, set()).add(piece.shape)
        self.classes = {
            piece.id: unique(_class_name(piece, shapes), taken) for piece in puzzle.classes
        }
        facts = planning.task.facts
        self.cells = {
            cell: unique(f"c{self.place(cell)}", taken)
            for cell in range(puzzle.board.num_cells if puzzle.board else 0)
        }
        self.variables = {
            slot: unique(name(variable.name), taken)
            for slot, variable in enumerate(puzzle.variables)
        }
        used = dict.fromkeys(fact.value for fact in facts if fact.slot >= 0)
        self.values = {value: unique(name(f"{value}", "v"), taken) for value in used}
        self.terms = [self._term(fact) for fact in facts]
        texts: dict[str, str] = {}
        self.facts = [unique(_one_line(self._text(fact)), texts) for fact in facts]
        for extra in planning.facts[len(facts) :]:  # facts of merged moves and of waits
            self.terms.append((name(extra),))
            self.facts.append(extra)

    def place(self, cell: int) -> str:
        """The name of a cell, made of its row and column: `2-3`."""
        assert self.puzzle.board is not None
        row, column = self.puzzle.board.at(cell)
        return f"{row}-{column}"

    def covered_cells(self) -> list[str]:
        """For each group of `at_most_one`, the name of the cell that it describes. The name includes the layer of the
        cell, except for the lowest layer.
        """
        board = self.puzzle.board
        count: Counter[tuple[int, int]] = Counter()
        for fact in self.planning.task.facts if board else ():
            if fact.class_id >= 0 and board is not None:
                piece = self.puzzle.classes[fact.class_id]
                covered = board.cover(piece.shape, fact.cell) or ()
                count.update((cell, piece.layer) for cell in covered)
        return [
            self.cells[cell] + (f"-layer{layer}" if layer else "")
            for cell, layer in sorted(count)
            if count[cell, layer] > 1
        ]

    def moves(self, moves: Iterable[MacroOperator | None]) -> list[str]:
        """A different name for each move. The move None represents the operator that records that the goal is reached.

        If several moves have the same description, their names also contain the values that they assign to variables.
        If these names are still equal (for example, for rings with different pieces), the moves are numbered.
        """
        moves = list(moves)
        short = ["goal-reached" if move is None else self._move(move) for move in moves]
        count = Counter(short)
        taken: dict[str, str] = {}
        return [
            unique(called + self._new_values(move) if move and count[called] > 1 else called, taken)
            for called, move in zip(short, moves, strict=True)
        ]

    def _move(self, move: MacroOperator) -> str:
        """A description of a move: the rule, the piece and its place (or the ring, or the binding), and the steps."""
        operators = [self.planning.task.moves[index] for index in move.operators]
        if not operators:
            return "wait"
        first = operators[0]
        parts = [first.rule]
        if first.from_fact >= 0:
            fact = self.planning.task.facts[first.from_fact]
            parts.append(f"{self.classes[fact.class_id]}-{self.place(fact.cell)}")
        parts += [name(part) for part in first.words.split(", ") if part]
        if first.ring >= 0 and not first.words:
            parts.append(f"ring-{first.ring}")
        for step, same in groupby(self._step(operator, first) for operator in operators):
            number = len(list(same))
            if step:
                parts.append(step if number == 1 else f"{step}{number}")
        return "_".join(name(part) for part in parts)

    def _new_values(self, move: MacroOperator) -> str:
        facts = self.planning.task.facts
        added = [f for f in facts_in(move.flip & ~move.value) if f < len(facts)]
        return "".join(
            f"_{self.variables[facts[f].slot]}-{name(str(facts[f].value), '')}"
            for f in added
            if facts[f].slot >= 0
        )

    def legend(self) -> list[str]:
        """The meanings of the names of piece classes, and of those names of variables and values that differ from the
        puzzle's names; one name per line.
        """
        rows: list[str] = []
        for piece in self.puzzle.classes:
            pieces = [p for p in self.puzzle.pieces if p.class_id == piece.id]
            called = dict.fromkeys(p.name for p in pieces)
            rows.append(
                f"{self.classes[piece.id]}: {', '.join(called) or piece.kind}, "
                f"{_size(piece)}, {len(pieces)} at the start"
            )
        for slot, variable in enumerate(self.puzzle.variables):
            if name(variable.name) != variable.name:
                rows.append(f"{self.variables[slot]}: {variable.name}")
        for value, called_value in self.values.items():
            if isinstance(value, str) and value != called_value:
                rows.append(f"{called_value}: {value}")
        return [_one_line(row) for row in rows]

    def _term(self, fact: Fact) -> tuple[str, ...]:
        if fact.slot >= 0:
            return "is", self.variables[fact.slot], self.values[fact.value]
        if fact.class_id < 0:  # a hidden fact, such as the fact of a pending command
            return (name(fact.name),)
        return "at", self.classes[fact.class_id], self.cells[fact.cell]

    def _text(self, fact: Fact) -> str:
        if fact.slot >= 0:
            return f"{self.puzzle.variables[fact.slot].name} = {fact.value}"
        if fact.class_id < 0:
            return fact.name
        return f"{self.classes[fact.class_id]} at {self.place(fact.cell)}"

    def _step(
        self, operator: Operator | PermutationOperator, first: Operator | PermutationOperator
    ) -> str:
        """A step of a move: its direction or its target; also its rule, if the sequence contains several rules."""
        step = ""
        if operator.direction is not None and operator.direction.name[0].isalpha():
            step = operator.direction.name
        elif operator.to_fact >= 0:
            step = f"to-{self.place(self.planning.task.facts[operator.to_fact].cell)}"
        return f"{operator.rule}-{step}" if operator.rule != first.rule else step


@lru_cache(maxsize=1 << 12)  # moves repeat the same few words
def name(text: str, prefix: str = "x") -> str:
    """The text, converted to a name. If the name does not begin with a letter, `prefix` precedes it."""
    out: list[str] = []
    for character in normalize("NFKD", text).lower():
        if character.isascii() and (character.isalnum() or character in "-_"):
            out.append(character)
        elif not combining(character):
            out.append(f"u{ord(character):x}" if character.isalnum() else "-")
    minus = "-" if text.startswith("-") else ""
    joined = minus + "-".join(part for part in "".join(out).split("-") if part)
    if not joined[:1].isalpha():
        joined = prefix + joined
    return f"{joined}-" if joined in _RESERVED else joined


def unique(wanted: str, taken: dict[str, str]) -> str:
    """The requested name, followed by a number (2 or more) if it is already taken. The result is marked as taken."""
    found, number = wanted, 1
    while found in taken:
        number += 1
        found = f"{wanted}_{number}"
    taken[found] = wanted
    return found


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _class_name(piece: PieceClass, shapes: Mapping[str, set[tuple[tuple[int, int], ...]]]) -> str:
    """The label of a class (or its kind, if it has no label), with the numbers of its rows and columns if classes with
    the same label or kind have several shapes.
    """
    word = piece.label or piece.kind
    return name(word) if len(shapes[word]) == 1 else name(f"{word}-{_size(piece)}")


def _size(piece: PieceClass) -> str:
    rows = max(row for row, _ in piece.shape) + 1
    columns = max(column for _, column in piece.shape) + 1
    return f"{rows}x{columns}"
