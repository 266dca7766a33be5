"""Defines the names `rows` and `columns`, which expressions use for the size of the board."""

from __future__ import annotations

import re

from fewest.model.expression import Value
from fewest.reading.context import Context
from fewest.reading.tree import MappingNode, ScalarNode, SequenceNode, TreeNode

_WITH_EXPRESSIONS = {"variables", "moves", "then", "goal", "forbid", "metrics", "expect"}


def board_sizes(context: Context) -> dict[str, Value]:
    """The size of the board by name, without names that the document uses for something else.

    The result contains only names that occur in the document, so that the names and fingerprints of other documents do
    not change.
    """
    board = context.board
    assert board is not None
    variables = {name.partition("[")[0].strip() for name in context.document.variables or {}}
    taken = {*context.kinds, *context.labels, *board.terrain, *context.words, *variables}
    sizes: dict[str, Value] = {"rows": board.rows, "columns": board.columns}
    return {
        name: size for name, size in sizes.items() if name not in taken and _mentions(context, name)
    }


def _mentions(context: Context, name: str) -> bool:
    """Whether a text in which expressions may occur contains a name."""
    found = re.compile(rf"\b{name}\b").search
    waiting: list[TreeNode] = [
        node for key, node in context.loaded.tree.items.items() if key in _WITH_EXPRESSIONS
    ]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ScalarNode) and found(node.text):
            return True
        if isinstance(node, SequenceNode):
            waiting += node.items
        elif isinstance(node, MappingNode):
            if any(map(found, node.items)):
                return True
            waiting += node.items.values()
    return False
