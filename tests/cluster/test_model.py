"""Tests of the model of a cluster (`bench/cluster_model.py`)."""

from __future__ import annotations

from bench.cluster_model import Costs, Machine, SimulatedFleet, run


def test_a_search_finishes_although_nodes_end() -> None:
    """With waits of a second, the real driver finds the same results as with its own shorter waits."""
    owners, machine = 8, Machine()
    sizes = [2e10] * 8  # a layer takes about 50 seconds
    found = {}
    for tick in (0.0, 1.0):
        fleet = SimulatedFleet(sizes, owners, machine, Costs(), loss_every=200.0, tick=tick)
        found[tick] = run(fleet, owners, machine, len(sizes))
    exact, rough = found[0.0], found[1.0]
    assert exact.dead_nodes > 0
    assert (rough.layers, rough.dead_nodes) == (exact.layers, exact.dead_nodes)
    assert abs(rough.seconds - exact.seconds) < 0.01 * exact.seconds
    assert rough.replaced == rough.dead_nodes
