"""The transition part: the possible changes from a layer to the next.

Exactly one move happens, or the layer is idle. An idle layer leaves the state unchanged. A fact *leaves* if it is true
before the move (after the free moves) and false after the move; it *arrives* if it is false before and true after.
Every encoding has a variable for each permutation. If it is true, then for each fact that the permutation moves, the
target is true after the move iff the fact is true before.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TypeAlias

from msgspec import Struct

from fewest.model.task import facts_in, union
from fewest.planning.macros import Effect, MacroOperator
from fewest.planning.sat.cardinality import AT_MOST_ONE
from fewest.planning.sat.clauses import Clauses, Layer, following
from fewest.planning.sat.profile import TransitionPart
from fewest.planning.sat.state import State
from fewest.planning.task import PlanningTask

Word: TypeAlias = tuple[int, ...]
"""Literals that are all true iff a particular move, or another move with the same effect, is made."""

_Change: TypeAlias = tuple[int, int, tuple[int, ...]]
"""The facts that a move deletes, the facts that it adds, and its permutation."""


class Transition(Struct, frozen=True):
    """The variables of a transition, for the parts of the encoding that exclude moves.

    `of_move[m]` is the word of move m; `active` is true iff the layer is not idle; `words_of[v]` contains the words of
    all moves that make variable v true.
    """

    of_move: tuple[Word, ...]
    active: int
    words_of: dict[int, set[Word]]


def add_transition(
    planning: PlanningTask, state: State, part: TransitionPart, layer: Layer, clauses: Clauses
) -> Transition:
    """Add the transition of the type that the profile names."""
    return _TRANSITIONS[part.moves](planning, state, part, layer, clauses)


def add_idle(
    transition: Transition, part: TransitionPart, clauses: Clauses, in_a_row: Clauses
) -> None:
    """Restrict the idle layers. `end`: idle layers come last, so that a horizon is an upper bound. `none`: there are no
    idle layers, so that a horizon is exact. `anywhere`: no restriction.

    `in_a_row` receives the clauses that relate two consecutive transitions.
    """
    if part.idle == "none":
        clauses.add(transition.active)
    elif part.idle == "end":
        in_a_row.add(-following(transition.active), transition.active)


def by_operators(
    planning: PlanningTask, state: State, part: TransitionPart, layer: Layer, clauses: Clauses
) -> Transition:
    """Each move has a variable, which implies the preconditions and effects of the move. At most one of these variables
    is true.

    Kautz and Selman, Planning as satisfiability (1992), with the explanatory frame axioms of Haas (1987): a
    fact changes only if some move changes it.
    """
    moves = planning.moves
    variables = [layer.new(_name(planning, move)) for move in moves]
    for variable, move in zip(variables, moves, strict=True):
        for literal in state.literals_here((move.mask, move.value)):
            clauses.add(-variable, literal)
        for mask, value in move.avoid:
            clauses.add(-variable, *(-lit for lit in state.literals_here((mask, value))))
        _add_effects(state, move, (-variable,), clauses)
    AT_MOST_ONE[part.at_most_one](layer, clauses, variables, "moves")
    active = _active(layer, clauses, variables)
    changing = [_changing(move) for move in moves]
    for fact, (here, there) in _pairs(state):
        leaving = [v for v, c in zip(variables, changing, strict=True) if c[0] >> fact & 1]
        arriving = [v for v, c in zip(variables, changing, strict=True) if c[1] >> fact & 1]
        clauses.add(-here, there, *leaving)
        clauses.add(here, -there, *arriving)
    return _transition([(variable,) for variable in variables], active)


def by_leave_and_arrive(
    planning: PlanningTask, state: State, part: TransitionPart, layer: Layer, clauses: Clauses
) -> Transition:
    """Moves that take one piece from one place to another have no variables: the states of two consecutive layers
    determine them.

    Each fact has the variables *leave* and *arrive*; the two layers determine their values. At most one fact leaves,
    and at most one fact arrives. A leaving fact implies that one of its possible targets arrives, and vice versa; both
    together imply the preconditions of the move. Each move that changes more facts has a variable: for example, a push,
    which moves two pieces, or a permutation, which moves any number. If this variable is true, the constraints do not
    apply to the facts that the move changes.
    """
    cubes: dict[_Change, list[MacroOperator]] = {}
    for move in planning.moves:
        cubes.setdefault(_change(move), []).append(move)
    leave, arrive = _leave_and_arrive(planning, state, layer, clauses)
    literal_of: dict[_Change, Word] = {}
    complex_of: dict[_Change, int] = {}
    may: dict[_Change, Effect] = {effect: _changing(moves[0]) for effect, moves in cubes.items()}
    for effect, moves in cubes.items():
        deleted, added = (facts_in(side) for side in effect[:2])
        if len(deleted) == len(added) == 1 and not effect[2]:
            literal_of[effect] = (leave[deleted[0]], arrive[added[0]])
            continue
        variable = layer.new(_effect_name(planning, moves[0]))
        complex_of[effect] = variable
        literal_of[effect] = (variable,)
        clauses.add_all((-variable, leave[fact]) for fact in deleted)
        clauses.add_all((-variable, arrive[fact]) for fact in added)
        _add_carried(state, moves[0], (-variable,), clauses)
    AT_MOST_ONE[part.effects](layer, clauses, list(complex_of.values()), "effects")
    some_complex = _active(layer, clauses, list(complex_of.values())) if complex_of else 0
    simple = [effect for effect in cubes if effect not in complex_of]
    for side, (own, other) in enumerate(((leave, arrive), (arrive, leave))):
        alone: dict[int, int] = {}
        partners_of: dict[int, list[int]] = {}
        for effect in simple:
            changed, partner = (facts_in(may[effect][end])[0] for end in (side, 1 - side))
            partners_of.setdefault(changed, []).append(other[partner])
        for fact, variable in own.items():
            partners = partners_of.get(fact, [])
            excuses = [v for effect, v in complex_of.items() if may[effect][side] >> fact & 1]
            clauses.add(-variable, *partners, *excuses)
            if partners:
                alone[fact] = variable
                if some_complex:
                    clauses.add(-variable, -some_complex, *excuses)
        together = [(may[e][side], v) for e, v in complex_of.items()]
        _at_most_one_changes(alone, together, part, layer, clauses)
    for effect, moves in cubes.items():
        if (
            effect not in complex_of
        ):  # an effect on more facts may also change both facts of this effect
            larger = [-v for e, v in complex_of.items() if _contains(may[e], may[effect])]
            literal_of[effect] = (*literal_of[effect], *larger)
        unless = [-literal for literal in literal_of[effect]]
        _add_one_directional(state, moves, unless, _effect_name(planning, moves[0]), layer, clauses)
    changes = [*leave.values(), *arrive.values()]
    active = _active(layer, clauses, changes)
    made: dict[int, set[Word]] = {}
    for effect, word in literal_of.items():
        for own, side in ((leave, 0), (arrive, 1)):
            for fact in facts_in(may[effect][side]):
                made.setdefault(own[fact], set()).add(word)
    of_move = tuple(literal_of[_change(move)] for move in planning.moves)
    return Transition(of_move, active, made)


def _leave_and_arrive(
    planning: PlanningTask, state: State, layer: Layer, clauses: Clauses
) -> tuple[dict[int, int], dict[int, int]]:
    """The *leave* and *arrive* variables of every fact that moves may change. All other facts keep their values."""
    facts = facts_in(union(move.changing for move in planning.moves))
    leave = {f: layer.new(f"{planning.facts[f]} leaves") for f in facts}
    arrive = {f: layer.new(f"{planning.facts[f]} arrives") for f in facts}
    for fact, (here, there) in _pairs(state):
        if fact not in leave:
            clauses.add(-here, there)
            clauses.add(here, -there)
            continue
        clauses.add_all([(-leave[fact], here), (-leave[fact], -there), (leave[fact], -here, there)])
        clauses.add_all(
            [(-arrive[fact], -here), (-arrive[fact], there), (arrive[fact], here, -there)]
        )
    return leave, arrive


_TRANSITIONS = {
    "operators": by_operators,
    "leave-arrive": by_leave_and_arrive,
}


def _transition(words: Sequence[Word], active: int) -> Transition:
    made: dict[int, set[Word]] = {}
    for word in words:
        for literal in word:
            made.setdefault(literal, set()).add(word)
    return Transition(tuple(words), active, made)


def _at_most_one_changes(
    variables: dict[int, int],
    together: list[tuple[int, int]],
    part: TransitionPart,
    layer: Layer,
    clauses: Clauses,
) -> None:
    """At most one of these facts changes, unless an effect that changes several of them occurs."""
    own = sum(1 << fact for fact in variables)
    several = [(mask & own, v) for mask, v in together if (mask & own).bit_count() > 1]
    if not several:
        AT_MOST_ONE[part.at_most_one](layer, clauses, list(variables.values()), "changes")
        return
    for one, other in combinations(variables, 2):
        both = 1 << one | 1 << other
        excuses = [variable for mask, variable in several if mask & both == both]
        clauses.add(-variables[one], -variables[other], *excuses)


def _add_one_directional(
    state: State,
    moves: list[MacroOperator],
    unless: list[int],
    name: str,
    layer: Layer,
    clauses: Clauses,
) -> None:
    """Unless one of the literals `unless` is true, the precondition of at least one of these moves holds. All these
    moves have the same effect.
    """
    needs: list[list[int]] = []
    for move in moves:
        changed = {abs(state.here[fact]) for fact in facts_in(move.flip)}
        literals = state.literals_here((move.mask, move.value))
        needs.append([literal for literal in literals if abs(literal) not in changed])
    common = [literal for literal in needs[0] if all(literal in other for other in needs)]
    clauses.add_all((*unless, literal) for literal in common)
    for number, (move, need) in enumerate(zip(moves, needs, strict=True)):
        guard = unless
        if len(moves) > 1:
            if number == 0:
                chosen = [layer.new(f"{name}: move {number}") for number in range(len(moves))]
                clauses.add(*unless, *chosen)
            guard = [-chosen[number]]
            clauses.add_all((*guard, literal) for literal in need if literal not in common)
        for cube in move.avoid:
            clauses.add(*guard, *(-literal for literal in state.literals_here(cube)))


def _active(layer: Layer, clauses: Clauses, variables: Sequence[int]) -> int:
    """A new variable that is true iff one of these variables is true."""
    active = layer.new("some move")
    clauses.add(-active, *variables)
    clauses.add_all((-variable, active) for variable in variables)
    return active


def _pairs(state: State) -> list[tuple[int, tuple[int, int]]]:
    """The facts that a move can change, each with its variables before and after the move."""
    both = zip(state.here, state.after, strict=True)
    return [(fact, (here, there)) for fact, (here, there) in enumerate(both) if here != there]


def _add_effects(state: State, move: MacroOperator, unless: Word, clauses: Clauses) -> None:
    """The effects of the move hold in the next layer unless one of the literals `unless` is true."""
    deleted, added = move.effect
    clauses.add_all((*unless, -state.after[f]) for f in facts_in(deleted))
    clauses.add_all((*unless, state.after[f]) for f in facts_in(added))
    _add_carried(state, move, unless, clauses)


def _add_carried(state: State, move: MacroOperator, unless: Word, clauses: Clauses) -> None:
    """The permutation of a move holds between the layers unless one of the literals `unless` is true."""
    for fact in move.carried:
        here, there = state.here[fact], state.after[move.image[fact]]
        clauses.add(*unless, -here, there)
        clauses.add(*unless, here, -there)


def _changing(move: MacroOperator) -> Effect:
    """The facts that a move may delete, and the facts that it may add."""
    deleted, added = move.effect
    carried = sum(1 << fact for fact in move.carried)
    return deleted | carried, added | carried


def _change(move: MacroOperator) -> _Change:
    """The effect of a move, as a dictionary key."""
    return (*move.effect, move.image)


def _contains(effect: Effect, other: Effect) -> bool:
    return other[0] & ~effect[0] == 0 and other[1] & ~effect[1] == 0


def _effect_name(planning: PlanningTask, move: MacroOperator) -> str:
    if move.image:
        return f"turn {_name(planning, move)}"
    return " ".join(["effect", *(planning.facts[f] for s in move.effect for f in facts_in(s))])


def _name(planning: PlanningTask, move: MacroOperator) -> str:
    """The name of a move in the symbol table."""
    operators = [planning.task.moves[index] for index in move.operators]
    if not operators:
        return "wait"
    steps = " ".join(
        " ".join(word for word in (o.words, o.direction.name if o.direction else "") if word)
        for o in operators
    )
    return " ".join(
        part
        for part in (operators[0].rule, _fact_name(planning, operators[0].from_fact), steps)
        if part
    )


def _fact_name(planning: PlanningTask, fact: int) -> str:
    return planning.facts[fact] if fact >= 0 else ""
