"""Finds the letters that a document distinguishes. Pieces that differ only in other letters form one class.

A document distinguishes the letters that it names. In a puzzle with consequences, it distinguishes all letters if a
rule can exchange pieces. A rule that exchanges pieces of one class changes nothing, so it is not a move, and no
consequences follow; with the letters, the player sees a change.

A condition about a letter that has no class of its own is false for every piece, and a rule about such a letter never
applies, so a letter that is missing here makes minima and verdicts wrong. A letter too many only increases the number
of states. The functions therefore also count each text that an expression could join from other texts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from fewest.errors import Report
from fewest.model.expression import ExpressionError
from fewest.reading.classes import entering_words
from fewest.reading.context import Context
from fewest.reading.document import STRETCH, Directions, MoveEntry
from fewest.reading.drawings import Legend
from fewest.reading.goals import goal_letters, is_drawing
from fewest.reading.layers import AND

_MAX_FILLED = 2_000


def named_letters(context: Context, legend: Legend | None) -> frozenset[str]:
    """The letters and tokens of pieces that the goal, `forbid`, a rule or a terrain names; all letters if consequences
    can follow an exchange of pieces.
    """
    if context.document.then and _can_exchange_pieces(context):
        return context.labels
    reader = _Names(context, legend)
    reader.read_values()
    document = context.document
    for condition in (document.goal, document.forbid):
        reader.words |= goal_letters(condition)
        reader.read_condition(condition)
    for move in (*(document.moves or {}).values(), *(document.then or {}).values()):
        reader.read_rule(move)
    if isinstance(document.terrain, Mapping):
        for spec in document.terrain.values():
            reader.words.update(entering_words(spec) or [])
    return reader.found()


def _can_exchange_pieces(context: Context) -> bool:
    """Whether a rule may move pieces so that equal pieces cover the same cells as before: on a ring of cells, or where
    the board leads a row of pieces that push each other back to its beginning.
    """
    document, board = context.document, context.board
    has_loops = board is not None and (
        board.wraps_rows
        or board.wraps_columns
        or any(target is not None for target in board.exits.values())
    )
    return any(
        rule.cycle is not None
        or rule.cycles is not None
        or (has_loops and (rule.carries is not None or rule.sticky is not None))
        for rule in (*(document.moves or {}).values(), *(document.then or {}).values())
    )


class _Names:
    """Collects the words of a document that can be names of pieces."""

    def __init__(self, context: Context, legend: Legend | None) -> None:
        self.context = context
        self.legend = legend
        # The readers of the clauses report the mistakes, so the mistakes found here are dropped.
        self.quiet = Context(
            context.loaded,
            Report(),
            context.parameters,
            context.constants,
            sizes=context.sizes,
            words=context.words,
            board=context.board,
            kinds=context.kinds,
            labels=context.labels,
            aliases=context.aliases,
            scope=context.scope,
            variable_words=context.variable_words,
        )
        self.words: set[str] = set()
        self.templates: list[re.Pattern[str]] = []  # patterns of the texts that templates can give
        self.joins_texts = False
        self.compares_cells = False

    def found(self) -> frozenset[str]:
        """The letters among the collected words."""
        labels = self.context.labels
        if self.compares_cells:
            return labels
        found = {label for label in labels if label in self.words or self._is_filled(label)}
        if self.joins_texts:
            parts = self.words.union(self.context.kinds)
            found.update(label for label in labels if _is_joined(label, parts))
        return frozenset(found)

    def _is_filled(self, label: str) -> bool:
        return any(template.fullmatch(label) for template in self.templates)

    def read_values(self) -> None:
        """Collect the words in constants and the values of variables."""
        document = self.context.document
        self.words |= self.context.words
        self.words.update(*self.context.variable_words.values())
        for spec in (document.variables or {}).values():
            self._read_loops(spec.for_)

    def read_rule(self, move: MoveEntry) -> None:
        """Collect the words in all clauses of a rule."""
        for kinds in (move.slide, move.together, move.pivot, move.carries, move.sticky):
            self.words.update(word.strip() for word in (kinds or "").split("|"))
        self._read_loops(move.for_)
        self._read_pattern(move)
        loops = list(move.for_ or {})
        if move.when is not None:
            self._read_expression(move.when, loops)
        for key, text in (move.set or {}).items():
            target = self.quiet.target((), key, self.context.scope.with_names(loops))
            if target is not None:
                self.words |= target.names_pieces
                cells = self._read_tree(f"[{key}]")
                self._read_expression(text, [*loops, *target.loop_names], cells)
        self._read_directions(move.directions, loops)

    def _read_directions(self, directions: Directions | None, loops: list[str]) -> None:
        if directions is None:
            return
        from fewest.reading.direction_expressions import direction_parts

        for part in [directions] if isinstance(directions, str) else directions:
            for _, text in direction_parts(part) if isinstance(part, str) else ():
                self._read_expression(text, loops)

    def read_condition(self, condition: object) -> None:
        """Collect the words in the expressions and the drawings of a condition; `goal_letters` finds all others."""
        if isinstance(condition, str):
            self._read_expression(condition, [])
        elif isinstance(condition, list):
            for part in condition:
                self.read_condition(part)
        elif isinstance(condition, Mapping):
            for key, value in condition.items():
                if key in ("all", "any"):
                    self.read_condition(value)
                elif key == "board" and is_drawing(value):
                    self._read_drawing(value)

    def _read_drawing(self, drawing: str | list[list[str]]) -> None:
        if self.legend is None:
            return
        rows: Iterable[Iterable[str]] = drawing
        if isinstance(drawing, str):
            rows = (self.quiet.template((), drawing) or "").split("\n")
        for row in rows:
            for token in row:
                symbol = self.legend.symbol(self.quiet.template((), token) or token)
                if symbol is not None and symbol.label is not None:
                    self.words.add(symbol.label)

    def _read_loops(self, loops: Mapping[str, object] | None) -> None:
        names = {*self.context.names}
        for name, raw in (loops or {}).items():
            for text in _texts(raw):
                if text not in names:
                    self.words.add(text)
                self._read_tree(text, names)
            names.add(name)

    def _read_pattern(self, move: MoveEntry) -> None:
        rows = [row for side in (move.before, move.after) for row in side or []]
        for row in rows:
            for element in [row] if isinstance(row, str) else row:
                for text in self._filled(element, move.for_):
                    for term in text.split(AND):
                        parts = term.strip().removeprefix("not ").replace(STRETCH, "").split()
                        self.words.update(parts[0].split("|") if parts else [])

    def _filled(self, text: str, loops: Mapping[str, object] | None) -> Iterable[str]:
        """The texts that a template gives for all bindings of the loops of its rule. If there are many bindings, the
        method instead adds a pattern that all of these texts match.
        """
        if "{" not in text:
            return [text]
        bindings = self.quiet.bindings((), loops)  # type: ignore[arg-type]
        if 0 < len(bindings) <= _MAX_FILLED:
            filled = [self.quiet.template((), text, names) for names in bindings]
            return {each for each in filled if each is not None}
        for term in text.split(AND):
            word = term.strip().removeprefix("not ").replace(STRETCH, "").split(" on ")[0]
            for name in word.split(" off ")[0].split("|"):
                fixed = map(re.escape, re.split(r"\{[^}]*\}", name))
                self.templates.append(re.compile("(?:.*)".join(fixed), re.DOTALL))
        return []

    def _read_expression(self, text: str, loops: list[str], cells: Iterable[str] = ()) -> None:
        expression = self.quiet.expression((), text, self.context.scope.with_names(loops))
        if expression is not None:
            self.words |= expression.names_pieces
            self._read_tree(text, cells=cells)

    def _read_tree(
        self, text: str, names: Collection[str] | None = None, cells: Iterable[str] = ()
    ) -> set[str]:
        """Collect the texts in an expression, and note whether the expression can join texts or compare cells with each
        other. With `names`, which are the names that have values, the method also collects all other names.

        Returns the names of loops that can have contents of cells as values; `cells` contains such names of other
        loops.
        """
        from fewest.reading.expression_text import parse
        from fewest.reading.expression_words import words_in

        try:
            tree = parse(text)
        except ExpressionError:
            self.words.update(re.findall(r"\w+", text))
            return set()
        found = words_in(tree, names, cells)
        self.words |= found.words
        self.joins_texts |= found.joins_texts
        self.compares_cells |= found.compares_cells
        return found.loops


def _is_joined(label: str, parts: set[str]) -> bool:
    """Whether a label consists of parts, one after the other."""
    ends = {0}
    for end in range(1, len(label) + 1):
        if any(label[start:end] in parts for start in ends):
            ends.add(end)
    return len(label) in ends


def _texts(value: object) -> Iterator[str]:
    """All texts in lists and tables, including the keys of tables."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _texts(key)
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
