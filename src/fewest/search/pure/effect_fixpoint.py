"""Applies the effects after a move, for the pure-Python core. Only the effects that may fit because of a change are
tested.

`model.conditional_effects.apply_effects` tests every effect in every sweep. In a state that the search stores, no
effect fits. After a move, an effect can therefore fit only if its cube contains a fact that has changed. A set of
effects (a Python integer, in the order of the sweeps) contains all effects that may fit. An effect that does not fit is
removed from the set, and a changed fact adds the effects that require its new value. Full sweeps would give the same
result, because the effects outside the set do not fit.

Some facts are in many cubes; an example is the value of a variable that counts the phases of a move. Therefore, for
each changed fact, an effect has up to two *guards*: of the other facts that must be true, the one that is in the fewest
cubes, and the one that is in the most cubes. The changed fact adds the effect only if its guards are true. If a guard
becomes true later, the guard itself is the changed fact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from fewest.model.conditional_effects import ConditionalEffect, ConditionalEffectStage


class _EffectIndex(Struct):
    """The effects that a changed fact may add. `always` contains the effects without guards. `guards` is the set of all
    first guards. `by_guard` maps the first guard to the second guard (or an empty set) and the effects; a guard is a
    set of one fact.
    """

    always: int
    guards: int
    by_guard: dict[int, dict[int, int]]


_NOTHING = _EffectIndex(0, 0, {})


class EffectFixpoint:
    """The effects of all stages, with an index from facts to effects."""

    def __init__(self, stages: Sequence[ConditionalEffectStage]) -> None:
        self.effects: list[ConditionalEffect] = []
        self._fits: list[tuple[int, int]] = []
        # for each effect, the set of all effects at later places
        self._later: list[int] = []
        # for each stage, the set of its effects, and whether it applies everywhere simultaneously
        self._stages: list[tuple[int, bool]] = []
        for stage in stages:
            first = len(self.effects)
            for place in stage.places:
                self.effects += place
                self._later += [-1 << len(self.effects)] * len(place)
            members = (1 << len(self.effects)) - (1 << first)
            self._stages.append((members, stage.is_everywhere))
        self._fits = [(effect.mask, effect.value) for effect in self.effects]
        self._true, self._false = self._index()

    def _index(self) -> tuple[dict[int, _EffectIndex], dict[int, _EffectIndex]]:
        """Two tables, keyed by sets of one fact: the effects that require the fact to be true, and the effects that
        require it to be false.
        """
        frequency: dict[int, int] = {}
        for effect in self.effects:
            for fact in _single_facts(effect.value):
                frequency[fact] = frequency.get(fact, 0) + 1
        true: dict[int, _EffectIndex] = {}
        false: dict[int, _EffectIndex] = {}
        for number, effect in enumerate(self.effects):
            needed = sorted(_single_facts(effect.value), key=frequency.__getitem__)
            for fact in _single_facts(effect.mask):
                table = true if effect.value & fact else false
                effect_index = table.setdefault(fact, _EffectIndex(0, 0, {}))
                others = [other for other in needed if other != fact]
                if not others:
                    effect_index.always |= 1 << number
                    continue
                effect_index.guards |= others[0]
                effects = effect_index.by_guard.setdefault(others[0], {})
                second = others[-1] if len(others) > 1 else 0
                effects[second] = effects.get(second, 0) | 1 << number
        return true, false

    def apply(self, before: int, state: int) -> int | None:
        """The first state in which no effect fits; None if an intermediate state repeats.

        `state` is the state after a move from `before`, a state in which no effect fits.
        """
        waiting = self.may_fit(before, state)
        seen: set[int] = set()
        while waiting:
            if state in seen:
                return None
            seen.add(state)
            for members, is_everywhere in self._stages:
                if not waiting & members:
                    continue
                sweep = self._at_once if is_everywhere else self._one_by_one
                state, waiting, has_changed = sweep(state, waiting, members)
                if has_changed:
                    break
        return state

    def may_fit(self, before: int, after: int) -> int:
        """The effects that may fit because some facts have different values in two states."""
        found = 0
        changed = before ^ after
        while changed:
            low = changed & -changed
            changed ^= low
            effect_index = (self._true if after & low else self._false).get(low, _NOTHING)
            found |= effect_index.always
            guards = effect_index.guards & after
            while guards:
                guard = guards & -guards
                guards ^= guard
                for second, effects in effect_index.by_guard[guard].items():
                    if after & second == second:
                        found |= effects
        return found

    def _one_by_one(self, state: int, waiting: int, members: int) -> tuple[int, int, bool]:
        """A sweep in which, at each place, the first effect that fits applies immediately. Returns the state, the
        effects that may fit, and whether any effect applied.
        """
        has_changed = False
        fits = self._fits
        left = waiting & members
        while left:
            low = left & -left
            number = low.bit_length() - 1
            mask, value = fits[number]
            if state & mask != value:
                waiting ^= low
                left ^= low
                continue
            has_changed = True
            after = self.effects[number].apply(state)
            waiting |= self.may_fit(state, after)
            state = after
            left = waiting & members & self._later[number]
        return state, waiting, has_changed

    def _at_once(self, state: int, waiting: int, members: int) -> tuple[int, int, bool]:
        """Like `_one_by_one`, but all effects that fit are marked first. Then the marked effects are applied in order,
        except those that an earlier effect has made impossible (`can_still`).
        """
        marked: list[ConditionalEffect] = []
        left = waiting & members
        while left:
            low = left & -left
            left ^= low
            number = low.bit_length() - 1
            mask, value = self._fits[number]
            if state & mask == value:
                marked.append(self.effects[number])
            else:
                waiting ^= low
        for effect in marked:
            if effect.can_still(state):
                after = effect.apply(state)
                waiting |= self.may_fit(state, after)
                state = after
        return state, waiting, bool(marked)


def _single_facts(facts: int) -> Iterator[int]:
    """The facts of a set, each as a set of one fact."""
    while facts:
        low = facts & -facts
        yield low
        facts ^= low
