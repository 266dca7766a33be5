"""Names follow the glossary, and every name in backticks refers to something that exists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from fewest.cli import COMMANDS
from fewest.commands.outputs import output_schema
from fewest.errors import UsageError
from tests.cli.test_examples import EXAMPLES
from tests.helpers.cells import ROOT

SOURCES = sorted(
    path
    for folder in ("src", "bench", "tests", "encodings")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".py", ".pyi", ".hpp", ".cpp", ".js", ".lp"} and ".min." not in path.name
)
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
GENERATED = {
    "compile_commands.json",
    "puzzle.yaml",
    "store.json",
    "checkpoint.json",
    "sweep.json",
    "compare.json",
}
"""Files that the program or a reader of the documentation writes."""
CPP_FUNCTION = re.compile(
    r"^[ ]*(?!(?:return|else|case|throw|delete|new|using|co_return)\b)"
    r"(?:[\w:<>,*&\[\]]+[ ]+)*[\w:<>*&]+[*&]?[ ]+[*&]?(?:\w+::)*(~?[a-z]\w*)\([^;{}]*\)"
    r"(?:\s*const)?(?:\s*noexcept)?(?:\s*override)?(?:\s*->[^{;]+)?\s*[{;:=]",
    re.M,
)
"""A declaration or definition of a function in C++; this also matches a few variables with an initialiser."""
OF_EXTRAS = ("cluster.",)  # modules that import packages of an extra
OF_LIBRARIES = frozenset({"connection_lost"})  # methods whose names a base class prescribes


def retired_words() -> frozenset[str]:
    text = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")
    return frozenset(re.findall(r"`(\w+)`", text.partition("## Retired words")[2]))


def words_of(name: str) -> list[str]:
    """The words of a name in snake case, kebab case or camel case, in lower case."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]


def defined_names(path: Path) -> Iterator[str]:
    """The name of a file, and of the classes and functions that it defines."""
    yield path.stem
    text = path.read_text(encoding="utf-8")
    if path.suffix in {".py", ".pyi"}:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield node.name
    else:
        yield from re.findall(
            r"^\s*(?:export )?(?:class|struct|enum class|function) (\w+)", text, re.M
        )
        if path.suffix in {".cpp", ".hpp"}:
            yield from CPP_FUNCTION.findall(text)


def test_names_of_files_classes_and_functions_have_no_retired_word() -> None:
    retired = retired_words()
    assert len(retired) > 20
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in SOURCES
        for name in defined_names(path)
        if retired.intersection(words_of(name)) and name not in OF_LIBRARIES
    ]
    assert found == []


def test_options_have_no_retired_word() -> None:
    retired = retired_words()
    options = {
        name
        for command in COMMANDS
        for parameter in import_module(f"fewest.cli.{command}").command.params
        for name in parameter.opts
    }
    assert "--engine" in options
    assert [name for name in sorted(options) if retired.intersection(words_of(name))] == []


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_has_no_retired_word(example: str) -> None:
    """The commands of help texts and pages, with the names of files and folders that they contain."""
    assert retired_words().isdisjoint(words_of(example))


def test_a_retired_word_in_an_example_is_found() -> None:
    for example in ("fewest solve bird --checkpoint kept", "fewest resume reve.kept/kept-2x7"):
        assert "kept" in retired_words().intersection(words_of(example))


def _keys(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        properties = schema.get("properties", {})
        if isinstance(properties, dict):
            yield from properties
        for value in schema.values():
            yield from _keys(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _keys(value)


def test_keys_of_the_output_have_no_retired_word() -> None:
    keys = {key for name in COMMANDS for key in _keys(_schema_of(name))}
    assert "engine" in keys
    assert [key for key in sorted(keys) if retired_words().intersection(words_of(key))] == []


def _schema_of(command: str) -> object:
    try:
        return output_schema(command)
    except UsageError:  # the command has no JSON output
        return {}


def _all_files() -> frozenset[str]:
    """The path of every file, and all ends of these paths: `grounding/view.py`, `view.py`."""
    ends = set()
    for path in ROOT.rglob("*"):
        parts = path.relative_to(ROOT).parts
        if parts[0] not in {".git", "build", ".venv", "site"}:
            ends.update("/".join(parts[start:]) for start in range(len(parts)))
    return frozenset(ends)


FILES = _all_files()
FILE = re.compile(r"`([\w./-]+\.(?:py|pyi|hpp|cpp|js|lp))`")
PACKAGES = sorted(path.parent.name for path in (ROOT / "src/fewest").glob("*/__init__.py"))
DOTTED = re.compile(rf"`(?:fewest\.)?((?:{'|'.join(PACKAGES)})(?:\.\w+)+)(?:\(\))?`")


@pytest.mark.parametrize("path", [*SOURCES, *PAGES], ids=lambda path: str(path.relative_to(ROOT)))
def test_names_in_backticks_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    files = [name for name in FILE.findall(text) if name.lstrip("./") not in FILES | GENERATED]
    assert files == []
    dotted = [
        name
        for name in DOTTED.findall(text)
        if not name.startswith(OF_EXTRAS) and not name.endswith((".json", ".py"))
    ]
    assert [name for name in dotted if not exists(f"fewest.{name}")] == []


def exists(dotted: str) -> bool:
    """Whether the name is a module, or an attribute of a module or class."""
    module, _, rest = dotted, "", ""
    while module:
        try:
            found: object = import_module(module)
        except ImportError:
            module, _, last = module.rpartition(".")
            rest = f"{last}.{rest}" if rest else last
            continue
        for name in filter(None, rest.split(".")):
            annotations = getattr(found, "__annotations__", {})
            if not hasattr(found, name) and name not in annotations:
                return False
            found = getattr(found, name, None)
        return True
    return False
