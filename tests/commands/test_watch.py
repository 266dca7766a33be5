"""Each time a document is saved, messages about it are printed."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from fewest.commands.watch import SavedDocument, changes, look_at, stamp
from tests.helpers.command_line import begun, run

FIRST = """puzzle: mine
model: sliding-blocks
board: |
  A..
  ...
goal: {A: {at: [1, 2]}}
expect: {steps: 4}
"""


def seen(path: Path) -> SavedDocument:
    return look_at(path, {}, None, 10, None)


def test_a_report_has_the_board_the_answer_and_what_was_expected(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(FIRST)
    report = seen(path)
    assert report.board == ["A..", "..."]
    assert report.result is not None and report.result.cost == 3
    assert report.answers() == ["expected 4 steps, found 3"]
    assert changes(None, report) == []


def test_only_a_contradiction_is_reported_as_wrong(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(FIRST.replace("steps: 4", "steps: 2"))
    report = seen(path)
    assert report.result is not None
    stopped = replace(report, result=replace(report.result, status="limit", reason="time"))
    assert report.answers() == ["expected 2 steps, found 3"]
    assert stopped.answers() == []  # a cheaper plan may exist
    assert changes(report, stopped) == ["answer: 3 steps → at most 3 steps"]
    path.write_text(FIRST)
    again = seen(path)
    assert replace(again, result=stopped.result).answers() == ["expected 4 steps, found 3"]
    path.write_text(FIRST.replace("steps: 4", "unsolvable: true"))
    assert seen(path).answers() == ["expected unsolvable, found 3 steps"]
    path.write_text(FIRST.replace("  A..\n  ...", "  A#.\n  .#."))
    assert seen(path).answers() == ["expected 4 steps, found unsolvable"]


def test_changes_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(FIRST)
    before = seen(path)
    path.write_text(FIRST.replace("A..", ".A."))
    now = seen(path)
    assert changes(before, now) == ["board - A..", "board + .A.", "answer: 3 steps → 2 steps"]
    path.write_text(FIRST.replace("goal: ", "gaol: "))
    wrong = seen(path)
    assert wrong.compiled is None and "error[unknown-key]" in wrong.mistakes
    assert changes(now, wrong) == []
    fixed = changes(wrong, now)
    assert fixed[0].startswith("gone: error[unknown-key]")
    path.write_text(
        FIRST.replace("goal: {A: {at: [1, 2]}}\n", "").replace("expect: {steps: 4}\n", "")
    )
    assert changes(now, seen(path))[-1] == "answer: 2 steps → no goal"


def test_a_new_mistake_that_hides_an_earlier_one_does_not_end_it(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(FIRST.replace("goal: ", "gaol: "))
    before = seen(path)
    path.write_text(FIRST.replace("goal: ", "gaol: ").replace("puzzle: ", "puzzle: ["))
    now = seen(path)
    assert now.compiled is None and "unknown-key" not in now.mistakes
    assert changes(before, now) == []
    path.unlink()
    assert changes(before, seen(path)) == []


def test_a_warning_does_not_disappear_if_an_error_stops_the_reading(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(FIRST + 'legend: {"%": block}\n')
    before = seen(path)
    warned = [d for d in before.diagnostics if d.severity == "warning"]
    path.write_text(FIRST.replace("goal: ", "gaol: "))
    assert not [line for line in changes(before, seen(path)) if line.startswith("gone: warning")]
    assert warned, "the first document has a warning"


def test_a_model_beside_it_is_watched_too(tmp_path: Path) -> None:
    model, path = tmp_path / "rules.yaml", tmp_path / "mine.yaml"
    model.write_text("model: rules\nextends: sliding-blocks\n")
    path.write_text(FIRST.replace("sliding-blocks", "./rules.yaml"))
    report = seen(path)
    assert {file.resolve() for file in report.files} >= {path, model}
    before = stamp(report.files)
    model.write_text("model: rules\nextends: sliding-blocks\nnotes: changed\n")
    assert stamp(report.files) != before
    model.unlink()
    assert stamp(report.files) != before


def test_watching_continues_until_an_interrupt(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(FIRST)
    with begun("watch", str(path)) as process:
        assert process.stdout is not None

        def until(text: str) -> None:
            end = time.monotonic() + 20
            while time.monotonic() < end:
                if text in process.stdout.readline():
                    return
            pytest.fail(f"{text} was never said")

        until("3 steps (proven minimal")
        path.write_text(FIRST.replace("A..", ".A."))
        until("2 steps (proven minimal")
        until("answer: 3 steps → 2 steps")
        path.write_text("puzzle: [")
        until("error[yaml-syntax]")
        process.send_signal(signal.SIGINT)
        assert process.wait(5) == 0


def test_a_missing_file_cannot_be_watched() -> None:
    done = run("watch", "nowhere.yaml")
    assert done.returncode == 3 and "there is no file nowhere.yaml" in done.stderr
