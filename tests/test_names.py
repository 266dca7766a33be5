"""No name contains a word that the glossary retires: of a folder, file, class, function, variable, option or key."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import click
import pytest

from fewest.cli import COMMANDS
from fewest.commands.outputs import output_schema
from fewest.errors import UsageError
from fewest.reading.objective import MEASURES
from fewest.reading.schema import json_schema
from tests.cli.test_examples import EXAMPLES
from tests.helpers.cells import ROOT
from tests.helpers.python_source import names_in, nodes

FOLDERS = ("src", "bench", "tests", "encodings", "docs", "models", "suites", "man", ".ci")
PACKED = {".min.", ".map", ".LICENSE"}  # parts of the names of files from other projects
FILES = sorted(
    path
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*")
    if path.suffix not in {".pyc", ".so", ".pyd"}
    and path.name != "__pycache__"
    and not any(part in path.name for part in PACKED)
)
SOURCES = [
    path
    for path in FILES
    if path.suffix in {".py", ".pyi", ".hpp", ".cpp", ".js", ".css", ".html", ".lp"}
]
LIBRARIES = frozenset(
    {
        "connection_lost",  # a method of asyncio protocols
        "ObjectLostError",  # an error of Ray
        "askpass",
    }
)
"""Names that other projects define."""


def retired_words() -> frozenset[str]:
    text = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")
    return frozenset(re.findall(r"`(\w+)`", text.partition("## Retired words")[2]))


RETIRED = retired_words()


def words_of(name: str) -> list[str]:
    """The words of a name in snake case, kebab case or camel case, in lower case."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]


def is_retired(name: str) -> bool:
    """Whether one of the words, or two words in a row, are retired."""
    words = words_of(name)
    pairs = {f"{first}_{second}" for first, second in pairwise(words)}
    return name not in LIBRARIES and not RETIRED.isdisjoint({*words, *pairs})


def retired(names: Iterable[str]) -> list[str]:
    return sorted({name for name in names if is_retired(name)})


# -- code ---------------------------------------------------------------------------------------------


def _without_comments_and_texts(text: str) -> str:
    """Source in C++ or JavaScript with its names, but without comments and the contents of literals."""
    quoted = "|".join(rf"{q}(?:\\.|[^{q}\\\n])*{q}" for q in "\"'")
    text = re.sub(rf"//[^\n]*|/\*.*?\*/|{quoted}", " ", text, flags=re.S)
    return re.sub(r"`[^`]*`", lambda found: " ".join(re.findall(r"\${([^}]*)}", found[0])), text)


def _string_keys(node: ast.AST) -> Iterator[str]:
    """The keys of a dictionary that Python code writes or reads by a literal."""
    keys: list[ast.expr | None] = []
    if isinstance(node, ast.Dict):
        keys = [*node.keys]
    elif isinstance(node, ast.Subscript):
        keys = [node.slice]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        keys = node.args[:1] if node.func.attr in {"get", "pop", "setdefault"} else []
    for key in keys:
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield from re.findall(r"^[\w-]+$", key.value)


def identifiers(text: str, suffix: str) -> set[str]:
    """All identifiers of a source file: of types, templates, functions, methods, fields and variables; and the literal
    keys of dictionaries.
    """
    if suffix in {".py", ".pyi"}:
        return {
            name
            for node in nodes(ast.parse(text))
            for name in (*names_in(node), *_string_keys(node))
        }
    if suffix in {".hpp", ".cpp", ".js"}:
        return set(re.findall(r"[A-Za-z_]\w*", _without_comments_and_texts(text)))
    if suffix == ".css":
        return set(re.findall(r"[.#-]([a-z][\w-]*)(?=[^{}]*[{])", text))
    if suffix == ".html":
        return set(re.findall(r"\b(?:id|class|name)=\"([\w -]+)\"", text))
    return set(re.findall(r"\b([a-z]\w*)\(", re.sub(r"%[^\n]*", "", text)))


FORMS = {
    name: [
        re.compile(rf"(?<![a-z]){word}(?![a-z])|{word.title()}(?![a-z])|{word.upper()}(?![a-z])")
        for word in name.split("_")
    ]
    for name in RETIRED
}


def has_retired_words(text: str) -> bool:
    """Whether a text contains all words of a retired name, in any place. This takes less time than to find the
    names."""
    low = text.lower()
    return any(
        all(word in low for word in name.split("_")) and all(form.search(text) for form in forms)
        for name, forms in FORMS.items()
    )


def retired_in(text: str, suffix: str) -> list[str]:
    return retired(identifiers(text, suffix)) if has_retired_words(text) else []


def test_no_name_in_code_is_retired() -> None:
    assert len(SOURCES) > 1000
    found = {
        path.relative_to(ROOT).as_posix(): names
        for path in SOURCES
        if path != Path(__file__)  # this file contains examples of retired words
        and (names := retired_in(path.read_text(encoding="utf-8"), path.suffix))
    }
    assert found == {}


CODE = {
    ".py": """
class Told: ...
def f(told):
    self.lost = x['worth']
    y = {'asked': 1}
    z.get('zone')
""",
    ".hpp": """
template <class Twin> struct Kept {}; using Lost = int; enum class Crew { a };
template <int P> Told<P> ask_all(int x) const { return x; }
template <class T> concept Spare = true; constexpr int kZone = 1; // a desk
""",
    ".js": """
class A { async settle() { return this.told; } get asked() {} } // a desk
const x = { lost: 'desk' + `a desk ${zone}` };
""",
    ".css": ".told .row { color: red; }\n#desk-1 { margin: 0; }\n",
    ".html": '<p id="zone" class="row kept">desk</p>\n',
    ".lp": "told(X) :- row(X).  % a desk(X)\n",
}


@pytest.mark.parametrize(
    ("suffix", "expected"),
    [
        (".py", ["Told", "asked", "lost", "told", "worth", "zone"]),
        (".hpp", ["Crew", "Kept", "Lost", "Spare", "Told", "Twin", "ask_all", "kZone"]),
        (".js", ["asked", "lost", "settle", "told", "zone"]),
        (".css", ["desk-1", "told"]),
        (".html", ["row kept", "zone"]),
        (".lp", ["told"]),
    ],
)
def test_a_retired_name_in_code_is_found(suffix: str, expected: list[str]) -> None:
    assert retired_in(CODE[suffix], suffix) == expected


def test_a_retired_word_is_found_in_every_form() -> None:
    for name in ("lost", "_lost1", "IsLost", "LOST_AT", "DeadEnds", "kDeadEND", "num_dead_ends"):
        assert retired_in(f"{name} = 1", ".py") == [name]
    assert not has_retired_words("almost losting undeadended")


# -- folders and files --------------------------------------------------------------------------------


def test_no_folder_or_file_is_retired() -> None:
    names = {path.relative_to(ROOT).as_posix() for path in FILES}
    assert {"src/fewest/commands", "docs/glossary.md", "man/fewest.1"} <= names
    assert retired(names) == []


def test_a_retired_folder_or_page_is_found() -> None:
    names = ["docs/dead-ends.md", "src/fewest/questions", "src/fewest/twin/a.py", "docs/guide.md"]
    assert retired(names) == names[:3]


# -- options ------------------------------------------------------------------------------------------


def command_names(name: str, command: click.Command) -> Iterator[str]:
    """The names of a command, of its subcommands, and of all options with their aliases and placeholders."""
    yield name
    for parameter in command.params:
        yield from (*parameter.opts, *parameter.secondary_opts, parameter.name or "")
        yield parameter.metavar or ""
        if isinstance(parameter.type, click.Choice):
            yield from map(str, parameter.type.choices)
    if isinstance(command, click.Group):
        for below, one in command.commands.items():
            yield from command_names(below, one)


def test_no_command_or_option_is_retired() -> None:
    names = [
        text
        for name in COMMANDS
        for text in command_names(name, import_module(f"fewest.cli.{name}").command)
    ]
    assert {"--engine", "-e", "--no-consistent", "deadlock", "METRIC", "ida"} <= {*names}
    assert retired(names) == []


def test_a_retired_alias_or_choice_is_found() -> None:
    option = click.Option(["--first", "--told"], type=click.Choice(["one", "twin"]))
    switch = click.Option(["--on/--lost"], default=None)
    one = click.Command("ask", params=[option, switch])
    names = command_names("all", click.Group("all", commands=[one]))
    assert retired(names) == ["--lost", "--told", "ask", "twin"]


def test_no_word_of_an_example_is_retired() -> None:
    """The commands of help texts and pages, with the names of files and folders that they contain."""
    assert len(EXAMPLES) > 100
    assert [example for example in EXAMPLES if retired(example.split())] == []


def test_a_retired_word_in_an_example_is_found() -> None:
    for example in ("fewest solve bird --checkpoint kept", "fewest resume reve.kept/kept-2x7"):
        assert retired(example.split())


# -- keys ---------------------------------------------------------------------------------------------


def keys_of(schema: object) -> Iterator[str]:
    """The keys, the constant values and the titles of types of a JSON Schema."""
    if isinstance(schema, dict):
        for group in ("properties", "$defs"):
            names = schema.get(group, {})
            if isinstance(names, dict):
                yield from names
        for value in (*schema.get("enum", ()), schema.get("const")):
            if isinstance(value, str):
                yield value
        for value in schema.values():
            yield from keys_of(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from keys_of(value)


def test_no_key_of_the_output_is_retired() -> None:
    keys = {key for name in COMMANDS for key in keys_of(_schema_of(name))}
    assert {"engine", "plan", "optimal"} <= keys
    assert retired(keys) == []


def _schema_of(command: str) -> object:
    try:
        return output_schema(command)
    except UsageError:  # the command has no JSON output
        return {}


def test_no_key_of_a_document_is_retired() -> None:
    keys = {*keys_of(json_schema())}
    assert {"moves", "terrain", "slide"} <= keys
    assert retired(keys) == []
    assert retired(MEASURES) == []


def test_a_retired_key_is_found() -> None:
    schema = {"properties": {"told": {}, "a": {"$ref": "#/$defs/Zone"}}, "$defs": {"Zone": {}}}
    assert retired(keys_of(schema)) == ["Zone", "told"]
    assert retired(keys_of({"items": [{"enum": ["on", "lost"]}]})) == ["lost"]
