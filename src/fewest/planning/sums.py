"""Decides whether sums over interchangeable pieces cost a solver more time than they save."""

from __future__ import annotations

from fewest.analysis.invariants import num_empty_cells
from fewest.planning.task import PlanningTask


def has_costly_sums(planning: PlanningTask) -> bool:
    """Whether some pieces are interchangeable and exactly one cell is empty.

    In such a task, every move moves the empty cell, and this determines the piece that moves. `encodings/README.md`
    contains the measurements.
    """
    has_alike = any(group.count != 1 for group in planning.exactly)
    return has_alike and num_empty_cells(planning.exactly, planning.at_most_one) == 1
