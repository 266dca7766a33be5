"""Reads directions that depend on loops, constants and variables, such as `directions: d` or `directions:
left_of(facing)`.

Each binding of the rule gets its own directions. If a variable determines the direction, the binding is split into one
binding for each possible direction; each of them has the condition that this direction is the value of the variable.
For consequences, the order of directions matters: every direction has its own binding, in the order of the document.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from fewest.model.board import DIRECTION_GROUPS, GRAPH, HEXAGONAL, TRIANGULAR, Direction
from fewest.model.expression import Expression, ExpressionError, Scope
from fewest.model.rules import Guard, Names
from fewest.reading.context import Context, Path
from fewest.reading.directions import DIRECTION_WORDS, read_directions
from fewest.reading.expressions import parse_expression
from fewest.reading.turned import DIRECTION_HINT, TURNING, turned

HEADING = "__heading"
"""the name for the direction of a binding if a variable determines this direction"""
PART = "__part"
"""the name for the number of the part of `directions` that determines this direction"""

_Raw = str | Sequence[object]
_Directions = tuple[Direction, ...]
_Resolve = Callable[[Path, object], _Directions | None]


class DirectedGuard(Struct, frozen=True):
    """A guard and its directions. `directions` is the union of the directions of all bindings; `origins` contains, for
    each binding of the guard, the index of the binding in the original guard.
    """

    guard: Guard
    directions: _Directions
    origins: tuple[int, ...]


class _DirectionExpression(Struct, frozen=True):
    """A part of `directions` that is an expression."""

    text: str
    path: Path
    expression: Expression

    @property
    def reads_position(self) -> bool:
        """Whether the direction is known only in a position. `terrain` is the same in all positions, but expressions
        read it through a position.
        """
        return self.expression.reads_state or "terrain" in re.findall(r"\w+", self.text)


def has_direction_expressions(context: Context, raw: _Raw, loops: Sequence[str]) -> bool:
    """Whether a `directions` key contains expressions."""
    words = (word for text, _ in _texts((), raw) for _, word in direction_parts(text))
    return any(_is_expression(context, word, loops, ()) for word in words)


def read_direction_expressions(
    context: Context,
    path: Path,
    raw: _Raw,
    guard: Guard,
    words: Sequence[str] | None = None,
    resolve: _Resolve | None = None,
    *,
    is_ordered: bool = False,
) -> DirectedGuard | None:
    """The guard with the directions of each binding; None if a mistake was reported.

    With `is_ordered`, every direction has its own binding, in the order of the document. `words` are the possible words
    for directions, and `resolve` returns the directions of a word; by default, these are the directions of the board.
    """
    resolve = partial(read_directions, context) if resolve is None else resolve
    expressions: list[_DirectionExpression] = []
    written: list[object] = []  # words, offsets and expressions, in the order of the document
    for item, here in _items(path, raw):
        if not isinstance(item, str):
            written.append(item)
            continue
        for start, word in direction_parts(item):
            if not _is_expression(context, word, guard.loop_names, words or ()):
                written.append(word)
                continue
            padded = " " * start + word
            scope = context.scope.with_names(guard.loop_names)
            expression = context.expression(here, padded, scope)
            if expression is None:
                return None
            expressions.append(_DirectionExpression(word, here, expression))
            written.append(expressions[-1])
    plain = [each for each in written if not isinstance(each, _DirectionExpression)]
    known = _DirectionCache(context, path, resolve)
    always = known.directions(path, plain) if plain else ()
    if always is None:
        return None
    if not expressions:
        return DirectedGuard(guard, tuple(dict.fromkeys(always)), tuple(range(len(guard.bindings))))
    moving = [each for each in expressions if each.reads_position]
    fixed = [each for each in expressions if not each.reads_position]
    if words is None and not _allows_values(context, moving, known):
        return None
    candidates = _candidates(context, guard, moving, words) if moving else ()
    if moving and not candidates:
        context.error(
            moving[0].path,
            "unknown-direction",
            f"the value of `{moving[0].text}` is never a direction of this board",
            hint="give the variable directions as values, such as [up, right, down, left]",
        )
        return None
    bindings: list[Names] = []
    of_bindings: list[_Directions] = []
    origins: list[int] = []
    for binding, names in enumerate(guard.bindings):
        if is_ordered:
            in_order = list(_in_order(path, written, known, candidates, names))
            if any(own is None for _, own in in_order):
                return None
            for mark, own in in_order:
                if own is not None:
                    bindings.append({**names, **mark} if moving else names)
                    of_bindings.append((own,))
                    origins.append(binding)
            continue
        in_any_case = [*always]
        for each in fixed:
            found = known.directions(each.path, each.expression.evaluate(names))
            if found is None:
                return None
            in_any_case += found
        parts = [("", tuple(dict.fromkeys(in_any_case)))]
        for word in candidates:
            found = known.directions(path, word)
            assert found is not None, "it is one of the words that mean directions"
            parts.append((word, tuple(each for each in found if each not in in_any_case)))
        for word, found in parts:
            if found:
                bindings.append({**names, HEADING: word} if moving else names)
                of_bindings.append(found)
                origins.append(binding)
    when = guard.when
    if moving:
        test = _test(context, path, moving, guard, written if is_ordered else ())
        when = test if when is None else when.after(test)
    labels = tuple(guard.labels[binding] for binding in origins) if guard.labels else ()
    headed = replace(
        guard,
        bindings=tuple(bindings),
        when=when,
        directions_of_binding=tuple(of_bindings),
        labels=labels,
    )
    return DirectedGuard(
        headed,
        tuple(dict.fromkeys(each for own in of_bindings for each in own)),
        tuple(origins),
    )


def directed(
    context: Context, path: Path, raw: _Raw | None, guard: Guard
) -> tuple[Guard, _Directions | None]:
    """The guard of a rule with directions of the board, and all of these directions. The directions are None if there
    is no `directions` key, or if a mistake was reported.
    """
    if raw is None:
        return guard, None
    if not has_direction_expressions(context, raw, guard.loop_names):
        return guard, read_directions(context, path, raw)
    headed = read_direction_expressions(context, path, raw, guard, is_ordered=path[:1] == ("then",))
    return (guard, None) if headed is None else (headed.guard, headed.directions)


def read_turns(
    context: Context,
    path: Path,
    raw: _Raw,
    guard: Guard,
    known: Mapping[str, _Directions],
    what: str,
) -> DirectedGuard | None:
    """The guard and the directions of a rule that defines its own directions (`known`), such as the directions of a
    ring; None if a mistake was reported.
    """

    def resolve(here: Path, value: object) -> _Directions | None:
        word = " ".join(value) if isinstance(value, list) else str(value)
        if word not in known:
            context.unknown(here, "unknown-direction", what, word, list(known))
        return known.get(word)

    return read_direction_expressions(context, path, raw, guard, list(known), resolve)


class _DirectionCache:
    """A cache of the directions that words and offsets denote."""

    def __init__(self, context: Context, path: Path, resolve: _Resolve) -> None:
        self.context, self.path, self.resolve = context, path, resolve
        self.found: dict[str, _Directions | None] = {}

    def directions(self, path: Path, value: object) -> _Directions | None:
        """The directions for a value; None if a mistake was reported."""
        if not isinstance(value, (str, list)):
            message = "expected a direction"
            self.context.error(path, "wrong-type", message, found=str(value), hint=DIRECTION_HINT)
            return None
        key = repr(value)
        if key not in self.found:
            self.found[key] = self.resolve(path, value)
        return self.found[key]


def _in_order(
    path: Path,
    written: Sequence[object],
    known: _DirectionCache,
    candidates: Sequence[str],
    names: Names,
) -> Iterator[tuple[Names, Direction | None]]:
    """The directions of a binding in the order of the document. Each of them has names that state when it is a
    direction of the rule. The last direction is None if a mistake was reported.
    """
    certain: set[Direction] = set()
    for part, item in enumerate(written):
        if isinstance(item, _DirectionExpression) and item.reads_position:
            for word in candidates:
                for each in known.directions(path, word) or ():
                    if each not in certain:
                        yield {HEADING: word, PART: part}, each
            continue
        if isinstance(item, _DirectionExpression):
            found = known.directions(item.path, item.expression.evaluate(names))
        else:
            found = known.directions(path, [item])
        if found is None:
            yield {}, None
            return
        for each in found:
            if each not in certain:
                certain.add(each)
                yield {HEADING: "", PART: part}, each


def without_heading(names: Names) -> Names:
    """The names of a binding without those that the directions add."""
    return {name: value for name, value in names.items() if name not in (HEADING, PART)}


def _items(path: Path, raw: _Raw) -> Iterator[tuple[object, Path]]:
    """The texts and offsets of a `directions` key, each with its path in the document."""
    if isinstance(raw, str):
        yield raw, path
        return
    for index, item in enumerate(raw):
        yield item, (*path, index)


def _texts(path: Path, raw: _Raw) -> Iterator[tuple[str, Path]]:
    """The texts of a `directions` key, each with its path in the document."""
    return ((item, here) for item, here in _items(path, raw) if isinstance(item, str))


def direction_parts(text: str) -> Iterator[tuple[int, str]]:
    """The parts of a text between blanks, each with the column (from 0) where it starts. Blanks within parentheses do
    not divide the text.
    """
    depth, start = 0, 0
    for at, character in enumerate(f"{text} "):
        depth += (character in "([") - (character in ")]")
        if character.isspace() and depth <= 0:
            if text[start:at].strip():
                yield start, text[start:at]
            start = at + 1


def _is_expression(context: Context, word: str, loops: Sequence[str], words: Sequence[str]) -> bool:
    if (
        word in words
        or word in DIRECTION_WORDS
        or (context.board is not None and word in context.board.kinds)
    ):
        return False
    name = re.match(r"\w+", word)
    if name is None:
        return False
    is_known = name[0] in loops or name[0] in context.names or name[0] in context.scope.slots
    return is_known if name[0] == word else word[name.end()] in "(["


def _words_of_board(context: Context) -> list[str]:
    """The words that can be values of a variable that determines the direction of a rule."""
    board = context.board
    assert board is not None, "a rule of pieces has a board"
    if board.geometry == GRAPH:
        return [*board.kinds]
    words = [*DIRECTION_GROUPS, "hex"]
    if board.geometry in TRIANGULAR:
        words.append("strips")
    if context.document.levels is not None:
        words += ["above", "below"]
    return words


def _allows_values(
    context: Context, moving: Sequence[_DirectionExpression], known: _DirectionCache
) -> bool:
    """Whether no variable has a value that is a word for directions but means none on this board, such as `along`.
    Reports the first such value.
    """
    board = context.board
    if board is None or board.geometry == GRAPH:
        return True
    allowed = _words_of_board(context)
    for each in moving:
        for name in re.findall(r"\w+", re.sub(r"\[[^]]*\]", "", each.text)):
            for word in sorted(context.variable_words.get(name, ())):
                if word in DIRECTION_WORDS and word not in allowed:
                    return known.directions(each.path, word) is not None
    return True


def _candidates(
    context: Context,
    guard: Guard,
    moving: Sequence[_DirectionExpression],
    words: Sequence[str] | None,
) -> tuple[str, ...]:
    """The words for directions that can be values of the variables."""
    board = context.board
    assert board is not None, "a rule of pieces has a board"
    if words is None:
        words = _words_of_board(context)
    named = {name for each in moving for name in re.findall(r"[\w-]+", each.text)}
    possible = named.union(*(context.variable_words.get(name, ()) for name in named))
    if not named.isdisjoint(context.constants):
        possible |= context.words
    for names in guard.bindings:
        possible.update(value for value in names.values() if isinstance(value, str))
    found = possible.intersection(words)
    if any("+" in each.text or "*" in each.text for each in moving):
        # The expression can join the word from other texts. `hex` means different directions on different boards.
        found = {word for word in words if word != "hex" or board.geometry in HEXAGONAL}
    if board.geometry != GRAPH and any(
        f"{name}(" in each.text for name in TURNING for each in moving
    ):
        near = {turned(board.geometry, name, word) for name in TURNING for word in found}
        while not near <= found:
            found |= near
            near = {turned(board.geometry, name, word) for name in TURNING for word in found}
        found = found.intersection(words)
    return tuple(word for word in words if word in found)


def _test(
    context: Context,
    path: Path,
    moving: Sequence[_DirectionExpression],
    guard: Guard,
    written: Sequence[object],
) -> Expression:
    """The condition that the direction of the binding is the value of one of the expressions `moving`, or that no
    variable determines this direction. If `written` is not empty, the value must be that of the binding's own part.
    """
    names = [HEADING, PART] if written else [HEADING]
    scope: Scope = context.scope.with_names([*guard.loop_names, *names])
    parts = [f'{HEADING} == ""']
    if written:
        parts += [
            f"{PART} == {number} and ({each.text}) == {HEADING}"
            for number, each in enumerate(written)
            if isinstance(each, _DirectionExpression) and each.reads_position
        ]
    else:
        parts += [f"({each.text}) == {HEADING}" for each in moving]
    found = parse_expression(" or ".join(parts), scope)

    def error_for(error: ExpressionError) -> Exception:
        whole = ExpressionError(error.code, error.message, hint=error.hint)
        return context.error_for(path, whole)

    return replace(found, error_for=error_for)
