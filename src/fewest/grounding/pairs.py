"""Pairs of values that no reachable state contains, so that moves need no cases for them.

A move that sets a variable without a condition on the old value becomes one operator for each value that it replaces.
Often, most of these values are impossible: for example, if a tube is filled up to a level, all levels above it are
empty. A relaxation finds the possible pairs: a pair is possible if a move adds it and all pairs of the move's
precondition are possible. (This is the heuristic h2 of Haslum and Geffner, AIPS 2000; here it proves that some pairs
never occur.)

Each time a part of a move's precondition becomes possible, updating the pairs of the move takes a few operations on bit
sets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from fewest.grounding.action import add_set_move, ground_binding
from fewest.grounding.grounder import Grounder
from fewest.grounding.partial import PartialState, SetMove
from fewest.model.task import facts_in, union


class Pairs:
    """The pairs of facts of variables that may be true together in a reachable state."""

    def __init__(self, grounder: Grounder) -> None:
        self.grounder = grounder
        first = grounder.value_facts[0][0]
        self.variables = (1 << len(grounder.facts)) - (1 << first)
        initial = self._bits(grounder.initial_facts())
        self.with_fact: dict[int, int] = dict.fromkeys(facts_in(initial), initial)
        """for each fact that can become true, the bit set of the facts that can be true together with it,
        including itself
        """
        self._values = {
            fact: self._bits(values) for values in grounder.value_facts for fact in values
        }
        # for each fact, the facts of the other variables, and the fact itself
        self._other_facts = {
            fact: self.variables & ~values | 1 << fact for fact, values in self._values.items()
        }
        self._moves = [*self._moves_of(grounder)]
        self._close()

    def _bits(self, facts: Iterable[int]) -> int:
        return union(1 << fact for fact in facts) & self.variables

    def _moves_of(
        self, grounder: Grounder
    ) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], int]]:
        """For each move, the facts that it requires, the facts that it makes true, and the bit set of the facts that it
        may make false.
        """
        found: dict[tuple[tuple[int, ...], tuple[int, ...], int], None] = {}
        for draft in grounder.drafts:
            needs = self._bits(draft.at.positive)
            flip = self._bits(draft.flip)
            found[(*facts_in(needs),), (*facts_in(flip & ~needs),), flip & needs] = None
        first = grounder.value_facts[0][0]
        for move in grounder.set_moves:
            required = sorted(fact for fact in move.at.positive if fact >= first)
            made = sorted(new for _, new in move.changes.values())
            gone = union(self._values[new] for new in made)
            found[(*required,), (*made,), gone] = None
        yield from found

    def _close(self) -> None:
        """Apply the moves until no new pair appears."""
        # for each fact, the number of the round of its last change
        changed = dict.fromkeys(self.with_fact, 1)
        with_fact, variables = self.with_fact, self.variables
        moves = [(*move, union(1 << fact for fact in move[0])) for move in self._moves]
        done = [0] * len(moves)
        now, step, is_new = 1, self.grounder.step, True
        while is_new:
            is_new = False
            for number, (needs, made, gone, needed) in enumerate(moves):
                if done[number] and needs and max(map(changed.__getitem__, needs)) <= done[number]:
                    continue
                step()
                around = variables
                for fact in needs:
                    around &= with_fact.get(fact, 0)
                if needed & ~around:
                    continue
                if not needs:
                    around = union(1 << fact for fact in with_fact)
                done[number] = now
                come = self._make(made, around & ~gone)
                if come:
                    now, is_new = now + 1, True
                    changed.update(dict.fromkeys(come, now))

    def _make(self, made: Iterable[int], around: int) -> set[int]:
        """Record that the facts `made` can be true together with each other and with the facts in `around`. Returns the
        facts in new pairs.
        """
        with_fact, others, changed = self.with_fact, self._other_facts, set[int]()
        together = around
        for fact in made:
            together |= 1 << fact
        for fact in made:
            before = with_fact.get(fact, 0)
            come = together & others[fact] & ~before
            if come:
                with_fact[fact] = before | come
                changed.add(fact)
                for other in facts_in(come):
                    with_fact[other] = with_fact.get(other, 0) | 1 << fact
                    changed.add(other)
        return changed

    def around(self, facts: Iterable[int]) -> int | None:
        """The bit set of the facts that can be true together with all of the given facts; None if the given facts
        cannot be true together.
        """
        around, together, is_anywhere = self.variables, 0, True
        for fact in facts:
            around &= self.with_fact.get(fact, 0)
            together |= 1 << fact
            is_anywhere = False
        if is_anywhere:
            return union(1 << fact for fact in self.with_fact)
        return around if not together & ~around else None

    @cached_property
    def excluded(self) -> dict[int, frozenset[int]]:
        """For each fact that can become true, the values of other variables that never occur with it."""
        possible = union(1 << fact for fact in self.with_fact)
        found = {
            fact: possible & ~known & ~self._values[fact] for fact, known in self.with_fact.items()
        }
        return {fact: frozenset(facts_in(never)) for fact, never in found.items() if never}

    def replaced(self, move: SetMove) -> Iterator[tuple[PartialState, dict[int, int]]]:
        """For each possible combination of replaced values, the precondition extended by these values, and their facts
        by slot.
        """
        around = self.around(fact for fact in move.at.positive if self.variables >> fact & 1)
        open_slots = [slot for slot, (old, _) in move.changes.items() if old is None]
        if around is not None:
            yield from self._replaced(move.at, around, open_slots, {})

    def _replaced(
        self, at: PartialState, around: int, slots: list[int], found: dict[int, int]
    ) -> Iterator[tuple[PartialState, dict[int, int]]]:
        """`around`: the facts that can be true together with `at`."""
        if not slots:
            yield at, found
            return
        slot, *others = slots
        for fact in facts_in(around & self._values[self.grounder.value_facts[slot][0]]):
            if fact not in at.negative:
                refined = PartialState(at.positive | {fact}, at.negative)
                together = around & self.with_fact[fact]
                yield from self._replaced(refined, together, others, {**found, slot: fact})


def divide_set_moves(grounder: Grounder) -> None:
    """Add the operators of `Grounder.set_moves`; called once all rules are known."""
    by_binding: dict[tuple[int, int], list[SetMove]] = {}
    for move in grounder.set_moves:
        by_binding.setdefault((id(move.rule), move.binding), []).append(move)
    # `Pairs` ignores the effects of simultaneous assignments and of permutations, so it would be wrong here.
    pairs = None if grounder.pending or grounder.permutations else Pairs(grounder)
    for moves in by_binding.values():
        rule, binding = moves[0].rule, moves[0].binding
        grounder.part = ("moves", rule.name)
        cases = None if pairs is None else _cases(pairs, moves, grounder.most_flips)
        if pairs is None or cases is None:
            ground_binding(rule, grounder, binding, grounder.most_flips)
            continue
        grounder.never = pairs.excluded
        for move, at, found in cases:
            add_set_move(move, grounder, at, found)


def _cases(
    pairs: Pairs, moves: Iterable[SetMove], most: float
) -> list[tuple[SetMove, PartialState, dict[int, int]]] | None:
    """The operators of one binding of a rule; None if there are more than `most` operators."""
    cases: list[tuple[SetMove, PartialState, dict[int, int]]] = []
    for move in moves:
        for at, found in pairs.replaced(move):
            cases.append((move, at, found))
            if len(cases) > most:
                return None
    return cases
