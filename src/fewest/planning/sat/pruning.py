"""Clauses that exclude moves that no minimal plan needs.

At least one minimal plan satisfies all parts together. The argument is the same for all parts. Among the minimal plans,
consider the one with the smallest sequence of moves. Moves are ordered by the smallest facts that they change, and then
as in `PlanningTask.moves`. If a part excluded this plan, there would be a shorter plan or a plan with a smaller
sequence. Idle layers after the plan do not affect the argument. All parts are sound in every single-part metric.
"""

from __future__ import annotations

from fewest.planning.bounds import Bounds
from fewest.planning.macros import Effect, inverse
from fewest.planning.potential import MAX_WASTED, Potential
from fewest.planning.sat.clauses import Clauses, Layer, following
from fewest.planning.sat.mirror import Mirror
from fewest.planning.sat.state import State
from fewest.planning.sat.transition import Transition, Word
from fewest.planning.task import PlanningTask


def add_no_repeat(
    planning: PlanningTask, transition: Transition, layer: Layer, clauses: Clauses
) -> None:
    """No move continues the merged move before it, because the two together would be one move.

    No clause is added unless the metric merges moves and has no free moves (`PlanningTask.has_whole_runs`).
    """
    if not planning.has_whole_runs:
        return
    runs_of: dict[Word, set[tuple[int, int]]] = {}
    for move, word in zip(planning.moves, transition.of_move, strict=True):
        runs_of.setdefault(word, set()).add((move.run_in, move.run_out))
    # A word that several moves share belongs to a merged move only if all of these moves belong to it.
    into: dict[int, set[Word]] = {}
    out: dict[int, set[Word]] = {}
    for word, runs in runs_of.items():
        for side, words in enumerate((into, out)):
            keys = {pair[side] for pair in runs}
            if len(keys) == 1 and min(keys) >= 0:
                words.setdefault(keys.pop(), set()).add(word)
    for run in sorted(into.keys() & out.keys()):
        before, after = _shorter(transition, out[run]), _shorter(transition, into[run])
        if len(before) * len(after) <= len(before) + len(after):
            clauses.add_all((*_no(first), *_not_next(then)) for first in before for then in after)
            continue
        made = layer.new(f"run {run} was made")
        clauses.add_all((*_no(word), made) for word in before)
        clauses.add_all((-made, *_not_next(word)) for word in after)


def _shorter(transition: Transition, words: set[Word]) -> list[Word]:
    """A shorter list of words with the same meaning: if the list contains the words of all moves that make a literal
    true, this literal replaces the words.
    """
    out: set[Word] = set()
    left = set(words)
    for literal, making in transition.words_of.items():
        if making and making <= words and making & left:
            out.add((literal,))
            left -= making
    return sorted(out | left)


def _no(word: Word) -> list[int]:
    return [-literal for literal in word]


def _not_next(word: Word) -> list[int]:
    return [-following(literal) for literal in word]


def add_no_undo(planning: PlanningTask, transition: Transition, clauses: Clauses) -> None:
    """No move undoes the move before it. No clause is added if free moves or consequences may come between the two
    moves.
    """
    if planning.free or planning.rounds:
        return
    of_effect: dict[tuple[Effect, tuple[int, ...]], set[Word]] = {}
    for move, word in zip(planning.moves, transition.of_move, strict=True):
        of_effect.setdefault((move.effect, move.image), set()).add(word)
    for ((deleted, added), image), words in of_effect.items():
        for back in sorted(of_effect.get(((added, deleted), inverse(image)), ())):
            clauses.add_all((*_no(word), *_not_next(back)) for word in sorted(words))


def far_apart(bounds: Bounds, state: State, mirror: Mirror | None) -> dict[int, Clauses]:
    """For each number k = 2, 3, …: the clauses that exclude fact f in a layer together with fact g k layers later, if
    `bounds` proves that no sequence of at most k moves leads from f to g. With a mirror, the clause is added only if no
    such sequence leads from f to the image of g either.
    """
    out: dict[int, Clauses] = {}
    for num_moves, pairs in bounds.apart(mirror.facts if mirror else None).items():
        out[num_moves] = clauses = Clauses()
        for fact, later in pairs:
            clauses.add(-state.fact[fact], -following(state.fact[later], num_moves))
    return out


def add_waste(
    potential: Potential, transition: Transition, layer: Layer, clauses: Clauses
) -> list[int]:
    """Count the units that moves waste. Variable number j of the result is true if at least j + 1 units are wasted
    before the layer. See `planning/potential.py`.

    Only this direction of the definition is encoded; it suffices for limiting the waste at a horizon.
    """
    wasted = [layer.new(f"{units + 1} wasted") for units in range(MAX_WASTED + 1)]
    now: dict[int, int] = {}
    for word, units in {*zip(transition.of_move, potential.waste, strict=True)}:
        if units:
            least = min(units, len(wasted))
            if least not in now:
                now[least] = layer.new(f"this move wastes {least}")
            clauses.add(*_no(word), now[least])
    for have, variable in enumerate(wasted, start=1):
        clauses.add(-variable, following(variable))
        for units, this in now.items():
            clauses.add(-variable, -this, following(wasted[min(have + units, len(wasted)) - 1]))
    for units, this in now.items():
        clauses.add(-this, following(wasted[units - 1]))
    return wasted
