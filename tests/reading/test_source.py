"""The parser gives every node of the tree the correct location, and no text causes a traceback."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from fewest.errors import CODES, Diagnostic, InternalError, Report, Source, SourceLocation, suggest
from fewest.machine import resources
from fewest.reading import source
from fewest.reading.source import parse
from fewest.reading.text import read_file
from fewest.reading.tree import MappingNode, ScalarNode, SequenceNode, TreeNode
from tests.helpers.effort import at_most

HEAD = "puzzle: x\n"


def tree(text: str) -> MappingNode:
    report = Report()
    root = parse(Source("x.yaml", text), report)
    assert root is not None and report.diagnostics == ()
    return root


def scalar(text: str, key: str) -> ScalarNode:
    node = tree(text).items[key]
    assert isinstance(node, ScalarNode)
    return node


def mistakes(text: str) -> tuple[Diagnostic, ...]:
    report = Report()
    parse(Source("x.yaml", text), report)
    return report.diagnostics


def character(place: SourceLocation) -> str:
    """The characters of the file at a place."""
    return place.source.line(place.line)[place.column - 1 : place.column - 1 + place.length]


def spelled(node: TreeNode) -> object:
    """A tree with its places, as plain data."""
    at = (node.location.line, node.location.column, node.location.length, node.location.path)
    if isinstance(node, ScalarNode):
        return at, node.text, node.style
    if isinstance(node, SequenceNode):
        return at, [spelled(item) for item in node.items]
    assert isinstance(node, MappingNode)
    return at, [(key, node.keys[key].line, spelled(item)) for key, item in node.items.items()]


# -- reading ------------------------------------------------------------------------------------------


def test_scalars_keep_their_text() -> None:
    root = tree("a: no\nb: 012\nc: 1e3\nd: 2026-11-21\n'~': on\n")
    texts = [node.text for node in root.items.values() if isinstance(node, ScalarNode)]
    assert texts == ["no", "012", "1e3", "2026-11-21", "on"]


@pytest.mark.parametrize("text", ["", "~", "null"])
def test_nothing_a_tilde_and_null_are_null_unless_quoted(text: str) -> None:
    assert scalar(f"a: {text}\n", "a").is_null
    assert not scalar(f"a: '{text}'\n", "a").is_null


def test_every_node_and_key_knows_its_place_and_its_path() -> None:
    root = tree("puzzle: x\nmoves:\n  jump:\n    before: [peg, 'empty']\n")
    moves = root.items["moves"]
    assert isinstance(moves, MappingNode)
    jump = moves.items["jump"]
    assert isinstance(jump, MappingNode)
    before = jump.items["before"]
    assert isinstance(before, SequenceNode)
    place = before.items[1].location
    assert (place.line, place.column, place.length) == (4, 19, 7)
    assert place.path == "moves.jump.before[1]"
    key = jump.keys["before"]
    assert (key.line, key.column, key.length, key.path) == (4, 5, 6, "moves.jump.before")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\x85", "\u2028", "\u2029"])
def test_every_line_break_of_yaml_counts_a_line(end: str) -> None:
    found = tree(end.join(["a: 1", "b: 2", "c: 3", ""])).items["c"].location
    assert (found.line, found.column, character(found)) == (3, 4, "3")


def test_anchors_do_not_move_the_place_of_a_value() -> None:
    root = tree("a: &one 'text'\nb: *one\n")
    assert character(root.items["a"].location) == "'text'"
    assert root.items["b"] is root.items["a"]


@pytest.mark.parametrize("path", [p for _, _, p in resources.puzzles()][::9], ids=lambda p: p.stem)
def test_the_c_parser_and_the_python_parser_read_the_same(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = path.read_text(encoding="utf-8")
    first = spelled(tree(text))
    monkeypatch.setattr(source, "_Loader", yaml.SafeLoader)
    assert spelled(tree(text)) == first


# -- places inside a text -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "a: n + 1\n",
        "a: 'n + 1'\n",
        'a: "n + 1"\n',
        "a: &b 'n + 1'\n",
        "a: {a: n + 1}\n",
        "a: |\n  n + 1\n",
        "a: |-\n      n + 1\n",
        "a: |2\n    n + 1\n",
        "a: |\n\n  \n  n + 1\n",
        "a: >\n  n + 1\n  - 2\n",
        "a: >-\n  n\n  + 1\n",
        "a:\n  n\n  + 1\n",
        "a: n\n    + 1\n",
        "a: 'it''s' # no\n",
        'a: "\\x41\\u0042\\t\\"C\\\\" # no\n',
        "a: 曹操 + n\n",
    ],
)
def test_a_character_of_a_text_is_found_in_the_file(text: str) -> None:
    node = tree(text).items["a"]
    if isinstance(node, MappingNode):
        node = node.items["a"]
    assert isinstance(node, ScalarNode)
    for row, line in enumerate(node.text.split("\n")):
        for column, expected in enumerate(line):
            found = character(node.inside(row, column))
            if len(found) > 1:  # an escape sequence
                found = "'" if found == "''" else yaml.safe_load(f'"{found}"')
            assert expected in (found, " ")


def test_several_characters_of_a_quoted_text_are_found_with_their_escapes() -> None:
    assert character(scalar('a: "1 \\x2B n"\n', "a").inside(0, 2, 3)) == "\\x2B n"


def test_a_place_past_the_end_of_a_text_is_still_a_place() -> None:
    for text in ("a: n\n", "a: 'n'\n", "a: >\n  n\n", "a: |\n  n\n", "a:\n"):
        place = scalar(text, "a").inside(0, 99)
        assert place.line >= 1 and place.column >= 1 and place.length >= 1


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40), st.sampled_from(["'", '"', "|", ">", ""]), st.data())
def test_a_place_inside_any_text_is_on_a_line_of_the_file(
    text: str, style: str, data: st.DataObject
) -> None:
    written = yaml.dump({"a": text}, default_style=style or None, allow_unicode=True, width=20)
    report = Report()
    root = parse(Source("x.yaml", written), report)
    if root is None:
        return  # the text contains a character that YAML does not allow
    node = root.items["a"]
    assert isinstance(node, ScalarNode)
    rows = node.text.split("\n")
    row = data.draw(st.integers(0, len(rows) - 1))
    place = node.inside(row, data.draw(st.integers(0, len(rows[row]))))
    assert 1 <= place.line <= len(place.source.lines)
    assert place.column >= 1 and place.length >= 1


# -- mistakes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("", "document-empty", 1, 1),
        ("# a comment\n", "document-empty", 1, 1),
        ("~\n", "document-empty", 1, 1),
        ("hello\n", "document-not-mapping", 1, 1),
        ("- a\n", "document-not-mapping", 1, 1),
        (HEAD + "---\npuzzle: y\n", "document-several", 2, 1),
        (HEAD + "title: a\x07b\n", "document-encoding", 2, 9),
        (HEAD + "title: a\x00\n", "document-encoding", 2, 9),
        (HEAD + "title: \ud800\n", "document-encoding", 2, 8),
        (HEAD + "title: a\ntitle: b\n", "duplicate-key", 3, 1),
        (HEAD + "goal: {a: 1, 'a': 2}\n", "duplicate-key", 2, 14),
        (HEAD + "? [a]\n: b\n", "wrong-type", 2, 3),
        (HEAD + "moves:\n\tjump: {}\n", "yaml-tab", 3, 1),
        (HEAD + "moves:\n  a: {}\n\tb: {}\n", "yaml-tab", 4, 1),
        (HEAD + "title: foo: bar\n", "yaml-quote", 2, 11),
        (HEAD + 'title: "never closed\n', "yaml-syntax", 2, 8),
        (HEAD + "goal: {a\n\n\n", "yaml-syntax", 2, 7),
        (HEAD + "title: @x\n", "yaml-quote", 2, 8),
        (HEAD + "title: !!python/name:os.system ''\n", "yaml-tag", 2, 8),
        (HEAD + "title: *b\n", "yaml-alias", 2, 8),
        (HEAD + "goal: &a [*a]\n", "yaml-alias", 2, 11),
        (HEAD + "goal: " + "[" * 60 + "]" * 60 + "\n", "yaml-depth", 2, 57),
    ],
)
def test_a_mistake_in_the_yaml_has_its_code_and_place(
    text: str, code: str, line: int, column: int
) -> None:
    assert [(d.code, d.line, d.column) for d in mistakes(text)] == [(code, line, column)]


def test_a_key_given_twice_names_the_line_of_the_first() -> None:
    (found,) = mistakes(HEAD + "title: a\nnotes: b\ntitle: c\n")
    assert "line 2" in found.message and found.path == "title"


def test_bytes_that_are_not_utf8_are_refused_in_their_line(tmp_path: Path) -> None:
    path = tmp_path / "latin.yaml"
    path.write_bytes(b"puzzle: x\ntitle: caf\xe9\n")
    report = Report()
    assert read_file(str(path), "latin.yaml", report) is None
    assert [(d.code, d.line) for d in report.diagnostics] == [("document-encoding", 2)]


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "bom.yaml"
    path.write_bytes(b"\xef\xbb\xbfpuzzle: x\n")
    found = read_file(str(path), "bom.yaml", Report())
    assert found is not None and found.text == "puzzle: x\n"


def deep_aliases() -> str:
    """Aliases that nest 40 levels each: few nodes, but more levels than Python's recursion limit."""
    lines = ["a0: &a0 " + "[" * 40 + "1" + "]" * 40]
    lines += [f"a{i}: &a{i} " + "[" * 40 + f"*a{i - 1}" + "]" * 40 for i in range(1, 60)]
    return HEAD + "\n".join(lines) + "\ngoal: *a59\n"


def billion_laughs() -> str:
    lines = ["a0: &a0 [" + ",".join("x" * 10) + "]"]
    lines += [f"a{i}: &a{i} [" + ",".join([f"*a{i - 1}"] * 10) + "]" for i in range(1, 20)]
    return HEAD + "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (HEAD + "notes: " + "a" * 10_000_000, "document-too-large"),
        (HEAD + "notes: " + "曹" * 400_000, "document-too-large"),
        ("[" * 100_000, "yaml-depth"),
        ("{" * 100_000, "yaml-depth"),
        ("- " * 100_000, "yaml-depth"),
        ("? " * 100_000, "yaml-depth"),
        (HEAD + "goal: [" + "a," * 200_000 + "]\n", "yaml-alias"),
        (billion_laughs(), "yaml-alias"),
        (deep_aliases(), "yaml-depth"),
    ],
    ids=["10 MB", "wide 1 MB", "[", "{", "-", "?", "200,000 nodes", "laughs", "deep aliases"],
)
def test_hostile_documents_are_refused_immediately(text: str, code: str) -> None:
    with at_most(5_000_000):  # this number of calls takes one or two seconds
        found = mistakes(text)
    assert [d.code for d in found] == [code]


@pytest.mark.parametrize("size", [10_000_000, 1 << 40])
def test_a_file_of_10_mb_or_a_terabyte_is_refused_without_reading_it_all(
    tmp_path: Path, size: int
) -> None:
    path = tmp_path / "large.yaml"
    path.touch()
    os.truncate(path, size)  # a sparse file, which uses no disk space
    report = Report()
    assert read_file(str(path), "large.yaml", report) is None
    assert [d.code for d in report.diagnostics] == ["document-too-large"]


# -- diagnostics --------------------------------------------------------------------------------------


def diagnostic(excerpt: str, column: int, length: int, message: str = "wrong") -> Diagnostic:
    return Diagnostic("error", "wrong-type", "x.yaml", 1, column, length, message, excerpt=excerpt)


@pytest.mark.parametrize(
    ("excerpt", "column", "carets"),
    [
        ("names: {C: 曹操, D: {}}", 18, " " * 19 + "^^"),
        ("a: e\u0301 {}", 7, " " * 5 + "^^"),  # a combining accent has no width
        ("a:\t{}", 4, " " * 3 + "^^"),
        ("a" * 155 + " {}", 157, " " * 156 + "^^"),
        ("a: " + "b" * 200, 4, " " * 3 + "^^"),
        ("a" * 400 + " {}", 402, " " * (3 + 160 // 4) + "^^"),
    ],
)
def test_carets_mark_the_location_of_a_mistake(excerpt: str, column: int, carets: str) -> None:
    assert diagnostic(excerpt, column, 2).format().splitlines()[2] == f"    | {carets}"


def test_of_a_long_line_the_part_around_the_mistake_is_shown() -> None:
    text = diagnostic("曹" * 100_000 + "{}" + "操" * 100_000, 100_001, 2).format()
    _, line, carets = text.splitlines()
    assert len(line) < 200 and "...曹" in line and "曹{}操" in line and line.endswith("操...")
    assert carets.index("^") == line.index("{}") + line.count("曹")


def test_a_document_cannot_send_control_characters_to_the_terminal() -> None:
    text = diagnostic("title: \x1b[31mred", 8, 1, "no `\x1b]0;pwned\x07` here\n").format()
    assert all(c.isprintable() or c == "\n" for c in text)
    assert "\\x1b]0;pwned\\x07" in text


def test_a_code_that_is_not_registered_is_a_bug() -> None:
    with pytest.raises(InternalError):
        Report().error("no-such-code", SourceLocation(Source("x.yaml", "")), "")


def test_diagnostics_are_sorted_by_location_without_duplicates() -> None:
    report, text = Report(), Source("x.yaml", "a\nb\n")
    for line in (2, 1, 2):
        report.error("wrong-type", SourceLocation(text, line), "wrong")
    assert [d.line for d in report.diagnostics] == [1, 2]


def test_codes_are_words_with_hyphens_and_one_line_each() -> None:
    for code, meaning in CODES.items():
        assert code.replace("-", "").isalpha() and code.islower()
        assert meaning and "\n" not in meaning


def test_a_suggestion_is_the_nearest_name_or_none() -> None:
    assert suggest("truns", ["steps", "turns"]) == "turns"
    assert suggest("zzz", ["steps", "turns"]) is None


# -- random texts -------------------------------------------------------------------------------------

YAML_PIECES = [
    *("puzzle: x\n", "a: ", "- ", "[", "]", "{", "}", ", ", ": ", "\n", "  ", "\t", "|\n", ">\n"),
    *("'", '"', "&a ", "*a", "!t ", "? ", "---\n", "...\n", "%YAML", "#", "曹", "\r", "\x85"),
    *("<<: ", "~", "x", "\\", "\ufeff", "\u2028", "0"),
]
YAML_LIKE = st.lists(st.sampled_from(YAML_PIECES), max_size=30).map("".join)


@settings(max_examples=500, deadline=None)
@given(st.one_of(st.text(max_size=60), YAML_LIKE))
def test_any_text_gives_a_tree_or_diagnostics_that_can_be_printed(text: str) -> None:
    report = Report()
    root = parse(Source("x.yaml", text), report)
    assert root is not None or report.has_errors()
    for found in report.diagnostics:
        assert 1 <= found.line <= len(Source("x.yaml", text).lines) + 1
        assert found.format().encode("utf-8")


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=80))
def test_any_bytes_give_a_source_or_diagnostics(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(raw)
    report = Report()
    found = read_file(str(path), "any.yaml", report)
    assert (found is None) == report.has_errors()
