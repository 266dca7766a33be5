"""Rewrites a document without models, parameters, constants, loops, colours, templates and variable directions.

The expander is written from `docs/language.md` alone, and shares no code with `fewest`. It raises `UnsupportedError`
for every document that it does not cover.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from tests.independent.folding import (
    GROUPS,
    SIXTHS,
    Family,
    NeedsIndexError,
    Scope,
    evaluated,
    fold,
    folded,
    is_known,
    loops,
    normal,
    parsed,
    turned,
    value_of,
    written,
)
from tests.independent.models import Document, letters, merged
from tests.independent.plain_yaml import UnsupportedError
from tests.independent.templates import escaped, filled

FOR_READERS = (
    *("title", "names", "source", "notes", "difficulty", "drawing", "expect", "tests"),
    *("model", "puzzle", "extends"),
)
MOST_RULES = 1000
_RULE_KEYS = {
    *(
        "slide",
        "together",
        "before",
        "after",
        "cycle",
        "cycles",
        "steps",
        "pivot",
        "about",
        "swept",
        "wait",
    ),
    *("directions", "for", "when", "set", "count", "say", "distance", "over", "stopped-by"),
    *("carries", "sticky", "most", "rotations", "whole", "otherwise", "everywhere", "once"),
}


# -- models ---------------------------------------------------------------------------------------------


def expand(
    text: str, folder: Path, models: Path, parameters: Mapping[str, int] | None = None
) -> Document:
    """An equivalent document that needs no model and none of the constructs that this module resolves."""
    document = merged(text, folder, models)
    indexed: set[str] = set()
    while True:
        try:
            return _Expander(deepcopy(document), dict(parameters or {}), indexed).expanded()
        except NeedsIndexError as need:
            indexed.add(str(need))


class _Expander:
    def __init__(self, document: Document, parameters: dict[str, int], indexed: set[str]) -> None:
        self.source, self.indexed = document, indexed
        known: dict[str, Any] = {}
        variables = document.get("variables") or {}
        self.families: dict[str, Family] = {}
        for name, default in (document.get("parameters") or {}).items():
            value = default.get("default") if isinstance(default, dict) else default
            known[name] = normal(parameters.get(name, value))
        self.kinds = document.get("pieces") or {}
        self.colours = {
            kind: [f"{colour}-{kind}" for colour in keys["colours"]]
            for kind, keys in self.kinds.items()
            if keys and "colours" in keys
        }
        geometry = document.get("geometry", "square")
        sixths = "none" if "graph" in document else "" if geometry == "square" else geometry
        if geometry.startswith("triangle"):
            sixths = "strips"
        rules = str([document.get("moves"), document.get("then")])
        if geometry == "square" and re.search(r"\bhex\b|hex-left|hex-right", rules):
            raise UnsupportedError("six directions without their geometry")
        self.groups = GROUPS | {"strips": SIXTHS["strips"], "hex": SIXTHS.get(sixths, [])}
        self.scope = Scope(known, self.families, self.colours, sixths=sixths)
        self.variable_names = {name.split("[")[0] for name in variables}
        for name, source in (document.get("constants") or {}).items():
            self._refuse_variables(source)
            self.scope.known[name] = self._constant(source)
        self._size()
        self._variables(variables)
        self.copies: dict[str, list[str]] = {}
        self.bindings: dict[str, list[Scope]] = {}

    def _refuse_variables(self, source: Any) -> None:
        """In a constant, a word that is also a variable could mean either."""
        for word in re.findall(r"[A-Za-z_]\w*", str(source)):
            if word in self.variable_names:
                raise UnsupportedError(f"{word} in a constant is also a variable")

    def _constant(self, source: Any) -> Any:
        if isinstance(source, list):
            return [self._constant(each) for each in source]
        if isinstance(source, dict):
            return {normal(key): self._constant(value) for key, value in source.items()}
        return evaluated(source, self.scope)

    def _size(self) -> None:
        board = self.source.get("board")
        if board is None:
            return
        rows = self._rows(board, self.scope)
        width = max(map(len, rows), default=0)
        height = len(rows)
        if self.source.get("edges") == "drawn":
            height, width = height // 2, width // 2
        for name, value in (("rows", height), ("columns", width)):
            if name not in self.scope.known and name not in self.variable_names:
                self.scope.known[name] = value

    def _rows(self, board: Any, scope: Scope) -> list[list[str]]:
        if isinstance(board, list):
            if not all(isinstance(row, list) for row in board):
                raise UnsupportedError("a row that is no list of tokens")
            return [[str(token) for token in row] for row in board]
        text = filled(str(board), scope)
        return [list(line) for line in text.removesuffix("\n").split("\n")]

    def _variables(self, variables: Mapping[str, Any]) -> None:
        self.variables: Document = {}
        for head, keys in variables.items():
            name, _, rest = head.partition("[")
            indices = [each.strip() for each in rest.rstrip("]").split(",")] if rest else []
            is_indexed = name in self.indexed
            members: dict[tuple[Any, ...], list[Any]] = {}
            entries: list[tuple[tuple[Any, ...], list[Any], Any]] = []
            for scope in self.bindings_of(keys.get("for"), self.scope):
                where = tuple(normal(scope.known[index]) for index in indices)
                values = self._values(keys["values"], scope)
                initial = evaluated(keys["initial"], scope)
                members[where] = values
                entries.append((where, values, initial))
            family = Family(name, members, is_indexed=is_indexed)
            self.families[name] = family
            if is_indexed:
                self.variables[head] = self._indexed_variable(keys, entries, indices)
                continue
            for where, values, initial in entries:
                self.variables[family.new_name(where)] = {"values": values, "initial": initial}

    def _indexed_variable(self, keys: Document, entries: list[Any], indices: list[str]) -> Document:
        """A variable that keeps its indices: its loops, values and initial values without names."""
        if any(values != entries[0][1] for _, values, _ in entries):
            raise UnsupportedError("an indexed variable with different values")
        ranges = [sorted({where[i] for where, _, _ in entries}) for i in range(len(indices))]
        if [where for where, _, _ in entries] != list(itertools.product(*ranges)):
            raise UnsupportedError("the indices of a variable are no product")
        text = str(entries[-1][2])
        for where, _, initial in reversed(entries[:-1]):
            test = " and ".join(f"{i} == {x}" for i, x in zip(indices, where, strict=True))
            text = f"{initial} if {test} else {text}"
        loop = dict(zip(indices, ranges, strict=True))
        return {"for": loop, "values": entries[0][1], "initial": text}

    def _values(self, source: Any, scope: Scope) -> list[Any]:
        if isinstance(source, str):
            value = evaluated(source, scope)
            if isinstance(value, str):
                if value not in self.groups:
                    raise UnsupportedError(f"the values {value}")
                return self.groups[value]
            return list(value)
        return [evaluated(each, scope) for each in source]

    def bindings_of(self, source: Mapping[str, Any] | None, scope: Scope) -> list[Scope]:
        """The scopes of all bindings of loops; later loops may use the names of earlier loops."""
        found = [scope]
        for name, values in (source or {}).items():
            found = [
                each.having(**{name: value}) for each in found for value in self._loop(values, each)
            ]
            if len(found) > 20 * MOST_RULES:
                raise UnsupportedError("too many bindings")
        return found

    def _loop(self, source: Any, scope: Scope) -> list[Any]:
        if isinstance(source, list):
            self._refuse_variables(source)
            return [evaluated(each, scope) for each in source]
        value = evaluated(source, scope)
        if isinstance(value, str):
            if value not in self.groups:
                raise UnsupportedError(f"a loop over {value}")
            return list(self.groups[value])
        return list(value)

    def expanded(self) -> Document:
        source = self.source
        result: Document = {"puzzle": "expanded"}
        for key, value in source.items():
            if key in FOR_READERS or key in ("parameters", "constants", "variables", "metrics"):
                continue
            if key in ("wrap", "levels", "graph", "geometry", "order", "metric", "edges"):
                result[key] = value
            elif key not in (
                "board",
                "legend",
                "terrain",
                "pieces",
                "moves",
                "then",
                "goal",
                "forbid",
            ):
                raise UnsupportedError(f"the key {key}")
        if "board" in source:
            board = source["board"]
            is_drawn = source.get("edges") == "drawn"
            rows = self._rows(board, self.scope)
            drawn = "\n".join(map("".join, rows)) if is_drawn else rows
            if "graph" in source and not isinstance(board, list):
                drawn = "\n".join(map("".join, rows))
            result["board"] = escaped(drawn)
        if "legend" in source:
            result["legend"] = {
                str(key): filled(str(meaning), self.scope)
                for key, meaning in source["legend"].items()
            }
        if "terrain" in source:
            result["terrain"] = source["terrain"]
        if self.kinds:
            result["pieces"] = self._pieces()
        if self.variables:
            result["variables"] = self.variables
        moves, then = source.get("moves") or {}, source.get("then") or {}
        for section, rules in (("moves", moves), ("then", then)):
            for name, rule in rules.items():
                self._bind(section, name, rule)
        self.scope.copies = self.copies
        for scopes in self.bindings.values():
            for scope in scopes:
                scope.copies = self.copies
        result["moves"] = self._rules(moves, "moves")
        if then:
            result["then"] = self._rules(then, "then")
        if "goal" in source:
            result["goal"] = self.goal(source["goal"])
        if "forbid" in source:
            result["forbid"] = self.goal(source["forbid"])
        result["metrics"] = self._metrics(moves)
        return result

    def _pieces(self) -> Document:
        found: Document = {}
        for kind, source in self.kinds.items():
            keys = dict(source or {})
            colours = keys.pop("colours", None)
            if "letters" in keys:
                keys["letters"] = letters(keys["letters"])
            if colours and "letters" in keys:
                raise UnsupportedError("letters of a kind with colours")
            for name in self.colours.get(kind, [kind]):
                found[name] = keys
        return found

    # -- rules ------------------------------------------------------------------------------------------

    def _bind(self, section: str, name: str, rule: Document) -> None:
        if not isinstance(rule, dict) or set(rule) - _RULE_KEYS:
            raise UnsupportedError(f"the rule {name}: {set(rule or {}) - _RULE_KEYS}")
        if name in self.bindings:
            raise UnsupportedError(f"two rules {name}")
        scopes = self.bindings_of(rule.get("for"), self.scope)
        coloured = {
            kind
            for element in _elements([rule.get("before"), rule.get("after")])
            for kind in self.colours
            if re.search(rf"(?<![\w-]){re.escape(kind)}(?![\w-])", element)
        }
        if coloured and "colour" not in (rule.get("for") or {}):
            sets = [self.kinds[kind]["colours"] for kind in coloured]
            if any(each != sets[0] for each in sets):
                raise UnsupportedError("kinds with different colours in one pattern")
            if section == "then" and len(scopes) > 1:
                raise UnsupportedError("the order of a loop over colours and other loops")
            scopes = [scope.having(colour=colour) for scope in scopes for colour in sets[0]]
        scopes = [
            each for scope in scopes for each in self._directed(rule.get("directions"), scope)
        ]
        if section == "then" and len(scopes) > 1 and ("everywhere" in rule or "once" in rule):
            if coloured or any("directions of" in scope.known for scope in scopes):
                raise UnsupportedError("colours or variables in a rule with everywhere or once")
            scopes = [self.scope.hiding(rule["for"])]
        if sum(map(len, self.copies.values())) + len(scopes) > MOST_RULES:
            raise UnsupportedError("too many rules")
        self.bindings[name] = scopes
        if len(scopes) == 1:
            self.copies[name] = [name]
        else:
            self.copies[name] = [f"{name}_{i}" for i in range(len(scopes))]

    def _directed(self, source: Any, scope: Scope) -> Iterator[Scope]:
        """One scope for each combination of values of the variables that the directions name."""
        used = sorted(
            name
            for name, family in self.families.items()
            if isinstance(source, str)
            and name not in scope.known
            and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", source)
        )
        if not used:
            yield scope
            return
        if any(list(self.families[name].members) != [()] for name in used):
            raise UnsupportedError("directions from an indexed variable")
        for values in itertools.product(*(self.families[name].members[()] for name in used)):
            yield scope.having(**{"directions of": dict(zip(used, values, strict=True))})

    def _rules(self, rules: Document, section: str) -> Document:
        found: Document = {}
        for name, rule in rules.items():
            for i, (copy, scope) in enumerate(
                zip(self.copies[name], self.bindings[name], strict=True)
            ):
                made = self._rule(rule, scope)
                if i > 0:
                    made.pop("otherwise", None)
                found[copy] = made
        return found

    def _rule(self, rule: Document, scope: Scope) -> Document:
        made: Document = {}
        facing: dict[str, Any] = scope.known.get("directions of", {})
        conditions = []
        for key, value in sorted(rule.items(), key=lambda item: item[0] == "set"):
            match key:
                case "for":
                    if scope.opaque:
                        made["for"] = self._loops_without_constants(value)
                case "say" | "count":
                    continue
                case "before" | "after":
                    made[key] = self._pattern(value, scope)
                case "when":
                    condition = folded(value, scope)
                    if not is_known(condition) or not normal(value_of(condition)):
                        conditions.append(written(condition))
                case "set":
                    is_dead = conditions == ["1 == 0"]
                    made[key] = self._assignments(value, scope, is_dead=is_dead)
                case "directions":
                    made[key] = self._directions(value, scope, facing)
                case "cycle" | "cycles" | "steps" | "about" if scope.opaque:
                    raise UnsupportedError(f"{key} in a rule with loops")
                case "cycle" | "cycles":
                    made[key] = evaluated(value, scope)
                case "about":
                    made[key] = evaluated(value, scope) if isinstance(value, list) else value
                case "steps":
                    made[key] = evaluated(value, scope)
                case "slide" | "together" | "pivot" | "carries" | "sticky":
                    made[key] = self._kinds(str(value))
                case _:
                    made[key] = value
        for name, value in facing.items():
            conditions.append(written(fold(parsed(f"{name} == {value!r}"), scope)))
        if facing and not all(self._is_direction(value) for value in facing.values()):
            conditions.append("1 == 0")
            made.pop("directions", None)
        if conditions:
            made["when"] = " and ".join(f"({each})" for each in conditions)
        return made

    def _loops_without_constants(self, loops: Mapping[str, Any]) -> Document:
        """The loops of a rule that cannot become several rules, without constants."""
        found: Document = {}
        for name, values in loops.items():
            found[name] = self._loop(values, self.scope.hiding(found))
        return found

    def _is_direction(self, value: Any) -> bool:
        if value in ("hex", "strips", "along", "knight"):
            return True
        try:
            return bool(turned("back_of", value, self.scope) != value)
        except UnsupportedError:
            return value in self.groups

    def _kinds(self, text: str) -> str:
        words = [each.strip() for each in text.split("|")]
        return "|".join(kind for word in words for kind in self.colours.get(word, [word]))

    def _directions(self, source: Any, scope: Scope, facing: Mapping[str, Any]) -> Any:
        if isinstance(source, list):
            if all(isinstance(each, str) for each in source):
                return [self._direction(each, scope, facing) for each in source]
            return evaluated(source, scope)
        if not isinstance(source, str):
            raise UnsupportedError(f"the directions {source}")
        words = re.findall(r"[^\s(]+(?:\([^)]*\)+)?", source)
        return " ".join(self._direction(word, scope, facing) for word in words)

    def _direction(self, word: str, scope: Scope, facing: Mapping[str, Any]) -> str:
        if re.fullmatch(r"[a-z]+(-[a-z]+)+", word):
            return word
        inner = scope.having(**facing)
        node = folded(word, inner)
        if scope.opaque and not is_known(node):
            return written(node)
        value = value_of(node)
        if not isinstance(value, str):
            raise UnsupportedError(f"the direction {value}")
        return value

    def _pattern(self, source: Any, scope: Scope) -> Any:
        if isinstance(source, list):
            return [self._pattern(each, scope) for each in source]
        text = filled(str(source), scope)
        for kind, names in self.colours.items():
            pattern = rf"(?<![\w-])any-{re.escape(kind)}(?![\w-])"
            if re.search(pattern, text) and re.search(r"[&]|not ", text):
                raise UnsupportedError("several colours in a pattern with & or not")
            text = re.sub(pattern, "|".join(names), text)
        for kind in self.colours:
            pattern = rf"(?<![\w-]){re.escape(kind)}(?![\w-])"
            if re.search(pattern, text):
                text = re.sub(pattern, f"{scope.known['colour']}-{kind}", text)
        return text

    def _assignments(self, source: Document, scope: Scope, *, is_dead: bool) -> Document:
        found: Document = {}
        for target, value in source.items():
            node = parsed(f"[{target}]")
            first = node.elts[0] if getattr(node, "elts", None) else None  # type: ignore[attr-defined]
            if first is None:
                first, pairs = node.elt, loops(node.generators, scope)  # type: ignore[attr-defined]
            else:
                pairs = iter([(scope, folded(1, scope))])
            for inner, condition in pairs:
                if not (is_known(condition) and normal(value_of(condition))):
                    raise UnsupportedError("a condition of a target depends on the position")
                name = written(self._target(first, inner))
                text = written(folded(value, inner))
                if found.setdefault(name, text) != text and not is_dead:
                    raise UnsupportedError(f"two values for {name}")
        return found

    def _target(self, node: Any, scope: Scope) -> Any:
        plain = scope.having()
        plain.families, plain.colours = self.families, {}
        name = getattr(node, "id", None) or getattr(node.value, "id", None)
        plain.known.pop(name, None)
        found = fold(node, plain)
        if is_known(found):
            raise UnsupportedError(f"the target {value_of(found)}")
        return found

    # -- goals and metrics ------------------------------------------------------------------------------

    def goal(self, source: Any) -> Any:
        """A condition of `goal` or `forbid`."""
        if isinstance(source, list):
            return [self.goal(each) for each in source]
        if isinstance(source, (str, bool, int)):
            return _conditions(folded(source, self.scope))
        parts: list[Any] = []
        keys = dict(source)
        if "every" in keys or "some" in keys:
            quantifier = "every" if "every" in keys else "some"
            word = keys.pop(quantifier)
            rest = {k: keys.pop(k) for k in ("holds", "on", "at", "touches", "covers") if k in keys}
            rest = self._placed(rest)
            if rest.get("holds") in self.colours:
                raise UnsupportedError("a terrain that holds a kind with colours")
            names = self.colours.get(word, [word])
            each = [{quantifier: name, **rest} for name in names]
            parts.append(
                {"all" if quantifier == "every" else "any": each} if len(each) > 1 else each[0]
            )
        for key, value in keys.items():
            match key:
                case "all":
                    parts.append({"all": [self.goal(each) for each in value]})
                case "any":
                    parts.append({"any": [self.goal(each) for each in value]})
                case "board":
                    parts.append({"board": escaped(self._goal_board(value))})
                case "count":
                    for kind, number in value.items():
                        parts.append(self._count(str(kind), evaluated(number, self.scope)))
                case _:
                    names = self.colours.get(key, [key])
                    each = [{str(name): self._placed(value)} for name in names]
                    parts.append({"any": each} if len(each) > 1 else each[0])
        return parts[0] if len(parts) == 1 else {"all": parts}

    def _goal_board(self, value: Any) -> Any:
        if isinstance(value, list):
            return self._rows(value, self.scope)
        return filled(str(value), self.scope)

    def _count(self, kind: str, number: int) -> Any:
        if kind not in self.colours:
            return {"count": {kind: number}}
        return written(fold(parsed(f"count({kind!r}) == {number}"), self.scope))

    def _placed(self, source: Any) -> Document:
        if not isinstance(source, dict):
            raise UnsupportedError(f"the goal {source}")
        found = dict(source)
        if isinstance(found.get("at"), list):
            found["at"] = evaluated(found["at"], self.scope)
        return found

    def _metrics(self, moves: Document) -> Document:
        found: Document = {}
        for name, source in (self.source.get("metrics") or {"moves": {}}).items():
            if isinstance(source, list):
                found[name] = source
                continue
            keys = dict(source or {})
            weights: Document = {}
            given = keys.pop("count", None)
            if isinstance(given, dict):
                unknown = set(given) - set(moves)
                if unknown:
                    raise UnsupportedError(f"weights of {unknown}")
            for rule, body in moves.items():
                weight = body.get("count", 1)
                if isinstance(given, dict):
                    weight = given.get(rule, weight)
                elif given is not None:
                    weight = given
                for copy, scope in zip(self.copies[rule], self.bindings[rule], strict=True):
                    weights[copy] = evaluated(weight, scope)
            found[name] = {"count": weights, **keys}
        return found


def _conditions(node: ast.expr) -> Any:
    """A condition as a goal; the parts of a conjunction stand on their own."""
    match node:
        case ast.BoolOp(op=ast.And(), values=values):
            return {"all": [_conditions(each) for each in values]}
        case ast.Call(func=ast.Name(id="all"), args=[ast.List(elts=elts)]):
            return {"all": [_conditions(each) for each in elts]}
    return written(node)


def _elements(source: Any) -> Iterator[str]:
    if isinstance(source, list):
        for each in source:
            yield from _elements(each)
    elif source is not None:
        yield str(source)
