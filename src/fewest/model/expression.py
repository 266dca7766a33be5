"""Parsed expressions: checked closures over names and over the state that they read.

`reading.expressions` creates the expressions. A `View` provides the values of variables and cells. For a position, all
of these values are known; for a partial state, the view may raise an exception that leads to a case split
(`grounding.view`). Therefore, no code here catches exceptions that a view raises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from msgspec import Struct, structs

MAX_TEXT = 4_000  # The maximum number of characters in an expression.
MAX_DEPTH = 60  # The maximum depth of nested operations in an expression.
MAX_STEPS = 1_000_000  # The maximum number of operations in one evaluation.
MAX_BITS = 4_096  # The maximum number of bits in an integer.
MAX_LENGTH = 100_000  # The maximum number of elements in a text, a list or a range.


# A number, a word, or a table of numbers and words that is indexed by number or by key.
Value: TypeAlias = "int | str | Sequence[Value] | Mapping[int | str, Value]"

Indices: TypeAlias = tuple[int | str, ...]
"""The indices of a variable, in the order of its name: `(0, "left")` for `x[0, left]`."""


class ExpressionError(Exception):
    """Raised for an expression that cannot be read or evaluated.

    `code` is the stable error code. `line` (from 0) and `offset` (in characters) locate the mistake in the text;
    `length` is its number of characters.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        line: int = 0,
        offset: int = 0,
        length: int = 1,
        hint: str = "",
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.line = line
        self.offset = offset
        self.length = max(1, length)
        self.hint = hint


class View(Protocol):
    """The interface through which expressions read a state."""

    def variable(self, slot: int) -> int | str: ...
    def variable_is(self, slot: int, value: object) -> bool: ...
    def content(self, row: int, column: int, layer: int) -> Content: ...
    def place(self, name: str) -> tuple[int, int]: ...
    def count(self, name: str, area: Area | None) -> int: ...
    def count_is(
        self,
        counted: Sequence[tuple[str, Area | None]],
        holds: Callable[[int], bool],
        less: Sequence[tuple[str, Area | None]] = (),
    ) -> bool: ...
    def ground(self, row: int, column: int) -> Ground: ...
    def sees(self, one: str, other: str) -> bool: ...
    def can(self, rule: str) -> bool: ...


class Area(Struct, frozen=True):
    """Cells selected by their terrain: the cells with any of these terrains or, if `is_negated` is true, the cells with
    none of them. `floor` means cells without terrain.
    """

    terrains: tuple[str, ...]
    is_negated: bool = False


class Content(Struct, frozen=True):
    """The content of a cell. It compares equal to its kind (with or without its colour) and to its letter."""

    kind: str
    label: str | None = None
    any_colour: str | None = None

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Content):
            return (self.kind, self.label) == (other.kind, other.label)
        word = str(int(other)) if isinstance(other, int) else other  # a letter can be a digit
        return isinstance(word, str) and word in (self.kind, self.label, self.any_colour)

    def __ne__(self, other: object) -> bool:
        # defined here, because the inherited method would not use __eq__
        return not self.__eq__(other)

    def __hash__(self) -> int:
        return hash(self.kind)


class Ground(Struct, frozen=True):
    """The terrain of a cell, regardless of its content. It compares equal to the name of each terrain of the cell; to
    `floor` if the cell has no terrain; to `wall` if it is a wall.
    """

    names: frozenset[str]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Ground):
            return self.names == other.names
        word = str(int(other)) if isinstance(other, int) else other
        return isinstance(word, str) and word in self.names

    def __ne__(self, other: object) -> bool:
        return not self == other  # the inherited method of Struct would compare identities

    def __hash__(self) -> int:
        return hash(self.names)


class Scope(Struct, frozen=True):
    """The names that an expression may use.

    `values` contains the names of parameters, constants and the indices of `for`; `slots` maps the name of a variable
    to the slot of each of its indices (`{(): 3}` for a scalar variable); `symbols` contains the words that stand for
    themselves, such as kinds, letters, values of variables, terrains and directions.
    """

    values: frozenset[str] = frozenset()
    slots: Mapping[str, Mapping[Indices, int]] = {}
    symbols: frozenset[str] = frozenset()
    has_board: bool = False
    pieces: frozenset[str] = frozenset()
    single: frozenset[str] = frozenset()  # the words that mean exactly one piece
    terrains: frozenset[str] = frozenset()
    rules: frozenset[str] = frozenset()  # The names of rules under `moves`.
    # The names of rules that are commands to several pieces.
    orders: frozenset[str] = frozenset()
    # Maps the number of a layer in the document to its index, counted from the lowest layer.
    layers: Mapping[int, int] = {}
    # The geometry determines which directions are to the left and to the right.
    geometry: str = "square"
    consequences: frozenset[str] = frozenset()  # The names of rules under `then`.
    # Variables that can be a word, each with such a word.
    word_values: Mapping[str, str] = {}

    def with_names(self, names: Sequence[str]) -> Scope:
        return structs.replace(self, values=self.values | frozenset(names))


class Env:
    """The environment of one evaluation: the names in scope, the state, and the remaining number of steps."""

    __slots__ = ("names", "steps", "view")

    def __init__(self, names: Mapping[str, Any], view: View | None = None) -> None:
        self.names: dict[str, Any] = dict(names)
        self.view = view
        self.steps = MAX_STEPS


Closure = Callable[[Env], Any]


class Test(Struct, frozen=True):
    """An elementary part of a formula.

    If the test is whether a variable has (or does not have) a value, `value` returns the slot, the value, and whether
    the variable must have it. For all other tests, `value` is None. `value` raises the same exceptions as `holds`.
    `reads_state`: whether the result can differ between states. `rule`: for a test `can(RULE)`, the name of the rule.
    """

    holds: Callable[[View], bool]
    value: Callable[[], tuple[int, Any, bool]] | None = None
    reads_state: bool = True
    rule: str | None = None
    is_negated: bool = False

    def negated(self) -> Test:
        """The negation of the test."""
        holds, value = self.holds, self.value

        def opposite() -> tuple[int, Any, bool]:
            assert value is not None, "there is a value"
            slot, wanted, is_same = value()
            return slot, wanted, not is_same

        return Test(
            lambda view: not holds(view),
            None if value is None else opposite,
            self.reads_state,
            self.rule,
            not self.is_negated,
        )


class Junction(Struct, frozen=True):
    """A conjunction or disjunction of parts, in the order of their evaluation."""

    is_all: bool
    parts: Iterable[Formula]


Formula: TypeAlias = "Junction | Test"
"""An expression as tests that `and` and `or` combine; each part can be evaluated separately."""


def _same(error: ExpressionError) -> Exception:
    return error


def _one_test(run: Closure) -> Callable[[Env], Formula]:
    def formula(env: Env) -> Formula:
        names = env.names
        return Test(lambda view: bool(run(Env(names, view))))

    return formula


class _Parsed(Struct, frozen=True, eq=False):
    """A text and the results of analysing it. Equality ignores the fields that are functions."""

    def _content(self) -> tuple[object, ...]:
        return tuple(
            getattr(self, name)
            for name in self.__struct_fields__
            if name not in ("run", "loop", "error_for", "parted")
        )

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._content() == other._content()

    def __ne__(self, other: object) -> bool:
        return not self.__eq__(other)  # the inherited method of Struct would compare identities

    def __hash__(self) -> int:
        return hash(self._content())


class Expression(_Parsed, frozen=True, eq=False):
    """A checked expression. `evaluate` computes its value; `reads_state`: whether it reads the view."""

    text: str
    run: Closure
    reads_state: bool
    names_pieces: frozenset[str]
    places_pieces: frozenset[str]  # The words that appear in calls of `row` and `col`.
    tested_rules: frozenset[str] = frozenset()  # The rules that the expression tests with `can`.
    # Converts an error of the evaluation to an error with a location in the document.
    error_for: Callable[[ExpressionError], Exception] = _same
    # The expression as a formula; None if the expression has no parts.
    parted: Callable[[Env], Formula] | None = None

    def __repr__(self) -> str:
        return f"<Expression {self.text}>"

    def formula(self, names: Mapping[str, Any], view: View) -> Formula:
        """The expression as a formula; loops in it may read the view.

        Iterating over parts, or testing a part, may raise an ExpressionError that `error_for` has not handled, or an
        exception of the view. This may happen even if `evaluate` would not reach this part, because parts are
        independent of each other.
        """
        return (self.parted or _one_test(self.run))(Env(names, view))

    def after(self, first: Expression) -> Expression:
        """The conjunction of a first condition and this condition. This condition is evaluated only if the first one is
        true.
        """
        earlier, later = (each.parted or _one_test(each.run) for each in (first, self))
        return Expression(
            f"({first.text}) and ({self.text})",
            lambda env: bool(first.evaluate_in(env)) and bool(self.evaluate_in(env)),
            first.reads_state or self.reads_state,
            first.names_pieces | self.names_pieces,
            first.places_pieces | self.places_pieces,
            first.tested_rules | self.tested_rules,
            parted=lambda env: Junction(True, [earlier(env), later(env)]),
        )

    def evaluate(self, names: Mapping[str, Any], view: View | None = None) -> Any:
        """The value of the expression. Raises the exception that `error_for` returns; the view may raise any other."""
        return self.evaluate_in(Env(names, view))

    def evaluate_in(self, env: Env) -> Any:
        """The value in an existing environment, for example, the environment of a loop in a `set`."""
        try:
            return self.run(env)
        except ExpressionError as error:
            raise self.error_for(error) from None


class Target(_Parsed, frozen=True, eq=False):
    """The left side of a `set`: a variable, its index expressions, and loops around it."""

    text: str
    run: Callable[[Env], int]  # The slot of the variable.
    loop_names: tuple[str, ...]
    tested_rules: frozenset[str] = frozenset()
    names_pieces: frozenset[str] = frozenset()
    error_for: Callable[[ExpressionError], Exception] = _same
    # The environments of the loops; None if there are no loops.
    loop: Callable[[Env], Iterator[Env]] | None = None

    def __repr__(self) -> str:
        return f"<Target {self.text}>"

    def assignments(self, env: Env) -> Iterable[tuple[int, Env]]:
        """The slots to set, each with the environment for evaluating its value."""
        if self.loop is not None:
            return self._in_loop(self.loop, env)
        try:
            return ((self.run(env), env),)
        except ExpressionError as error:
            raise self.error_for(error) from None

    def _in_loop(self, loop: Callable[[Env], Iterator[Env]], env: Env) -> Iterator[tuple[int, Env]]:
        try:
            for inner in loop(env):
                yield self.run(inner), inner
        except ExpressionError as error:
            raise self.error_for(error) from None


def out_of_range(name: str, value: object, values: Sequence[object]) -> ExpressionError:
    """The error for an assigned value that is not one of the values of the variable."""
    hint = "exclude such moves with `when`"
    written = str(value) if isinstance(value, (int, str)) else "a list"
    if isinstance(value, (Content, Ground)):
        written = "the content of a cell" if isinstance(value, Content) else "the terrain of a cell"
        hint = "compare it with each word, as in `a if cell(0, 1) == a else b`"
    elif value in (0, 1) and not {"true", "false", "yes", "no"}.isdisjoint(map(str, values)):
        hint = "a truth value is 0 or 1, so write `values: [0, 1]`"
    return ExpressionError(
        "value-out-of-range",
        f"this assignment sets `{name}` to {written}, which is not a value of `{name}`",
        hint=hint,
    )
