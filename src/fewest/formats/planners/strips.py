"""A task for planners that do not support cubes: atoms, and actions with preconditions and costs.

    PlanningTask (weighted) ─ strips ─> Strips ─> PDDL, SAS+

Planners use variables, and each variable has exactly one value at a time. Planners do not support "not that value" as a
precondition: their translators replace such a condition by a disjunction of all other values, so even a few such
conditions multiply the number of actions. Therefore, if the false facts of a cube leave more than one value possible,
two kinds of atoms express them:

- *empty* cells: all facts that cover a cell are false;
- *absent* values: one fact of an exactly-1 group is false.

Actions that delete such a fact, and add no other one, add the atom. Actions that add such a fact, and delete no other
one, delete the atom. Forbidden cubes become preconditions: if the result of an action (or an intermediate state) would
be forbidden in some cases, the action is split into one action for each other case. A permutation of facts is an action
with *conditional effects*: each target gets the truth value of its source.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from math import prod
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from fewest.analysis.invariants import mutexes
from fewest.errors import UsageError
from fewest.model.task import Cube, facts_in, union
from fewest.planning.macros import MacroOperator, inverse
from fewest.planning.task import PlanningTask

MAX_CASES = 200  # the maximum number of actions for one move

Literals = tuple[frozenset[int], frozenset[int]]
"""The atoms that must be true, and the atoms that must be false."""


class Atom(Struct, frozen=True):
    """A boolean: fact `index` is true or `absent`, cell `index` of `at_most_one` is `empty`, or the goal has been
    `reached`. For `reached`, index 0 means the whole goal, and a higher index the list of goal cubes with this number.
    """

    kind: Literal["fact", "empty", "absent", "reached"]
    index: int = 0


class Conditional(Struct, frozen=True):
    """The atoms that an action adds and deletes, provided that certain atoms are true and certain others are false
    before it. All fields are sets of atoms.
    """

    requires: frozenset[int]
    forbids: frozenset[int]
    adds: frozenset[int]
    deletes: frozenset[int]


class StripsAction(Struct, frozen=True):
    """A case of a move or, if `move` is None, a final action, which records that the goal (or one of its lists) is
    reached. `requires`, `forbids`, `adds` and `deletes` are sets of atoms.

    `forbids` contains only atoms outside the variables in `Strips.variables`. No two effects contradict each other.
    """

    move: MacroOperator | None
    requires: frozenset[int]
    forbids: frozenset[int]
    adds: frozenset[int]
    deletes: frozenset[int]
    cost: int
    when: tuple[Conditional, ...] = ()


class Strips(Struct, frozen=True):
    """The atoms in the order of their numbers (facts first), their invariants, and the actions.

    `variables` are disjoint sets with exactly one true atom, and `mutexes` are sets with at most one true atom. The
    goal is a condition. The cost of a cheapest plan is the minimum in the metric.
    """

    planning: PlanningTask
    atoms: tuple[Atom, ...]
    variables: tuple[tuple[int, ...], ...]
    mutexes: tuple[tuple[int, ...], ...]
    initial: frozenset[int]
    goal: Literals
    actions: tuple[StripsAction, ...]


def strips(planning: PlanningTask) -> Strips:
    """The atoms and actions of a weighted planning task (`weighted_task`).

    Raises UsageError if forbidden cubes split a move into more than MAX_CASES actions, or if an effect of a permutation
    has more than MAX_CASES conditions.
    """
    compiler = _Compiler(planning)
    moves: list[tuple[MacroOperator, Literals]] = []
    for move in (*planning.moves, *planning.free):
        moves += [(move, condition) for condition in compiler.cases(move)]
    lists = [
        [found for cube in cubes if (found := compiler.condition(cube)) is not None]
        for cubes in (*planning.further_goals, planning.goal)
    ]
    goals = lists[-1]
    compiler.add_sources()
    reached = -1
    # If the goal has several lists, several cubes, no cube, or no atoms, final actions without cost record that the
    # goal is reached.
    if len(lists) > 1 or len(goals) != 1 or not any(goals[0]):
        reached = compiler.atom(Atom("reached"))
    actions = [
        StripsAction(move, *condition, *compiler.effects(move), move.layers, compiler.carried(move))
        for move, condition in moves
    ]
    goal: Literals = (frozenset({reached}), frozenset())
    if reached < 0:
        goal = goals[0]
    else:
        none: frozenset[int] = frozenset()
        # If the goal has several lists, each list has its own atom: the actions check the lists one after another, and
        # no move follows the first check.
        steps = [*(compiler.atom(Atom("reached", k)) for k in range(1, len(lists))), reached]
        if len(lists) > 1:
            last = frozenset({steps[0]})
            actions = [replace(action, forbids=action.forbids | last) for action in actions]
        for k, (conditions, step) in enumerate(zip(lists, steps, strict=True)):
            before = frozenset(steps[k - 1 : k])
            actions += [
                StripsAction(None, requires | before, forbids, frozenset({step}), none, 0)
                for requires, forbids in conditions
            ]
    return Strips(
        planning,
        tuple(compiler.atoms),
        tuple(group.facts for group in planning.exactly if _is_variable(group.count, group.facts)),
        compiler.mutexes(),
        frozenset(n for n, atom in enumerate(compiler.atoms) if compiler.is_initial(atom)),
        goal,
        tuple(actions),
    )


def _is_variable(count: int, facts: tuple[int, ...]) -> bool:
    return count == 1 and len(facts) > 1


class _Compiler:
    """Expresses cubes in terms of atoms, and records which atoms are necessary."""

    def __init__(self, planning: PlanningTask) -> None:
        self.planning = planning
        self.atoms = [Atom("fact", fact) for fact in range(len(planning.facts))]
        self.cells = [_mask(facts) for facts in planning.at_most_one]
        self._cell_of = {facts: number for number, facts in enumerate(self.cells)}
        self._number: dict[Atom, int] = {}
        self._variable = [0] * len(planning.facts)
        variables = [_mask(g.facts) for g in planning.exactly if _is_variable(g.count, g.facts)]
        for mask in variables:
            for fact in facts_in(mask):
                self._variable[fact] = mask
        self._mutexes = mutexes(len(planning.facts), (*self.cells, *variables))

    def atom(self, atom: Atom) -> int:
        """The number of an atom that does not represent a fact; the atom is created if necessary."""
        if atom not in self._number:
            self._number[atom] = len(self.atoms)
            self.atoms.append(atom)
        return self._number[atom]

    def add_sources(self) -> None:
        """If a permutation moves the contents of a cell to a cell that has an atom, create an atom for the source cell
        too: one condition then states that the target becomes empty.
        """
        turns = [move for move in (*self.planning.moves, *self.planning.free) if move.image]
        waiting = [atom for atom in self._number if atom.kind == "empty"]
        for atom in waiting:
            for move in turns:
                source = self._cell_of.get(_mask(self._sources(move, self.cells[atom.index])))
                empty = None if source is None else Atom("empty", source)
                if empty is not None and empty not in self._number:
                    self.atom(empty)
                    waiting.append(empty)

    def _sources(self, move: MacroOperator, facts: int) -> list[int]:
        """The facts that a permutation moves to these facts."""
        back = [*inverse(move.image), *range(len(move.image), len(self.planning.facts))]
        return [back[fact] for fact in facts_in(facts)]

    def condition(self, cube: Cube) -> Literals | None:
        """A cube as atoms, without the atoms that invariants imply; None if the invariants exclude every state of the
        cube.
        """
        mask, value = cube
        excluded = self._excluded(value)
        if value & excluded:
            return None
        negative = (mask & ~value) | excluded
        needed = mask & ~value & ~excluded
        requires, forbids = set(facts_in(value)), set()
        for number, facts in enumerate(self.cells):
            if facts & needed and not facts & ~negative:
                requires.add(self.atom(Atom("empty", number)))
                needed &= ~facts
        for fact in facts_in(needed):
            variable = self._variable[fact]
            rest = facts_in(variable & ~negative)
            if not variable:
                forbids.add(fact)
            elif len(rest) > 1:
                requires.add(self.atom(Atom("absent", fact)))
            elif rest:
                requires.add(rest[0])
            else:
                return None
        return frozenset(requires), frozenset(forbids)

    def cases(self, move: MacroOperator) -> list[Literals]:
        """The cases in which a move is allowed, as conditions; empty if the move is never allowed. Raises UsageError if
        there are more than MAX_CASES cases.
        """
        planning = self.planning
        # From a state outside a forbidden cube, a move enters the cube only if the move changes one of the cube's
        # facts.
        is_start_allowed = not planning.is_forbidden(planning.initial)
        changing = move.changing
        bad = [
            _before(move, (mask, value))
            for mask, value in planning.forbid
            if changing & mask or not is_start_allowed
        ]
        cubes = [(move.mask, move.value)]
        # Short cubes come first, and cubes of the same facts are adjacent; this order causes fewer intermediate cases.
        for mask, value in sorted({*bad, *move.avoid}, key=lambda c: (c[0].bit_count(), c)):
            cubes = _widest(new for cube in cubes for new in self._outside(cube, mask, value))
            if len(cubes) > MAX_CASES:
                raise UsageError(
                    f"the conditions under `forbid` split a move into more than {MAX_CASES:,} cases",
                    hint="simplify these conditions",
                )
        found = [self.condition(cube) for cube in cubes]
        return list(dict.fromkeys(condition for condition in found if condition is not None))

    def _outside(self, cube: Cube, mask: int, value: int) -> Iterable[Cube]:
        """The parts of a cube that are outside another cube: one part for each fact that may differ."""
        own_mask, own_value = cube
        false = (own_mask & ~own_value) | self._excluded(own_value)
        if value & false or own_value & mask & ~value:
            yield cube
            return
        for fact in facts_in(mask & ~own_mask & ~false):
            bit = 1 << fact
            yield own_mask | bit, own_value | (bit & ~value)

    def _excluded(self, value: int) -> int:
        """The facts that, according to the invariants, must be false if these facts are true."""
        return union(self._mutexes[fact] for fact in facts_in(value))

    def effects(self, move: MacroOperator) -> tuple[frozenset[int], frozenset[int]]:
        """The atoms that a move adds and deletes. The caller must have created all of these atoms."""
        deleted, added = move.flip & move.value, move.flip & ~move.value
        adds, deletes = set(facts_in(added)), set(facts_in(deleted))
        for atom, number in self._number.items():
            if atom.kind == "reached":
                continue
            facts = self.cells[atom.index] if atom.kind == "empty" else 1 << atom.index
            if facts & added and not facts & deleted:
                deletes.add(number)
            elif facts & deleted and not facts & added:
                adds.add(number)
        return frozenset(adds), frozenset(deletes)

    def carried(self, move: MacroOperator) -> tuple[Conditional, ...]:
        """The effects of a permutation on the atoms; empty for an ordinary move. The caller must have created all of
        these atoms.
        """
        if not move.image:
            return ()
        none = frozenset[int]()
        moving = _mask(move.carried)
        effects: list[Conditional] = []
        for fact in move.carried:
            goal = move.image[fact]
            there, variable = frozenset({goal}), self._variable[goal]
            if not variable:
                effects.append(Conditional(frozenset({fact}), none, there, none))
                rest = self._others([fact])
                effects += [Conditional(*condition, none, there) for condition in rest]
            else:  # then the value that was true becomes false
                before = 1 << fact if variable >> fact & 1 else variable & ~(1 << goal)
                gone = frozenset(facts_in(before))
                effects.append(Conditional(frozenset({fact}), none, there, gone))
        for atom, number in self._number.items():
            one = frozenset({number})
            if atom.kind == "reached":
                continue
            facts = self.cells[atom.index] if atom.kind == "empty" else 1 << atom.index
            if not facts & moving:
                continue
            sources = self._sources(move, facts)
            effects += [Conditional(frozenset({fact}), none, none, one) for fact in sources]
            rest = self._all_false(sources)
            effects += [Conditional(*condition, one, none) for condition in rest]
        return tuple(effects)

    def _all_false(self, facts: list[int]) -> Iterable[Literals]:
        """Conditions such that at least one of them holds iff all of these facts are false: the atom of the empty cell
        that these facts cover, if it exists, or else the conditions of `_others`.
        """
        cell = self._cell_of.get(_mask(facts))
        empty = None if cell is None else self._number.get(Atom("empty", cell))
        if empty is None:
            return self._others(facts)
        return [(frozenset({empty}), frozenset())]

    def _others(self, facts: list[int]) -> Iterable[Literals]:
        """Conditions such that at least one of them holds iff all of these facts are false. The conditions do not
        contain the negation of a variable's value. Raises UsageError if there are more than MAX_CASES conditions.
        """
        variables = dict.fromkeys(self._variable[fact] for fact in facts if self._variable[fact])
        values = [[f for f in facts_in(variable) if f not in facts] for variable in variables]
        if prod(map(len, values)) > MAX_CASES and len(values) > 1:
            raise UsageError(
                f"a turn of a ring has effects with more than {MAX_CASES:,} cases, because it moves a part of what may "
                "cover a cell"
            )
        alone = frozenset(fact for fact in facts if not self._variable[fact])
        for chosen in product(*values):
            yield frozenset(chosen), alone

    def is_initial(self, atom: Atom) -> bool:
        initial = self.planning.initial
        if atom.kind == "empty":
            return not initial & self.cells[atom.index]
        holds = bool(initial >> atom.index & 1)
        return {"fact": holds, "absent": not holds, "reached": False}[atom.kind]

    def mutexes(self) -> tuple[tuple[int, ...], ...]:
        """The sets of facts that cover a cell, each with the atom for the empty cell if this atom exists."""
        out: list[tuple[int, ...]] = []
        for number, facts in enumerate(self.planning.at_most_one):
            empty = self._number.get(Atom("empty", number))
            out.append(facts if empty is None else (*facts, empty))
        return tuple(out)


def _before(move: MacroOperator, cube: Cube) -> Cube:
    """The states from which the move leads into a cube."""
    mask, value = cube
    value ^= move.flip & mask
    if not move.image:
        return mask, value
    back = [*inverse(move.image), *range(len(move.image), mask.bit_length())]
    return _mask(back[f] for f in facts_in(mask)), _mask(back[f] for f in facts_in(value))


def _widest(cubes: Iterable[Cube]) -> list[Cube]:
    """The cubes that no other of these cubes contains."""
    out: list[Cube] = []
    for mask, value in sorted(set(cubes), key=lambda c: (c[0].bit_count(), c)):
        if not any(m & ~mask == 0 and value & m == v for m, v in out):
            out.append((mask, value))
    return out


def _mask(facts: Iterable[int]) -> int:
    return sum(1 << fact for fact in facts)
