"""The trees in a wheel equal the trees of the document texts, and a changed text is read again."""

from __future__ import annotations

from pathlib import Path

import pytest

from fewest.errors import Report, Source
from fewest.machine import resources
from fewest.reading import shipped
from fewest.reading.shipped import packed, shipped_tree, write_trees
from fewest.reading.source import parse
from fewest.reading.tree import MappingNode, ScalarNode, SequenceNode, TreeNode


def contents(node: TreeNode) -> object:
    """All content of a node, with its places."""
    place = node.location
    where = (place.source.name, place.line, place.column, place.length, place.trail)
    if isinstance(node, ScalarNode):
        return where, node.style, node.text
    if isinstance(node, SequenceNode):
        return where, [contents(item) for item in node.items]
    assert isinstance(node, MappingNode)
    keys = [(p.line, p.column, p.length, p.trail) for p in node.keys.values()]
    return where, list(node.keys), keys, [(key, contents(item)) for key, item in node.items.items()]


def tree(source: Source) -> MappingNode:
    found = parse(source, Report())
    assert found is not None
    return found


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a model and a puzzle and their trees, as in an installed package."""
    (tmp_path / "models").mkdir()
    (tmp_path / "puzzles/some").mkdir(parents=True)
    (tmp_path / "models/m.yaml").write_text(
        "model: m\nmoves:\n  push: {slide: any, directions: [up, 'down']}\n"
    )
    (tmp_path / "puzzles/some/p.yaml").write_text(
        'puzzle: p\nmodel: m\nboard: |\n  A.\n  .B\ntitle: "a\\tb"\n'
    )
    write_trees(str(tmp_path), str(tmp_path))
    monkeypatch.setattr(shipped, "data_folder", lambda: str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", ["models/m", "puzzles/some/p"])
def test_a_shipped_tree_is_used_for_its_text(place: Path, name: str) -> None:
    path = place / f"{name}.yaml"
    source = Source("any", path.read_text())
    found = shipped_tree(str(path), source)
    assert found is not None and contents(found) == contents(tree(source))


def test_a_shipped_tree_is_not_used_for_another_text(place: Path) -> None:
    path = place / "puzzles/some/p.yaml"
    path.write_text(path.read_text().replace("A.", ".A"))
    assert shipped_tree(str(path), Source("any", path.read_text())) is None


def test_elsewhere_none_is_looked_for(
    place: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("elsewhere") / "p.yaml"
    text = (place / "puzzles/some/p.yaml").read_text()
    assert shipped_tree(str(path), Source("any", text)) is None


@pytest.mark.parametrize("broken", [b"", b"\xc1", b"\x90"])
def test_a_broken_tree_is_as_none(place: Path, broken: bytes) -> None:
    path = place / "models/m.yaml"
    (place / "trees/models/m.tree").write_bytes(broken)
    assert shipped_tree(str(path), Source("any", path.read_text())) is None


def test_the_tree_of_every_shipped_document_equals_its_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = Path(resources.data_folder())
    write_trees(str(root), str(tmp_path))
    for family in ("models", "puzzles"):
        for path in (root / family).rglob("*.yaml"):
            copy = tmp_path / path.relative_to(root)
            source = Source(path.name, path.read_text(encoding="utf-8"))
            with monkeypatch.context() as patch:
                patch.setattr(shipped, "data_folder", lambda: str(tmp_path))
                found = shipped_tree(str(copy), source)
            assert found is not None and contents(found) == contents(tree(source)), path


def test_a_document_with_aliases_is_refused() -> None:
    with pytest.raises(ValueError, match="line 1: an alias"):
        packed(tree(Source("x", "puzzle: &a x\ntitle: *a\n")))
