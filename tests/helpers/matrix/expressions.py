"""Draws random expressions with a wanted construct."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from msgspec import Struct, field

Text = tuple[str, str]  # "bool", "int" or "word", and the expression


class Surroundings(Struct):
    """The names that an expression can use at its place."""

    rng: Random
    rows: int
    columns: int
    kinds: list[str]
    single: list[str]
    letters: list[str]
    terrains: list[str]
    layers: list[int]
    rules: list[str]
    loops: dict[str, object] | None = None
    """The loops of the rule, to which an expression may add one; None if loops are not allowed."""
    is_static: bool = False
    """Whether the expression must not depend on the state, for example the weight of a rule."""
    banned: set[str] = field(default_factory=set)

    def pick(self, *options: str) -> str:
        return self.rng.choice(options)

    def loop(self, kind: str) -> str:
        """The name of a loop over numbers, pieces or terrains; the method adds the loop if the rule lacks it."""
        name, values = {
            "int": ("i", self.rng.choice(["range(2)", [0, 1], "steps"])),
            "piece": ("w", [*self.kinds[:2]]),
            "single": ("who", self.single[:2]),
            "terrain": ("g", ["spot"]),
        }[kind]
        if self.loops is not None:
            self.loops.setdefault(name, values)
        return name

    def number(self) -> str:
        """A variable, or a loop over numbers."""
        options = (
            ["1", "2", "n", "cap[1]"] if self.is_static else ["x", "y", "x", "y", "v[0]", "v[1]"]
        )
        if self.loops:
            options += [name for name in self.loops if name == "i"]
        elif self.is_static:
            options = [self.loop("int")]
        return self.pick(*options)

    def constant(self) -> str:
        return self.pick("0", "1", "1", "2")

    def test(self) -> str:
        """A plain condition."""
        if self.is_static:
            return f"{self.number()} == 1"
        return self.pick("x == 0", "y != 1", "x < 2", "s == left", "v[0] == 1", "x != y")

    def heading(self) -> str:
        """A direction from a variable, perhaps with a rotation."""
        known = "'left'" if self.is_static else "s"
        return self.pick(known, known, f"left_of({known})", f"back_of({known})")

    def direction(self) -> str:
        return self.pick("'left'", "'right'", "'up'", "'down'", "'down-left'")

    def piece(self) -> str:
        return self.pick(*self.kinds)

    def one(self) -> str:
        """A word for a single piece."""
        return self.pick(*(self.single or self.kinds))

    def terrain(self) -> str:
        return self.pick(*self.terrains)

    def row(self) -> str:
        return str(self.rng.randrange(self.rows))

    def column(self) -> str:
        return str(self.rng.randrange(self.columns))

    def cell(self) -> str:
        return f"cell({self.row()}, {self.column()})"

    def content(self) -> str:
        return self.pick(*self.kinds, "empty", *self.letters)

    def equality(self) -> str:
        return self.pick("==", "!=")

    def order(self) -> str:
        return self.pick("<", "<=", ">", ">=", "==", "!=")

    def count(self) -> str:
        return self.pick(f"count({self.piece()})", f"count({self.piece()}, {self.terrain()})")


Recipe = Callable[[Surroundings], Text]


def _bool(text: Callable[[Surroundings], str]) -> Recipe:
    return lambda s: ("bool", text(s))


def _int(text: Callable[[Surroundings], str]) -> Recipe:
    return lambda s: ("int", text(s))


def _several(s: Surroundings, element: str) -> str:
    return f"{element} for k in {s.pick('range(2)', '[0, 1]', 'steps')}"


def _inner(s: Surroundings) -> str:
    """A condition about the inner loop `k`."""
    if s.is_static:
        return f"k < {s.number()}"
    return s.pick(
        f"k == {s.number()}",
        f"v[k] == {s.number()}",
        f"v[k] < {s.constant()} + 1",
        f"v[k] > {s.number()}",
    )


def several_can(rng: Random, rules: Sequence[str]) -> str:
    """A condition that tests two of these rules."""
    one, other = rng.sample(list(dict.fromkeys(rules)), 2)
    if rng.random() < 0.2:
        return f"can({one}) {rng.choice(['==', '!='])} can({other})"
    first, second = rng.choices(["", "not "], k=2)
    return f"({first}can({one}) {rng.choice(['and', 'or'])} {second}can({other}))"


RECIPES: dict[str, Recipe] = {
    "node BinOp": _int(lambda s: f"({s.number()} + {s.constant()})"),
    "node BoolOp": _bool(lambda s: f"({s.test()} or {s.test()})"),
    "node Call": _int(lambda s: f"min({s.number()}, {s.constant()})"),
    "node Compare": _bool(lambda s: f"{s.number()} {s.order()} {s.constant()}"),
    "node Constant": _int(lambda s: s.constant()),
    "node GeneratorExp": _bool(lambda s: f"any({_several(s, _inner(s))})"),
    "node IfExp": _int(lambda s: f"({s.number()} if {s.test()} else {s.constant()})"),
    "node List": _bool(lambda s: f"{s.number()} in [{s.constant()}, {s.number()}]"),
    "node ListComp": _int(lambda s: f"sum([{_several(s, s.pick('k', 'k + 1'))}])"),
    "node Name": _int(lambda s: s.number()),
    "node Set": _bool(lambda s: f"{s.number()} in {{{s.constant()}, {s.number()}}}"),
    "node Subscript": _int(lambda s: "cap[1]" if s.is_static else s.pick("v[0]", "v[1]")),
    "node Tuple": _bool(lambda s: f"{s.number()} in ({s.constant()}, {s.number()})"),
    "node UnaryOp": _bool(lambda s: f"not ({s.test()})"),
    "a + b": _int(lambda s: f"({s.number()} + {s.pick(s.number(), s.constant())})"),
    "a - b": _int(lambda s: f"({s.number()} - {s.pick(s.number(), s.constant())})"),
    "a * b": _int(lambda s: f"({s.number()} * {s.pick(s.number(), s.constant())})"),
    "a // b": _int(lambda s: f"({s.number()} // {s.pick('1', '2')})"),
    "a % b": _int(lambda s: f"({s.number()} % {s.pick('2', '3')})"),
    "a ** b": _int(lambda s: f"({s.number()} ** {s.pick('2', s.number())})"),
    "compare Eq": _bool(lambda s: f"{s.number()} == {s.pick(s.number(), s.constant())}"),
    "compare NotEq": _bool(lambda s: f"{s.number()} != {s.pick(s.number(), s.constant())}"),
    "compare Lt": _bool(lambda s: f"{s.number()} < {s.pick(s.number(), s.constant())}"),
    "compare LtE": _bool(lambda s: f"{s.number()} <= {s.pick(s.number(), s.constant())}"),
    "compare Gt": _bool(lambda s: f"{s.number()} > {s.pick(s.number(), s.constant())}"),
    "compare GtE": _bool(lambda s: f"{s.number()} >= {s.pick(s.number(), s.constant())}"),
    "compare In": _bool(lambda s: f"{s.number()} in [{s.constant()}, {s.number()}]"),
    "compare NotIn": _bool(lambda s: f"{s.number()} not in [{s.constant()}, {s.number()}]"),
    "and": _bool(lambda s: f"({s.test()} and {s.test()})"),
    "or": _bool(lambda s: f"({s.test()} or {s.test()})"),
    "not": _bool(lambda s: f"not ({s.test()})"),
    "-x": _int(lambda s: f"(-{s.number()})"),
    "+x": _int(lambda s: f"(+{s.number()})"),
    "all()": _bool(lambda s: f"all({_several(s, _inner(s))})"),
    "any()": _bool(lambda s: f"any({_several(s, _inner(s))})"),
    "sum()": _int(
        lambda s: (
            f"sum({s.pick(f'[{s.number()}, {s.constant()}]', _several(s, f'k + {s.number()}'))})"
        )
    ),
    "min()": _int(lambda s: f"min([{s.number()}, {s.constant()}])"),
    "max()": _int(lambda s: f"max([{s.number()}, {s.constant()}])"),
    "abs()": _int(lambda s: f"abs({s.number()} - {s.constant()})"),
    "range()": _bool(lambda s: f"{s.number()} in range({s.constant()})"),
    "len()": _int(lambda s: f"len([k for k in range(3) if k != {s.number()}])"),
    "cell/2": _bool(lambda s: f"{s.cell()} {s.equality()} {s.content()}"),
    "cell/3": _bool(
        lambda s: (
            f"cell({s.row()}, {s.column()}, {s.rng.choice(s.layers)}) {s.equality()} {s.content()}"
        )
    ),
    "terrain/2": _bool(
        lambda s: (
            f"terrain({s.pick(s.row(), s.number())}, {s.column()}) {s.equality()} {s.terrain()}"
        )
    ),
    "row/1": _int(lambda s: f"row({s.one()})"),
    "col/1": _int(lambda s: f"col({s.one()})"),
    "count/1": _int(lambda s: f"count({s.piece()})"),
    "count/2": _int(lambda s: f"count({s.piece()}, {s.terrain()})"),
    "sees/2": _bool(lambda s: f"sees({s.piece()}, {s.piece()})"),
    "can/1": _bool(lambda s: f"can({s.pick(*s.rules)})"),
    "left_of()": _bool(lambda s: f"left_of({s.heading()}) {s.equality()} {s.direction()}"),
    "right_of()": _bool(lambda s: f"right_of({s.heading()}) {s.equality()} {s.direction()}"),
    "back_of()": _bool(lambda s: f"back_of({s.heading()}) {s.equality()} {s.direction()}"),
    "name: variable": _int(lambda s: s.pick("x", "y")),
    "name: variable[i]": _int(lambda s: s.pick("v[0]", "v[1]")),
    "name: constant": _int(lambda s: f"(far + {s.number()})"),
    "name: table[i]": _int(lambda s: f"cap[{s.pick('0', '1', '2')}]"),
    "name: table[i][j]": _int(lambda s: s.pick("grid[0, 1]", "grid[1][0]", "grid[1, 1]")),
    "name: parameter": _int(lambda s: f"(n + {s.number()})"),
    "name: loop": _int(lambda s: s.loop("int")),
    "name: inner loop": _bool(lambda s: f"any({_several(s, _inner(s))})"),
    "name: kind": _bool(lambda s: f"{s.cell()} == {s.piece()}"),
    "name: letter": _bool(lambda s: f"{s.cell()} == {s.pick(*s.letters or s.kinds)}"),
    "name: terrain": _bool(lambda s: f"terrain({s.row()}, {s.number()}) == {s.terrain()}"),
    "name: word of a variable": _bool(lambda s: f"s == {s.pick('left', 'right')}"),
    "name: empty": _bool(lambda s: f"{s.cell()} == empty"),
    "name: wall": _bool(lambda s: f"cell({s.row()}, {s.number()}) == wall"),
    "name: floor": _bool(lambda s: f"terrain({s.row()}, {s.number()}) == floor"),
    "name: rows": _bool(lambda s: f"{s.number()} {s.order()} rows - 1"),
    "name: columns": _bool(lambda s: f"columns - 2 {s.order()} {s.number()}"),
    "name: True": _bool(lambda s: f"({s.test()}) == {s.pick('True', 'False')}"),
    "a < b < c": _bool(
        lambda s: (
            f"{s.constant()} <= {s.number()} {s.pick('<', '<=', '!=')} {s.pick(s.number(), '2')}"
        )
    ),
    "range(a, b)": _bool(lambda s: f"{s.number()} in range(1, {s.pick('3', s.number())})"),
    "range(a, b, c)": _bool(lambda s: f"{s.number()} in range(0, 3, 2)"),
    "min(a, b)": _int(lambda s: f"min({s.number()}, {s.pick(s.number(), s.constant())})"),
    "max(a, b)": _int(lambda s: f"max({s.number()}, {s.pick(s.number(), s.constant())})"),
    "for … if": _bool(
        lambda s: f"any({_inner(s)} for k in range(2) if {s.pick('k > 0', s.test())})"
    ),
    "for … for": _bool(
        lambda s: f"any({_inner(s)} and m != {s.number()} for k in range(2) for m in range(2))"
    ),
    "for a, b": _bool(
        lambda s: f"any({_inner(s)} and m == {s.number()} for k, m in [[0, 1], [1, 0]])"
    ),
    "variable == variable": _bool(lambda s: s.pick("x == y", "v[0] == v[1]", "y == v[0]")),
    "variable != constant": _bool(lambda s: s.pick("x != 1", "y != 0", "s != left", "v[0] != 1")),
    "variable[variable]": _int(lambda s: s.pick("v[v[0]]", "v[min(x, 1)]", "v[y % 2]")),
    "table[variable]": _int(lambda s: s.pick("cap[x]", "cap[y]", "speed[s]", "grid[v[0], v[1]]")),
    "cell == cell": _bool(lambda s: f"{s.cell()} {s.equality()} {s.cell()}"),
    "cell == kind": _bool(lambda s: f"{s.cell()} {s.equality()} {s.piece()}"),
    "cell == letter": _bool(lambda s: f"{s.cell()} {s.equality()} {s.pick(*s.letters or s.kinds)}"),
    "cell == empty": _bool(lambda s: f"{s.cell()} {s.equality()} empty"),
    "cell == wall": _bool(lambda s: f"cell({s.number()}, {s.column()}) {s.equality()} wall"),
    "cell == loop": _bool(lambda s: f"{s.cell()} {s.equality()} {s.loop('piece')}"),
    "cell in list": _bool(
        lambda s: f"{s.cell()} {s.pick('in', 'not in')} [{s.piece()}, {s.content()}]"
    ),
    "cell(variable)": _bool(
        lambda s: (
            f"cell({s.pick('x', 'y', 'v[0]')}, {s.pick('y', 'v[1]', s.column())}) {s.equality()} {s.content()}"
        )
    ),
    "cell(row())": _bool(
        lambda s: (
            f"cell(row({s.one()}) + {s.pick('0', '1', '-1')}, col({s.one()}) + {s.constant()})"
            f" {s.equality()} {s.content()}"
        )
    ),
    "cell(loop)": _bool(lambda s: f"cell({s.row()}, {s.loop('int')}) {s.equality()} {s.content()}"),
    "terrain(variable)": _bool(
        lambda s: f"terrain({s.row()}, {s.pick('x', 'y')}) {s.equality()} {s.pick('spot', 'floor')}"
    ),
    "terrain(row())": _bool(
        lambda s: (
            f"terrain(row({s.one()}), col({s.one()})) {s.equality()} {s.pick('spot', 'floor')}"
        )
    ),
    "terrain == terrain": _bool(
        lambda s: f"terrain({s.row()}, {s.column()}) == terrain({s.row()}, {s.number()})"
    ),
    "row < row": _bool(
        lambda s: f"{s.pick('row', 'col')}({s.one()}) {s.order()} {s.pick('row', 'col')}({s.one()})"
    ),
    "row(loop)": _int(lambda s: f"{s.pick('row', 'col')}({s.loop('single')})"),
    "count < number": _bool(lambda s: f"{s.count()} {s.pick('<', '<=', '>', '>=')} {s.constant()}"),
    "count == number": _bool(lambda s: f"{s.count()} {s.equality()} {s.constant()}"),
    "number > count": _bool(lambda s: f"{s.constant()} {s.pick('<', '<=', '>', '>=')} {s.count()}"),
    "count in list": _bool(lambda s: f"{s.count()} {s.pick('in', 'not in')} [{s.constant()}, 2]"),
    "count + count < number": _bool(
        lambda s: f"{s.count()} + {s.count()} {s.order()} {s.constant()}"
    ),
    "count < count": _bool(lambda s: f"{s.count()} {s.order()} {s.count()}"),
    "count < variable": _bool(lambda s: f"{s.count()} {s.order()} {s.pick('x', 'y', 'v[0]')}"),
    "count as a number": _int(lambda s: f"({s.number()} + {s.count()})"),
    "count(any)": _bool(lambda s: f"count(any) {s.order()} {s.pick('1', '2', '3')}"),
    "count(any, terrain)": _bool(lambda s: f"count(any, {s.terrain()}) {s.order()} {s.constant()}"),
    "count(loop)": _bool(lambda s: f"count({s.loop('piece')}) {s.order()} {s.constant()}"),
    "count(loop, terrain)": _bool(
        lambda s: f"count({s.loop('piece')}, {s.terrain()}) {s.order()} {s.constant()}"
    ),
    "count(kind, loop)": _bool(
        lambda s: f"count({s.piece()}, {s.loop('terrain')}) {s.order()} {s.constant()}"
    ),
    "count(kind, floor)": _bool(lambda s: f"count({s.piece()}, floor) {s.order()} {s.constant()}"),
    "count(kind, a|b)": _bool(
        lambda s: (
            f"count({s.piece()}, {s.pick('spot|mark', 'floor|mark', 'spot|floor')}) {s.order()} {s.constant()}"
        )
    ),
    "count(kind, not a)": _bool(
        lambda s: (
            f"count({s.piece()}, not {s.pick('spot', 'floor', 'spot|mark')}) {s.order()} {s.constant()}"
        )
    ),
    "sees(any)": _bool(lambda s: s.pick(f"sees(any, {s.piece()})", f"sees({s.piece()}, any)")),
    "sees(loop)": _bool(lambda s: f"sees({s.loop('piece')}, {s.piece()})"),
    "several can": _bool(lambda s: several_can(s.rng, s.rules)),
    "not can": _bool(lambda s: f"not can({s.pick(*s.rules)})"),
    "not sees": _bool(lambda s: f"not sees({s.piece()}, {s.piece()})"),
    "word + word": _bool(
        lambda s: s.pick("'le' + 'ft' == s", "left + right != s", "s == 'ri' + 'ght'")
    ),
}


def condition(s: Surroundings, row: str, *, is_bare: bool = False) -> str:
    """A condition with the construct."""
    kind, text = RECIPES[row](s)
    if kind != "bool":
        text = f"{text} {s.order()} {s.constant()}"
    if is_bare or s.rng.random() < 0.6:
        return text
    return s.pick(
        f"{text} and {s.test()}", f"{text} or {s.test()}", f"not ({text})", f"{s.test()} or {text}"
    )


def number(s: Surroundings, row: str, below: int) -> str:
    """An expression with the construct, whose value is at least 0 and less than `below`."""
    kind, text = RECIPES[row](s)
    if kind == "bool":
        low, high = sorted(s.rng.sample(range(below), 2))
        return s.pick(f"{low} if {text} else {high}", f"{high} if {text} else {low}")
    if row == "node Name" and below > 2 and s.rng.random() < 0.5:
        return text
    return s.pick(f"({text}) % {below}", f"max(0, min({below - 1}, {text}))")


def word(s: Surroundings, row: str) -> str:
    """An expression with the construct, whose value is a value of the variable `s`."""
    kind, text = RECIPES[row](s)
    if kind != "bool":
        text = f"{text} {s.order()} {s.constant()}"
    return s.pick(f"left if {text} else right", f"right if {text} else left")
