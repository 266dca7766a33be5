"""Effects that apply the consequences of a move, for tasks in which the operators do not include the consequences.

A move leads to an *intermediate* state, and rounds of consequences follow until no effect fits. Only the resulting
state is a state of the search. An *effect* is one rule at one place in one case. The result is deterministic: the
effects of a place are tested in order, and the first effect that fits applies. Effects have no inverse, because several
intermediate states can lead to the same state.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from itertools import groupby

from msgspec import Struct

from fewest.model.problem import ConditionalEffects, sets_in, words_of


class ConditionalEffect(Struct, frozen=True):
    """One rule at one place in one case. The effect fits if `state & mask == value`, and leads to
    `(state & ~clear) ^ flip`.

    In a stage that applies everywhere simultaneously, `state & need_mask == need_value` must still hold when this
    effect is applied; in other stages, `need_mask` and `need_value` are 0.
    """

    rule: str
    mask: int
    value: int
    flip: int
    clear: int = 0
    need_mask: int = 0
    need_value: int = 0

    def can_still(self, state: int) -> bool:
        return state & self.need_mask == self.need_value

    def apply(self, state: int) -> int:
        return (state & ~self.clear) ^ self.flip


class ConditionalEffectStage(Struct, frozen=True):
    """The effects that one sweep tests: at each place, in order, the first effect that fits applies.

    If `is_everywhere` is true, the sweep first marks all fitting effects, place by place, and then applies them in this
    order.
    """

    places: tuple[tuple[ConditionalEffect, ...], ...]
    is_everywhere: bool = False


def apply_effects(stages: Iterable[ConditionalEffectStage], state: int) -> int | None:
    """The first state in which no effect fits; None if an intermediate state repeats.

    This is the simple version; the native core (`expand/effect_fixpoint.hpp`) tests only effects that may have begun to
    fit.
    """
    found = apply_effects_counting_rounds(stages, state)
    return None if found is None else found[0]


def apply_effects_counting_rounds(
    stages: Iterable[ConditionalEffectStage], state: int
) -> tuple[int, int] | None:
    """The result of `apply_effects`, and the number of sweeps in which some effect fitted."""
    stages = tuple(stages)
    seen: set[int] = set()
    while state not in seen:
        seen.add(state)
        for stage in stages:
            after = _at_once(stage, state) if stage.is_everywhere else _swept(stage, state)
            if after is not None:
                state = after
                break
        else:
            return state, len(seen) - 1
    return None


def _swept(stage: ConditionalEffectStage, state: int) -> int | None:
    """The result of one sweep; None if no effect fits."""
    found = False
    for place in stage.places:
        for effect in place:
            if state & effect.mask == effect.value:
                state = effect.apply(state)
                found = True
                break
    return state if found else None


def _at_once(stage: ConditionalEffectStage, state: int) -> int | None:
    """The state after all fitting effects of a stage have been applied simultaneously; None if no effect fits."""
    marks = [
        effect for place in stage.places for effect in place if state & effect.mask == effect.value
    ]
    for effect in marks:
        if effect.can_still(state):
            state = effect.apply(state)
    return state if marks else None


# -- as rows of numbers -------------------------------------------------------------------------------


def rows_of(stages: Iterable[ConditionalEffectStage], words: int) -> ConditionalEffects:
    """The effects of all stages as rows of numbers; each set of facts takes `words` words."""
    stages = tuple(stages)
    effects: list[ConditionalEffect] = []
    place_of: list[int] = []
    stage_of: list[int] = []
    places = 0
    for number, stage in enumerate(stages):
        for place in stage.places:
            effects += place
            place_of += [places] * len(place)
            stage_of += [number] * len(place)
            places += 1
    return ConditionalEffects(
        mask=words_of([e.mask for e in effects], words),
        value=words_of([e.value for e in effects], words),
        flip=words_of([e.flip for e in effects], words),
        clear=words_of([e.clear for e in effects], words),
        need_mask=words_of([e.need_mask for e in effects], words),
        need_value=words_of([e.need_value for e in effects], words),
        place=array("i", place_of),
        stage=array("i", stage_of),
        everywhere=tuple(stage.is_everywhere for stage in stages),
    )


def stages_in(
    conditional_effects: ConditionalEffects, words: int
) -> tuple[ConditionalEffectStage, ...]:
    """The inverse of `rows_of`, except that the names of the rules are lost."""
    cubes = (conditional_effects.mask, conditional_effects.value, conditional_effects.flip)
    columns = [
        *cubes,
        conditional_effects.clear,
        conditional_effects.need_mask,
        conditional_effects.need_value,
    ]
    effects = [
        ConditionalEffect("", *row)
        for row in zip(*(sets_in(c, words) for c in columns), strict=True)
    ]
    numbers = zip(
        conditional_effects.stage.tolist(), conditional_effects.place.tolist(), effects, strict=True
    )
    places: list[list[tuple[ConditionalEffect, ...]]] = [[] for _ in conditional_effects.everywhere]
    for (stage, _), group in groupby(numbers, key=lambda row: row[:2]):
        places[stage].append(tuple(effect for _, _, effect in group))
    return tuple(
        ConditionalEffectStage(tuple(found), is_everywhere)
        for found, is_everywhere in zip(places, conditional_effects.everywhere, strict=True)
    )
