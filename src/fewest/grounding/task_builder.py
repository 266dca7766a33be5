"""The last step of grounding: from provisional facts to a task."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from fewest.errors import InternalError
from fewest.grounding.facts import MAX_FACTS
from fewest.grounding.goals import completed
from fewest.grounding.grounder import Grounder
from fewest.grounding.groups import exactly_groups, exchanges
from fewest.grounding.partial import Draft, DraftEffect, PartialState, PermutationDraft
from fewest.model.task import Cube, Group, Operator, PermutationOperator, Task

if TYPE_CHECKING:
    from fewest.model.conditional_effects import ConditionalEffect, ConditionalEffectStage


class TaskBuilder:
    """Drops the facts that can never become true, renumbers the remaining facts, and builds the task."""

    def __init__(self, grounder: Grounder) -> None:
        self.grounder = grounder
        self.puzzle = grounder.puzzle
        self.initial = frozenset(grounder.initial_facts())
        self.drafts = list(grounder.drafts)
        self.reached = self._relaxed_reachable()
        remaining = sorted(self.reached)
        if len(remaining) > MAX_FACTS:
            grounder.too_large(f"it has {len(remaining):,} facts", f"{MAX_FACTS:,}")
        self.new_id = {fact: number for number, fact in enumerate(remaining)}
        self.facts = tuple(grounder.facts[fact] for fact in remaining)

    def _relaxed_reachable(self) -> set[int]:
        """The facts that can become true if no fact ever becomes false (Bonet and Geffner 2001). The method also
        removes the operators that can never apply, and stores the errors of the effects that may apply in
        `Grounder.undefined`.
        """
        waiting: dict[int, list[int]] = {}
        reached: set[int] = set()
        queue = list(self.initial)
        effects = [e for stage in self.grounder.effects for place in stage.places for e in place]
        changes: list[Draft | DraftEffect] = [*self.drafts, *effects]
        missing: list[int] = []
        permutations, step = self.grounder.permutations, self.grounder.step
        for index, draft in enumerate(changes):
            at = draft.at
            _check(at, draft.rule)
            missing.append(len(at.positive))
            for fact in at.positive:
                if fact in waiting:
                    waiting[fact].append(index)
                else:
                    waiting[fact] = [index]
            if not at.positive:
                queue.extend(draft.flip)
        while queue:
            fact = queue.pop()
            if fact in reached:
                continue
            step()
            reached.add(fact)
            for permutation in permutations:
                if fact in permutation.image:
                    queue.append(permutation.image[fact])
            for index in waiting.get(fact, ()):
                missing[index] -= 1
                if missing[index] == 0:
                    queue.extend(changes[index].flip)
        self.drafts = [d for d, count in zip(self.drafts, missing, strict=False) if count == 0]
        for effect, count in zip(effects, missing[len(changes) - len(effects) :], strict=True):
            if count == 0:
                self.grounder.undefined.update(dict.fromkeys(effect.undefined))
        return reached

    def _bits(self, facts: Iterable[int]) -> int:
        bits = 0
        for fact in facts:
            number = self.new_id.get(fact)
            if number is not None:
                bits |= 1 << number
        return bits

    def _cubes(self, cubes: list[PartialState]) -> tuple[tuple[int, int], ...]:
        out: dict[tuple[int, int], None] = {}
        for cube in cubes:
            _check(cube, "a condition")
            if cube.positive <= self.reached:
                value = self._bits(cube.positive)
                out[self._bits(cube.negative) | value, value] = None
        return tuple(out)

    def _stages(self) -> tuple[ConditionalEffectStage, ...]:
        """The stages, reduced to the consequences that can ever happen."""
        if not self.grounder.effects:
            return ()
        from fewest.model.conditional_effects import ConditionalEffectStage

        return tuple(
            ConditionalEffectStage(
                tuple(
                    tuple(self._effect(e) for e in place if e.at.positive <= self.reached)
                    for place in stage.places
                    if any(e.at.positive <= self.reached for e in place)
                ),
                stage.is_everywhere,
            )
            for stage in self.grounder.effects
        )

    def _effect(self, draft: DraftEffect) -> ConditionalEffect:
        from fewest.model.conditional_effects import ConditionalEffect

        _check(draft.needs, draft.rule)
        value, need_value = self._bits(draft.at.positive), self._bits(draft.needs.positive)
        return ConditionalEffect(
            draft.rule,
            self._bits(draft.at.negative) | value,
            value,
            self._bits(draft.flip),
            self._bits(draft.clear),
            self._bits(draft.needs.negative) | need_value,
            need_value,
        )

    def _goal_lists(self, goal: list[list[PartialState]]) -> tuple[tuple[Cube, ...], ...]:
        """The lists of a goal; a single empty list if the cubes show that no reachable state can be in a cube of every
        list.
        """
        lists = [self._cubes(cubes) for cubes in goal]
        several = [cubes for cubes in lists if len(cubes) != 1]
        known = (0, 0)  # the conjunction of all lists that have one cube
        for ((mask, value),) in (cubes for cubes in lists if len(cubes) == 1):
            if (known[1] ^ value) & known[0] & mask:
                return ((),)
            known = (known[0] | mask, known[1] | value)
        if not several:
            return ((known,),)
        first, *others = several
        together = [
            (mask | known[0], value | known[1])
            for mask, value in first
            if not (known[1] ^ value) & known[0] & mask
        ]
        found = (tuple(dict.fromkeys(together)), *others)
        return found if all(found) else ((),)

    def task(self, goal: list[list[PartialState]], forbid: list[PartialState]) -> Task:
        new_id = self.new_id
        operators = self._operators()
        grounder = self.grounder
        turned = [self._permutation(draft) for draft in grounder.permutations]
        permutations = tuple(p for p in turned if p.image != tuple(range(len(p.image))))
        # lists inside tuples, because generators would take longer for so few facts
        covering = [
            tuple([new_id[f] for f in grounder.covering(layer_cell) if f in new_id])
            for cell in (() if self.puzzle.board is None else self.puzzle.board.floors)
            for layer_cell in grounder.layer_cells(cell)
        ]
        initial = self._bits(self.initial)
        stages = self._stages()
        exactly: tuple[Group, ...] = ()
        if not grounder.may_lack_pieces:
            exactly = exactly_groups(
                self.facts,
                [piece.family for piece in self.puzzle.classes],
                exchanges(self.facts, operators, stages),
                permutations,
                initial,
            )
        lists = [completed(cubes, exactly) for cubes in self._goal_lists(goal)]
        first, *others = lists if all(lists) else [()]
        return Task(
            name=self.puzzle.name,
            facts=self.facts,
            operators=tuple(operators),
            initial=initial,
            goal=first,
            further_goals=tuple(others),
            has_goal=self.puzzle.goal is not None,
            forbid=self._cubes(forbid),
            exactly=exactly,
            at_most_one=tuple(facts for facts in covering if len(facts) > 1),
            metrics=self.puzzle.metrics,
            default_metric=self.puzzle.default_metric,
            fact_of_spot={
                (f.class_id, f.cell): i for i, f in enumerate(self.facts) if f.class_id >= 0
            },
            fact_of_value={(f.slot, f.value): i for i, f in enumerate(self.facts) if f.slot >= 0},
            endless=grounder.endless,
            permutations=permutations,
            consequences=stages,
            pending=self._bits(grounder.pending),
            undefined=tuple(grounder.undefined),
            never=tuple(
                (1 << new_id[fact], bits)
                for fact, others in grounder.never.items()
                if fact in new_id and (bits := self._bits(others))
            ),
        )

    def _operators(self) -> list[Operator]:
        """The operators, with preconditions and effects reduced to facts that can become true."""
        new_id = self.new_id
        negative_bits: dict[frozenset[int], int] = {}
        operators: list[Operator] = []
        bit_of = {fact: 1 << number for fact, number in new_id.items()}
        step = self.grounder.step
        for draft in self.drafts:
            step()
            at = draft.at
            value = flip = 0
            for fact in at.positive:
                value |= bit_of[fact]
            for fact in draft.flip:
                flip |= bit_of[fact]
            negative = negative_bits.get(at.negative)
            if negative is None:
                negative = negative_bits[at.negative] = self._bits(at.negative)
            source, target = draft.moved
            operators.append(
                Operator(
                    draft.rule,
                    value | negative,
                    value,
                    flip,
                    new_id.get(source, -1),
                    new_id.get(target, -1),
                    draft.ring,
                    draft.direction,
                    draft.words,
                    draft.binding,
                )
            )
        return operators

    def _permutation(self, draft: PermutationDraft) -> PermutationOperator:
        """A permutation of the remaining facts. If one fact of a cycle can become true, all facts of the cycle can."""
        old = sorted(self.reached)
        image = tuple([self.new_id[draft.image.get(fact, fact)] for fact in old])
        return PermutationOperator(
            draft.rule, image, draft.ring, draft.direction, draft.words, draft.binding
        )


def _check(at: PartialState, where: str) -> None:
    """Raises InternalError if a fact must be both true and false: a mask and a value cannot express this.

    Code that adds partial states must omit those that contain no state.
    """
    if not at.positive.isdisjoint(at.negative):
        raise InternalError(f"{where}: facts that have to be both true and false")
