"""Proofs that no goal state can be reached. A proof uses a sum that no move changes but that has a different value in
every goal state, or a sum that no move increases but that is greater in every goal state. There are two kinds of sums:

- *parities* (`analysis.parity`): sums modulo 2, of facts and of the sign of an arrangement;
- *weights*: numbers for facts. No operator increases the sum of the weights of the true facts, but this sum is greater
  in every goal state (pagoda functions: Berlekamp, Conway and Guy, Winning Ways, 1982, chapter 23). Linear programming
  in exact fractions finds the weights; they exist if and only if the "state equation" has no solution in non-negative
  fractions.

A sum may refute only some cubes of the goal, but several sums together may refute all cubes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import gcd, inf, lcm

from msgspec import structs

from fewest.analysis.invariants import possible_facts, proven_at_most_one
from fewest.analysis.parity import Parity, parities
from fewest.analysis.regression import TooManyStatesError, goal_states
from fewest.analysis.simplex import maximum
from fewest.model.answer import LimitReached, counted
from fewest.model.task import Cube, Task, facts_in

MAX_GOALS = 2_000  # The maximum number of states of a goal cube that the search enumerates.
MAX_FACTS = 200  # The maximum number of facts of a task for which weights are computed.
MAX_FLIPS = 1_500  # The maximum number of different flips for which weights are computed.


@dataclass(frozen=True)
class LinearInvariant:
    """The sum of the weights of the true facts. If `modulus` is 0, no operator increases the sum; otherwise, no
    operator changes the sum modulo `modulus`.

    `pieces`: the facts of each of several different pieces; `cell_of`: the cell of each fact. With `pieces` and modulus
    2, the sum includes the sign of the arrangement of the pieces; an empty cell counts as another piece.
    """

    weights: Mapping[int, int]
    modulus: int
    pieces: tuple[tuple[int, ...], ...] = ()
    cell_of: Mapping[int, int] | None = None

    def words(self, *, refutes_all: bool = True) -> str:
        """The argument as text. `refutes_all`: whether the sum refutes every cube of the goal."""
        if self.modulus == 0:
            return (
                f"no move raises the sum of the weights of {counted(len(self.weights), 'facts')}, and "
                f"{'every goal requires' if refutes_all else 'some goals require'} a greater sum than the start has"
            )
        what = f"whether an even number of {len(self.weights)} facts are true"
        if self.pieces:
            more = ", together with the number of pieces on certain cells," if self.weights else ""
            what = f"whether the arrangement of the {len(self.pieces)} pieces{more} is even or odd"
        goal = "the goal has" if refutes_all else "some goals have"
        return f"no move changes {what}, and {goal} the other value"


def argument_of(sums: Sequence[LinearInvariant]) -> str:
    """The argument of sums that together refute every cube of the goal."""
    if len(sums) == 1:
        return sums[0].words()
    texts = dict.fromkeys(one.words(refutes_all=False) for one in sums)
    return "; ".join([*texts, f"together, these {len(sums)} sums exclude every goal"])


def prove_unsolvable(task: Task, seconds: float = inf) -> tuple[LinearInvariant, ...] | None:
    """Sums that together refute every cube of the goal. The result is None if the search finds no such sums within
    `seconds`, or if the task has permutations, separate consequences or no goal; this does not mean that there is a
    plan.

    Parities take milliseconds. For tasks at the size limits, the search for weights takes seconds.
    """
    deadline = time.perf_counter() + seconds
    if not task.has_goal or not task.goal or task.consequences or task.permutations:
        return None
    found: dict[Cube, LinearInvariant] = {}
    try:
        known = _parities(task)
        states_of = {cube: _states(task, cube, deadline) for cube in task.goal} if known else {}
        for parity, is_other in known:
            for cube, states in states_of.items():
                if states and all(map(is_other, states)):
                    found.setdefault(cube, parity)
        for cube in task.goal:
            if cube not in found:
                weights = _weights(task, cube, deadline)
                if weights is None:
                    return None
                found[cube] = weights
    except LimitReached:
        return None
    return tuple({id(one): one for one in found.values()}.values())


def _states(task: Task, cube: Cube, deadline: float) -> tuple[int, ...]:
    """The states of a cube that satisfy the groups. The result is empty if there are too many such states."""
    try:
        return goal_states(
            structs.replace(task, goal=(cube,), further_goals=(), forbid=()), MAX_GOALS, deadline
        )
    except TooManyStatesError:
        return ()


def _parities(task: Task) -> list[tuple[LinearInvariant, Callable[[int], bool]]]:
    """The parities of a task that contain at most one arrangement. Each comes with a function that tests whether the
    value of the parity in a state differs from its value at the start.
    """
    out: list[tuple[LinearInvariant, Callable[[int], bool]]] = []
    for parity in parities(task, proven_at_most_one(task), possible_facts(task)):
        if len(parity.arrangements) > 1:
            continue
        facts = parity.facts
        pieces: tuple[tuple[int, ...], ...] = ()
        cell_of = None
        for arrangement in parity.arrangements:
            facts ^= arrangement.odd_facts
            pieces, cell_of = arrangement.pieces, arrangement.cell_of
        weights = dict.fromkeys(facts_in(facts), 1)
        out.append((LinearInvariant(weights, 2, pieces, cell_of), partial(_is_other, parity)))
    return out


def _is_other(parity: Parity, state: int) -> bool:
    return parity.of(state) != parity.value


def _weights(task: Task, cube: Cube, deadline: float) -> LinearInvariant | None:
    """Weights such that no operator increases their sum, and the sum is greater in every state of the cube than at the
    start. The result is None if no such weights exist, or if the task exceeds MAX_FACTS or MAX_FLIPS. Raises
    LimitReached.

    The linear program maximises the difference between the least sum of these states and the sum at the start. Weights
    are between -1 and 1. Variable 0 is this difference; variables 1 + 2f and 2 + 2f are the positive and the negative
    part of the weight of fact f. These variables are followed by the variables for the least weights in groups and for
    facts that the cube does not determine.
    """
    flips = {(o.flip & ~o.value, o.flip & o.value) for o in task.operators}
    if len(task.facts) > MAX_FACTS or len(flips) > MAX_FLIPS:
        return None
    rows: list[tuple[dict[int, int], int]] = [
        (_difference(added, deleted), 0) for added, deleted in sorted(flips)
    ]
    mask, value = cube
    above = {0: 1} | _difference(
        task.initial, value
    )  # the sum at the start plus variable 0, minus the sum in the goal, is at most 0
    free = (1 << len(task.facts)) - 1 & ~mask
    following = 1 + 2 * len(task.facts)
    for group in task.exactly:
        facts = [fact for fact in group.facts if free >> fact & 1]
        need = group.count - sum(value >> fact & 1 for fact in group.facts)
        free &= ~sum(1 << fact for fact in facts)
        if need < 0 or need > len(facts):
            return None
        if need:  # two variables for a lower bound on the weights of these facts
            above |= {following: -need, following + 1: need}
            for fact in facts:
                rows.append(({following: 1, following + 1: -1} | _difference(0, 1 << fact), 0))
            following += 2
    for fact in facts_in(free):  # this variable is the maximum of 0 and the negated weight
        above[following] = 1
        rows.append(({following: -1} | _difference(0, 1 << fact), 0))
        following += 1
    rows.append((above, 0))
    rows += [({1 + half: 1}, 1) for half in range(2 * len(task.facts))]
    found = maximum({0: 1}, rows, deadline)
    if not found.get(0):
        return None
    values = {
        fact: found.get(1 + 2 * fact, Fraction(0)) - found.get(2 + 2 * fact, Fraction(0))
        for fact in range(len(task.facts))
    }
    scale = lcm(*(value.denominator for value in values.values()))
    whole = {fact: int(value * scale) for fact, value in values.items() if value}
    divisor = gcd(*whole.values())
    return LinearInvariant({fact: weight // divisor for fact, weight in whole.items()}, 0)


def _difference(more: int, less: int) -> dict[int, int]:
    """A row of the program: the sum of the weights of the facts `more` minus that of the facts `less`."""
    row: dict[int, int] = {}
    for fact in facts_in(more & ~less):
        row[1 + 2 * fact], row[2 + 2 * fact] = 1, -1
    for fact in facts_in(less & ~more):
        row[1 + 2 * fact], row[2 + 2 * fact] = -1, 1
    return row
