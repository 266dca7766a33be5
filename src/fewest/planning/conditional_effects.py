"""The consequences of a move as a circuit, unrolled round by round and place by place.

    Task.consequences, rounds ─ circuit ─> Circuit ─> clauses (`sat/conditional_effects.py`), facts (`asp.py`)

A *round* applies the first stage that has a fitting effect, as `model/conditional_effects.py` does.

If no effect fits, the round and all later rounds change nothing. A move is *unfinished* if its consequences take more
rounds than the circuit has; the circuit does not determine the result of such a move. An encoding with too few rounds
therefore excludes no plan, but its models must be replayed (`round_bound.py`). Signals are numbered from 1: one for
each fact, then one for each gate. A literal is a signed signal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from msgspec import Struct

from fewest.errors import UsageError
from fewest.model.conditional_effects import (
    ConditionalEffect,
    ConditionalEffectStage,
    apply_effects_counting_rounds,
)
from fewest.model.task import Task, facts_in

MAX_GATES = 60_000
SAMPLE = 1_000_000  # after about this number of tests of effects, `usual_rounds` ends


class Conjunction(Struct, frozen=True):
    """A gate that is true iff all its literals are true."""

    literals: tuple[int, ...]


class FactValue(Struct, frozen=True):
    """The value of a fact after some effects: true if a signal of `setting` is true, or if `before` is true and no
    signal of `clearing` is true.

    At most one signal in the two lists is ever true.
    """

    before: int
    setting: tuple[int, ...]
    clearing: tuple[int, ...]


Gate: TypeAlias = Conjunction | FactValue


class Circuit(Struct, frozen=True):
    """The gates of the consequences. Gate g has the signal `num_facts + g + 1` and reads only earlier signals.

    `outputs` are the signals of the facts after the last round; the move is unfinished iff one of the literals `left`
    is true.
    """

    num_facts: int
    gates: tuple[Gate, ...]
    outputs: tuple[int, ...]
    left: tuple[int, ...]


def circuit(stages: Sequence[ConditionalEffectStage], num_facts: int, rounds: int) -> Circuit:
    """The circuit that has `rounds` rounds. Raises UsageError if the circuit would have more than MAX_GATES gates. The
    time is linear in the size of the circuit.
    """
    drawing = _Drawing(num_facts)
    for _ in range(rounds):
        drawing.round(stages)
    left = tuple(
        drawing.gate(Conjunction(drawing.literals(mask, value)))
        for mask, value in effect_cubes(stages)
    )
    return Circuit(num_facts, tuple(drawing.gates), tuple(drawing.now), left)


def effect_cubes(stages: Iterable[ConditionalEffectStage]) -> list[tuple[int, int]]:
    """The cubes in which the effects fit. No position is in any of these cubes."""
    found = {
        (effect.mask, effect.value)
        for stage in stages
        for place in stage.places
        for effect in place
    }
    return sorted(found)


def usual_rounds(task: Task) -> int:
    """The maximum number of rounds (at least 1) that a move from one of the positions nearest to the start takes.
    SAMPLE limits the number of positions from which moves are tried. Moves with endless consequences are ignored.
    """
    stages = task.consequences
    cost = sum(len(place) for stage in stages for place in stage.places)
    most, spent = 1, 0
    seen = {task.initial}
    queue = [task.initial]
    for state in queue:
        for move in task.moves:
            found = move.is_applicable(state) and apply_effects_counting_rounds(
                stages, move.apply(state)
            )
            if not found:
                continue
            target, rounds = found
            most, spent = max(most, rounds), spent + cost * (rounds + 1)
            if target not in seen and not task.is_forbidden(target):
                seen.add(target)
                queue.append(target)
        if spent > SAMPLE:
            break
    return most


def is_left_alone(task: Task, facts: int) -> bool:
    """Whether no consequence reads or changes any of these facts."""
    return not any(
        facts & (effect.mask | effect.need_mask | effect.clear | effect.flip)
        for stage in task.consequences
        for place in stage.places
        for effect in place
    )


class _Drawing:
    """The part of a circuit that has been built so far. `now[f]` is the signal with the current value of fact f."""

    def __init__(self, num_facts: int) -> None:
        self.now = list(range(1, num_facts + 1))
        self.gates: list[Gate] = []
        self._known: dict[Gate, int] = {}

    def gate(self, gate: Gate) -> int:
        """The signal of a gate, or the literal of a conjunction that has only one. Equal gates share a signal. Raises
        UsageError if there are more than MAX_GATES gates.
        """
        if isinstance(gate, Conjunction) and len(gate.literals) == 1:
            return gate.literals[0]
        found = self._known.get(gate)
        if found is None:
            self.gates.append(gate)
            if len(self.gates) > MAX_GATES:
                raise UsageError(
                    f"the consequences of a move need more than {MAX_GATES:,} gates per layer",
                    hint="use --engine bfs or --engine python, which apply consequences one by one",
                )
            found = self._known[gate] = len(self.now) + len(self.gates)
        return found

    def literals(self, mask: int, value: int) -> tuple[int, ...]:
        """The literals that state that the current values are in a cube."""
        return tuple(
            self.now[fact] if value >> fact & 1 else -self.now[fact] for fact in facts_in(mask)
        )

    def round(self, stages: Iterable[ConditionalEffectStage]) -> None:
        """Add the gates of one round, which sweeps the first stage in which an effect fits."""
        quiet: tuple[int, ...] = ()  # the literal "no earlier stage has a fitting effect"
        for stage in stages:
            happened = (self._at_once if stage.is_everywhere else self._swept)(stage, quiet)
            quiet = (self.gate(Conjunction((*quiet, *(-signal for signal in happened)))),)

    def _swept(self, stage: ConditionalEffectStage, quiet: tuple[int, ...]) -> list[int]:
        """Add gates that apply the first fitting effect at each place. Returns the literal of each effect."""
        happened: list[int] = []
        for place in stage.places:
            fired: list[tuple[ConditionalEffect, int]] = []
            for effect in place:
                rivals = (-signal for other, signal in fired if _can_both_fit(effect, other))
                literals = (*quiet, *self.literals(effect.mask, effect.value), *rivals)
                fired.append((effect, self.gate(Conjunction(literals))))
            self._happen(fired)
            happened += (signal for _, signal in fired)
        return happened

    def _at_once(self, stage: ConditionalEffectStage, quiet: tuple[int, ...]) -> list[int]:
        """Add gates that mark all fitting effects, and then apply each marked effect that can still apply. Returns the
        literals of the marks.
        """
        marked = [
            (effect, self.gate(Conjunction((*quiet, *self.literals(effect.mask, effect.value)))))
            for place in stage.places
            for effect in place
        ]
        for effect, mark in marked:
            needed = self.literals(effect.need_mask, effect.need_value)
            self._happen([(effect, self.gate(Conjunction((mark, *needed))))])
        return [mark for _, mark in marked]

    def _happen(self, fired: Iterable[tuple[ConditionalEffect, int]]) -> None:
        """Update `now` for these effects, each with the literal that states that it applies. The caller ensures that at
        most one of the effects applies.
        """
        setting: dict[int, list[int]] = {}
        clearing: dict[int, list[int]] = {}
        for effect, signal in fired:
            for fact in facts_in(effect.clear | effect.flip):
                is_set = effect.flip >> fact & 1
                if not effect.clear >> fact & 1:
                    is_set = not _value_before(effect, fact)
                (setting if is_set else clearing).setdefault(fact, []).append(signal)
        for fact in sorted(setting.keys() | clearing.keys()):
            wire = FactValue(
                self.now[fact], tuple(setting.get(fact, ())), tuple(clearing.get(fact, ()))
            )
            self.now[fact] = self.gate(wire)


def _can_both_fit(one: ConditionalEffect, other: ConditionalEffect) -> bool:
    return (one.value ^ other.value) & one.mask & other.mask == 0


def _value_before(effect: ConditionalEffect, fact: int) -> int:
    """The value, before an effect, of a fact that the effect flips and does not clear. The conditions of the effect
    determine this value.
    """
    if effect.need_mask >> fact & 1:
        return effect.need_value >> fact & 1
    assert effect.mask >> fact & 1, "an effect has a condition on every fact that it flips"
    return effect.value >> fact & 1
