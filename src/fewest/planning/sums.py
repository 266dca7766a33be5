"""Decides whether sums over pieces that are alike cost a solver more than they save."""

from __future__ import annotations

from fewest.analysis.invariants import num_empty_cells
from fewest.planning.task import PlanningTask


def has_costly_sums(planning: PlanningTask) -> bool:
    """Whether some pieces are alike and one cell is empty.

    Then every move moves the empty cell, and this cell determines the piece that moves. `encodings/README.md` has the
    measurements.
    """
    has_alike = any(group.count != 1 for group in planning.exactly)
    return has_alike and num_empty_cells(planning.exactly, planning.at_most_one) == 1
