"""SAS+ in the format of Fast Downward's translator, version 3 (Helmert 2009; fast-downward.org).

An exactly-1 group becomes a variable with a value for each of its facts; every other atom becomes a variable with the
values 0 (true) and 1 (false). The groups of facts that cover the same cell become mutex groups.
"""

from __future__ import annotations

from collections.abc import Iterator

from fewest.formats.planners.pddl import action_names, atom_terms
from fewest.formats.planners.strips import Strips, StripsAction
from fewest.planning.names import PlanningNames


def sas(strips: Strips, names: PlanningNames) -> Iterator[str]:
    """The task, line by line. The format has no comments, so the names must also serve as the symbol table."""
    table = _Variables(strips)
    atoms = [_atom(term) for term in atom_terms(strips, names)]
    yield from ("begin_version", "3", "end_version", "begin_metric", "1", "end_metric")
    yield str(len(table.values))
    for number, values in enumerate(table.values):
        texts = [f"Atom {atoms[atom]}" for atom in values]
        if len(values) == 1:
            texts.append(f"NegatedAtom {atoms[values[0]]}")
        yield from ("begin_variable", f"var{number}", "-1", str(len(texts)), *texts, "end_variable")
    yield str(len(strips.mutexes))
    for mutex in strips.mutexes:
        yield from ("begin_mutex_group", str(len(mutex)))
        yield from (_pair(table.true[atom]) for atom in mutex)
        yield "end_mutex_group"
    initial = [
        next((value for value, atom in enumerate(values) if atom in strips.initial), 1)
        for values in table.values
    ]
    yield from ("begin_state", *map(str, initial), "end_state")
    goal = table.values_of(*strips.goal)
    yield from ("begin_goal", str(len(goal)), *map(_pair, sorted(goal.items())), "end_goal")
    yield str(len(strips.actions))
    for action, called in zip(strips.actions, action_names(strips, names), strict=True):
        yield from ("begin_operator", called)
        yield from table.operator(action)
        yield "end_operator"
    yield "0"


class _Variables:
    """The atoms as variables and values: `true[atom]` is the variable and the value that make this atom true."""

    def __init__(self, strips: Strips) -> None:
        grouped = {atom for values in strips.variables for atom in values}
        alone = ((atom,) for atom in range(len(strips.atoms)) if atom not in grouped)
        self.values: list[tuple[int, ...]] = [*strips.variables, *alone]
        self.true = {
            atom: (number, value)
            for number, values in enumerate(self.values)
            for value, atom in enumerate(values)
        }

    def values_of(self, positive: frozenset[int], negative: frozenset[int]) -> dict[int, int]:
        """The values that variables have if the `positive` atoms are true and the `negative` atoms are false.

        For a variable with several values, only the true atom matters: it implies that the others are false.
        """
        out = {self.true[atom][0]: 1 for atom in negative if len(self._own(atom)) == 1}
        return out | {self.true[atom][0]: self.true[atom][1] for atom in positive}

    def operator(self, action: StripsAction) -> Iterator[str]:
        """The lines of an action: its prevail conditions, its effects and its cost."""
        before = self.values_of(action.requires, action.forbids)
        after = self.values_of(action.adds, action.deletes)
        prevail = sorted((var, value) for var, value in before.items() if var not in after)
        effects = [
            f"0 {variable} {before.get(variable, -1)} {value}"
            for variable, value in sorted(after.items())
        ]
        for part in action.when:
            condition = sorted(self.values_of(part.requires, part.forbids).items())
            words = " ".join(map(_pair, condition))
            effects += [
                f"{len(condition)} {words} {variable} -1 {value}"
                for variable, value in sorted(self.values_of(part.adds, part.deletes).items())
            ]
        yield from (str(len(prevail)), *map(_pair, prevail), str(len(effects)), *effects)
        yield str(action.cost)

    def _own(self, atom: int) -> tuple[int, ...]:
        return self.values[self.true[atom][0]]


def _pair(pair: tuple[int, int]) -> str:
    return f"{pair[0]} {pair[1]}"


def _atom(term: tuple[str, ...]) -> str:
    return f"{term[0]}({', '.join(term[1:])})"
