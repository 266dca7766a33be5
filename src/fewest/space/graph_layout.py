"""Lays out a state space for a picture: states are arranged by layer, opposite their mirror images."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fewest.space.state_graph import Ids, StateSpace


class Layout(Struct, frozen=True, eq=False):
    """`layer: int32[n]`: the number of operators from the start. `height: float64[n]`: the height of a state in its
    layer, from -1 to 1.

    If there is a `mirror` (int64[n], the image of each state), the height of a state is the negative of its image's
    height. A state that is its own image is in the middle.
    """

    layer: NDArray[np.int32]
    height: NDArray[np.float64]
    mirror: Ids | None


def layers_of(space: StateSpace) -> NDArray[np.int32]:
    """The number of operators from the start to every state, int32[n]."""
    layer = np.full(len(space), -1, dtype=np.int32)
    frontier = np.zeros(1, dtype=np.int64)
    layer[0] = depth = 0
    while len(frontier):
        depth += 1
        reached = np.unique(_targets(space, frontier))
        frontier = reached[layer[reached] < 0].astype(np.int64)
        layer[frontier] = depth
    return layer


def _targets(space: StateSpace, states: Ids) -> NDArray[np.int32]:
    counts = space.first[states + 1] - space.first[states]
    begins = np.repeat(space.first[states] - np.cumsum(counts) + counts, counts)
    return space.target[begins + np.arange(len(begins))]


def mirror_of(space: StateSpace, facts: NDArray[np.int32]) -> Ids | None:
    """The image of every state if fact f becomes `facts[f]`. The result is None unless all images are reachable."""
    raw = space.states.astype("<u8").view(np.uint8).reshape(len(space), -1)
    bits = np.unpackbits(raw, axis=1, bitorder="little")
    images = np.zeros_like(bits)
    images[:, facts] = bits[:, : len(facts)]
    packed = np.packbits(images, axis=1, bitorder="little").view("<u8").astype(np.uint64)
    found = space.index.find(np.ascontiguousarray(packed))
    return None if (found < 0).any() else found


def laid_out(space: StateSpace, mirror: Ids | None = None) -> Layout:
    """The layout, which places every state in its layer and near its predecessors. Each layer is sorted once."""
    layer = layers_of(space)
    height = np.zeros(len(space))
    source = np.repeat(np.arange(len(space)), np.diff(space.first))
    is_down = layer[space.target] == layer[source] + 1
    above, below = source[is_down], space.target[is_down].astype(np.int64)
    order = np.argsort(layer[below], kind="stable")
    above, below = above[order], below[order]
    ends = np.searchsorted(layer[below], np.arange(layer.max() + 2))
    widest = np.bincount(layer).max()
    for depth in range(1, int(layer.max()) + 1):
        part = slice(ends[depth], ends[depth + 1])
        states = np.flatnonzero(layer == depth)
        total = np.bincount(below[part], weights=height[above[part]], minlength=len(space))[states]
        number = np.bincount(below[part], minlength=len(space))[states]
        wanted = total / np.maximum(number, 1)
        spread = (len(states) / widest) ** 0.6
        height[states] = spread * _ranked(states, wanted, mirror)
    return Layout(layer, height, mirror)


def _ranked(states: Ids, wanted: NDArray[np.float64], mirror: Ids | None) -> NDArray[np.float64]:
    """Evenly spaced heights from -1 to 1, in the order of `wanted`. With a `mirror`, images have opposite heights."""
    if mirror is None:
        place = np.empty(len(states))
        place[np.lexsort((states, wanted))] = np.arange(len(states))
        return _even(place, len(states))
    image = mirror[states]
    wanted = np.round(wanted, 9)
    # A state and its image get opposite heights; if both should be in the middle, the state with the lower number moves
    # up.
    upper = np.flatnonzero((wanted > 0) | ((wanted == 0) & (states < image)))
    ranks = np.empty(len(upper))
    ranks[np.lexsort((states[upper], wanted[upper]))] = np.arange(1, len(upper) + 1)
    height = np.zeros(len(states))
    height[upper] = ranks / max(1, len(upper))
    height[np.searchsorted(states, image[upper])] = -height[upper]
    return height


def _even(place: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    even: NDArray[np.float64] = 2 * place / (size - 1) - 1 if size > 1 else np.zeros(size)
    return even
