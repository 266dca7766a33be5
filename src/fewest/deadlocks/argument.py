"""Finds an argument that proves that a state is dead. Arguments that are easier to understand are tried first."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from fewest.deadlocks.dead_cubes import DeadCubes
from fewest.deadlocks.freezing import frozen_core

Kind = Literal["agent", "piece", "set", "counting", "frozen"]


class Argument(Struct, frozen=True):
    """The reason why no goal state can be reached.

    `pieces` are the facts of the pieces in the argument, without the agent; `depends_on_agent`: whether the argument
    holds only for the present place of the agent. For `counting`, `goals` contains the goal spots in the argument, and
    `are_pieces_many` states whether there are more pieces than such spots (True) or fewer (False).
    """

    kind: Kind
    pieces: int
    depends_on_agent: bool = False
    goals: int = 0
    are_pieces_many: bool = True


def argument(dead: DeadCubes, state: int) -> Argument | None:
    """The first argument that proves that the state is dead. The result is None if no argument is found; in this case,
    the state may still be dead.
    """
    if not dead.view.is_small:
        return None
    end = dead.cube_of(state)
    if end is not None:
        kind: Kind = "agent" if not end.size else "piece" if end.size == 1 else "set"
        return Argument(kind, end.pieces, end.places is not None)
    shortage = dead.counting.shortage(state)
    if shortage is not None:
        return Argument("counting", shortage.pieces, True, shortage.spots, shortage.are_pieces_many)
    core = frozen_core(dead, state)
    return None if core is None else Argument("frozen", core)
