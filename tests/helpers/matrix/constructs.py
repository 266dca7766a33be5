"""Lists the matrix: every construct of the language in every context, derived from the types that read documents.

A context is a part of a document: a kind of rule under `moves` or `then`, its `when`, the goal … A construct is a part
that can occur there. A new key, kind of rule, function, operator, direction or value automatically adds its pairs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import msgspec.inspect as inspect

from fewest.model.rules import NO_PIECE
from fewest.reading.board_expressions import BOARD_FUNCTIONS
from fewest.reading.directions import DIRECTION_WORDS
from fewest.reading.document import (
    ConditionMap,
    ConsequenceEntry,
    Document,
    EdgesEntry,
    MetricEntry,
    MoveEntry,
    PieceKind,
    Placement,
    PortalEntry,
    TerrainEntry,
    VariableEntry,
)
from fewest.reading.expression_compiler import ExpressionCompiler
from fewest.reading.expression_values import ARITHMETIC, COMPARISONS, FUNCTIONS
from fewest.reading.rules import OWN_KEYS
from fewest.reading.turned import TURNING

Pair = tuple[str, str]  # context, construct

KINDS = tuple(OWN_KEYS)
_OWN = {key for keys in OWN_KEYS.values() for key in keys}
STAGES = tuple(
    field.encode_name
    for field in inspect.type_info(ConsequenceEntry).fields  # type: ignore[attr-defined]
    if field.name not in MoveEntry.__struct_fields__
)

# -- expressions --------------------------------------------------------------------------------------

NODES = tuple(
    sorted(
        name
        for name, kind in vars(ast).items()
        if isinstance(kind, type)
        and issubclass(kind, ast.expr)
        and hasattr(ExpressionCompiler, "_" + name.lower())
    )
)
OPERATORS = ("and", "or", "not", "-x", "+x")
NAMES = (
    "variable",
    "variable[i]",
    "constant",
    "table[i]",
    "table[i][j]",
    "parameter",
    "loop",
    "inner loop",
    "kind",
    "letter",
    "terrain",
    "word of a variable",
    "empty",
    "wall",
    "floor",
    "True",
    "rows",
    "columns",
)
FORMS = (
    "a < b < c",
    "range(a, b)",
    "range(a, b, c)",
    "min(a, b)",
    "max(a, b)",
    "for … if",
    "for … for",
    "for a, b",
    "variable == variable",
    "variable != constant",
    "variable[variable]",
    "table[variable]",
    "cell == cell",
    "cell == kind",
    "cell == letter",
    "cell == empty",
    "cell == wall",
    "cell == loop",
    "cell in list",
    "cell(variable)",
    "cell(row())",
    "cell(loop)",
    "terrain(variable)",
    "terrain(row())",
    "terrain == terrain",
    "row < row",
    "row(loop)",
    "count < number",
    "count == number",
    "number > count",
    "count in list",
    "count + count < number",
    "count < count",
    "count < variable",
    "count as a number",
    "count(any)",
    "count(any, terrain)",
    "count(loop)",
    "count(loop, terrain)",
    "count(kind, loop)",
    "count(kind, floor)",
    "count(kind, a|b)",
    "count(kind, not a)",
    "sees(any)",
    "sees(loop)",
    "not can",
    "several can",
    "not sees",
    "word + word",
)
EXPRESSIONS = (
    *(f"node {name}" for name in NODES),
    *(f"a {symbol} b" for symbol in ARITHMETIC.values()),
    *(f"compare {op.__name__}" for op in COMPARISONS),
    *OPERATORS,
    *(f"{name}()" for name in (*FUNCTIONS, *TURNING)),
    *(
        f"{name}/{number}"
        for name, (fewest, most) in BOARD_FUNCTIONS.items()
        for number in range(fewest, most + 1)
    ),
    *(f"name: {name}" for name in NAMES),
    *FORMS,
)
TARGETS = ("target", "target[i]", "target[expression]", "target for", "target for … if", "targets")

# Expressions about the board: every function, and the forms that the compiler treats specially.
_LOOKS = ("cell(variable)", "cell(row())", "cell in list", "count < number", "count in list")
LOOKING = (
    *(row for row in EXPRESSIONS if row.partition("/")[0] in BOARD_FUNCTIONS),
    *_LOOKS,
    "count + count < number",
    "count as a number",
    "count(any)",
    "not can",
)


WITH = ("with then", "with together", "with carries", "with sticky", "with whole")


# -- keys -----------------------------------------------------------------------------------------------


def _values(kind: Any) -> list[str]:
    """The possible values of a key, from its type."""
    match kind:
        case inspect.LiteralType():
            return [str(value) for value in kind.values]
        case inspect.UnionType():
            return [value for each in kind.types for value in _values(each)]
        case inspect.Metadata():
            return _values(kind.type)
        case inspect.ListType() | inspect.VarTupleType():
            return _values(kind.item_type)
    return []


def _is_flag(kind: Any) -> bool:
    match kind:
        case inspect.BoolType():
            return True
        case inspect.UnionType():
            return any(map(_is_flag, kind.types))
        case inspect.Metadata():
            return _is_flag(kind.type)
    return False


@cache
def rows_of(struct: type) -> dict[str, tuple[str, ...]]:
    """The rows of each key of a type: one row, or one for each possible value."""
    rows: dict[str, tuple[str, ...]] = {}
    for field in inspect.type_info(struct).fields:  # type: ignore[attr-defined]
        key, values = field.encode_name, _values(field.type)
        if values:
            rows[key] = tuple(f"{key}={value}" for value in values)
        elif _is_flag(field.type):
            rows[key] = (f"{key}={str(field.default is not True).lower()}",)
        else:
            rows[key] = (key,)
    return rows


def _listed(struct: type, keys: Iterable[str] | None = None, prefix: str = "") -> list[str]:
    return [
        prefix + row
        for key, rows in rows_of(struct).items()
        if keys is None or key in keys
        for row in rows
    ]


COMMON = [key for key in rows_of(MoveEntry) if key not in _OWN]
KEYS = {kind: _listed(MoveEntry, (*OWN_KEYS[kind], *COMMON)) for kind in KINDS}
WORDS = ("kind", "letter", "any", "A|B")
WORD_KEYS = ("slide", "together", "pivot", "carries", "sticky")  # keys whose values name pieces
ELEMENTS = (
    *sorted(NO_PIECE),
    "kind",
    "letter",
    "any",
    "A|B",
    "piece|empty",
    "not A",
    "not A|B",
    "not wall",
    "ground",
    "on TERRAIN",
    "off TERRAIN",
    "on A|B",
    "off A|B",
    "on not A",
    "off not A",
    "A & B",
    "A & B in after",
    "A...",
    "empty...",
    "_...",
    "two stretches",
    "rectangle",
    "appears",
    "captured",
    "changes places",
)
MORE = {  # forms of the values of keys
    "slide": ("over: floor", "stopped-by: both"),
    "together": (),
    "pattern": ELEMENTS,
    "cycle": ("ring: expression", "rings: expression", "steps: expression"),
    "pivot": ("about: own", "about: TERRAIN", "about: cells"),
    "action": (),
}
LOOPS = ("for: range", "for: list", "for: constant", "for: words", "for: two loops")
HEADINGS = ("loop", "variable", "turned")  # other values of a rule's `directions`
TURNS = {
    "cycle": ("forward", "backward", *HEADINGS),
    "pivot": ("clockwise", "counterclockwise", *HEADINGS),
    "action": (),
}
DIRECTIONS = (*DIRECTION_WORDS, "offsets", "edges")


def directions_of(kind: str) -> list[str]:
    """The rows for `directions` of a kind of rule."""
    return [f"directions: {word}" for word in TURNS.get(kind, (*DIRECTIONS, *HEADINGS))]


_PLACES = ("geometry", "levels", "wrap", "graph")
BOARDS = (
    *_listed(Document, _PLACES),
    *(row for row in _listed(EdgesEntry, prefix="edges: ")),
    "edges: portals both=false",
    "board: tokens",
    *_listed(TerrainEntry, prefix="terrain: "),
    *_listed(PieceKind, prefix="piece: "),
    "legend: KIND on TERRAIN",
    "legend: KIND & KIND",
    "piece: of several cells",
)
ORDERS = tuple(_listed(Document, ("order",)))
assert _listed(PortalEntry)  # the keys of a portal always occur together


def word_rows(kind: str) -> list[str]:
    """The rows for words that name pieces in the keys of a kind of rule."""
    found = [f"{key}: {word}" for key in OWN_KEYS[kind] if key in WORD_KEYS for word in WORDS]
    return [*found, "sticky: own"] if "sticky" in OWN_KEYS[kind] else found


def _rule_rows(section: str, kind: str) -> list[str]:
    words = word_rows(kind)
    rows = [*KEYS[kind], *words, *MORE[kind], *LOOPS, *directions_of(kind), *BOARDS]
    return [*rows, *ORDERS] if section == "then" else rows


def rule_contexts() -> dict[str, tuple[str, str, str]]:
    """The contexts of rules: section, kind, and the key that selects a stage, if any."""
    found = {f"moves.{kind}": ("moves", kind, "") for kind in KINDS}
    for kind in KINDS:
        for stage in ("", *STAGES):
            found[f"then.{kind}" + (f"/{stage}" if stage else "")] = ("then", kind, stage)
    return found


CONDITIONS = (
    *_listed(ConditionMap),
    *_listed(Placement),
    "list",
    "map of several keys",
    "expression",
    "at: node",
    "touches: letter",
    *(f"{word}: {key}" for word in ("every", "some") for key in Placement.__struct_fields__),
    "on: A|B",
    "on: not A",
    "board: letter",
    "board: lines",
)
METRICS = (*_listed(MetricEntry), "list", "count: number", "count: 0")
KIND_ROWS = (
    *(f"directions: {word}" for word in DIRECTIONS if word != "edges"),
    "directions: edges",
)


def rule_rows(context: str) -> list[str]:
    """The constructs that a rule itself can have in a context."""
    section, kind, _ = rule_contexts()[context]
    return _rule_rows(section, kind)


RULE = "rule"  # this construct means that the context allows rules of this kind


def matrix(refused: Mapping[Pair, str]) -> tuple[Pair, ...]:
    """Every pair of a context and a construct, including those that the language refuses.

    A context that allows no rules of its kind has only one pair.
    """
    pairs: dict[Pair, None] = {}

    def add(context: str, rows: Iterable[str]) -> None:
        pairs.update(((context, row), None) for row in rows)

    for context, (section, kind, _) in rule_contexts().items():
        add(context, [RULE])
        if (context, RULE) in refused:
            continue
        add(context, _rule_rows(section, kind))
        add(f"{context}.when", EXPRESSIONS)
        add(f"{context}.set", (*EXPRESSIONS, *TARGETS))
    for condition in ("goal", "forbid"):
        add(condition, (*CONDITIONS, *BOARDS))
        add(f"{condition}.expr", EXPRESSIONS)
    add("metric", METRICS)
    add("metric.count", EXPRESSIONS)
    add("moves.count", EXPRESSIONS)
    add("pieces", KIND_ROWS)
    add("variables", _listed(VariableEntry))
    for board in (*BOARDS, *WITH):
        add(f"looked at: {board}", LOOKING)
    return tuple(pairs)
