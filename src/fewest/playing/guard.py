"""Evaluates the clauses that any rule may have in addition to its motion: `for`, `when` and `set`."""

from __future__ import annotations

from fewest.model.expression import Env, out_of_range
from fewest.model.position import Position
from fewest.model.rules import Guard, Names
from fewest.playing.view import PositionView


def assigned(guard: Guard, position: Position, names: Names) -> dict[int, int | str] | None:
    """The new values of the assigned variables, by slot; None if the condition is false. Raises DocumentError if an
    expression has no value, or a value out of range.
    """
    if guard.when is None and not guard.assignments:
        return {}
    view = PositionView(position)
    if guard.when is not None and not guard.when.evaluate(names, view):
        return None
    changes: dict[int, int | str] = {}
    for target, expression in guard.assignments:
        for slot, env in target.assignments(Env(names, view)):
            value = expression.evaluate_in(env)
            # the content of a cell equals its kind, but it is not a value of a variable
            is_plain = isinstance(value, (int, str))
            variable = position.puzzle.variables[slot]
            if not is_plain or value not in variable.values:
                raise expression.error_for(out_of_range(variable.name, value, variable.values))
            changes[slot] = value
    return changes


def binding_of(guard: Guard, names: Names) -> str:
    """The text that represents a binding in a plan, such as `d=0, to=2`."""
    return ", ".join(f"{name}={names[name]}" for name in guard.loop_names)
