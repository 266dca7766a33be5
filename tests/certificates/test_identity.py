"""`verify` prints the name from the certificate's documents, and the puzzle with which it compared these documents."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

import fewest
from fewest.certificates.embedded_puzzle import fingerprint
from fewest.commands.verify import Expected, Verification, verify_file
from fewest.errors import UsageError
from tests.helpers.certificates import Layers, apart, made, together
from tests.helpers.command_line import run

EASY = """
puzzle: {name}
title: {title}
model: rush-hour
board: |
  XX.
  ...
  ...
"""


def easy(name: str = "mine", title: str = "mine") -> fewest.CompiledPuzzle:
    """A puzzle with a minimum of one slide, and any name and title."""
    text = EASY.format(name=json.dumps(name), title=json.dumps(title))
    return fewest.load("mine.yaml", text=text)


def written(data: bytes, folder: Path) -> Path:
    path = folder / "some.proof"
    path.write_bytes(data)
    return path


def verified(data: bytes, folder: Path, expected: Expected | None = None) -> Verification:
    return verify_file(written(data, folder), expected=expected)


def test_a_shipped_puzzle_is_named_as_such(tmp_path: Path) -> None:
    found = verified(made(fewest.load("jugs"), tmp_path, "moves"), tmp_path)
    first = found.text()[0]
    assert first.startswith("jugs: 6 moves, and no fewer (verified in ")
    assert "; the shipped puzzle jugs" in first and "small=3, large=5, wanted=4" in first
    metric = fewest.load("jugs").puzzle.metrics["moves"]
    rules = fingerprint(fewest.load("jugs").puzzle, metric)
    assert f"fingerprint {rules[:12]}" in first and rules not in first
    data = found.to_json()
    assert data["rules"] == rules and data["documents"][0].startswith("puzzle: jugs")
    assert data["parameters"] == {"small": 3, "large": 5, "wanted": 4}
    assert data["compared_with"] == "the shipped puzzle jugs"


def test_the_header_gives_no_name_and_no_title(tmp_path: Path) -> None:
    """Nothing confirms the readable texts in the header, so `verify` does not print them."""
    header, sections = apart(made(easy(), tmp_path, "slides"))
    forged = replace(header, title="hardest-6x6", puzzle="hardest-6x6")
    found = verified(together(forged, sections), tmp_path)
    assert found.rejected is None
    assert "hardest" not in "\n".join(found.text())
    assert found.text()[0].startswith("mine: 1 slide, and no fewer (")
    assert "the certificate's own puzzle, compared with nothing" in found.text()[0]
    data = found.to_json()
    assert (data["puzzle"], data["title"]) == ("mine", "mine")


def test_a_board_with_the_title_of_another_puzzle_is_compared_with_nothing(tmp_path: Path) -> None:
    (first, *_) = verified(made(easy(title="hardest-6x6"), tmp_path, "slides"), tmp_path).text()
    assert first.startswith("mine: 1 slide, and no fewer (")
    assert 'the certificate\'s own puzzle, compared with nothing, titled "hardest-6x6"' in first
    assert "shipped" not in first


def test_a_board_with_the_name_of_a_shipped_puzzle_is_rejected(tmp_path: Path) -> None:
    found = verified(made(easy("hardest-6x6"), tmp_path, "slides"), tmp_path)
    assert (
        found.rejected is not None and "this is not a certificate of hardest-6x6" in found.rejected
    )
    assert found.exit_code == 1 and found.to_json()["compared_with"] is None
    header, sections = apart(made(easy("hardest-6x6"), tmp_path, "slides"))
    found = verified(together(replace(header, puzzle="mine"), sections), tmp_path)
    assert found.rejected is not None  # the name in the header makes no difference


@pytest.mark.parametrize(
    "name",
    [
        "hardest-6x6: 49 slides, and no fewer (verified in 0.1 s by the rules); the shipped puzzle hardest-6x6",
        'mine", the shipped puzzle',
        "mine\nhardest-6x6: 49 slides, and no fewer",
        "mine\x1b[2K\rhardest-6x6",
        "6x6-tsedrah\u202e",
        "hardest-6x6 ",
        "hardest-6x6 49 slides and no fewer as the shipped puzzle hardest-6x6",
        "hardest-6x6\u3164",
    ],
)
def test_a_name_cannot_pass_for_a_verdict(name: str, tmp_path: Path) -> None:
    try:
        data = made(easy(name, "a title\x1b]0;x\x07\n2 slides"), tmp_path, "slides")
    except fewest.FewestError:
        return  # the language does not allow this name
    lines = verified(data, tmp_path).text()
    assert all(line.isprintable() for line in lines)
    assert lines[0].count('"') in (2, 4), "a name that is no plain word is quoted"
    shown = "".join(lines[0].split('"')[::2])  # without the quoted parts
    assert "shipped" not in shown and "49 slides" not in shown
    assert "compared with nothing" in shown and len(lines) == 3


@pytest.mark.parametrize(
    "metric",
    [
        "slides, and no fewer (verified in 0.1 s by the rules); the shipped puzzle hardest-6x6",
        "slides and no fewer",
        'slides"; the shipped puzzle',
    ],
)
def test_a_metric_cannot_pass_for_a_verdict(metric: str, tmp_path: Path) -> None:
    text = f"""puzzle: mine
variables: {{a: {{values: [0, 1], initial: 0}}}}
moves: {{go: {{set: {{a: 1}}}}}}
metrics: {{{json.dumps(metric)}: {{count: 49}}}}
goal: a == 1
"""
    compiled = fewest.load("mine.yaml", text=text)
    for kinds in (("plan", "layers"), ("plan",), ("layers",)):
        first = verified(made(compiled, tmp_path, metric, *kinds), tmp_path).text()[0]
        quoted = first.split('"')
        assert len(quoted) == 3, first
        shown = "".join(quoted[::2])
        assert "shipped" not in shown and "compared with nothing" in shown
        assert shown.count("and no fewer") == (len(kinds) == 2)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("mine", "mine"),
        ("hardest-6x6 takes 49 slides", '"hardest-6x6 takes 49 slides"'),
        ('hardest-6x6" takes', '"hardest-6x6\' takes"'),
        ("mine\x1b[2Khardest-6x6", '"mine\ufffd[2Khardest-6x6"'),
    ],
)
def test_prove_prints_the_name_and_not_the_title(name: str, shown: str, tmp_path: Path) -> None:
    puzzle = easy(name, title="hardest-6x6")
    path = tmp_path / "some.proof"
    proof = puzzle.prove(path, "slides")
    assert proof.summary().startswith(f"{path}: {shown} takes 1 slide, plan and ")
    stopped = replace(proof, kinds=(), reason="time")
    assert stopped.summary().startswith(f"{shown}: ")
    with pytest.raises(UsageError) as error:
        puzzle.prove(path, "slides", kinds=("invariant",))
    assert str(error.value).startswith(f"{shown} is solvable")


def test_a_rejection_removes_control_characters_of_the_certificate(tmp_path: Path) -> None:
    header, sections = apart(made(easy(), tmp_path, "slides"))
    forged = replace(header, metric="slides\x1b[2J\nmine: 1 slide, and no fewer (verified")
    lines = verified(together(forged, sections), tmp_path).text()
    assert lines[0].endswith(
        ": rejected: the puzzle in the certificate has no metric `slides\ufffd[2J"
    )
    assert all(line.startswith("  ") and line.isprintable() for line in lines[1:])


def test_parameters_are_printed_and_can_be_bound(tmp_path: Path) -> None:
    data = made(fewest.load("machinarium-arrows", n=3), tmp_path, "moves")
    first = verified(data, tmp_path).text()[0]
    assert "the shipped puzzle machinarium-arrows" in first and ", n=3, " in first
    of = Expected("machinarium-arrows")
    assert "the puzzle given with --of, " in verified(data, tmp_path, of).text()[0]
    assert verified(data, tmp_path, Expected("machinarium-arrows", {"n": 3})).rejected is None
    found = verified(data, tmp_path, Expected("machinarium-arrows", {"n": 5}))
    assert found.rejected == "the certificate is for n=3, not for n=5"


def test_a_certificate_with_other_parameters_than_its_header_is_rejected(
    tmp_path: Path,
) -> None:
    header, sections = apart(made(fewest.load("machinarium-arrows", n=4), tmp_path, "moves"))
    for forged in ({"n": 5}, {"n": 4, "m": 1}, {}):
        found = verified(together(replace(header, parameters=forged), sections), tmp_path)
        assert found.rejected is not None, forged


def test_another_model_under_the_same_name_is_another_puzzle(tmp_path: Path) -> None:
    """The name of a model proves nothing, so the certificate and the fingerprint contain the text of the model."""
    puzzle, model, *more = fewest.load("bird").document.texts  # type: ignore[union-attr]
    header, sections = apart(made(fewest.load("bird"), tmp_path, "slides", "plan"))
    changed = replace(header, documents=(puzzle, model + "\nforbid: [{not: {all: []}}]\n", *more))
    assert verified(together(changed, sections), tmp_path).rejected is not None
    flat = "model: rush-hour\nlegend: {'.': floor, X: x, A: x}\npieces: {x: {}}\nmoves: {go: {slide: x, along: both}}\n"
    found = verified(together(replace(header, documents=(puzzle, flat)), sections), tmp_path)
    assert found.rejected is not None


def test_the_board_is_drawn_only_on_request(tmp_path: Path) -> None:
    path = str(written(made(easy(), tmp_path, "slides"), tmp_path))
    plain, drawn = run("verify", path), run("verify", path, "--show")
    assert plain.returncode == drawn.returncode == 0
    assert "XX." not in plain.stdout and "XX." in drawn.stdout
    assert "XX." in json.loads(run("verify", path, "--json").stdout)["board"]


def test_parameters_need_a_puzzle_that_has_them(tmp_path: Path) -> None:
    data = made(fewest.load("machinarium-arrows", n=3), tmp_path, "moves")
    path = str(written(data, tmp_path))
    done = run("verify", path, "--of", "machinarium-arrows", "--set", "n=3")
    assert done.returncode == 0 and "given with --of" in done.stdout
    done = run("verify", path, "--of", "machinarium-arrows", "--set", "m=3")
    assert done.returncode == 2 and "no parameter `m`" in done.stderr
    assert run("verify", path, "--set", "n=3").returncode == 2


def test_a_certificate_with_an_unplayable_puzzle_is_rejected(tmp_path: Path) -> None:
    """The puzzle divides by zero after a move, which the code that reads the document cannot detect."""
    text = (
        "puzzle: odd\nvariables: {a: {values: [0, 1, 2], initial: 1}, b: {values: [0, 1, 2], initial: 0}}\n"
        "moves: {down: {when: a > 0, set: {a: a - 1}}, odd: {set: {b: WHAT}}}\ngoal: b == 2\n"
    )
    compiled = fewest.load("odd", text=text.replace("WHAT", "2 // (a + 1)"))
    header, sections = apart(made(compiled, tmp_path, "moves", "plan"))
    broken = fewest.load("odd", text=text.replace("WHAT", "2 // a"))
    forged = replace(
        header,
        documents=broken.document.texts,  # type: ignore[union-attr]
        rules=fingerprint(broken.puzzle, broken.puzzle.metrics["moves"]),
    )
    path = written(together(forged, sections), tmp_path)
    for by in ("rules", "task"):
        done = run("verify", str(path), "--by", by)
        assert done.returncode == 1, done.stdout + done.stderr
        assert done.stdout.startswith(f"{path}: rejected: plan: ")
        assert (
            "the divisor must not be zero" in done.stdout and f"{path}, document 1:" in done.stdout
        )


def test_a_move_without_a_cost_is_printed_without_one(tmp_path: Path) -> None:
    """Without a plan, positions have no costs."""
    data = made(fewest.load("tiles-2x3-swapped"), tmp_path, "moves", "layers")
    header, _ = apart(data)
    layers = Layers.of(data, 0)
    layers.rows[0].pop(next(reversed(layers.rows[0])))
    found = verified(together(header, [layers.encode()]), tmp_path)
    assert found.rejected is not None and "at a cost of" not in found.rejected
    assert re.search(
        r"leads from position \d+ to position \d+ that no layer allows", found.rejected
    )


def test_a_label_and_the_names_of_the_size_leave_the_fingerprint_as_it_is() -> None:
    text = """puzzle: x
legend: {a: a, ".": floor}
pieces: {a: {}}
board: |
  a..
moves: {go: {before: [a, empty], after: [empty, a]}}
goal: {a: {at: [0, 2]}}
"""
    labelled = text.replace("[empty, a]}", "[empty, a], say: go on}")
    plain, other = (fewest.load("x.yaml", text=each).puzzle for each in (text, labelled))
    assert other.rules[0].guard.labels == ("go on",)
    assert "rows" not in plain.rules[0].guard.bindings[0]
    metric = plain.metrics["moves"]
    assert fingerprint(plain, metric) == fingerprint(other, metric)
