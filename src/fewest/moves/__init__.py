"""The rule kinds. Each file checks, grounds and interprets its kind; this one says what that means.

A rule kind is a frozen dataclass with
- `ground(grounder)`: adds every operator that the rule allows to the grounder;
- `moves(position)`: the moves it allows on a position of the reference interpreter;
these two share nothing but the fields of the rule; and a function
- `check(context, name, move, path)`: the rule of a document's part, all its mistakes reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fewest.moves import action, cycle, pattern_check, slide
from fewest.moves.action import Action
from fewest.moves.cycle import Cycle
from fewest.moves.pattern import Pattern
from fewest.moves.slide import Slide

if TYPE_CHECKING:
    from fewest.language.context import Context

Rule = Slide | Pattern | Cycle | Action

__all__ = ["Action", "Cycle", "Pattern", "Rule", "Slide", "check_rules"]

# The keys that only one kind understands; `for`, `when`, `set`, `count`, `directions` are for all.
_OWN_KEYS = {
    "slide": ("slide", "distance", "over", "stopped-by"),
    "pattern": ("before", "after", "rotations"),
    "cycle": ("cycle",),
    "action": (),
}


def check_rules(context: Context) -> tuple[Rule, ...]:
    """All rules of a document, mistakes reported."""
    rules: list[Rule] = []
    num_rings = 0
    for name, move in (context.document.moves or {}).items():
        path = ("moves", name)
        given = {
            "slide": move.slide is not None,
            "pattern": move.before is not None or move.after is not None,
            "cycle": move.cycle is not None,
        }
        kinds = [kind for kind, is_given in given.items() if is_given]
        if not kinds and move.set is not None:
            kinds = ["action"]
        if len(kinds) != 1:
            context.error(
                path, "move-kind", f"`{name}` is {'no rule' if not kinds else 'several rules at once'}",
                expected="one of `slide`, `before` with `after`, `cycle`, or `set` alone",
                found=", ".join(kinds) or None, at_key=True,
            )  # fmt: skip
            continue
        kind = kinds[0]
        if not _check_keys(context, name, kind):
            continue
        rule: Rule | None
        if kind == "slide":
            rule = slide.check(context, name, move, path)
        elif kind == "pattern":
            rule = pattern_check.check(context, name, move, path)
        elif kind == "cycle":
            rule = cycle.check(context, name, move, path, num_rings)
            num_rings += len(rule.rings) if rule is not None else 0
        else:
            rule = action.check(context, name, move, path)
        if rule is not None:
            rules.append(rule)
    return tuple(rules)


def _check_keys(context: Context, name: str, kind: str) -> bool:
    """Whether the rule has only keys of its kind, both halves of a pattern, and a board if it needs one."""
    path = ("moves", name)
    fine = True
    for other, keys in _OWN_KEYS.items():
        for key in keys:
            if other != kind and context.loaded.has((*path, key)):
                context.error(
                    (*path, key), "move-key-unused", f"`{key}` does not belong to a {kind}"
                )
                fine = False
    move = (context.document.moves or {})[name]
    if kind == "pattern" and (not move.before or not move.after):
        missing = "after" if move.before else "before"
        context.error(path, "pattern-length", f"`{missing}` is missing", at_key=True)
        fine = False
    if kind != "action" and context.board is None:
        context.error(path, "board-missing", f"a {kind} needs a board", at_key=True)
        fine = False
    return fine
