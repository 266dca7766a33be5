"""What every rule kind may carry besides its motion: `for`, `when` and `set`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fewest.language.expressions import Env, Expression, ExpressionError, Target

if TYPE_CHECKING:
    from fewest.grounding import Cube, Grounder
    from fewest.grounding_view import PartialView
    from fewest.language.context import Context, Path
    from fewest.language.document import Move as MoveDocument
    from fewest.reference import Position

Names = Mapping[str, int | str]


@dataclass(frozen=True)
class Guard:
    """The loops, the condition and the assignments of one rule.

    `bindings` holds the names in scope for each turn of the loops (parameters included).
    """

    bindings: tuple[Names, ...]
    loop_names: tuple[str, ...]
    when: Expression | None = None
    assignments: tuple[tuple[Target, Expression], ...] = ()

    # -- for the reference interpreter ----------------------------------------------------------

    def apply(self, position: Position, names: Names) -> dict[int, int | str] | None:
        """The variables that change and their new values; None if the condition does not hold."""
        if self.when is not None and not self.when.evaluate(names, position):
            return None
        changes: dict[int, int | str] = {}
        for target, expression in self.assignments:
            for slot, env in target.assignments(Env(names, position)):
                value = expression.evaluate_in(env)
                if value not in position.puzzle.variables[slot].values:
                    raise expression.blame(
                        out_of_range(position.puzzle.variables[slot].name, value)
                    )
                changes[slot] = value
        return changes

    # -- for the grounder -------------------------------------------------------------------------

    def ground(
        self, grounder: Grounder, names: Names, cube: Cube
    ) -> Iterator[tuple[Cube, dict[int, tuple[int, int]]]]:
        """Cubes that refine `cube`, each with the facts of variables that change: old, new by slot."""
        if self.when is None and not self.assignments:
            yield cube, {}
            return

        def decide(view: PartialView) -> dict[int, tuple[int, int]] | None:
            if self.when is not None and not self.when.evaluate(names, view):
                return None
            changes: dict[int, tuple[int, int]] = {}
            for target, expression in self.assignments:
                for slot, env in target.assignments(Env(names, view)):
                    value = expression.evaluate_in(env)
                    new = grounder.value_fact(slot, value)
                    if new is None:
                        name = grounder.puzzle.variables[slot].name
                        raise expression.blame(out_of_range(name, value))
                    changes[slot] = (grounder.value_fact_of(slot, view.variable(slot)), new)
            return changes

        for changes, refined in grounder.split(decide, cube):
            if changes is not None:
                yield refined, changes


def out_of_range(name: str, value: object) -> ExpressionError:
    """The error of setting a variable to something that is not one of its values."""
    return ExpressionError(
        "value-out-of-range", f"this sets `{name}` to {value}, which is not one of its values",
        hint="let `when` rule such moves out",
    )  # fmt: skip


def words(names: Names, loop_names: tuple[str, ...]) -> str:
    """How a plan names the turn of the loops: `d=0, to=2`."""
    return ", ".join(f"{name}={names[name]}" for name in loop_names)


def check_guard(context: Context, move: MoveDocument, path: Path) -> Guard:
    """The `for`, `when` and `set` of a rule, mistakes reported."""
    loops = move.for_ or {}
    bindings = context.bindings((*path, "for"), loops)
    scope = context.scope.with_names(list(loops))
    when = None
    if move.when is not None:
        when = context.expression((*path, "when"), move.when, scope)
    assignments: list[tuple[Target, Expression]] = []
    for key, text in (move.set or {}).items():
        here = (*path, "set", key)
        target = context.target(here, key, scope)
        if target is None:
            continue
        value = context.expression(here, text, scope.with_names(target.loop_names))
        if value is not None:
            assignments.append((target, value))
    return Guard(tuple(bindings), tuple(loops), when, tuple(assignments))
