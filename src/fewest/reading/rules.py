"""Reads the rules of `moves` and `then`: determines the type of each rule, and imports the reader for that type only
when a document needs it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fewest.model.rules import Rule
from fewest.reading.clock import look
from fewest.reading.context import Context
from fewest.reading.document import MoveEntry

# The keys that only some types of rule allow. The other keys, such as `for` and `when`, are not checked here.
OWN_KEYS = {
    "slide": ("slide", "distance", "over", "stopped-by", "carries", "sticky", "most"),
    "together": ("together", "distance", "carries", "sticky", "most"),
    "pattern": ("before", "after", "rotations", "whole", "distance"),
    "cycle": ("cycle", "cycles", "steps"),
    "pivot": ("pivot", "about", "swept"),
    "action": ("wait",),
}


def read_rules(context: Context) -> tuple[Rule, ...]:
    """All rules for moves in a document. Reports mistakes."""
    return read_section(context, "moves", context.document.moves or {})


def read_section(context: Context, section: str, raw: Mapping[str, MoveEntry]) -> tuple[Rule, ...]:
    """The rules of `moves` or `then`. Reports mistakes."""
    rules: list[Rule] = []
    num_rings = 0
    for name, move in raw.items():
        look()
        path = (section, name)
        found = {
            "slide": move.slide is not None,
            "together": move.together is not None,
            "pattern": move.before is not None or move.after is not None,
            "pivot": move.pivot is not None,
            "cycle": move.cycle is not None or move.cycles is not None,
        }
        kinds = [kind for kind, is_given in found.items() if is_given]
        if not kinds and (move.set is not None or move.wait):
            kinds = ["action"]
        if len(kinds) != 1:
            context.error(
                path,
                "move-kind",
                f"`{name}` belongs to {'several types' if kinds else 'no type'} of rule",
                expected="one of `slide`, `together`, `before` with `after`, `cycle`, `pivot`, `wait`, or `set` alone",
                found=", ".join(kinds) or None,
                at_key=True,
            )
            continue
        kind = kinds[0]
        if not _check_keys(context, path, move, kind):
            continue
        rule: Rule | None
        if kind == "slide":
            from fewest.reading.slides import read_slide

            rule = read_slide(context, name, move, path)
        elif kind == "together":
            from fewest.reading.together import read_together

            rule = read_together(context, name, move, path)
        elif kind == "pivot":
            from fewest.reading.pivots import read_pivot

            rule = read_pivot(context, name, move, path)
        elif kind == "pattern":
            from fewest.reading.patterns import read_pattern

            rule = read_pattern(context, name, move, path)
        elif kind == "cycle":
            from fewest.reading.cycles import read_cycle

            rule = read_cycle(context, name, move, path, num_rings)
            num_rings += len(rule.rings) if rule is not None else 0
        else:
            from fewest.reading.actions import read_action

            rule = read_action(context, name, move, path)
        if rule is not None:
            rules.append(rule)
    return tuple(rules)


def report_circles(context: Context, rules: Sequence[Rule]) -> None:
    """Report the first rule that tests itself with `can`, directly or through other rules."""
    tested = {rule.name: rule.guard.tested_rules for rule in rules}
    for rule in rules:
        chain = _path_back(rule.name, tested)
        if chain is not None:
            message = f"`{rule.name}` tests itself with can()"
            if len(chain) > 2:
                message += f": `{chain[0]}` tests " + ", which tests ".join(
                    f"`{n}`" for n in chain[1:]
                )
            key = "when" if context.loaded.has(("moves", rule.name, "when")) else "set"
            context.error(("moves", rule.name, key), "rule-circle", message)
            return


def _path_back(start: str, tested: Mapping[str, frozenset[str]]) -> list[str] | None:
    """The shortest chain from a rule back to itself in which each rule tests the next one with `can`; None if no such
    chain exists.
    """
    chains = [[start]]
    seen = set[str]()
    for chain in chains:  # the loop appends to the list over which it iterates
        for name in sorted(tested.get(chain[-1], ())):
            if name == start:
                return [*chain, name]
            if name not in seen:
                seen.add(name)
                chains.append([*chain, name])
    return None


def _check_keys(context: Context, path: tuple[str, str], move: MoveEntry, kind: str) -> bool:
    """Whether the rule has only keys that its type allows, has both sides if it is a pattern, and has a board if it
    needs one. Reports mistakes.
    """
    fine = True
    for keys in OWN_KEYS.values():
        for key in keys:
            if key not in OWN_KEYS[kind] and context.loaded.has((*path, key)):
                context.error(
                    (*path, key),
                    "move-key-unused",
                    f"`{key}` is not allowed in a rule of type `{kind}`",
                )
                fine = False
    if kind == "pattern" and (not move.before or not move.after):
        missing = "after" if move.before else "before"
        context.error(path, "pattern-length", f"the key `{missing}` is missing here", at_key=True)
        fine = False
    if kind != "action" and context.board is None:
        context.error(
            path,
            "board-missing",
            f"a rule of type `{kind}` needs a board, but this puzzle has none",
            at_key=True,
        )
        fine = False
    return fine
