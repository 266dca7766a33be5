"""Defines the names `rows` and `columns`, which expressions use for the size of the board."""

from __future__ import annotations

import re

from fewest.model.expression import Value
from fewest.reading.context import Context
from fewest.reading.tree import MappingNode, ScalarNode, SequenceNode, TreeNode

_WITH_EXPRESSIONS = {"variables", "moves", "then", "goal", "forbid", "metrics", "expect"}
_SIZE = re.compile(r"\b(?:rows|columns)\b")


def board_sizes(context: Context) -> dict[str, Value]:
    """The size of the board by name, without names that the document uses for something else.

    The result contains only names that occur in the document, so that the names and fingerprints of other documents do
    not change.
    """
    board = context.board
    assert board is not None
    mentioned = _mentioned(context)
    if not mentioned:
        return {}
    variables = {name.partition("[")[0].strip() for name in context.document.variables or {}}
    taken = {*context.kinds, *context.labels, *board.terrain, *context.words, *variables}
    sizes: dict[str, Value] = {"rows": board.rows, "columns": board.columns}
    return {name: size for name, size in sizes.items() if name in mentioned - taken}


def _mentioned(context: Context) -> set[str]:
    """The names that occur in texts in which expressions may occur."""
    found: set[str] = set()
    waiting: list[TreeNode] = [
        node for key, node in context.loaded.tree.items.items() if key in _WITH_EXPRESSIONS
    ]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ScalarNode):
            found.update(_SIZE.findall(node.text))
        elif isinstance(node, SequenceNode):
            waiting += node.items
        elif isinstance(node, MappingNode):
            for key in node.items:
                found.update(_SIZE.findall(key))
            waiting += node.items.values()
    return found
