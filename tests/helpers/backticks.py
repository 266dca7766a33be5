"""The names in backticks in comments, docstrings and pages, and whether they refer to something that exists."""

from __future__ import annotations

import ast
import builtins
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import click

from fewest.cli import COMMANDS, group
from tests.helpers.cells import ROOT
from tests.helpers.python_source import (
    code_of,
    comments,
    docstrings,
    names_in,
    nodes,
    statements,
)

FOLDERS = ("src", "bench", "tests", "encodings", "docs")
SUFFIXES = {".py", ".pyi", ".hpp", ".cpp", ".js", ".lp", ".md"}
SOURCES = sorted(
    path
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*")
    if path.suffix in SUFFIXES and ".min." not in path.name
)
CODE = [
    path
    for path in SOURCES
    if path.suffix != ".md" and path.name not in {"backticks.py", "test_backticks.py"}
]
"""The files that define names; the tests of this check contain names that do not."""
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]

BLOCK = re.compile(r"^ *```.*?^ *```$", re.M | re.S)
FILE = re.compile(
    r"(?:[\w.-]+/)*[\w-]+\.(?:py|pyi|hpp|cpp|js|css|lp|md|toml|tsv|yaml|yml|json|html)"
)
FOLDER = re.compile(r"(?:[\w.-]+/)+")
OPTION = re.compile(r"(--?[a-z][\w-]*)(?: .*|=.*)?")
NAME = re.compile(r"[A-Za-z_]\w*")
DOTTED = re.compile(r"((?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*)(?:\(.*\))?")
CALL = re.compile(r"([A-Za-z_]\w*)\(.*\)")

WRITTEN = {
    *("checkpoint.json", "compare.json", "compile_commands.json", "store.json", "sweep.json"),
    *("boards.json", "report.html", "results.json", "summary.md"),
    *("build/audit_mutants/", "mutants/"),
}
"""Files and folders that the program, a test or a tool writes."""
OF_OTHERS = {
    *("docs/klotski_code.md", "FILE_SYNTAX.txt", "Goal"),  # file formats
    *("nav", "nohup", "-march=native", "vX.Y.Z", "Class.name"),  # tools
    *("RayJob", "fewest.sbatch", "RAY_AUTH_TOKEN_PATH", "provider"),  # Ray
    *("OBJECTS", "COLLISIONLAYERS", "WINCONDITIONS", "randomdir", "win", "sfx"),  # PuzzleScript
    "run_rules_on_level_start",  # PuzzleScript
    *("Origin", "--ink", "Editor"),  # the web
    "fewest proof",  # the first bytes of a certificate
    "bug1",  # a wrong certificate
    *("start_distance_1", "start_distance_2", "goal_distance_1", "goal_distance_2"),  # numbered
}
"""Names of other projects, and names that the code composes."""
OF_READER = re.compile(
    r"(?:[A-Z]+/|tests/bad/)?(?:my-[\w-]+|stage-\d|puzzle|[A-Z]+|compare)\.(?:yaml|json)"
)
"""Files of a reader, in examples."""


def backticks(path: Path) -> Iterator[str]:
    """The texts in backticks in the comments and docstrings of a file, or in the prose of a page.

    Words that the examples of a page contain are omitted: they are the reader's, or explained there.
    """
    text = path.read_text(encoding="utf-8")
    examples = " ".join(BLOCK.findall(text)) if path.suffix == ".md" else ""
    if path.name == "glossary.md":
        text = text.partition("## Retired words")[0]
    for part in _prose(path, text):
        for found in re.findall(r"`([^`\n]+)`", part):
            if not _is_in(found, examples):
                yield found


def _is_in(name: str, examples: str) -> bool:
    """Whether a name is a word of the examples."""
    if name not in examples:  # this saves the compilation of thousands of patterns
        return False
    return bool(re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", examples))


def _prose(path: Path, text: str) -> Iterator[str]:
    suffix = path.suffix
    if suffix in {".py", ".pyi"}:
        known = code_names().docstrings.get(path)
        yield from docstrings_of(ast.parse(text)) if known is None else known
        for _, comment, _ in comments(text):
            yield comment
    elif suffix == ".md":
        yield BLOCK.sub("", text)
    elif suffix == ".lp":
        yield from re.findall(r"%[^\n]*", text)
    else:
        yield from re.findall(r"//[^\n]*", text)


# -- what exists --------------------------------------------------------------------------------------


@cache
def paths() -> frozenset[str]:
    """The path of every file and folder, and all ends of these paths: `grounding/view.py`, `view.py`."""
    ends = set[str]()
    for path in ROOT.rglob("*"):
        parts = path.relative_to(ROOT).parts
        if parts[0] not in {".git", "build", ".venv", "site"} and "__pycache__" not in parts:
            ends.update("/".join(parts[start:]) for start in range(len(parts)))
    return frozenset(ends)


def _code(path: Path) -> str:
    """The text of a source in another language than Python, without its comments."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".lp":
        return re.sub(r"%[^\n]*", "", text)
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


TYPE = re.compile(
    r"\b(?:class|struct|enum class|enum|union|concept|using|typedef)\s+(?:alignas\(\w+\)\s*)?(\w+)"
)


def docstrings_of(tree: ast.Module) -> list[str]:
    return [str(docstring.value) for docstring in docstrings(tree)]


class Names:
    """The names in the code, and the docstrings, so that each file is parsed only once."""

    def __init__(self) -> None:
        self.words = {*dir(builtins)}
        """the words of all names and literals, without docstrings"""
        self.own: dict[str, set[str]] = defaultdict(set)
        """the members of each type"""
        self.bases: dict[str, set[str]] = defaultdict(set)
        self.docstrings: dict[Path, list[str]] = {}
        for path in CODE:
            if path.suffix in {".py", ".pyi"}:
                self._add(path, path.read_text(encoding="utf-8"))
                continue
            names = {*NAME.findall(code := _code(path))}
            self.words |= names
            if path.suffix != ".lp":
                for name in TYPE.findall(code):
                    self.own[name] |= names

    def _add(self, path: Path, text: str) -> None:
        tree = ast.parse(text)
        self.docstrings[path] = docstrings_of(tree)
        self.words.update(NAME.findall(code_of(text, tree)))
        for node in statements(tree):
            if isinstance(node, ast.ClassDef):
                self.own[node.name].update(_members(node))
                self.bases[node.name].update(
                    name for base in node.bases for part in nodes(base) for name in names_in(part)
                )
            elif isinstance(node, ast.Assign | ast.AnnAssign | ast.ImportFrom):
                for name in _bound(node):
                    self.own[name].update(())


@cache
def code_names() -> Names:
    return Names()


@cache
def words() -> frozenset[str]:
    """All names in the code: identifiers, and the words of texts such as keys; the words of shipped documents."""
    found = {*code_names().words}
    for folder in ("models", "puzzles", "encodings", "suites"):
        for path in (ROOT / folder).rglob("*.*"):
            if path.suffix in {".yaml", ".yml", ".lp", ".json"}:
                found.update(NAME.findall(path.read_text(encoding="utf-8")))
                found.update(NAME.findall(path.stem))
    for name in ("pyproject.toml", "CMakeLists.txt"):
        found.update(NAME.findall((ROOT / name).read_text(encoding="utf-8")))
    return frozenset(found)


@cache
def members() -> dict[str, frozenset[str]]:
    """The classes and other types of the code, and the names of their members; of a type in C++ or JavaScript, all
    names in its file.
    """
    own, bases = code_names().own, code_names().bases
    return {name: frozenset().union(*_closure(name, own, bases)) for name in own}


def _closure(name: str, own: dict[str, set[str]], bases: dict[str, set[str]]) -> Iterator[set[str]]:
    waiting, seen = [name], set[str]()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            yield own.get(name, set())
            waiting += bases.get(name, ())


def _members(node: ast.ClassDef) -> Iterator[str]:
    for part in nodes(node):
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield part.name
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id
        elif (
            isinstance(part, ast.Attribute)
            and isinstance(part.value, ast.Name)
            and part.value.id in {"self", "cls"}
        ):
            yield part.attr


def _bound(node: ast.Assign | ast.AnnAssign | ast.ImportFrom) -> Iterator[str]:
    if isinstance(node, ast.ImportFrom):
        yield from (alias.asname or alias.name for alias in node.names)
    else:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (target.id for target in targets if isinstance(target, ast.Name))


@cache
def options() -> dict[str, frozenset[str]]:
    """The options of every command and subcommand."""
    found: dict[str, frozenset[str]] = {}

    def visit(name: str, command: click.Command) -> None:
        own = {
            option
            for parameter in command.params
            if isinstance(parameter, click.Option)
            for option in (*parameter.opts, *parameter.secondary_opts)
        }
        found[name] = frozenset({*own, "-h", "--help"})
        if isinstance(command, click.Group):
            for below, one in command.commands.items():
                visit(f"{name} {below}", one)
            found[name] = found[name].union(*(found[f"{name} {b}"] for b in command.commands))

    for name in COMMANDS:
        command = group.get_command(click.Context(group), name)
        assert command is not None
        visit(name, command)
    return found


@cache
def script_options() -> frozenset[str]:
    """The options of the scripts in `bench` and `tests`, and of the tools that the project configures."""
    texts = [path.read_text(encoding="utf-8") for path in CODE if path.suffix == ".py"]
    texts += [(ROOT / name).read_text("utf-8") for name in ("pyproject.toml", ".ci/run")]
    return frozenset(
        one for text in texts for one in re.findall(r"(?<=[\"' ])--?[a-z][\w-]*", text)
    )


# -- whether a name exists ----------------------------------------------------------------------------


def exists(text: str) -> bool:
    """Whether the name in backticks exists; true if it has the form of no name, as in an expression."""
    if text in OF_OTHERS or text in WRITTEN:
        return True
    if text.startswith("fewest "):
        return _is_call(text.split()[1:])
    if FILE.fullmatch(text):
        return text.removeprefix("./") in paths() or bool(OF_READER.fullmatch(text))
    if FOLDER.fullmatch(text):
        return text.strip("./") in paths()
    if option := OPTION.fullmatch(text):
        every = frozenset().union(*options().values())
        return option[1] in every | script_options()
    if dotted := DOTTED.fullmatch(text):
        return _is_attribute(dotted[1].split("."))
    if found := NAME.fullmatch(text) or CALL.fullmatch(text):
        name = re.split(r"\W", found[0])[0]
        is_type = re.fullmatch(r"[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*", name)
        return name in (members() if is_type else words()) or hasattr(builtins, name)
    return True


def _is_call(parts: list[str]) -> bool:
    """Whether a call of `fewest` names a command and options of this command."""
    if not parts or parts[0] not in options():
        return not re.match("[a-z]", " ".join(parts))  # an option, or a placeholder such as COMMAND
    name = " ".join(parts[:2]) if " ".join(parts[:2]) in options() else parts[0]
    given = [re.split("[=.,:]", part)[0] for part in parts if re.match(r"--?[a-z]", part)]
    return all(option in options()[name] or re.fullmatch(r"-\w", option) for option in given)


def _is_attribute(parts: list[str]) -> bool:
    """Whether a dotted name is a module or an attribute of a module, or of a class."""
    if parts[0] == "fewest" or "/".join(parts[:1]) in _packages():
        return is_in_module([part for part in parts if part != "fewest"])
    if parts[0] in members() and parts[0][:1].isupper():
        return parts[1] in members()[parts[0]]
    return all(part in words() for part in parts)


@cache
def _packages() -> frozenset[str]:
    return frozenset(path.parent.name for path in (ROOT / "src/fewest").glob("*/__init__.py"))


def is_in_module(parts: list[str]) -> bool:
    """Whether a dotted name in `fewest` is a module, or an attribute of a module or a class."""
    if not parts or parts[0] == "cluster":  # these modules import packages of an extra
        return (
            not parts
            or "/".join(["src", "fewest", *parts[:2]]) + ".py" in paths()
            or ("/".join(["src", "fewest", *parts[:1]]) in paths() and len(parts) == 1)
        )
    for number in range(len(parts), -1, -1):
        try:
            found: object = import_module(".".join(["fewest", *parts[:number]]))
        except ImportError:
            continue
        for name in parts[number:]:
            annotations = getattr(found, "__annotations__", {})
            if not hasattr(found, name) and name not in annotations:
                return False
            found = getattr(found, name, None)
        return True
    return False
