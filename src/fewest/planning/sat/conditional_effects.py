"""The consequences of a move as clauses: every gate of the circuit is a variable of the layer.

    g ↔ ∧ literals                      a rule fits at its place, and nothing before it there
    w ↔ setting ∨ (before ∧ ¬clearing)  the new value of a fact

The outputs are the state of the next layer, unless an effect still fits after the last round; in that case, the state
of the next layer is undetermined.
"""

from __future__ import annotations

from fewest.model.task import facts_in, union
from fewest.planning.conditional_effects import Circuit, FactValue, circuit, effect_cubes
from fewest.planning.sat.clauses import Clauses, Layer
from fewest.planning.sat.state import State, add_cubes_false
from fewest.planning.task import PlanningTask


def add_conditional_effects(
    planning: PlanningTask, state: State, layer: Layer, in_layer: Clauses, between: Clauses
) -> int:
    """Add the clauses for the consequences of a layer's move.

    Afterwards `state.after` is the state between the move and its consequences. Clauses require that, in a position, no
    effect fits and all hidden facts are false. Returns a variable that may be true only if the consequences take more
    rounds than the circuit has, or 0 if the task has no consequences.
    """
    if not planning.rounds:
        return 0
    task = planning.task
    hidden = [n for n, fact in enumerate(task.facts) if fact.class_id < 0 and fact.slot < 0]
    in_layer.add_all((-state.fact[number],) for number in hidden)
    add_cubes_false(state, effect_cubes(task.consequences), in_layer)
    drawn = circuit(task.consequences, len(task.facts), planning.rounds)
    there = list(state.after)
    moved = union(move.changing for move in planning.moves)
    for fact in range(len(task.facts)):
        state.after[fact] = state.here[fact]
    for fact in facts_in(moved & ((1 << len(task.facts)) - 1)):
        state.after[fact] = layer.new(f"{planning.facts[fact]} after the move")
    signals = _add_gates(drawn, state, layer, between)
    unfinished = layer.new("the move is unfinished")
    if planning.has_all_rounds:
        between.add(-unfinished)
    between.add(-unfinished, *(_literal(signals, signal) for signal in drawn.left))
    for target in planning.endless:
        differing = (
            (-1 if target >> f & 1 else 1) * state.after[f] for f in range(len(task.facts))
        )
        between.add(-unfinished, *differing)
    for fact, signal in enumerate(drawn.outputs):
        between.add(unfinished, -signals[signal], there[fact])
        between.add(unfinished, signals[signal], -there[fact])
    return unfinished


def _add_gates(drawn: Circuit, state: State, layer: Layer, clauses: Clauses) -> list[int]:
    """Add the clauses of all gates. Returns the literal of each signal."""
    signals = [0, *state.after[: drawn.num_facts]]
    for number, gate in enumerate(drawn.gates):
        if isinstance(gate, FactValue):
            own = layer.new(f"wire {number}")
            setting = [_literal(signals, signal) for signal in gate.setting]
            clearing = [_literal(signals, signal) for signal in gate.clearing]
            before = signals[gate.before]
            clauses.add_all((-literal, own) for literal in setting)
            clauses.add_all((-literal, -own) for literal in clearing)
            clauses.add(-before, own, *clearing)
            clauses.add(before, -own, *setting)
        else:
            own = layer.new(f"gate {number}")
            literals = [_literal(signals, signal) for signal in gate.literals]
            clauses.add_all((-own, literal) for literal in literals)
            clauses.add(own, *(-literal for literal in literals))
        signals.append(own)
    return signals


def _literal(signals: list[int], signal: int) -> int:
    return signals[signal] if signal > 0 else -signals[-signal]
