"""Documents are read with their source places and the models that they extend, and hostile input is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fewest
from fewest.errors import Diagnostic, DocumentError, FewestError, NotFoundError
from fewest.machine import resources
from fewest.machine.resources import models, puzzles
from fewest.reading.document import MetricEntry, ParameterEntry, PieceKind
from fewest.reading.loader import LoadedDocument, load_document
from fewest.reading.schema import json_schema
from tests.helpers.effort import at_most

HEAD = "puzzle: x\nmodel: sliding-blocks\nboard: |\n  A.\n  ..\n"


def codes(text: str) -> list[str]:
    try:
        fewest.load("x.yaml", text=text)
    except DocumentError as error:
        return [diagnostic.code for diagnostic in error.diagnostics]
    return []


def test_places_point_into_block_texts_quoted_texts_and_flow_maps() -> None:
    loaded = load_document("x.yaml", text=HEAD + "goal: 'row(A) == 1'\nnames: {A: first}\n")
    at = loaded.inside(("board",), 1, 1)
    assert (at.line, at.column) == (5, 4)
    at = loaded.inside(("goal",), 0, 4)
    assert (at.line, at.column) == (6, 12)
    assert (loaded.location(("names", "A")).line, loaded.location(("names", "A")).column) == (7, 12)
    assert loaded.key_location(("names", "A")).column == 9


def test_words_that_yaml_takes_for_truth_values_stay_words() -> None:
    text = (
        "puzzle: no\nvariables: {x: {values: [no, yes, on, y], initial: no}}\n"
        "moves: {flip: {set: {x: \"'yes' if x == no else no\"}}}\ngoal: x == yes\nexpect: {moves: 1}\n"
    )
    assert fewest.load("no.yaml", text=text).solve().cost == 1


def test_overlays_merge_replace_remove_and_replace_goals_whole(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(
        "model: base\nextends: middle.yaml\nmetrics: {a: {count: 2}, b: {}}\ngoal: {A: {at: [0, 1]}}\n"
    )
    (tmp_path / "middle.yaml").write_text(
        "model: middle\nlegend: {'.': floor, '#': wall}\npieces: {block: {letters: A-Z}}\n"
        "moves: {slide: {slide: block, directions: horizontal}}\nmetrics: {c: {}}\n"
    )
    (tmp_path / "puzzle.yaml").write_text(
        "puzzle: p\nmodel: base.yaml\nmetrics: {a: {count: 3}, b: null}\nlegend: {'#': null}\n"
        "goal: {B: {at: [0, 0]}}\nboard: |\n  AB.\n  ...\nmoves: {slide: {directions: all}}\n"
    )
    compiled = fewest.load(tmp_path / "puzzle.yaml")
    assert list(compiled.puzzle.metrics) == ["c", "a"]
    assert compiled.puzzle.metrics["a"].parts[0].weights == {"slide": 3}
    result = compiled.solve("a")
    assert (
        result.cost == 6
    )  # A moves aside and B follows: two moves, because the goal of `base` is replaced


def test_a_mistake_in_a_model_is_reported_in_the_models_file(tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text("model: m\nlegend: {'.': flor}\npieces: {b: {letters: A-Z}}\n")
    (tmp_path / "p.yaml").write_text("puzzle: p\nmodel: m.yaml\nboard: |\n  A.\n")
    with pytest.raises(DocumentError) as error:
        fewest.load(tmp_path / "p.yaml")
    assert error.value.diagnostics[0].file.endswith("m.yaml")


def test_references_by_name_family_and_file(tmp_path: Path) -> None:
    for ref in ("bird", "rush-hour/bird", "machinarium-arrows"):
        assert fewest.load(ref).puzzle.name
    with pytest.raises(NotFoundError, match="did you mean `heng-dao-li-ma`"):
        fewest.load("heng-dao-lima")
    (tmp_path / "mine.yaml").write_text("puzzle: mine\n")
    with pytest.raises(NotFoundError, match=r"did you mean .*mine\.yaml"):
        fewest.load(tmp_path / "mime.yaml")


def test_byte_order_marks_and_windows_line_ends_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "w.yaml"
    path.write_bytes(
        b"\xef\xbb\xbf" + (HEAD + "goal: {A: {at: [1, 1]}}\n").replace("\n", "\r\n").encode()
    )
    assert fewest.load(path).solve().cost == 2


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "{a: " * 100_000,
        "- " * 100_000 + "x",
        "puzzle: " + "x" * 10_000_000,
        "a: &a [*a, *a]\n",
        "a: &a {x: y}\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
        + "".join(
            f"c{i}: &c{i} [" + ",".join([f"*{'b' if i == 0 else f'c{i - 1}'}"] * 10) + "]\n"
            for i in range(9)
        ),
        "puzzle: x\ngoal: " + "(" * 3000 + ")" * 3000,
        "puzzle: x\nvariables: {x: {values: range(3), initial: 0}}\nmoves: {a: {set: {x: 1}}}\n"
        "goal: " + "+".join(["x"] * 1900) + " == 0",
        "puzzle: x\nparameters: {n: 9}\nboard: \"{'.' * 10 ** 9}\"\nlegend: {'.': floor}\n",
        "puzzle: x\nboard: \"{'.' * 10 ** 5}\"\nlegend: {'.': floor}\nmoves: {a: {slide: any}}\n",
        'puzzle: x\nvariables: {"v[i]": {for: {i: range(20000)}, values: range(9), initial: 0}}\n'
        'moves: {a: {set: {"v[0]": 1}}}\n',
        "puzzle: x\nvariables: {v: {values: range(10 ** 9), initial: 0}}\nmoves: {a: {set: {v: 1}}}\n",
        "puzzle: x\nvariables: {v: {values: range(3), initial: 0}}\n"
        "moves: {a: {for: {i: range(1000), j: range(1000), k: range(1000)}, set: {v: 1}}}\n",
        "puzzle: x\nvariables: {v: {values: range(3), initial: 0}}\nmoves: {a: {set: {v: 1}}}\n"
        "goal: sum(i * j for i in range(9999) for j in range(9999)) == v\n",
    ],
)
def test_documents_that_mean_harm_are_refused_quickly(text: str) -> None:
    # This number of calls takes about one second.
    with at_most(20_000_000), pytest.raises(DocumentError):
        compiled = fewest.load("harm.yaml", text=text)
        compiled.task  # noqa: B018


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_random_bytes_are_a_document_error_or_a_document(raw: bytes) -> None:
    text = raw.decode("utf-8", "surrogateescape")
    try:
        fewest.load("random.yaml", text=text)
    except FewestError as error:
        assert str(error)


KEYS = [
    "puzzle",
    "model",
    "board",
    "legend",
    "pieces",
    "moves",
    "goal",
    "metrics",
    "expect",
    "terrain",
    "variables",
    "parameters",
    "forbid",
    "wrap",
    "metric",
    "names",
    "source",
]
SCALARS = st.sampled_from(
    [
        "x",
        "sliding-blocks",
        "sokoban",
        "A.\nB.",
        "1",
        "-7",
        "null",
        "true",
        "{n}",
        "row(A) == 0",
        "[",
        "any",
        "A",
        "block",
        "{",
        "0.5",
        "~",
        "1e9",
        "range(3)",
        "\u00fc",
        "'",
    ]
)
TREES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *KEYS,
                    "A",
                    "block",
                    "slide",
                    "before",
                    "after",
                    "at",
                    "count",
                    "every",
                    "holds",
                    "set",
                    "when",
                    "for",
                    "letters",
                    "x[i]",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(deadline=None, max_examples=300)
@given(st.dictionaries(st.sampled_from(KEYS), TREES, max_size=8))
def test_random_trees_are_document_errors_or_puzzles(tree: dict[str, object]) -> None:
    import yaml

    try:
        compiled = fewest.load("random.yaml", text=yaml.safe_dump(tree, allow_unicode=True))
        compiled.task  # noqa: B018
    except FewestError as error:
        assert str(error)


def test_the_schema_knows_every_key_that_the_reader_knows() -> None:
    schema = json_schema()
    document = schema["$defs"]["Document"]
    assert {"puzzle", "model", "board", "goal", "expect"} <= set(document["properties"])
    assert document["additionalProperties"] is False
    assert {"for", "stopped-by"} <= set(schema["$defs"]["Move"]["properties"])


@pytest.mark.parametrize("name", [name for name, _ in models()])
def test_every_model_loads(name: str) -> None:
    assert load_document(name_of(name)).document.puzzle is None


def name_of(model: str) -> Path:
    return dict(models())[model]


def test_every_puzzle_has_a_source_and_a_name_of_its_own() -> None:
    names = [name for _, name, _ in puzzles()]
    assert len(set(names)) == len(names)
    for _, _, path in puzzles():
        document = load_document(path).document
        assert document.source or document.model, path
        assert document.expect, path


# -- reading alone, without compiling -------------------------------------------------------------------

NAME = "puzzle: x\n"


def load(text: str) -> LoadedDocument:
    return load_document("x.yaml", text=text)


def mistakes(text: str) -> tuple[Diagnostic, ...]:
    with pytest.raises(DocumentError) as error:
        load(text)
    return error.value.diagnostics


def mistaken(text: str) -> list[str]:
    return [found.code for found in mistakes(text)]


def test_a_model_is_loaded_by_its_name_and_is_no_puzzle() -> None:
    document = load_document("rush-hour").document
    assert (document.puzzle, document.model) == (None, "rush-hour")


@pytest.mark.parametrize(
    "ref",
    [
        "a" * 400,
        "a\0b",
        "/",
        "no/such.yaml",
        "/etc/no-such-file",
        ".",
        "klotski/",
        "../klotski/bird",
    ],
)
def test_a_reference_that_is_no_file_is_not_found(ref: str) -> None:
    with pytest.raises(NotFoundError):
        load_document(ref)


def test_a_name_that_two_families_have_is_answered_with_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for family in ("one", "two"):
        (tmp_path / "puzzles" / family).mkdir(parents=True)
        (tmp_path / "puzzles" / family / "same.yaml").write_text("puzzle: same\n")
    monkeypatch.setattr(resources, "data_folder", lambda: str(tmp_path))
    with pytest.raises(NotFoundError, match="one/same, two/same"):
        resources.puzzle_path("same")
    assert resources.puzzle_path("two/same").parent.name == "two"


# -- types --------------------------------------------------------------------------------------------


def test_values_are_read_as_the_types_say() -> None:
    document = load(
        NAME
        + """
title: 012
difficulty: 3
parameters: {n: 3, m: {default: -1, min: -2}}
board: [[1, 2, _], [no, on, 0x1]]
legend: {1: one}
wrap: [rows]
pieces: {one: , two: {interchangeable: false}}
moves: {ring: {cycle: [[0, n], [r + 1, 0]]}}
metrics: {a: {merge: line, count: {ring: 2}}, b: , c: [a, b]}
expect: {a: n + 1, c: [8, 33], reachable: 5, unsolvable: true}
"""
    ).document
    assert document.title == "012" and document.difficulty == 3
    assert document.parameters == {"n": 3, "m": ParameterEntry(default=-1, min=-2)}
    assert document.board == [["1", "2", "_"], ["no", "on", "0x1"]]
    assert document.legend == {"1": "one"} and document.wrap == ["rows"]
    assert document.pieces == {"one": None, "two": PieceKind(interchangeable=False)}
    assert document.moves is not None
    assert document.moves["ring"].cycle == [[0, "n"], ["r + 1", 0]]
    assert document.metrics == {
        "a": MetricEntry(merge="line", count={"ring": 2}),
        "b": None,
        "c": ["a", "b"],
    }
    assert document.expect == {"a": "n + 1", "c": [8, 33], "reachable": 5, "unsolvable": True}


@pytest.mark.parametrize(
    ("line", "code", "column", "hint"),
    [
        ("bord: 1", "unknown-key", 1, "did you mean `board`?"),
        ("win: {X: {at: [0, 0]}}", "unknown-key", 1, "did you mean `goal`?"),
        ("late: {}", "unknown-key", 1, "did you mean `then`?"),
        (
            "moves: {a: {set: {}, once: true}}",
            "unknown-key",
            22,
            "`once` is allowed only in rules under `then`",
        ),
        ("parameters: {n: x}", "wrong-type", 17, None),
        ("parameters: {n: 1.5}", "wrong-type", 17, None),
        ("parameters: {n: ３}", "wrong-type", 17, None),
        ("parameters: {n: 1_000}", "wrong-type", 17, None),
        ("parameters: {n: 99999999999999999999}", "wrong-type", 17, None),
        ("parameters: {n: '5'}", "wrong-type", 17, "remove the quotes"),
        ("parameters: {n: {min: 1}}", "missing-key", 17, None),
        ("pieces: {a: {interchangeable: no}}", "wrong-type", 31, None),
        ("pieces: {a: {interchangeable: 'true'}}", "wrong-type", 31, "remove the quotes"),
        ("metrics: {a: {merge: lines}}", "wrong-value", 22, "did you mean `line`?"),
        ("wrap: row", "wrong-value", 7, "did you mean `rows`?"),
        ("moves: {a: {slide: b, distance: 2}}", "wrong-value", 33, None),
        ("moves: {a: null}", "wrong-type", 12, None),
        ("legend: {x: }", "wrong-type", 13, None),
        ("board: [ABC]", "wrong-type", 9, None),
        ("board: {a: 1}", "wrong-type", 8, None),
        ("title: [a]", "wrong-type", 8, None),
        ("terrain: {exit: {enter: C}}", "unknown-key", 18, "did you mean `enters`?"),
        ("<<: {title: a}", "unknown-key", 1, None),
    ],
)
def test_a_value_of_the_wrong_kind_has_its_code_place_and_hint(
    line: str, code: str, column: int, hint: str | None
) -> None:
    (found,) = mistakes(NAME + line + "\n")
    assert (found.code, found.line, found.column) == (code, 2, column)
    if hint is not None:
        assert found.hint == hint


def test_an_error_for_a_wrong_type_gives_the_expected_and_the_found_type() -> None:
    (found,) = mistakes(NAME + "moves: {jump: {cycle: [[0, {a: 1}]]}}\n")
    assert found.path == "moves.jump.cycle[0][1]"
    assert (found.expected, found.found) == ("a whole number, or text", "a map")


@pytest.mark.parametrize(
    "line",
    [
        "terrain: {exit: {cells: [[1, 2, 3]]}}",
        "terrain: {exit: {cells: [[]]}}",
        "moves: {turn: {cycle: [[0, 1], [n]]}}",
        "moves: {go: {slide: any, directions: [up, [1]]}}",
    ],
)
def test_a_cell_is_a_row_and_a_column(line: str) -> None:
    (found,) = mistakes(NAME + line + "\n")
    assert (found.code, found.expected) == ("wrong-type", "a list of 2 items")


@pytest.mark.parametrize("text", ["puzzle:\nmodel: rush-hour\n", "puzzle: ''\n", "model: ~\n"])
def test_a_document_has_a_name(text: str) -> None:
    assert mistaken(text) == ["document-name"]


def test_all_mistakes_are_reported_together_even_if_the_model_is_missing() -> None:
    text = NAME + "model: rush-huor\ntitle: a\ntitle: b\nbord: 1\nmetrics: {a: {merge: x}}\n"
    assert mistaken(text) == ["model-not-found", "duplicate-key", "unknown-key", "wrong-value"]


def test_names_of_a_missing_model_are_not_reported_as_unknown() -> None:
    text = NAME + "model: no-such-model\nvariables: {x: {initial: 1}}\n"
    assert mistaken(text) == ["model-not-found"]


def test_more_than_fifty_mistakes_are_counted_not_printed() -> None:
    with pytest.raises(DocumentError) as error:
        load(NAME + "".join(f"wrong{i}: 1\n" for i in range(60)))
    assert len(error.value.diagnostics) == 60
    assert str(error.value).count("error[unknown-key]") == 50
    assert str(error.value).endswith("and 10 more")


# -- models and their extension -------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "base.yaml").write_text(
        "model: base\n"
        "title: base\n"
        "legend: {'.': floor, '#': wall}\n"
        "pieces: {a: {letters: A, directions: up}, b: {}}\n"
        "moves: {go: {slide: a}, jump: {slide: b}}\n"
        "goal: {X: {touches: right}}\n"
        "metric: moves\n"
    )
    (tmp_path / "middle.yaml").write_text(
        "model: middle\nextends: base.yaml\npieces: {a: {letters: B}}\n"
    )
    return tmp_path


def over(folder: Path, text: str, model: str = "middle.yaml") -> LoadedDocument:
    return load_document(folder / "x.yaml", text=f"puzzle: x\nmodel: ./{model}\n" + text)


def test_maps_merge_key_by_key_and_anything_else_replaces(folder: Path) -> None:
    document = over(folder, "legend: {'.': ice, _: floor}\ntitle: mine\n").document
    assert document.legend == {".": "ice", "#": "wall", "_": "floor"}
    assert document.pieces == {"a": PieceKind(letters="B", directions="up"), "b": PieceKind()}
    assert (document.title, document.metric) == ("mine", "moves")


def test_null_removes(folder: Path) -> None:
    document = over(folder, "moves: {jump: null}\nmetric: ~\nlegend:\n").document
    assert document.moves is not None and list(document.moves) == ["go"]
    assert document.metric is None and document.legend is None


def test_a_goal_is_replaced_as_a_whole(folder: Path) -> None:
    document = over(folder, "goal: {C: {at: [3, 1]}}\n").document
    assert document.goal == {"C": {"at": ["3", "1"]}}


def test_a_document_keeps_its_own_names_and_not_its_models(folder: Path) -> None:
    document = over(folder, "").document
    assert (document.puzzle, document.model, document.extends) == ("x", "./middle.yaml", None)


def test_every_node_keeps_the_file_it_came_from(folder: Path) -> None:
    loaded = over(folder, "pieces: {a: {enters: floor}}\nboard: |\n  A.\n  ..\n")
    names = {
        path: Path(loaded.location(path).source.name).name
        for path in [("pieces", "a", key) for key in ("letters", "directions", "enters")]
    }
    assert list(names.values()) == ["middle.yaml", "base.yaml", "x.yaml"]
    place = loaded.key_location(("pieces", "a", "directions"))
    assert (place.line, place.column, place.path) == (4, 26, "pieces.a.directions")
    place = loaded.inside(("board",), 1, 1)
    assert (place.line, place.column) == (6, 4)
    assert loaded.has(("moves", "go", "slide")) and not loaded.has(("moves", "go", "before"))
    assert loaded.location(("moves", "go", "before", 3)).path == "moves.go"
    assert [Path(file).name for file in loaded.files] == ["x.yaml", "middle.yaml", "base.yaml"]


def test_mistakes_in_a_model_are_reported_in_its_own_file(folder: Path) -> None:
    (folder / "middle.yaml").write_text("model: middle\nextends: base.yaml\nmetric: [a]\n")
    with pytest.raises(DocumentError) as error:
        over(folder, "bord: 1\n")
    found = {(Path(d.file).name, d.code, d.line) for d in error.value.diagnostics}
    assert found == {("middle.yaml", "wrong-type", 3), ("x.yaml", "unknown-key", 3)}


@pytest.mark.parametrize(
    "model",
    [
        "rush-huor",
        "../no-such.yaml",
        "a" * 400,
        "../" + "a" * 400,
        '"a\\0b"',
        '"a\\0/b"',
        "..",
        "/",
    ],
)
def test_a_model_that_does_not_exist_is_reported_at_its_name(model: str) -> None:
    (found,) = mistakes(NAME + f"model: {model}\n")
    assert (found.code, found.line, found.column) == ("model-not-found", 2, 8)


def test_models_that_extend_each_other_are_reported(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("model: a\nextends: ./b.yaml\n")
    (tmp_path / "b.yaml").write_text("model: b\nextends: ./a.yaml\n")
    with pytest.raises(DocumentError, match="a → b → a") as error:
        load_document(tmp_path / "a.yaml")
    assert [d.code for d in error.value.diagnostics] == ["extends-cycle"]


def test_a_kind_that_would_go_round_the_board_is_allowed_if_the_board_contains_no_piece_of_it() -> (
    None
):
    head = "puzzle: x\nmodel: sliding-blocks\nwrap: rows\npieces: {bar: {shape: '##'}}\nlegend: {'=': bar}\n"
    assert codes(head + "board: |\n  A.\n  ..\ngoal: {A: {at: [1, 1]}}\n") == []
    assert codes(head + "board: |\n  A.\n  ==\ngoal: {A: {at: [0, 1]}}\n") == ["piece-round"]


def test_a_piece_that_touches_itself_round_the_board_needs_a_shape() -> None:
    head = "puzzle: x\nmodel: sliding-blocks\nwrap: rows\n"
    goal = "goal: {A: {at: [1, 0]}}\n"
    assert codes(head + f"board: |\n  AA\n  A.\n  ..\n{goal}") == ["piece-round"]
    assert codes(head + f"board: |\n  AA.\n  A..\n  ...\n{goal}") == []
    shaped = 'pieces: {bend: {shape: "##\\n#."}}\nlegend: {"=": bend}\n'
    assert codes(head + shaped + "board: |\n  ==\n  =.\n  ..\ngoal: {bend: {at: [1, 0]}}\n") == []


# -- the schema ---------------------------------------------------------------------------------------


def test_the_schema_has_every_key_with_a_line_of_help() -> None:
    schema = json_schema()
    for name, definition in schema["$defs"].items():
        if name == "Condition":
            continue  # this type has alternatives, not keys
        assert definition["description"], name
        is_open = name == "ConditionMap"  # the other keys are names of pieces
        assert (definition["additionalProperties"] is False) == (not is_open), name
        for key, value in definition["properties"].items():
            assert value["description"], f"{name}.{key}"


def test_the_schema_takes_numbers_where_their_text_is_read_and_null_where_it_removes() -> None:
    properties: dict[str, Any] = json_schema()["$defs"]["Document"]["properties"]
    rows = properties["board"]["anyOf"][0]["anyOf"][1]
    assert "number" in rows["items"]["items"]["type"]
    assert {"type": "null"} in properties["moves"]["anyOf"][0]["additionalProperties"]["anyOf"]


def test_the_schema_takes_a_placement_beside_every_and_some() -> None:
    defined = json_schema()["$defs"]
    keys, placement = defined["ConditionMap"]["properties"], defined["Placement"]["properties"]
    assert {"every", "some", "holds", "on", "at", "touches", "covers"} <= keys.keys()
    assert {key: keys[key] for key in placement} == placement
