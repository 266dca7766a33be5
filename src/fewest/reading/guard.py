"""Reads the clauses that any rule may have in addition to its motion: `for`, `when`, `set` and `say`."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from fewest.model.expression import Env, Expression, Scope, Target
from fewest.model.rules import Guard
from fewest.reading.context import Context, Path
from fewest.reading.document import MoveEntry

MANY_BINDINGS = 100
"""with at least this number of bindings of a rule, it saves time to remember the values that the rule assigns"""


def read_guard(context: Context, move: MoveEntry, path: Path) -> Guard:
    """The `for`, `when`, `set` and `say` clauses of a rule. Reports mistakes."""
    loops = move.for_ or {}
    bindings = context.bindings((*path, "for"), loops)
    for index in loops:
        taken = "piece" if index in context.piece_words else "variable"
        if taken == "piece" or index in context.scope.slots:
            message = f"within this rule, `{index}` means the index, not the {taken} of that name"
            context.warn((*path, "for", index), "name-hides", message, hint="rename the index")
    scope = context.scope.with_names(list(loops))
    when = None
    if move.when is not None:
        when = context.expression((*path, "when"), move.when, scope, is_condition=True)
    assignments: list[tuple[Target, Expression]] = []
    for key, text in (move.set or {}).items():
        here = (*path, "set", key)
        target = context.target(here, key, scope)
        if target is None:
            continue
        inner = scope.with_names(target.loop_names)
        value = context.expression(here, text, inner)
        if value is not None:
            assignments.append((target, _stored(value, inner, len(bindings))))
    labels: tuple[str, ...] = ()
    if move.say is not None:
        from fewest.reading.labels import read_labels

        labels = read_labels(context, (*path, "say"), move.say, bindings)
    return Guard(tuple(bindings), tuple(loops), when, tuple(assignments), labels=labels)


def _stored(value: Expression, scope: Scope, num_bindings: int) -> Expression:
    """The expression with its value in the form that variables store. `scope`: the scope of the expression."""
    from fewest.reading.expression_nodes import names_in
    from fewest.reading.expression_text import parse
    from fewest.reading.expression_values import plain, remembered

    value_of = value.run

    def run(env: Env) -> Any:
        return plain(value_of(env))

    if value.reads_state or num_bindings < MANY_BINDINGS:
        return replace(value, run=run)
    names = names_in(parse(value.text)) & scope.values
    return replace(value, run=remembered(run, names))
