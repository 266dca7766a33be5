"""Finds the pairs of the matrix in a document, from the document alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from typing import Any

from fewest.model.rules import NO_PIECE
from fewest.reading.document import (
    ConditionMap,
    Document,
    MetricEntry,
    MoveEntry,
    PieceKind,
    Placement,
    TerrainEntry,
    VariableEntry,
)
from fewest.reading.rules import OWN_KEYS
from tests.helpers.matrix.constructs import (
    BOARDS,
    LOOKING,
    RULE,
    STAGES,
    WORD_KEYS,
    Pair,
    rows_of,
)
from tests.helpers.matrix.expression_tags import Names, expression_rows, target_rows

Plain = Mapping[str, Any]


def pairs_of(document: Plain) -> set[Pair]:
    """Every pair of the matrix that a document has."""
    return _Tagger(document).pairs()


def keys_of(struct: type, given: Plain) -> Iterator[str]:
    """The rows of the given keys; keys with listed values have a row for each value."""
    rows = rows_of(struct)
    for key, value in given.items():
        for row in rows.get(key, ()):
            wanted = row.partition("=")[2]
            values = value if isinstance(value, list) else [value]
            if not wanted or wanted in map(_said, values):
                yield row


def _said(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def kind_of(rule: Plain) -> str:
    """The kind of a rule: the one that owns its first key."""
    if "together" in rule:
        return "together"
    for kind, keys in OWN_KEYS.items():
        if any(key in rule for key in keys[:2]) and "before" not in rule:
            return kind
    return "pattern" if "before" in rule else "action"


class _Tagger:
    def __init__(self, document: Plain) -> None:
        self.document = document
        self.pieces: Plain = document.get("pieces", {})
        drawn = "".join("".join(map(str, row)) for row in document.get("board", []))
        variables: Plain = document.get("variables", {})
        self.names = Names(
            variables=frozenset(name.partition("[")[0] for name in variables),
            constants=frozenset(document.get("constants", {})),
            parameters=frozenset(document.get("parameters", {})),
            kinds=frozenset(self.pieces),
            letters=frozenset(c for c in drawn if c.isupper() and c not in document["legend"])
            if drawn
            else frozenset(),
            terrains=frozenset(document.get("terrain", [])),
            words=frozenset(
                v
                for e in variables.values()
                if isinstance(e["values"], list)
                for v in e["values"]
                if isinstance(v, str)
            ),
        )
        self.boards = set(self._boards())
        self.rules = [
            (section, kind_of(rule), rule)
            for section in ("moves", "then")
            for rule in document.get(section, {}).values()
        ]

    def pairs(self) -> set[Pair]:
        found: set[Pair] = set()
        looked: set[str] = set()
        with_ = {
            f"with {s}"
            for s in ("together", "carries", "sticky", "whole")
            if any(s in rule for _, _, rule in self.rules)
        }
        if "then" in self.document:
            with_.add("with then")
        for section, kind, rule in self.rules:
            stage = next((f"/{stage}" for stage in STAGES if rule.get(stage)), "")
            context = f"{section}.{kind}{stage}"
            rows = {RULE, *self._rule_rows(section, kind, rule), *self.boards}
            found |= {(context, row) for row in rows}
            names = self._with_loops(rule.get("for", {}))
            if "when" in rule:
                expressions = expression_rows(rule["when"], names)
                looked |= expressions
                found |= {(f"{context}.when", row) for row in expressions}
            for _, expressions in target_rows(rule.get("set", {}), names):
                looked |= expressions
                found |= {(f"{context}.set", row) for row in expressions}
            if isinstance(rule.get("count"), str):
                found |= {("moves.count", row) for row in expression_rows(rule["count"], names)}
        for key in ("goal", "forbid"):
            if key in self.document:
                rows, expressions = self._condition_rows(self.document[key])
                looked |= expressions
                found |= {(key, row) for row in {*rows, *self.boards}}
                found |= {(f"{key}.expr", row) for row in expressions}
        found |= set(self._metric_pairs())
        for kind_entry in self.pieces.values():
            directions = kind_entry.get("directions")
            found |= {("pieces", row) for row in self._directions(directions, ())}
        for entry in self.document.get("variables", {}).values():
            found |= {("variables", row) for row in keys_of(VariableEntry, entry)}
        seen = looked.intersection(LOOKING)
        found |= {(f"looked at: {board}", row) for board in self.boards | with_ for row in seen}
        return found

    # -- the board --------------------------------------------------------------------------------------

    def _boards(self) -> Iterator[str]:
        document = self.document
        yield from (row for row in keys_of(Document, document) if row in BOARDS)
        if "board" in document and "geometry" not in document and "graph" not in document:
            yield "geometry=square"
        edges = document.get("edges")
        if edges == "drawn":
            yield "edges: drawn=true"
        elif edges:
            yield from (f"edges: {key}" for key in edges)
            if any(not portal.get("both", True) for portal in edges.get("portals", [])):
                yield "edges: portals both=false"
        if isinstance(document.get("board"), list):
            yield "board: tokens"
        terrain = document.get("terrain", [])
        for entry in terrain.values() if isinstance(terrain, dict) else ():
            rows = keys_of(TerrainEntry, entry) if isinstance(entry, dict) else ["enters"]
            yield from (f"terrain: {row}" for row in rows if entry is not None)
        for entry in self.pieces.values():
            yield from (f"piece: {row}" for row in keys_of(PieceKind, entry))
        legend = document.get("legend", {}).values()
        if any(" on " in meaning for meaning in legend):
            yield "legend: KIND on TERRAIN"
        if any("&" in meaning for meaning in legend):
            yield "legend: KIND & KIND"
        if any("letters" in entry or "shape" in entry for entry in self.pieces.values()):
            yield "piece: of several cells"

    # -- rules ------------------------------------------------------------------------------------------

    def _with_loops(self, loops: Plain) -> Names:
        from msgspec.structs import replace

        return replace(self.names, loops=frozenset(loops))

    def _rule_rows(self, section: str, kind: str, rule: Plain) -> Iterator[str]:
        yield from keys_of(MoveEntry, rule)
        for key in WORD_KEYS:
            if key in rule:
                yield f"{key}: {self._word(rule[key])}"
        yield from self._loops(rule.get("for", {}))
        yield from self._directions(rule.get("directions"), rule.get("for", {}))
        if section == "then":
            yield f"order={self.document.get('order', 'top-down')}"
        if rule.get("over") == "floor":
            yield "over: floor"
        if isinstance(rule.get("stopped-by"), list):
            yield "stopped-by: both"
        if kind == "pattern":
            yield from pattern_rows(
                rule["before"], rule["after"], self.names.kinds, self.names.letters
            )
        if kind == "cycle":
            if isinstance(rule.get("cycle"), str):
                yield "ring: expression"
            if isinstance(rule.get("cycles"), str):
                yield "rings: expression"
            if isinstance(rule.get("steps"), str):
                yield "steps: expression"
        if kind == "pivot":
            about = rule.get("about", "own")
            known = "own" if about == "own" else "TERRAIN" if isinstance(about, str) else "cells"
            yield f"about: {known}"

    def _word(self, text: str) -> str:
        if "|" in text:
            return "A|B"
        return text if text in ("any", "own") else "kind" if text in self.pieces else "letter"

    def _loops(self, loops: Plain) -> Iterator[str]:
        if len(loops) > 1:
            yield "for: two loops"
        for given in loops.values():
            if isinstance(given, list):
                yield "for: words" if any(str(v).isalpha() for v in given) else "for: list"
            else:
                yield "for: constant" if str(given) in self.names.constants else "for: range"

    def _directions(self, given: Any, loops: Collection[str]) -> Iterator[str]:
        if given is None:
            return
        items = [given] if isinstance(given, str) else given
        is_graph = "graph" in self.document
        for item in items:
            if isinstance(item, list):
                yield "directions: offsets"
            elif "_of(" in item:
                yield "directions: turned"
            elif item in loops or item in self.names.variables:
                yield "directions: loop" if item in loops else "directions: variable"
            elif is_graph:
                yield "directions: edges"
            else:
                yield from (f"directions: {word}" for word in item.split())

    # -- conditions and metrics --------------------------------------------------------------------------

    def _condition_rows(self, given: Any) -> tuple[set[str], set[str]]:
        """The forms of a condition, and the constructs of its expressions."""
        if isinstance(given, str):
            return {"expression"}, expression_rows(given, self.names)
        if isinstance(given, list):
            parts = [self._condition_rows(part) for part in given]
            return {"list"}.union(*(p[0] for p in parts)), set[str]().union(*(p[1] for p in parts))
        rows, expressions = set(keys_of(ConditionMap, given)), set[str]()
        own = ConditionMap.__struct_fields__
        if len([k for k in given if k != "holds" and k not in Placement.__struct_fields__]) > 1:
            rows.add("map of several keys")
        where = {key: given[key] for key in Placement.__struct_fields__ if key in given}
        for word in ("every", "some"):
            if word in given and "holds" not in given:
                rows.update(f"{word}: {key}" for key in where)
        rows.update(keys_of(Placement, where))
        areas = [value.get("on", "") for value in given.values() if isinstance(value, dict)]
        for area in (*areas, str(where.get("on", ""))):
            if "|" in area:
                rows.add("on: A|B")
            if area.startswith("not "):
                rows.add("on: not A")
        for key, value in given.items():
            if key in ("all", "any"):
                more = [self._condition_rows(part) for part in value]
                rows = rows.union(*(m[0] for m in more))
                expressions = expressions.union(*(m[1] for m in more))
            elif key not in own and key not in where:
                rows.update(keys_of(Placement, value))
                if isinstance(value.get("at"), str):
                    rows.add("at: node")
                if "touches" in value and key in self.names.letters:
                    rows.add("touches: letter")
            elif key == "board":
                cells = [cell for row in value for cell in row]
                if any(cell in self.names.letters for cell in cells):
                    rows.add("board: letter")
                if self.document.get("edges") == "drawn" and "+" in cells:
                    rows.add("board: lines")
        return rows, expressions

    def _metric_pairs(self) -> Iterator[Pair]:
        rules = self.document.get("moves", {})
        for entry in self.document.get("metrics", {}).values():
            if isinstance(entry, list):
                yield "metric", "list"
                continue
            for row in keys_of(MetricEntry, entry):
                yield "metric", row
            count = entry.get("count")
            if isinstance(count, int):
                yield "metric", "count: number"
                continue
            for rule, weight in (count or {}).items():
                if weight == 0:
                    yield "metric", "count: 0"
                if isinstance(weight, str):
                    names = self._with_loops(rules[rule].get("for", {}))
                    for row in expression_rows(weight, names):
                        yield "metric.count", row


def pattern_rows(
    before: Any, after: Any, kinds: frozenset[str], letters: frozenset[str]
) -> set[str]:
    """The constructs of a pattern."""
    return set(_elements(before, after, kinds | letters, kinds))


def _elements(
    before: Any, after: Any, named: frozenset[str], kinds: frozenset[str]
) -> Iterator[str]:
    if isinstance(before[0], list):
        yield "rectangle"
        before = [word for row in before for word in row]
        after = [word for row in after for word in row]
    bare = [word.removesuffix("...") for word in before]
    for text in before:
        if text.endswith("..."):
            yield {"empty...": "empty...", "_...": "_..."}.get(text, "A...")
        if "&" in text:
            yield "A & B"
        for part in text.removesuffix("...").split("&"):
            yield from _element(part.split(), kinds)
    if any(text == "_..." for text in after):
        yield "_..."
    if sum(text.endswith("...") for text in before) > 1:
        yield "two stretches"
    if any("&" in text for text in after):
        yield "A & B in after"
    old = [word.split()[0] for word in bare]
    new = [word.removesuffix("...").split()[0] for word in after]
    here = {word for word in (*old, *new) if word in named}
    if any(new.count(word) > old.count(word) for word in here):
        yield "appears"
    if any(new.count(word) < old.count(word) for word in here):
        yield "captured"
    if any(
        old[i] == new[j] != old[j] == new[i] and {old[i], old[j]} <= here
        for i in range(len(old))
        for j in range(i)
    ):
        yield "changes places"


def _element(parts: list[str], kinds: frozenset[str]) -> Iterator[str]:
    for word, area in pairwise(parts):
        if word in ("on", "off") and parts[0] != word:
            yield (
                f"{word} not A"
                if area == "not"
                else f"{word} A|B"
                if "|" in area
                else f"{word} TERRAIN"
            )
    if parts[0] == "ground":
        yield "ground"
        return
    if parts[0] == "not":
        words = parts[1].split("|")
        yield "not wall" if words == ["wall"] else "not A|B" if len(words) > 1 else "not A"
        return
    words = parts[0].split("|")
    if len(words) > 1:
        yield "A|B"
        if "empty" in words:
            yield "piece|empty"
    for word in words:
        if word in NO_PIECE or word == "any":
            yield word
        else:
            yield "kind" if word in kinds else "letter"
