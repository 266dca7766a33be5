"""Reading documents: places, overlays, and input that means harm."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fewest
from fewest.errors import DocumentError, FewestError, NotFoundError
from fewest.language.overlay import load_document
from fewest.language.schema import json_schema
from fewest.resources import models, puzzles

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
    assert (loaded.place(("names", "A")).line, loaded.place(("names", "A")).column) == (7, 12)
    assert loaded.key_place(("names", "A")).column == 9


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
    assert result.cost == 6  # A leaves diagonally, B follows: the goal of `base` is gone


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
        'puzzle: x\nvariables: {"v[i]": {for: {i: range(10 ** 5)}, values: range(9), initial: 0}}\n'
        'moves: {a: {set: {"v[0]": 1}}}\n',
        "puzzle: x\nvariables: {v: {values: range(10 ** 9), initial: 0}}\nmoves: {a: {set: {v: 1}}}\n",
        "puzzle: x\nvariables: {v: {values: range(3), initial: 0}}\n"
        "moves: {a: {for: {i: range(1000), j: range(1000), k: range(1000)}, set: {v: 1}}}\n",
        "puzzle: x\nvariables: {v: {values: range(3), initial: 0}}\nmoves: {a: {set: {v: 1}}}\n"
        "goal: sum(i * j for i in range(9999) for j in range(9999)) == v\n",
    ],
)
def test_documents_that_mean_harm_are_refused_quickly(text: str) -> None:
    began = time.perf_counter()
    with pytest.raises(DocumentError):
        compiled = fewest.load("harm.yaml", text=text)
        compiled.task  # noqa: B018
    assert time.perf_counter() - began < 5


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_random_bytes_are_a_document_error_or_a_document(raw: bytes) -> None:
    text = raw.decode("utf-8", "surrogateescape")
    try:
        fewest.load("random.yaml", text=text)
    except FewestError as error:
        assert str(error)


KEYS = ["puzzle", "model", "board", "legend", "pieces", "moves", "goal", "metrics", "expect", "terrain",
        "variables", "parameters", "forbid", "wrap", "metric", "names", "source"]  # fmt: skip
SCALARS = st.sampled_from(
    ["x", "sliding-blocks", "sokoban", "A.\nB.", "1", "-7", "null", "true", "{n}", "row(A) == 0", "[", "any",
     "A", "block", "{", "0.5", "~", "1e9", "range(3)", "\u00fc", "'"]
)  # fmt: skip
TREES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from([*KEYS, "A", "block", "slide", "before", "after", "at", "count",
                                       "every", "holds", "set", "when", "for", "letters", "x[i]"]), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


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
