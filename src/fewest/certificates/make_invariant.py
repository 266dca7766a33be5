"""Sums that refute a goal, and unreachable cubes, as a section of a certificate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fewest.analysis.unsolvability import LinearInvariant
from fewest.certificates.container import Budget, RejectedError, encode_head
from fewest.certificates.cube_invariant_checker import cube_row
from fewest.certificates.invariant_checker import InvariantHead, SumRow, open_goals
from fewest.model.task import Cube, Task


def invariant_section(
    task: Task, sums: Sequence[LinearInvariant], never: Sequence[Cube] = ()
) -> Iterator[bytes]:
    """The certificate section with the sums from `analysis.unsolvability` and the cubes from `planning.reachability`.
    Either may be empty.
    """
    rows = tuple(cube_row(task, cube) for cube in never)
    yield encode_head(InvariantHead(tuple(sum_row(task, one) for one in sums), rows))


def accepts(task: Task, sums: Sequence[LinearInvariant]) -> bool:
    """Whether the checker accepts these sums. The checker may reject correct sums, because it derives fewer mutex sets
    than `analysis.unsolvability` uses.
    """
    head = InvariantHead(tuple(sum_row(task, one) for one in sums), ())
    try:
        return not open_goals(task, head, Budget())
    except RejectedError:
        return False


def sum_row(task: Task, one: LinearInvariant) -> SumRow:
    """A sum in the format of certificates."""
    facts = {fact: task.facts[fact] for fact in (*one.weights, *(f for p in one.pieces for f in p))}
    spots = {
        fact: (known.class_id, known.cell) for fact, known in facts.items() if known.class_id >= 0
    }
    return SumRow(
        modulus=one.modulus,
        spots=tuple((spots[fact], weight) for fact, weight in one.weights.items() if fact in spots),
        values=tuple(
            ((facts[fact].slot, facts[fact].value), weight)
            for fact, weight in one.weights.items()
            if fact not in spots
        ),
        pieces=tuple(tuple(spots[fact] for fact in piece) for piece in one.pieces),
    )
