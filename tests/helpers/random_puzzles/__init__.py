"""Hypothesis strategies for small random puzzles of every rule kind, as YAML text.

The strategies draw text so that tests also cover the parser. Some puzzles are refused (for example, because of an
impossible goal or a useless rule); tests skip these puzzles.
"""

from __future__ import annotations

from hypothesis import strategies as st

from tests.helpers.random_puzzles.actions import actions
from tests.helpers.random_puzzles.conditions import asking
from tests.helpers.random_puzzles.consequences import following
from tests.helpers.random_puzzles.cycles import cycles
from tests.helpers.random_puzzles.graphs import graphs, graphs_following
from tests.helpers.random_puzzles.layers import layers, layers_following
from tests.helpers.random_puzzles.multi_cell import multi_cell_patterns
from tests.helpers.random_puzzles.patterns import patterns
from tests.helpers.random_puzzles.pivots import pivots
from tests.helpers.random_puzzles.slides import slides
from tests.helpers.random_puzzles.triangles import triangles

__all__ = [
    "actions",
    "asking",
    "cycles",
    "following",
    "graphs",
    "graphs_following",
    "layers",
    "layers_following",
    "multi_cell_patterns",
    "patterns",
    "pivots",
    "puzzles",
    "slides",
    "triangles",
]


def puzzles() -> st.SearchStrategy[str]:
    """Small random puzzles of every rule kind, as YAML text; those with consequences take longer to ground."""
    return st.one_of(
        slides(),
        patterns(),
        cycles(),
        actions(),
        graphs(),
        layers(),
        pivots(),
        multi_cell_patterns(),
        triangles(),
    )
