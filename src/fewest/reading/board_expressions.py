"""Checks the calls in an expression that read the board or its rules, and compiles them to closures."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable

from fewest.errors import did_you_mean, listed
from fewest.model.expression import (
    Area,
    Closure,
    Content,
    Env,
    ExpressionError,
    Ground,
    Scope,
    View,
)
from fewest.reading.expression_text import ExpressionText
from fewest.reading.expression_values import OperandError, integer, shown

BOARD_FUNCTIONS: dict[str, tuple[int, int]] = {
    "cell": (2, 3),
    "terrain": (2, 2),
    "row": (1, 1),
    "col": (1, 1),
    "count": (1, 2),
    "sees": (2, 2),
    "can": (1, 1),
}
"""The functions that read the board or its rules, each with its minimum and maximum number of arguments."""

_USAGES = {
    "cell": "cell(row, column) or cell(row, column, layer)",
    "terrain": "terrain(row, column)",
    "count": "count(KIND) or count(KIND, TERRAIN)",
    "sees": "sees(PIECE, PIECE)",
    "can": "can(RULE)",
}


class BoardExpressions(ABC):
    """Closures for the functions that read the board or its rules; the method `compile` compiles the arguments."""

    def __init__(self, text: str, scope: Scope) -> None:
        known = ExpressionText(text)
        self.error, self.written = known.error, known.written
        self.scope = scope
        self.reads_state = False
        self.names_pieces: set[str] = set()
        self.places_pieces: set[str] = set()
        self.tested_rules: set[str] = set()

    @abstractmethod
    def compile(self, node: ast.expr, depth: int) -> Closure: ...

    def _board_call(self, node: ast.Call, name: str, depth: int) -> Closure:
        if not self.scope.has_board:
            # Only the expressions of rules and conditions know the names of rules and variables.
            is_early = not self.scope.rules and not self.scope.slots
            raise self.error(
                node,
                "expression-unknown-name",
                f"{name}() cannot be used here, because this expression is evaluated before the board exists"
                if is_early
                else f"{name}() needs a board, but this puzzle has none",
                hint="write the value itself" if is_early else "",
            )
        self.reads_state = self.reads_state or name != "terrain"
        if name in ("cell", "terrain"):
            return self._cell(node, name, depth)
        if name == "count":
            count = self._count(node)
            return lambda env: self._view(env).count(*count(env))
        if not self._has_arguments(node, name):
            raise self._wrong_arguments(node, name)
        if name == "sees":
            piece = self._named(node, node.args[0], "piece", self.scope.pieces | {"any"})
            other = self._named(node, node.args[1], "piece", self.scope.pieces | {"any"})
            return lambda env: self._view(env).sees(piece(env), other(env))
        piece = self._named(node, node.args[0], "piece", self.scope.pieces)
        word, hint = (
            self._word(node.args[0]),
            "name one piece by its letter, or use cell(row, column)",
        )
        self.places_pieces |= self.scope.single if word is None else {word}

        def misuse(word: str) -> OperandError:
            message = f"`{word}` means several pieces, but {name}() needs a single piece"
            return OperandError("expression-ambiguous", message, hint)

        if word is not None and word not in self.scope.single:
            wrong = misuse(word)
            raise self.error(node.args[0], wrong.code, wrong.message, hint=wrong.hint)
        axis = 0 if name == "row" else 1

        def place(env: Env) -> int:
            if piece(env) not in self.scope.single:
                raise misuse(piece(env))
            return self._view(env).place(piece(env))[axis]

        return place

    def _can(self, node: ast.Call) -> Closure:
        rule = _rule_of(node.args[0]) if len(node.args) == 1 else None
        if rule is None:
            if node.args and isinstance(node.args[0], ast.BinOp):
                self._check_hyphen(node.args[0])
            raise self._wrong_arguments(node, "can")
        if rule in self.scope.consequences - self.scope.rules:
            message = f"`{rule}` is a rule under `then`, but can() tests only rules under `moves`"
            raise self.error(node.args[0], "expression-unknown-name", message)
        self._check_known(node.args[0], "rule", rule, self.scope.rules)
        if rule in self.scope.orders:
            message = (
                f"can() cannot test `{rule}`, because the pieces that `together` moves are known only "
                "when the rule applies"
            )
            raise self.error(node.args[0], "expression-type", message)
        self.reads_state = True
        self.tested_rules.add(rule)
        return lambda env: self._view(env).can(rule)

    def _count(self, node: ast.Call) -> Callable[[Env], tuple[str, Area | None]]:
        """A function that returns the word for the pieces to count, and the terrains on which these pieces are counted
        (None: all cells).
        """
        if not self._has_arguments(node, "count"):
            raise self._wrong_arguments(node, "count")
        piece = self._named(node, node.args[0], "piece", self.scope.pieces | {"any"})
        if len(node.args) == 1:
            return lambda env: (piece(env), None)
        area = self._area(node, node.args[1])
        return lambda env: (piece(env), area(env))

    def _area(self, call: ast.Call, node: ast.expr) -> Callable[[Env], Area]:
        """A function that returns the terrains that an argument of the form `a`, `a|b`, `not a` or `not a|b` means."""
        is_negated = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
        parts = [node.operand if is_negated and isinstance(node, ast.UnaryOp) else node]
        words: list[Callable[[Env], str]] = []
        while parts:
            part = parts.pop()
            if isinstance(part, ast.BinOp) and isinstance(part.op, ast.BitOr):
                parts += [part.right, part.left]
            else:
                words.append(self._named(call, part, "terrain", self.scope.terrains | {"floor"}))
        return lambda env: Area(tuple(word(env) for word in words), is_negated)

    def _cell(self, node: ast.Call, name: str, depth: int) -> Closure:
        if not self._has_arguments(node, name):
            raise self._wrong_arguments(node, name)
        row, col, *rest = (self.compile(arg, depth) for arg in node.args)
        layers = self.scope.layers

        def look(env: Env) -> Content | Ground:
            view, at = self._view(env), (integer(row(env)), integer(col(env)))
            if name == "terrain":
                return view.ground(*at)
            layer = integer(rest[0](env)) if rest else 0
            if layer not in layers:
                hint = listed("layer", map(str, layers))
                raise OperandError("expression-type", f"no kind is in layer {layer}", hint)
            return view.content(*at, layers[layer])

        return look

    def _named(
        self, call: ast.Call, node: ast.expr, what: str, known: frozenset[str]
    ) -> Callable[[Env], str]:
        """A function that returns the name of a piece or terrain: the word itself, or the value of the name of a loop,
        constant or parameter.
        """
        word = self._word(node)
        if word is not None:
            self._check_known(node, what, word, known)
            if what == "piece":
                self.names_pieces.add(word)
            return lambda env: word
        if not isinstance(node, ast.Name):
            if isinstance(node, ast.BinOp):
                self._check_hyphen(node)
            assert isinstance(call.func, ast.Name)
            raise self._wrong_arguments(call, call.func.id)
        name = node.id

        def look_up(env: Env) -> str:
            value = env.names[name]
            if not isinstance(value, str) or value not in known:
                message = f"there is no {what} {shown(value)}"
                raise OperandError(
                    "expression-unknown-name", message, did_you_mean(str(value), known)
                )
            return value

        return look_up

    def _word(self, node: ast.expr) -> str | None:
        """The text of a node that is a literal word; None for the name of a loop or constant, because such a name
        stands for a value, even if a piece or a terrain has the same name.
        """
        if isinstance(node, ast.Name):
            return None if node.id in self.scope.values else node.id
        return text_of(node)

    def _has_arguments(self, node: ast.Call, name: str) -> bool:
        fewest, most = BOARD_FUNCTIONS[name]
        return fewest <= len(node.args) <= most

    def _check_known(self, node: ast.expr, what: str, name: str, known: frozenset[str]) -> None:
        if name in known:
            return
        hint = did_you_mean(name, known, listed(what, sorted(known)))
        if what == "piece" and name in self.scope.terrains:
            hint = f"`{name}` is a terrain: use `terrain(row, column) == {name}`"
        elif what == "terrain" and name in self.scope.pieces:
            hint = f"`{name}` is a piece: use `cell(row, column) == {name}`"
        raise self.error(node, "expression-unknown-name", f"there is no {what} `{name}`", hint=hint)

    def _check_hyphen(self, node: ast.BinOp) -> None:
        """Raise ExpressionError for a name with a hyphen: without quotes, the text is a subtraction of words."""
        name, scope = self.written(node), self.scope
        parts = [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]
        if name in {*scope.symbols, *scope.rules} and not all(
            part in scope.values or part in scope.slots for part in parts
        ):
            raise self.error(
                node,
                "expression-unknown-name",
                f"`{name}` without quotes is a subtraction",
                hint=hyphen_hint(name),
            )

    def _wrong_arguments(self, node: ast.Call, name: str) -> ExpressionError:
        message = f"the arguments of {name}() are not valid"
        hint = f"write {_USAGES.get(name, f'{name}(PIECE)')}"
        if name == "count" and node.args and isinstance(node.args[0], ast.BinOp):
            hint += "; add the numbers of several kinds, as in count(a) + count(b)"
        return self.error(node, "expression-type", message, hint)

    def _view(self, env: Env) -> View:
        assert env.view is not None, "scopes without a state have no variables and no board"
        return env.view


def text_of(node: ast.expr) -> str | None:
    """The text of a number or of a quoted word; None for any other node."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (str, int)):
        return str(node.value)
    return None


def hyphen_hint(name: str) -> str:
    """The hint for a name with a hyphen that is not in quotes."""
    return f"put a name that contains a hyphen in quotes: '{name}'"


def tested_rule(node: ast.expr) -> str | None:
    """The rule that a call `can(RULE)` tests; None if the node is anything else."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "can":
        return _rule_of(node.args[0]) if len(node.args) == 1 else None
    return None


def _rule_of(node: ast.expr) -> str | None:
    """The name of a rule. A name with hyphens is parsed as a difference."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        left, right = _rule_of(node.left), _rule_of(node.right)
        return None if left is None or right is None else f"{left}-{right}"
    return text_of(node)
