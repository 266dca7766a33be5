"""Estimates the size of a decision tree from a few of its nodes on each level.

The estimates are unbiased: their expected value is the true number. They vary little between samples, even if most
branches of the tree end early and only a few are very large. (Source: Rubinstein, "Stochastic enumeration method for
counting NP-hard problems", 2013.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Generic, TypeVar

from msgspec import Struct

T = TypeVar("T")

TRIALS = 4
"""the number of estimates that must all exceed a limit, so that one large estimate does not decide"""


class TreeSize(Struct, Generic[T]):
    """The estimated numbers of leaves and nodes of a tree, and nodes that the estimate found: leaves and, if it stopped
    early, nodes of the last level.
    """

    leaves: float
    nodes: float
    found: list[T]


def estimated_tree(
    roots: Iterable[T],
    children: Callable[[T], Sequence[T] | None],
    width: int,
    random: Random,
    is_beyond: Callable[[TreeSize[T]], bool] = lambda size: False,
) -> TreeSize[T]:
    """An estimate of the size of the trees below `roots`, from at most `width` nodes on each level. `children` returns
    None for a leaf. The function stops early if the numbers so far satisfy `is_beyond`.

    A node that has no children, but is not a leaf, is only counted as a node.
    """
    level, weight = [*roots], 1.0
    size = TreeSize[T](0, 0, [])
    while level and not is_beyond(size):
        if len(level) > width:
            weight *= len(level) / width
            level = random.sample(level, width)
        size.nodes += weight * len(level)
        below: list[T] = []
        for node in level:
            nodes = children(node)
            if nodes is None:
                size.leaves += weight
                size.found.append(node)
            else:
                below += nodes
        level = below
    size.found += level
    return size


def size_beyond(
    is_beyond: Callable[[TreeSize[T]], bool],
    root: T,
    children: Callable[[T], Sequence[T] | None],
    width: int,
) -> TreeSize[T] | None:
    """The last of several estimates if they all satisfy `is_beyond`; otherwise None."""
    size: TreeSize[T] | None = None
    for seed in range(TRIALS):
        size = estimated_tree([root], children, width, Random(seed), is_beyond)
        if not is_beyond(size):
            return None
    return size
