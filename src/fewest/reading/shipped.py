"""The parsed trees of the shipped documents. A wheel contains these trees, so no YAML parser is needed for reading the
shipped documents.

The trees are built together with the wheel. Like a `.pyc` file, a tree is used only if the source text has not changed.
A node is [line, column, length, content]. The content is [style, text] for a scalar, {key: [line, column, length,
node]} for a map, and [[node, node, …]] for a sequence.
"""

from __future__ import annotations

import sys
from os.path import join
from typing import Any

from msgspec import DecodeError, msgpack

from fewest.errors import Report, Source, SourceLocation, Trail
from fewest.machine.resources import data_folder
from fewest.reading.tree import MappingNode, ScalarNode, SequenceNode, TreeNode


def shipped_tree(path: str, source: Source) -> MappingNode | None:
    """The tree of a shipped file; None if the file is not shipped, has no tree, or has a different text."""
    folder = join(data_folder(), "")
    if not path.startswith(folder):
        return None
    try:
        with open(_file(folder, path.removeprefix(folder)), "rb") as file:
            text, root = msgpack.decode(file.read())
    except (OSError, DecodeError, ValueError):
        return None
    tree = _node(source, root, None) if text == source.text else None
    return tree if isinstance(tree, MappingNode) else None


def packed(tree: MappingNode) -> bytes:
    """The data that `shipped_tree` reads. Raises ValueError if a document contains aliases: a packed node has only one
    location.
    """
    return msgpack.encode([tree.location.source.text, _packed(tree, None)])


def _file(folder: str, name: str) -> str:
    return join(folder, "trees", f"{name.removesuffix('.yaml')}.tree")


def _where(location: SourceLocation, trail: Trail) -> list[int]:
    if location.trail != trail:
        raise ValueError(f"line {location.line}: an alias")
    return [location.line, location.column, location.length]


def _packed(node: TreeNode, trail: Trail) -> list[Any]:
    where = _where(node.location, trail)
    if isinstance(node, ScalarNode):
        return [*where, [node.style, node.text]]
    if isinstance(node, SequenceNode):
        return [*where, [[_packed(item, (trail, i)) for i, item in enumerate(node.items)]]]
    assert isinstance(node, MappingNode)
    entries = {}
    for key, item in node.items.items():
        below = (trail, key)
        entries[key] = [*_where(node.keys[key], below), _packed(item, below)]
    return [*where, entries]


def _node(source: Source, packed: list[Any], trail: Trail) -> TreeNode:
    line, column, length, content = packed
    location = SourceLocation(source, line, column, length, trail)
    if isinstance(content, dict):
        items: dict[str, TreeNode] = {}
        keys: dict[str, SourceLocation] = {}
        for key, (key_line, key_column, key_length, item) in content.items():
            below = (trail, key)
            keys[key] = SourceLocation(source, key_line, key_column, key_length, below)
            items[key] = _node(source, item, below)
        return MappingNode(location, items, keys)
    if len(content) == 2:
        return ScalarNode(location, content[1], content[0])
    return SequenceNode(
        location, tuple(_node(source, x, (trail, i)) for i, x in enumerate(content[0]))
    )


def write_trees(root: str, destination: str) -> None:
    """Write the trees of all models and puzzles of a source checkout to the folder `trees` of `destination`, in folders
    with the same names.
    """
    from pathlib import Path

    from fewest.reading.source import parse

    for family in ("models", "puzzles"):
        for path in sorted(Path(root, family).rglob("*.yaml")):
            report = Report()
            tree = parse(Source(path.name, path.read_text(encoding="utf-8")), report)
            report.raise_if_errors()
            assert tree is not None
            found = Path(_file(destination, str(path.relative_to(root))))
            found.parent.mkdir(parents=True, exist_ok=True)
            found.write_bytes(packed(tree))


if __name__ == "__main__":  # CMake runs this module
    write_trees(*sys.argv[1:])
