"""Images of states under the symmetries of a task; the least image represents the orbit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fewest.space.state_graph import sums_over_facts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fewest.space.state_graph import States


def image_of(states: States, to: NDArray[np.integer]) -> States:
    """The image of each state when fact f moves to fact `to[f]`."""
    image = np.empty_like(states)
    for word in range(states.shape[1]):
        bits = np.zeros(len(to), dtype=np.uint64)
        here = to // 64 == word
        bits[here] = np.uint64(1) << (to[here] % 64).astype(np.uint64)
        image[:, word] = sums_over_facts(states, bits)
    return image


def least_images(states: States, symmetries: NDArray[np.integer]) -> States:
    """The least image of each state; it is the same for all states that are images of each other. Each row of
    `symmetries` is a symmetry.
    """
    least = states.copy()
    for to in symmetries:
        image = image_of(states, to)
        is_less = np.zeros(len(states), dtype=np.bool_)
        is_equal = np.ones(len(states), dtype=np.bool_)
        for word in range(states.shape[1]):
            is_less |= is_equal & (image[:, word] < least[:, word])
            is_equal &= image[:, word] == least[:, word]
        least[is_less] = image[is_less]
    return least
