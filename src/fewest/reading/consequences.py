"""Reads `then`: the consequences, and the stages in which sweeps test them."""

from __future__ import annotations

from fewest.model.rules import Action, Pattern, Rule, Slide, Stage
from fewest.reading.context import Context
from fewest.reading.document import ConsequenceEntry
from fewest.reading.rules import read_section


def read_consequences(context: Context) -> tuple[tuple[Rule, ...], tuple[Stage, ...]]:
    """The consequences of moves, and their stages. Reports mistakes."""
    entries = context.document.then or {}
    for name, entry in entries.items():
        _check_keys(context, name, entry)
    if context.document.order is not None and not entries:
        context.error(("order",), "move-key-unused", "`order` needs `then`", at_key=True)
    rules = read_section(context, "then", entries)
    return rules, _stages(rules, entries)


def _check_keys(context: Context, name: str, entry: ConsequenceEntry) -> None:
    """Report keys that are allowed only in moves, or only in rules that have a place."""
    if entry.say is not None:
        message = "`say` is not allowed in a rule under `then`"
        context.error(("then", name, "say"), "move-key-unused", message)
    chosen = (("count", entry.count), ("distance", entry.distance), ("cycle", entry.cycle))
    for key, value in (
        *chosen,
        ("cycles", entry.cycles),
        ("together", entry.together),
        ("pivot", entry.pivot),
        ("wait", entry.wait),
    ):
        if value not in (None, 1) or (key in ("count", "wait") and value is not None):
            message = f"`{key}` is not allowed in a rule under `then`"
            context.error(("then", name, key), "move-key-unused", message)
    has_place = entry.slide is not None or entry.before is not None
    for key, is_said in (("otherwise", entry.otherwise), ("everywhere", entry.everywhere)):
        if is_said and not has_place:
            message = f"`{key}` is not allowed in a rule that only sets variables"
            hint = "a rule that only sets variables waits for all other rules; with `once`, for the rules above it"
            context.error(("then", name, key), "move-key-unused", message, hint=hint)


def _stages(rules: tuple[Rule, ...], entries: dict[str, ConsequenceEntry]) -> tuple[Stage, ...]:
    """The stages. Rules that have a place are grouped by the sweep that tests them; every rule with `once` or
    `everywhere` has its own stage.
    """
    stages: list[Stage] = []
    together: list[Slide | Pattern] = []
    for rule in rules:
        entry = entries[rule.name]
        if not isinstance(rule, (Slide, Pattern, Action)):
            continue
        if isinstance(rule, Action) and not entry.once:
            continue
        if (entry.everywhere or entry.otherwise or entry.once) and together:
            stages.append(Stage(tuple(together)))
            together = []
        if entry.everywhere or entry.once:
            stages.append(Stage((rule,), entry.everywhere is True, entry.once is True))
        elif not isinstance(rule, Action):
            together.append(rule)
    if together:
        stages.append(Stage(tuple(together)))
    return tuple(stages)
