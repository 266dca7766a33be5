"""Checks expressions node by node and compiles them to closures.

Python's own grammar parses the text (`expression_text`). Only the types of nodes that have a method in this module are
part of the language. `expression_values` contains the operations.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any

from fewest.errors import did_you_mean, listed
from fewest.model.expression import (
    MAX_BITS,
    MAX_DEPTH,
    MAX_STEPS,
    Closure,
    Env,
    ExpressionError,
)
from fewest.reading.board_expressions import BOARD_FUNCTIONS, BoardExpressions, hyphen_hint, text_of
from fewest.reading.expression_nodes import counts_of, described, is_lazy
from fewest.reading.expression_values import (
    ARITHMETIC,
    COMPARISONS,
    FUNCTIONS,
    PLAIN_ARITHMETIC,
    OperandError,
    arithmetic,
    called,
    compared,
    entry,
    integer,
    iterable,
    limited,
    plain,
    shown,
)
from fewest.reading.turned import TURNING, turned

_SMALL = 1 << 62  # a plain result below this number is never too large
_ORDERS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
"""The comparisons that depend only on the difference of two numbers."""


_OTHER_NAMES = dict.fromkeys(
    ("opposite", "reverse", "reversed", "back", "behind"), "`back_of` gives the opposite direction"
)
"""Hints for functions that designers expect under another name."""


class ExpressionCompiler(BoardExpressions):
    """Checks an `ast` node by node and builds closures."""

    _tested: ast.expr | None = None
    """The argument of the latest call of `all` or `any`."""

    # -- nodes --------------------------------------------------------------------------------

    def compile(self, node: ast.expr, depth: int) -> Closure:
        if depth > MAX_DEPTH:
            raise self.error(node, "expression-too-long", "this expression is nested too deeply")
        method = getattr(self, "_" + type(node).__name__.lower(), None)
        if method is None:
            raise self.error(
                node,
                "expression-unsupported",
                f"expressions cannot contain {described(node)}",
                hint="expressions can contain names, numbers, text, comparisons, arithmetic, `and`, `or`, `not`, "
                "comprehensions, and the functions all, any, sum, min, max, abs, range and len",
            )
        inner: Closure = method(node, depth + 1)
        if type(node) in (ast.Constant, ast.Name):
            leaf = self._leaf(node)
            if leaf is not None:
                return leaf

        def step(env: Env) -> Any:
            env.steps -= 1
            if env.steps < 0:
                raise self._runaway(node)
            try:
                return inner(env)
            except OperandError as misuse:
                raise self.error(node, misuse.code, misuse.message, misuse.hint) from None

        return step

    def _runaway(self, node: ast.expr) -> ExpressionError:
        message = f"the evaluation of this expression exceeds the limit of {MAX_STEPS:,} steps"
        return self.error(node, "expression-runaway", message)

    def _leaf(self, node: ast.expr) -> Closure | None:
        """A closure for constants and names of values. It counts its step without an outer closure, because most steps
        are of this kind and cannot fail.
        """
        if isinstance(node, ast.Constant):
            value = node.value

            def constant(env: Env) -> Any:
                env.steps -= 1
                if env.steps < 0:
                    raise self._runaway(node)
                return value

            return constant
        if isinstance(node, ast.Name) and node.id in self.scope.values:
            name = node.id

            def named(env: Env) -> Any:
                env.steps -= 1
                if env.steps < 0:
                    raise self._runaway(node)
                return env.names[name]

            return named
        return None

    def _constant(self, node: ast.Constant, depth: int) -> Closure:
        value = node.value
        if value is None or isinstance(value, (float, complex, bytes)) or value is Ellipsis:
            raise self.error(
                node,
                "expression-unsupported",
                f"expressions cannot contain {value!r}",
                hint="use a whole number or text",
            )
        if isinstance(value, int) and value.bit_length() > MAX_BITS:
            raise self.error(
                node, "expression-runaway", f"this number exceeds the limit of {MAX_BITS:,} bits"
            )
        if isinstance(value, str) and value in self.scope.pieces:
            self.names_pieces.add(value)
        return lambda env: value

    def _name(self, node: ast.Name, depth: int) -> Closure:
        name, scope = node.id, self.scope
        if name in scope.values:
            return lambda env: env.names[name]
        if name in scope.slots:
            return self._variable(node, depth)
        if name in scope.symbols or name in ("empty", "wall"):
            if name in scope.pieces:
                self.names_pieces.add(name)
            return lambda env: name
        if name in ("True", "False"):
            return lambda env: name == "True"
        known = [*scope.values, *scope.slots, *scope.symbols, *FUNCTIONS, *TURNING]
        if scope.has_board:
            known += ["empty", "wall", *BOARD_FUNCTIONS]
        hyphenated = next((word for word in known if word.startswith(f"{name}-")), None)
        if hyphenated is not None:
            hint = hyphen_hint(hyphenated)
        elif name in ("rows", "columns"):
            hint = f"`{name}` is the size of the board, but this expression is evaluated before the board exists"
        else:
            named = listed("name", [*scope.values, *scope.slots])
            hint = did_you_mean(name, known, named)
        raise self.error(
            node,
            "expression-unknown-name",
            f"the name `{name}` is unknown in this expression",
            hint=hint,
        )

    def slot(self, node: ast.expr, depth: int) -> Callable[[Env], int]:
        """A closure that returns the slot to which a variable reference leads."""
        if isinstance(node, ast.Name):
            name, parts, indices = node.id, list[ast.expr](), list[Closure]()
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            name = node.value.id
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            indices = [self.compile(part, depth + 1) for part in parts]
        else:
            raise self.error(
                node, "expression-unknown-name", "expected a variable, such as `x` or `x[i]`"
            )
        slots = self.scope.slots.get(name)
        if slots is None:
            raise self.error(
                node,
                "expression-unknown-name",
                f"there is no variable `{name}`",
                hint=did_you_mean(name, self.scope.slots, listed("variable", self.scope.slots)),
            )
        arity = len(next(iter(slots), ()))
        if slots and arity != len(indices):
            wanted = "no index" if arity == 0 else f"{arity} {'index' if arity == 1 else 'indices'}"
            raise self.error(node, "expression-index", f"`{name}` has {wanted}, not {len(indices)}")

        key_of = self._indices(parts, indices)

        def find(env: Env) -> int:
            key = key_of(env)
            try:
                return slots[key]
            except (KeyError, TypeError):
                written = ", ".join(
                    str(part) if isinstance(part, (int, str)) else shown(part) for part in key
                )
                raise self.error(
                    node,
                    "expression-index",
                    f"`{name}` has no index {written}",
                    hint="keep the index in range with a condition such as `if 0 <= j < n`",
                ) from None

        return find

    def _indices(
        self, nodes: Sequence[ast.expr], indices: Sequence[Closure]
    ) -> Callable[[Env], tuple[Any, ...]]:
        """A function that returns the values of the indices. For the usual one or two indices, and for names of values,
        a generator would take most of the time.
        """
        if not nodes:
            return lambda env: ()
        names = [node.id for node in nodes if isinstance(node, ast.Name)]
        if len(names) == len(nodes) and self.scope.values.issuperset(names):
            if len(names) == 1:
                (name,) = names
                return lambda env: (env.names[name],)
            values = itemgetter(*names)
            return lambda env: values(env.names)
        if len(indices) == 1:
            (index,) = indices
            return lambda env: (index(env),)
        if len(indices) == 2:
            first, second = indices
            return lambda env: (first(env), second(env))
        return lambda env: tuple(index(env) for index in indices)

    def _variable(self, node: ast.expr, depth: int) -> Closure:
        slot = self.slot(node, depth)
        self.reads_state = True
        return lambda env: self._view(env).variable(slot(env))

    def _subscript(self, node: ast.Subscript, depth: int) -> Closure:
        base = node.value
        while isinstance(base, ast.Subscript):
            base = base.value
        if not isinstance(base, ast.Name):
            raise self.error(
                node,
                "expression-unsupported",
                "only variables and tables can have indices",
                hint="define the list or table under `constants`, and write its name here",
            )
        if base.id not in self.scope.values:
            return self._variable(node, depth)
        name = base.id
        table = self.compile(node.value, depth)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        indices = [self.compile(part, depth + 1) for part in parts]

        def look_up(env: Env) -> Any:
            found = table(env)
            for index in indices:
                found = entry(name, found, index(env))
            return found

        return look_up

    def _unaryop(self, node: ast.UnaryOp, depth: int) -> Closure:
        operand = self.compile(node.operand, depth)
        if isinstance(node.op, ast.Not):
            self.check_truth(node.operand)
            return lambda env: not operand(env)
        if isinstance(node.op, (ast.USub, ast.UAdd)):
            sign = -1 if isinstance(node.op, ast.USub) else 1
            return lambda env: sign * integer(operand(env))
        raise self.error(node, "expression-unsupported", "expressions do not support `~`")

    def _binop(self, node: ast.BinOp, depth: int) -> Closure:
        symbol = ARITHMETIC.get(type(node.op))
        if symbol is None:
            hint = "use `//`, which divides and rounds down" if isinstance(node.op, ast.Div) else ""
            raise self.error(
                node, "expression-unsupported", "expressions do not support this operator", hint
            )
        if isinstance(node.op, ast.Sub):
            self._check_hyphen(node)
        left, right = self.compile(node.left, depth), self.compile(node.right, depth)
        operation = PLAIN_ARITHMETIC.get(symbol)
        if operation is None:
            return lambda env: arithmetic(symbol, left(env), right(env))

        def run(env: Env) -> Any:
            a, b = left(env), right(env)
            if type(a) is int and type(b) is int:
                result = operation(a, b)
                if -_SMALL < result < _SMALL:
                    return result
            return arithmetic(symbol, a, b)  # this handles text, large numbers and errors

        return run

    def _boolop(self, node: ast.BoolOp, depth: int) -> Closure:
        *parts, last = [self.compile(value, depth) for value in node.values]
        self._check_truths(node.values[:-1])
        is_and = isinstance(node.op, ast.And)

        def run(env: Env) -> Any:
            # a plain loop, because a generator would take longer than evaluating the parts
            for part in parts:
                value = part(env)
                if bool(value) != is_and:
                    return value
            return last(env)

        return run

    def _compare(self, node: ast.Compare, depth: int) -> Closure:
        self._check_contents(node)
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            # `variable == value` reads one fact instead of the value of the variable
            for this, other in ((node.left, node.comparators[0]), (node.comparators[0], node.left)):
                if self._is_variable(this):
                    slot, value = self.slot(this, depth), self.compile(other, depth)
                    self.reads_state = True
                    wanted = isinstance(node.ops[0], ast.Eq)
                    return lambda env: (
                        self._view(env).variable_is(slot(env), plain(value(env))) == wanted
                    )
        counts = self._counts_compared(node, depth) if len(node.ops) == 1 else None
        if counts is not None:
            return counts
        operands = [self.compile(part, depth) for part in (node.left, *node.comparators)]
        tests: list[Callable[[Any, Any], bool]] = []
        for op in node.ops:
            test = COMPARISONS.get(type(op))
            if test is None:
                word, instead = ("is", "==") if isinstance(op, ast.Is) else ("is not", "!=")
                raise self.error(
                    node,
                    "expression-unsupported",
                    f"expressions do not support `{word}`",
                    f"use `{instead}`",
                )
            tests.append(test)

        if len(tests) == 1:
            (test,), (first, second) = tests, operands
            return lambda env: compared(test, first(env), second(env))

        def run(env: Env) -> bool:
            left = operands[0](env)
            for test, operand in zip(tests, operands[1:], strict=True):
                right = operand(env)
                if not compared(test, left, right):
                    return False
                left = right
            return True

        return run

    def _check_contents(self, node: ast.Compare) -> None:
        """Raise ExpressionError if a call of `cell` or `terrain` is compared with a word that it never equals."""
        sides = (node.left, *node.comparators)
        for call in sides:
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
                continue
            scope = self.scope
            if not scope.has_board or call.func.id not in ("cell", "terrain"):
                continue
            is_cell = call.func.id == "cell"
            what = "piece" if is_cell else "terrain"
            known = scope.pieces | {"empty"} if is_cell else scope.terrains | {"floor"}
            for side in sides:
                parts = side.elts if isinstance(side, (ast.List, ast.Tuple, ast.Set)) else [side]
                for part in parts:
                    if isinstance(part, ast.Name):
                        is_word = part.id in scope.symbols and part.id not in scope.values
                        word = part.id if is_word and part.id not in scope.slots else None
                    else:
                        word = text_of(part)
                    if word is not None:
                        self._check_known(part, what, word, known | {"wall"})

    def _counts_compared(self, node: ast.Compare, depth: int) -> Closure | None:
        """A comparison of two sums of counts, or of such a sum with a value that does not depend on the state; None for
        any other comparison.

        The comparison can have a result before all counts are known.
        """
        test = COMPARISONS.get(type(node.ops[0]))
        sides = (node.left, node.comparators[0])
        left, right = map(counts_of, sides)
        if test is None or not (left or right) or not self.scope.has_board:
            return None
        if left and right:
            return self._difference(test, left, right) if type(node.ops[0]) in _ORDERS else None
        is_left, calls = bool(left), left or right
        self.reads_state = False
        other = sides[is_left]
        value = self.compile(other, depth)
        is_plain = not self.reads_state and not is_lazy(other)
        self.reads_state = True
        if not is_plain:
            return None
        counts = [self._count(call) for call in calls]
        answers: dict[str, dict[int, bool]] = {}

        def run(env: Env) -> bool:
            known = value(env)
            decided = answers.setdefault(repr(known), {})

            def holds(number: int) -> bool:
                if number not in decided:
                    pair = (number, known) if is_left else (known, number)
                    decided[number] = compared(test, *pair)
                return decided[number]

            return self._view(env).count_is([count(env) for count in counts], holds)

        return run

    def _difference(
        self, test: Callable[[Any, Any], bool], left: list[ast.Call], right: list[ast.Call]
    ) -> Closure:
        """A test on the difference between two sums of counts; pieces that both sums count cancel out."""
        counts, others = ([self._count(call) for call in calls] for calls in (left, right))
        self.reads_state = True

        def run(env: Env) -> bool:
            counted, less = ([count(env) for count in side] for side in (counts, others))
            return self._view(env).count_is(counted, lambda number: test(number, 0), less)

        return run

    def check_truth(self, node: ast.expr) -> None:
        """Raise ExpressionError for a word where a condition is expected: every word would count as true. Conditions
        inside `node` that the compiler has already checked are not checked again.
        """
        if isinstance(node, ast.BoolOp):
            self.check_truth(node.values[-1])
        elif isinstance(node, ast.IfExp):
            self._check_truths([node.body, node.orelse])
        else:
            found = self._as_comparison(node)
            if found is not None:
                message = f"`{self.written(node)}` is a word, not a condition, because every word counts as true"
                raise self.error(node, "expression-type", message, hint=found)

    def _check_truths(self, nodes: Iterable[ast.expr]) -> None:
        for node in nodes:
            self.check_truth(node)

    def _as_comparison(self, node: ast.expr) -> str | None:
        """The hint for a word that stands where a condition is expected; None if the node is no word."""
        scope, text = self.scope, self.written(node)
        if self._is_variable(node):
            name = node.value if isinstance(node, ast.Subscript) else node
            word = scope.word_values.get(name.id) if isinstance(name, ast.Name) else None
            return None if word is None else f"compare it with a value: `{text} == {word}`"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in ("cell", "terrain"):
                return f"compare it with a word: `{text} == WORD`"
            return (
                f"compare it with a direction: `{text} == up`" if node.func.id in TURNING else None
            )
        is_word = isinstance(node, ast.Name) and node.id not in scope.values | {"True", "False"}
        if is_word or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            return "to compare a value with several words, write `value in [a, b]`"
        return None

    def _is_variable(self, node: ast.expr) -> bool:
        name = node.value if isinstance(node, ast.Subscript) else node
        return (
            isinstance(name, ast.Name)
            and name.id in self.scope.slots
            and name.id not in self.scope.values
        )

    def _ifexp(self, node: ast.IfExp, depth: int) -> Closure:
        test, body, other = (self.compile(x, depth) for x in (node.test, node.body, node.orelse))
        self.check_truth(node.test)
        return lambda env: body(env) if test(env) else other(env)

    def _list(self, node: ast.List | ast.Tuple | ast.Set, depth: int) -> Closure:
        parts = [self._item(part, depth) for part in node.elts]
        return lambda env: [part(env) for part in parts]

    def _item(self, node: ast.expr, depth: int) -> Closure:
        """A closure for an item of a list. A loop becomes a list, because its names may have other values later."""
        item = self.compile(node, depth)
        if not is_lazy(node):
            return item

        def complete(env: Env) -> Any:
            value = item(env)
            return limited(value) if hasattr(value, "__next__") else value

        return complete

    _tuple = _list
    _set = _list

    def _generatorexp(self, node: ast.GeneratorExp | ast.ListComp, depth: int) -> Closure:
        loop, _ = self.loop(node.generators, depth)
        outer = self.scope
        self.scope = outer.with_names([n for g in node.generators for n in _loop_names(self, g)])
        element = self._item(node.elt, depth)
        if node is self._tested:
            self.check_truth(node.elt)
        self.scope = outer
        return lambda env: (element(inner) for inner in loop(env))

    def _listcomp(self, node: ast.ListComp, depth: int) -> Closure:
        lazy = self._generatorexp(node, depth)
        return lambda env: limited(lazy(env))

    def loop(
        self, generators: list[ast.comprehension], depth: int
    ) -> tuple[Callable[[Env], Iterator[Env]], list[str]]:
        """The environments that the `for … in … if …` parts produce, and the names that these parts bind."""
        outer = self.scope
        stages: list[tuple[list[str], Closure, list[Closure]]] = []
        bound: list[str] = []
        for generator in generators:
            source = self.compile(generator.iter, depth)
            names = _loop_names(self, generator)
            bound.extend(names)
            self.scope = self.scope.with_names(names)
            stages.append((names, source, [self.compile(test, depth) for test in generator.ifs]))
            self._check_truths(generator.ifs)
        self.scope = outer

        def run(env: Env, stage: int = 0) -> Iterator[Env]:
            if stage == len(stages):
                yield env
                return
            names, source, tests = stages[stage]
            for value in self._run_through(generators[stage].iter, source(env)):
                values = [value] if len(names) == 1 else value
                if not isinstance(values, (list, range)) or len(values) != len(names):
                    message = f"expected a list of {len(names)} values, but found {shown(values)}"
                    raise self.error(generators[stage].target, "expression-type", message)
                saved = {name: env.names.get(name) for name in names}
                env.names.update(zip(names, values, strict=True))
                try:
                    if not tests or all(test(env) for test in tests):
                        yield from run(env, stage + 1)
                finally:  # also runs when any() or all() stops early
                    env.names.update(saved)

        return run, bound

    def target_loop(
        self, node: ast.expr, generators: list[ast.comprehension]
    ) -> tuple[Callable[[Env], int], Callable[[Env], Iterator[Env]], list[str]]:
        loop, names = self.loop(generators, 0)
        outer = self.scope
        self.scope = outer.with_names(names)
        slot = self.slot(node, 0)
        self.scope = outer
        return slot, loop, names

    def _run_through(self, node: ast.expr, value: Any) -> Iterable[Any]:
        try:
            return iterable(value)
        except OperandError as misuse:  # the error is in the values of the loop, not in its body
            raise self.error(node, misuse.code, misuse.message, misuse.hint) from None

    # -- functions ----------------------------------------------------------------------------

    def _call(self, node: ast.Call, depth: int) -> Closure:
        if not isinstance(node.func, ast.Name) or node.keywords:
            raise self.error(
                node,
                "expression-unsupported",
                "a function must be called by its name, without keyword arguments",
            )
        name = node.func.id
        if name == "can":
            return self._can(node)
        if name in BOARD_FUNCTIONS:
            return self._board_call(node, name, depth)
        if name in TURNING:
            return self._turning(node, name, depth)
        if name not in FUNCTIONS:
            known = [*FUNCTIONS, *TURNING, *BOARD_FUNCTIONS]
            raise self.error(
                node.func,
                "expression-unknown-name",
                f"there is no function `{name}`",
                hint=_OTHER_NAMES.get(name)
                or did_you_mean(name, known, listed("function", known, len(known))),
            )
        if name in ("all", "any") and len(node.args) == 1:
            self._tested = node.args[0]
            if isinstance(self._tested, (ast.List, ast.Tuple)):
                self._check_truths(self._tested.elts)
        args = [self.compile(arg, depth) for arg in node.args]
        if name not in ("min", "max", "range") and len(args) != 1:
            raise self.error(node, "expression-type", f"{name}() needs exactly one argument")
        if not args or (name == "range" and len(args) > 3):
            wanted = "one to three arguments" if name == "range" else "at least one argument"
            raise self.error(node, "expression-type", f"{name}() needs {wanted}")

        return lambda env: called(name, [arg(env) for arg in args])

    def _turning(self, node: ast.Call, name: str, depth: int) -> Closure:
        if len(node.args) != 1:
            raise self.error(node, "expression-type", f"{name}() needs exactly one argument")
        direction, geometry = self.compile(node.args[0], depth), self.scope.geometry
        return lambda env: turned(geometry, name, direction(env))


def _loop_names(compiler: ExpressionCompiler, generator: ast.comprehension) -> list[str]:
    target = generator.target
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    if not all(isinstance(part, ast.Name) for part in parts):
        raise compiler.error(
            target, "expression-unsupported", "the index of a loop must be a plain name"
        )
    return [part.id for part in parts if isinstance(part, ast.Name)]
