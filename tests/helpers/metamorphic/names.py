"""Gives the kinds, terrains, variables, rules, letters and characters of a puzzle different names."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping
from typing import Any

from fewest.commands.api import CompiledPuzzle
from fewest.model.board import DIRECTION_GROUPS
from tests.helpers.metamorphic.document import (
    Data,
    NotApplicableError,
    data_of,
    drawing_of,
    elements_of,
    has_lines,
    map_conditions,
    map_elements,
    map_expressions,
    patterns_of,
    rows_of,
    rules_of,
)

_WORD = re.compile(r"[^\W\d][\w-]*|\w+")
_FRESH = "αβγδεζηθικλμνξοπρστυφχψω"
Names = Mapping[str, str]


def words_renamed(compiled: CompiledPuzzle) -> Data:
    """The puzzle with new names for kinds, terrains, variables and rules, in reversed alphabetical order."""
    data = copy.deepcopy(data_of(compiled))
    terrain = data.get("terrain") or {}
    if any("{" in e for rule, side in patterns_of(data) for e in elements_of(rule, side)):
        raise NotApplicableError("a pattern is a template")
    things = {*(data.get("pieces") or {}), *terrain, *map(_head, data.get("variables") or {})}
    names = _reversed(things, "thing")
    rules = _reversed({name for _, name, _ in rules_of(data)}, "rule")
    loops = {index for _, _, rule in rules_of(data) for index in rule.get("for") or {}}
    if loops & things:
        raise NotApplicableError("a loop has the name of a kind")

    def renamed(text: str) -> str:
        text = re.sub(r"\bcan\(([\w -]+)\)", lambda m: f"can({rules[m[1].strip()]})", text)
        return _substituted(text, names)

    variables = {name: names[name] for name in map(_head, data.get("variables") or {})}
    for _, _, rule in rules_of(data):
        if "directions" in rule:  # a direction can be the value of a variable
            rule["directions"] = _mapped(
                rule["directions"],
                # A word for directions has this meaning even if a variable has the same name.
                lambda text: text if text in DIRECTION_GROUPS else _substituted(text, variables),
            )
    _rename_words(data, names, renamed)
    for section in ("moves", "then"):
        if data.get(section):
            data[section] = {
                rules[name]: rule for name, rule in data[section].items() if rule is not None
            }
    for metric in (data.get("metrics") or {}).values():
        if isinstance(metric, dict) and isinstance(metric.get("count"), dict):
            metric["count"] = {
                rules[name]: weight for name, weight in metric["count"].items() if name in rules
            }
    return data


def letters_renamed(compiled: CompiledPuzzle) -> Data:
    """The puzzle after exchanging the letters of each kind among themselves, and replacing all other characters by new
    ones."""
    data = copy.deepcopy(data_of(compiled))
    if "board" not in data or data.get("levels") == 0:
        raise NotApplicableError("no board")
    legend = data.get("legend") or {}
    names = dict(zip(legend, _FRESH, strict=False))
    if len(names) < len(legend) or any(len(key) > 1 for key in legend):
        raise NotApplicableError("a legend of tokens")
    tokens = {token for row in rows_of(data["board"]) for token in row if token not in legend}
    used = {index for _, _, rule in rules_of(data) for index in rule.get("for") or {}}
    used |= {
        *map(_head, data.get("variables") or {}),
        *(data.get("parameters") or {}),
        *(data.get("constants") or {}),
    }
    used |= {*(data.get("pieces") or {}), *(data.get("terrain") or {})}
    for spec in (data.get("pieces") or {}).values():
        letters = sorted(_letters((spec or {}).get("letters")) & tokens - used)
        names |= dict(zip(letters, [*letters[1:], *letters[:1]], strict=True))
    if data.get("graph") is None and not has_lines(data):
        drawn = lambda rows: [[names.get(token, token) for token in row] for row in rows]  # noqa: E731
    elif has_lines(data):
        drawn = lambda rows: [  # noqa: E731
            [names.get(t, t) if r % 2 and c % 2 else t for c, t in enumerate(row)]
            for r, row in enumerate(rows)
        ]
    else:
        drawn = lambda rows: [[names.get(t, t) if t != " " else t for t in row] for row in rows]  # noqa: E731
    data["board"] = drawing_of(drawn(rows_of(data["board"])))
    data["legend"] = {names[key]: meaning for key, meaning in legend.items()}
    if not data["legend"]:
        del data["legend"]
    letters = {old: new for old, new in names.items() if old not in legend}
    # in a condition, the name of a kind means the kind, even if it is also a character of the legend
    words = {old: new for old, new in names.items() if old not in (data.get("pieces") or {})}

    def renamed(text: str) -> str:
        return _substituted(text, letters)

    def atom(condition: Data) -> Data:
        out: Data = {}
        for key, value in condition.items():
            if key == "board":
                out[key] = drawing_of(drawn(rows_of(value)))
            elif key == "count" and isinstance(value, dict):
                out[key] = {words.get(name, name): number for name, number in value.items()}
            elif key == "holds":
                out[key] = words.get(value, value)
            else:
                out[words.get(key, key)] = value
        return out

    map_conditions(data, atom, renamed)
    map_expressions(data, renamed)
    for rule, side in patterns_of(data):
        map_elements(rule, side, renamed)
    for _, _, rule in rules_of(data):
        for key in ("slide", "together", "pivot", "carries", "sticky"):
            if key in rule:
                rule[key] = renamed(rule[key])
    terrain = data.get("terrain")
    if isinstance(terrain, dict):
        data["terrain"] = {name: _entering(spec, renamed) for name, spec in terrain.items()}
    return data


def _rename_words(data: Data, names: Names, renamed: Callable[[str], str]) -> None:
    for key in ("pieces", "terrain"):
        if isinstance(data.get(key), dict):
            data[key] = {names[name]: spec for name, spec in data[key].items()}
        elif data.get(key):
            data[key] = [names[name] for name in data[key]]
    for spec in (data.get("pieces") or {}).values():
        if spec and spec.get("enters"):
            spec["enters"] = _each(spec["enters"], renamed)
    if isinstance(data.get("terrain"), dict):
        data["terrain"] = {name: _entering(spec, renamed) for name, spec in data["terrain"].items()}
    if data.get("legend"):
        data["legend"] = {key: renamed(value) for key, value in data["legend"].items()}
    for key in ("variables",):
        if data.get(key):
            data[key] = {renamed(name): _mapped(spec, renamed) for name, spec in data[key].items()}
    if data.get("constants"):
        data["constants"] = _mapped(data["constants"], renamed, keys=True)
    for _, _, rule in rules_of(data):
        for key in ("slide", "together", "pivot", "carries", "sticky", "over"):
            if key in rule:
                rule[key] = renamed(rule[key])
        if isinstance(rule.get("about"), str):
            rule["about"] = renamed(rule["about"])
        for key in ("for", "count"):
            if key in rule:
                rule[key] = _mapped(rule[key], renamed)
        if rule.get("set"):
            rule["set"] = {renamed(target): value for target, value in rule["set"].items()}
    for rule, side in patterns_of(data):
        map_elements(rule, side, renamed)

    def atom(condition: Data) -> Data:
        out: Data = {}
        for key, value in condition.items():
            if key == "count":
                out[key] = {renamed(name): number for name, number in value.items()}
            elif key in ("every", "some", "holds", "covers", "on"):
                out[key] = renamed(value)
            elif key in ("at", "touches", "board"):
                out[key] = value
            else:
                out[renamed(key)] = {
                    k: renamed(v) if k in ("covers", "on") else v for k, v in value.items()
                }
        return out

    map_conditions(data, atom, renamed)
    map_expressions(data, renamed)


def _entering(spec: Any, renamed: Callable[[str], str]) -> Any:
    if isinstance(spec, dict):
        return {k: _each(v, renamed) if k == "enters" and v else v for k, v in spec.items()}
    return _each(spec, renamed) if spec else spec


def _each(words: Any, renamed: Callable[[str], str]) -> Any:
    return renamed(words) if isinstance(words, str) else [renamed(word) for word in words]


def _mapped(value: Any, renamed: Callable[[str], str], *, keys: bool = False) -> Any:
    if isinstance(value, str):
        return renamed(value)
    if isinstance(value, list):
        return [_mapped(part, renamed, keys=keys) for part in value]
    if isinstance(value, dict):
        return {renamed(k) if keys else k: _mapped(v, renamed, keys=keys) for k, v in value.items()}
    return value


def _reversed(words: set[str], stem: str) -> dict[str, str]:
    return {word: f"{stem}{len(words) - number:03}" for number, word in enumerate(sorted(words))}


def _substituted(text: str, names: Names) -> str:
    def one(found: re.Match[str]) -> str:
        word = found[0]
        if word in names:
            return names[word]
        if "-" in word:  # a minus in an expression
            return "-".join(names.get(part, part) for part in word.split("-"))
        return word

    return _WORD.sub(one, text)


def _head(variable: str) -> str:
    return variable.split("[")[0].strip()


def _letters(given: Any) -> set[str]:
    if isinstance(given, list):
        return set(map(str, given))
    text = str(given or "")
    out: set[str] = set()
    for found in re.finditer(r"(\w)-(\w)|\w", text):
        first, last = (found[1], found[2]) if found[1] else (found[0], found[0])
        out |= {chr(code) for code in range(ord(first), ord(last) + 1)}
    return out
