"""Encodes free moves, which happen within a layer, because they cost nothing.

The *place* of a state is the part that free moves may change; in Sokoban, it is the cell of the player. Free moves are
edges between places. An edge is passable if the rest of the state allows it. A layer chooses a path from the place at
its beginning to the place where its move begins:

    edge → its move's other preconditions            edge a→b → start a ∨ some edge into a
    end b → start b ∨ some edge into b               at most one of end a and the edges out of a

A walk that follows edges backward from the end can never enter a cycle: otherwise, a place on the cycle would have two
outgoing edges, or an outgoing edge and the end. Therefore, the walk reaches the start, and the encoding needs no levels
or order to exclude circular support. There may be cycles that are not connected to the path, but they are harmless.
"""

from __future__ import annotations

from fewest.model.task import facts_in
from fewest.planning.free_graph import free_graph
from fewest.planning.sat.cardinality import AtMostOne
from fewest.planning.sat.clauses import Clauses, Layer
from fewest.planning.sat.state import State
from fewest.planning.task import PlanningTask


def add_free_moves(
    planning: PlanningTask, state: State, at_most_one: AtMostOne, layer: Layer, clauses: Clauses
) -> None:
    """Add the clauses for the path of free moves in a layer. Afterwards `state.here` is the state at the end of the
    path.
    """
    if not planning.free:
        return
    graph = free_graph(planning)
    facts = facts_in(graph.mask)
    ends = [layer.new(f"free moves end in place {place}") for place in range(len(graph.values))]
    for fact in facts:
        holds = [end for end, value in zip(ends, graph.values, strict=True) if value >> fact & 1]
        if len(holds) == 1:
            state.here[fact] = holds[0]
            continue
        state.here[fact] = layer.new(f"{planning.facts[fact]} after free moves")
    for end, value in zip(ends, graph.values, strict=True):
        for fact in facts:
            if state.here[fact] != end:
                sign = 1 if value >> fact & 1 else -1
                clauses.add(-end, sign * state.here[fact])
    clauses.add(*ends)
    into: list[list[int]] = [[] for _ in graph.values]
    out: list[list[int]] = [[end] for end in ends]
    outside = ~graph.mask
    for source, target, move in graph.edges:
        edge = layer.new(f"free move {source}→{target}")
        into[target].append(edge)
        out[source].append(edge)
        for literal in state.literals((move.mask & outside, move.value & outside)):
            clauses.add(-edge, literal)
        for mask, value in planning.forbid:
            if (graph.values[target] ^ value) & mask & graph.mask == 0:
                rest = state.literals((mask & outside, value & outside))
                clauses.add(-edge, *(-literal for literal in rest))
    at_most_one(layer, clauses, ends, "end of free moves")
    for place, value in enumerate(graph.values):
        start = layer.new(f"layer begins in place {place}")
        for literal in state.literals((graph.mask, value)):
            clauses.add(-start, literal)
        for edge in out[place]:
            clauses.add(-edge, start, *into[place])
        at_most_one(layer, clauses, out[place], f"place {place}")
