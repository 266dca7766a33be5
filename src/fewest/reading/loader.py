"""Loads a document: its file, the models that it extends, and the location of every part.

Maps are merged key by key; a list of terrains counts as a map. Any other value replaces the inherited value; `null`
removes it. The keys `goal` and `forbid` are replaced as a whole: a merged goal would silently require both goals, and a
merged `forbid` would silently forbid only the positions that both conditions describe.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress
from functools import cache
from os.path import basename, commonpath, dirname, isabs, isdir, isfile, join, realpath, splitext
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from fewest.errors import (
    DocumentError,
    NotFoundError,
    Report,
    Source,
    SourceLocation,
    has_line_break,
    suggest,
)
from fewest.machine import resources
from fewest.machine.input import called, is_stream, leads_nowhere
from fewest.model.answer import counted
from fewest.reading.decode import decode_node
from fewest.reading.document import Document
from fewest.reading.shipped import shipped_tree
from fewest.reading.text import NAME_WITH_LINE_BREAK, read_file
from fewest.reading.tree import MappingNode, ScalarNode, SequenceNode, TreeNode

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_REPLACED_WHOLE = ("goal", "forbid")
_OWN = ("extends", "model", "puzzle", "tests")  # keys that are not inherited from a model
_MAX_MODELS = 20


class LoadedDocument(Struct, frozen=True):
    """A decoded document and its tree, which contains the locations that later checks report."""

    document: Document
    report: Report
    tree: MappingNode
    files: tuple[str, ...]
    texts: tuple[str, ...] = ()
    """the texts of the document itself, the model that it extends, that model's model, and so on"""
    families: Mapping[str, tuple[str, ...]] = {}
    """for each kind of several colours, the kinds that it stands for"""

    def __repr__(self) -> str:
        return f"<LoadedDocument {self.tree.location.source.name}>"

    def _node(self, path: tuple[str | int, ...]) -> TreeNode | None:
        node: TreeNode = self.tree
        for part in path:
            if isinstance(node, MappingNode) and str(part) in node.items:
                node = node.items[str(part)]
            elif (
                isinstance(node, SequenceNode) and isinstance(part, int) and part < len(node.items)
            ):
                node = node.items[part]
            else:
                return None
        return node

    def has(self, path: tuple[str | int, ...]) -> bool:
        """Whether the document has a value at a path."""
        return self._node(path) is not None

    def is_joined(self, path: tuple[str | int, ...]) -> bool:
        """Whether a drawing follows the key, but the `|` between them is missing. YAML reads such a drawing as a plain
        scalar or null.
        """
        node, key = self._node(path), self.key_location(path)
        if not isinstance(node, ScalarNode) or not node.is_plain:
            return False
        from fewest.reading.yaml_hints import joined_drawing

        return joined_drawing(key.source.text, key.line + 1) == key.line

    def location(self, path: tuple[str | int, ...]) -> SourceLocation:
        """The location of the value, or of the nearest enclosing part that has a location."""
        while (node := self._node(path)) is None:
            path = path[:-1]
        return node.location

    def key_location(self, path: tuple[str | int, ...]) -> SourceLocation:
        """The location of the key or of the list item; if there is no key, the same as `location`."""
        if path:
            parent = self._node(path[:-1])
            if isinstance(parent, MappingNode) and str(path[-1]) in parent.keys:
                return parent.keys[str(path[-1])]
        return self.location(path)

    def depth(self, path: tuple[str | int, ...]) -> int:
        """The number of the document that contains the value: 0 for the document itself, 1 for its model, and so on."""
        text = self.location(path).source.text
        return self.texts.index(text) if text in self.texts else len(self.texts)

    def inside(
        self, path: tuple[str | int, ...], row: int, column: int, length: int = 1
    ) -> SourceLocation:
        """The location of a character of a text, given by its row and column (counted from 0)."""
        node = self._node(path)
        if isinstance(node, ScalarNode):
            return node.inside(row, column, length)
        return self.location(path)


def load_document(
    ref: str | Path, *, text: str | None = None, within: str | Path | None = None
) -> LoadedDocument:
    """The document in a file, the shipped puzzle or model with this name, or the document in `text`. With `text`, `ref`
    is the path under which messages show the document; the paths of its models are relative to the folder of `ref`.

    If `within` is given, the document may extend only files below that folder, and shipped models. Raises DocumentError
    with every mistake found, or NotFoundError.
    """
    report = Report()
    loader = _Loader(report) if within is None else _ConfinedLoader(report, str(within))
    if text is not None:
        path = str(ref)
        tree = loader.parse(Source(path, text.removeprefix("\ufeff")), path)
    else:
        path = resolve(ref)
        tree = loader.read(path)
    return loader.loaded(tree, path)


def load_without(
    ref: str | Path,
    keys: Collection[str],
    *,
    needed: Collection[str] = (),
    text: str | None = None,
    within: str | Path | None = None,
) -> tuple[LoadedDocument, MappingNode]:
    """The document in a file or in `text`, without some of its keys, together with a map of those keys.

    The document must have the `needed` keys. `within` is as in `load_document`. Raises DocumentError with every mistake
    found, or NotFoundError.
    """
    report = Report()
    loader = _Loader(report) if within is None else _ConfinedLoader(report, str(within))
    path = str(ref) if text is not None else resolve(ref)
    tree = loader.read(path) if text is None else loader.parse(Source(path, text), path)
    if tree is None:
        raise DocumentError(report.diagnostics)
    inside = {key: node for key, node in tree.items.items() if key in keys}
    rest = {key: node for key, node in tree.items.items() if key not in keys}
    for key in needed:
        if key not in tree.items:
            report.error("missing-key", tree.location, f"the key `{key}` is missing here")
    document = loader.loaded(MappingNode(tree.location, rest, tree.keys), path)
    return document, MappingNode(tree.location, inside, tree.keys)


def load_texts(texts: tuple[str, ...], name: str) -> LoadedDocument:
    """The document in the first text, which extends the document in the second text, and so on.

    No file is opened. Error messages refer to the first document as `name`. Raises DocumentError, for example if there
    are too many or too few texts.
    """
    report = Report()
    loader = _TextLoader(report, texts)
    path = "document 1"
    loaded = loader.loaded(loader.parse(Source(name, texts[0]), path), path)
    if len(loaded.texts) < len(texts):
        others = counted(len(texts) - 1, "documents")
        message = f"the first document uses only {len(loaded.texts) - 1} of the {others} after it"
        report.error("model-not-found", loaded.location(()), message)
        raise DocumentError(report.diagnostics)
    return loaded


def resolve(ref: str | Path) -> str:
    """The file that a reference denotes: a path, or the name of a shipped puzzle or model.

    Raises NotFoundError.
    """
    if not str(ref).strip():
        raise NotFoundError(
            "the name of the puzzle is empty", hint="run `fewest list` to see the shipped puzzles"
        )
    path = str(ref)
    if isfile(path) or is_stream(path):
        return path
    if led := leads_nowhere(path):
        raise NotFoundError(f"{ref} {led}")
    if isdir(path):
        raise NotFoundError(f"{ref} is a folder, not a puzzle")
    if path.endswith((".yaml", ".yml")) or isabs(path):
        raise NotFoundError(f"there is no file {ref}", hint=_near_file(path))
    try:
        return resources.puzzle_file(path)
    except NotFoundError:
        if path in dict(resources.models()):
            return resources.model_file(path)
        raise


def _near_file(path: str) -> str:
    folder = dirname(path)
    try:
        names = [name for name in os.listdir(folder or ".") if name.endswith((".yaml", ".yml"))]
    except (OSError, ValueError):
        return ""
    near = suggest(basename(path), names)
    return f"did you mean `{join(folder, near)}`?" if near else ""


class _Loader:
    def __init__(self, report: Report) -> None:
        self.report = report
        self.files: list[str] = []
        self.texts: list[str] = []

    def loaded(self, tree: MappingNode | None, path: str) -> LoadedDocument:
        """The document of a tree. Raises DocumentError with every mistake found."""
        report = self.report
        if tree is None:
            raise DocumentError(report.diagnostics)
        whole = self.laid_over(tree, path, ())
        if whole is None:  # also report the remaining mistakes in the document
            alone = Report()
            decode_node(tree, Document, alone)
            known = {(d.code, d.line, d.column) for d in report.diagnostics}
            report.extend(  # the model may supply keys that are missing here
                d
                for d in alone.diagnostics
                if d.code != "missing-key" and (d.code, d.line, d.column) not in known
            )
            raise DocumentError(report.diagnostics)
        document = decode_node(whole, Document, report)
        report.raise_if_errors()
        loaded = LoadedDocument(document, report, whole, tuple(self.files), tuple(self.texts))
        kinds = (document.pieces or {}).values()
        if all(kind is None or kind.colours is None for kind in kinds):
            return loaded
        from fewest.reading.colours import with_colours

        document, families = with_colours(document, loaded.key_location, report)
        report.raise_if_errors()
        return replace(loaded, document=document, families=families)

    def read(self, path: str) -> MappingNode | None:
        try:
            source = read_file(path, _shown(path), self.report)
        except OSError as error:
            raise NotFoundError(f"cannot read {path}: {error.strerror}") from error
        if source is None:
            return None
        tree = shipped_tree(path, source)
        if tree is None:
            return self.parse(source, path)
        self._took(source, path)
        return tree

    def parse(self, source: Source, path: str) -> MappingNode | None:
        # imported late, because this module imports the YAML library
        from fewest.reading.source import parse

        self._took(source, path)
        return parse(source, self.report)

    def _took(self, source: Source, path: str) -> None:
        self.files.append(path)
        self.texts.append(source.text)

    def laid_over(self, tree: MappingNode, path: str, below: tuple[str, ...]) -> MappingNode | None:
        """The tree, merged over its model, which is itself merged over its own model. The result is None if a mistake
        was reported.
        """
        key = self._reference_key(tree)
        if key is None:
            return tree
        node = tree.items[key]
        if not isinstance(node, ScalarNode) or node.is_null:
            self.report.error(
                "wrong-type", node.location, f"the value of `{key}` must be the name of a model"
            )
            return None
        base_path = self._model_path(node, path)
        if base_path is None:
            return None
        known = self._shipped(base_path)
        base = self._base(base_path, node, path, below) if known is None else known.tree
        if known is not None:
            self.files.extend(known.files)
            self.texts.extend(known.texts)
        if base is None:
            return None
        items = {k: v for k, v in base.items.items() if k not in _OWN}
        keys = {k: v for k, v in base.keys.items() if k in items}
        return _merge(MappingNode(base.location, items, keys), tree, is_top=True)

    def _shipped(self, path: str) -> _Shipped | None:
        """The shipped model in a file, merged over its own models; None if it is not shipped or has mistakes."""
        return _shipped_model(path) if resources.is_model_file(path) else None

    def _base(
        self, base_path: str, node: ScalarNode, path: str, below: tuple[str, ...]
    ) -> MappingNode | None:
        """The model in a file, merged over its own model."""
        chain = (*below, realpath(path))
        if realpath(base_path) in chain or len(chain) > _MAX_MODELS:
            circle = " → ".join(splitext(basename(p))[0] for p in (*chain, base_path))
            self.report.error(
                "extends-cycle",
                node.location,
                f"these models extend each other in a cycle: {circle}",
            )
            return None
        base = self._model(base_path, node)
        return None if base is None else self.laid_over(base, base_path, chain)

    def _model(self, path: str, node: ScalarNode) -> MappingNode | None:
        """The tree of a model; None after reporting a mistake. If the file is not a model, the error shows only a line
        number and a code, not the text of the file, because the path may lead to any readable file.
        """
        known, self.report = self.report, Report()
        try:
            tree = self.read(path)
            found = self.report
        finally:
            self.report = known
        if tree is not None and tree.items.keys() & {"model", "puzzle"}:
            self.report.extend(found.diagnostics)
            return tree
        where = next((d for d in found.diagnostics if d.severity == "error"), None)
        suffix = "" if where is None else f" (line {where.line}: {where.code})"
        self.report.error(
            "model-not-found",
            node.location,
            f"{node.text} is not a model{suffix}",
            hint="a model begins with `model: NAME`",
        )
        return None

    def _reference_key(self, tree: MappingNode) -> str | None:
        """The key that names the model of this document; None if the document has no model, or if a mistake was
        reported.
        """
        is_puzzle = "puzzle" in tree.items
        name_key = "puzzle" if is_puzzle else "model"
        name = tree.items.get(name_key)
        if isinstance(name, ScalarNode) and (name.is_null or not name.text.strip()):
            self.report.error(
                "document-name",
                name.location,
                f"the value of `{name_key}` must be a name, but is empty",
            )
            return None
        if isinstance(name, ScalarNode) and has_line_break(name.text):
            self.report.error("document-name", name.location, NAME_WITH_LINE_BREAK)
            return None
        if not is_puzzle and isinstance(name, ScalarNode) and self._lacks_puzzle(tree, name.text):
            self.report.error(
                "document-name",
                tree.keys["model"],
                f"this document defines a model named `{name.text}`, because the key `puzzle` is missing",
                hint=f"add `puzzle: NAME` if the document is a puzzle that uses the model `{name.text}`",
            )
            return "model"
        if not is_puzzle and "model" not in tree.items:
            near = suggest("puzzle", list(tree.items))
            self.report.error(
                "document-name",
                tree.location,
                "the document contains neither `puzzle: NAME` nor `model: NAME`",
                hint=f"did you mean `puzzle` instead of `{near}`?" if near else None,
            )
            return None
        if is_puzzle and "model" in tree.items:
            if "extends" in tree.items:
                self.report.error(
                    "document-name",
                    tree.keys["extends"],
                    "`extends` is allowed only in a model",
                    hint="a puzzle names its model under `model`",
                )
            return "model"
        return "extends" if "extends" in tree.items else None

    def _lacks_puzzle(self, tree: MappingNode, model: str) -> bool:
        """Whether a document has the key `model` but lacks `puzzle`, although it should be a puzzle."""
        if {"moves", "extends"} & tree.items.keys():
            return False
        is_model = model in dict(resources.models()) or model.endswith((".yaml", ".yml"))
        return is_model and bool({"board", "goal", "expect"} & tree.items.keys())

    def _model_path(self, node: ScalarNode, path: str) -> str | None:
        name = node.text
        if "/" in name or name.endswith((".yaml", ".yml")):
            folder = "" if is_stream(path) else dirname(path)  # a stream has no folder
            found = join(folder, name)
            if isfile(found):
                return found
            self.report.error(
                "model-not-found",
                node.location,
                f"there is no file {name}, relative to the folder of this document",
                hint=_near_file(found) or None,
            )
            return None
        try:
            return resources.model_file(name)
        except NotFoundError as error:
            self.report.error(
                "model-not-found",
                node.location,
                error.message,
                hint=error.hint
                or "give the path of a model that is not shipped, for example ../my-model.yaml",
            )
            return None


NOWHERE = os.devnull  # a path below which there are no files


class _ConfinedLoader(_Loader):
    """Loads only shipped models and models from a single folder and the folders in it, because the author of the
    document is not trusted.
    """

    def __init__(self, report: Report, within: str) -> None:
        super().__init__(report)
        self.within = realpath(within)

    def _model_path(self, node: ScalarNode, path: str) -> str | None:
        name = node.text
        if "/" in name or name.endswith((".yaml", ".yml")):
            try:
                found = realpath(join(dirname(path), name))
                is_inside = commonpath([found, self.within]) == self.within
            except (OSError, ValueError, RuntimeError):
                # the path contains a cycle of links, or is not a valid file name
                is_inside = False
            if not is_inside:
                message = f"{name} is not in the folder of this document"
                self.report.error("model-not-found", node.location, message)
                return None
        return super()._model_path(node, path)


class _TextLoader(_Loader):
    """Loads documents from texts, in order; it ignores the names of models in the documents."""

    def __init__(self, report: Report, given: tuple[str, ...]) -> None:
        super().__init__(report)
        self.given = given

    def read(self, path: str) -> MappingNode | None:
        number = len(self.texts)
        return self.parse(Source(path, self.given[number]), path)

    def _model_path(self, node: ScalarNode, path: str) -> str | None:
        number = len(self.texts)
        if number == len(self.given):
            self.report.error(
                "model-not-found",
                node.location,
                f"the given documents do not include `{node.text}`",
            )
            return None
        return f"document {number + 1}"


class _UncachedLoader(_Loader):
    """A loader that caches nothing, so that it detects models that extend each other in a cycle."""

    def _shipped(self, path: str) -> _Shipped | None:
        return None


class _Shipped(Struct, frozen=True):
    """A shipped model, merged over the models that it extends: its tree, and the files and texts from which it
    was read.
    """

    tree: MappingNode
    files: tuple[str, ...]
    texts: tuple[str, ...]


@cache
def _shipped_model(path: str) -> _Shipped | None:
    """A shipped model, cached because thousands of boards may extend it; None if the model has mistakes."""
    report = Report()
    loader = _UncachedLoader(report)
    try:
        tree = loader.read(path)
    except NotFoundError:
        return None
    whole = None if tree is None else loader.laid_over(tree, path, ())
    if whole is None or report.diagnostics:
        return None
    return _Shipped(whole, tuple(loader.files), tuple(loader.texts))


def _shown(path: str) -> str:
    """The name under which a file is displayed: relative to the folder of shipped files, or to the current folder."""
    if not isabs(path) or called(path) != path:
        return called(path)
    folders = [resources.data_folder()]
    with suppress(FileNotFoundError):  # the current folder may have been deleted
        folders.append(os.getcwd())
    for folder in folders:
        if path.startswith(join(folder, "")):
            return path[len(join(folder, "")) :]
    return path


def _merge(base: TreeNode, top: TreeNode, *, is_top: bool = False) -> MappingNode:
    """`top` merged over `base`; both trees are maps."""
    assert isinstance(base, MappingNode) and isinstance(top, MappingNode)
    items, keys = dict(base.items), dict(base.keys)
    for key, value in top.items.items():
        if isinstance(value, ScalarNode) and value.is_null and key in items:
            del items[key], keys[key]
            continue
        below = items.get(key)
        whole = is_top and key in _REPLACED_WHOLE
        if is_top and key == "terrain" and isinstance(below, SequenceNode):
            below = _markings(below)
            items[key] = below
            value = _markings(value, keep=True)
        elif is_top and key == "terrain" and isinstance(below, MappingNode):
            value = _markings(value)
        if isinstance(value, MappingNode) and isinstance(below, MappingNode) and not whole:
            value = _merge(below, value)
        items[key], keys[key] = value, top.keys[key]
    return MappingNode(top.location, items, keys)


def _markings(node: TreeNode, *, keep: bool = False) -> TreeNode:
    """A list of terrains as a map, so that it can be merged; if `keep` is true, empty entries do not remove inherited
    entries.
    """
    nothing = MappingNode(node.location, {})
    if isinstance(node, SequenceNode):
        names = [item for item in node.items if isinstance(item, ScalarNode)]
        if len(names) == len(node.items):
            locations = {item.text: item.location for item in names}
            return MappingNode(node.location, dict.fromkeys(locations, nothing), locations)
    if isinstance(node, MappingNode) and keep:
        empty = (k for k, v in node.items.items() if isinstance(v, ScalarNode) and v.is_null)
        return MappingNode(
            node.location, {**node.items, **dict.fromkeys(empty, nothing)}, node.keys
        )
    return node
