"""What minimal plans never need. Each part keeps at least one minimal plan; together they do as well.

The argument is the same for all: of the minimal plans take the one whose sequence of moves is smallest
in the order of `PlanningTask.moves`. It never does what a part forbids, or a shorter plan or a smaller
sequence would do; idle layers behind it change nothing. All are sound for every metric of one part.
"""

from __future__ import annotations

from fewest.analysis.composites import Effect
from fewest.analysis.planning import PlanningTask
from fewest.analysis.symmetry import automorphisms, images_of_moves
from fewest.sat.clauses import Clauses, Layer, following
from fewest.sat.transition import Transition, Word


def add_no_repeat(
    planning: PlanningTask, transition: Transition, layer: Layer, clauses: Clauses
) -> None:
    """No move continues the run of the move before it: the two would have been one move.

    Only in merging metrics (`PlanningTask.has_whole_runs`).
    """
    if not planning.has_whole_runs:
        return
    runs_of: dict[Word, set[tuple[int, int]]] = {}
    for move, word in zip(planning.moves, transition.of_move, strict=True):
        runs_of.setdefault(word, set()).add((move.run_in, move.run_out))
    # A word that stands for several moves belongs to a run only if all of these do.
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
    """The same in fewer words: a literal that only these make true says it alone."""
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
    """No move undoes the move before it. Not where free moves may happen between the two."""
    if planning.free:
        return
    of_effect: dict[Effect, set[Word]] = {}
    for move, word in zip(planning.moves, transition.of_move, strict=True):
        of_effect.setdefault(move.effect, set()).add(word)
    for (deleted, added), words in of_effect.items():
        for back in sorted(of_effect.get((added, deleted), ())):
            clauses.add_all((*_no(word), *_not_next(back)) for word in sorted(words))


def add_commuting_order(
    planning: PlanningTask, transition: Transition, clauses: Clauses, own: bool
) -> None:
    """Of two moves that commute the one with the smaller number comes first.

    They commute if neither flips what the other's cube or path speaks of. Not with free moves, nor
    with `forbid`: the state between the two is another one. One clause for each such pair; with `own`
    only for moves that have a variable of their own.
    """
    if planning.free or planning.forbid:
        return
    reads: dict[Word, int] = {}
    flips: dict[Word, int] = {}
    for move, word in zip(planning.moves, transition.of_move, strict=True):
        reads[word] = reads.get(word, 0) | move.mask
        for mask, _ in move.avoid:
            reads[word] |= mask
        flips[word] = flips.get(word, 0) | move.flip
    words = [word for word in reads if len(word) == 1 or not own]
    for number, later in enumerate(words):
        for earlier in words[:number]:
            if not (flips[later] & reads[earlier] or flips[earlier] & reads[later]):
                clauses.add(*_no(later), *_not_next(earlier))


def add_first_by_symmetry(planning: PlanningTask, transition: Transition, clauses: Clauses) -> None:
    """The first move is no mirror image of a smaller one, where the start is its own mirror image.

    `clauses` are those of layer 0. Not with free moves, which may come before the first.
    """
    if planning.free:
        return
    rank: dict[Word, int] = {}
    for word in transition.of_move:
        rank.setdefault(word, len(rank))
    for permutation in automorphisms(planning, (planning.initial,)):
        image = images_of_moves(planning, permutation)
        of_word: dict[Word, set[Word]] = {}
        for move, word in enumerate(transition.of_move):
            of_word.setdefault(word, set()).add(transition.of_move[image[move]])
        for word, others in of_word.items():
            if len(others) == 1 and rank[min(others)] < rank[word]:
                clauses.add(*_no(word))
