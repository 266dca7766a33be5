"""No conclusion follows from a search that Ctrl-C or a limit cut short. Ctrl-C in one search ends the whole command."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import fewest
from fewest.commands import prove as proving
from fewest.commands import solutions as plans
from fewest.commands.check import DocumentCheck, Effort, check_documents, exit_code
from fewest.commands.generate import documents, find_best_of_all, generate
from fewest.commands.prove_and_verify import certify
from fewest.engines import registry
from fewest.errors import Exit
from fewest.model.answer import Answer, LimitReached
from fewest.reading.board_spec import load_board_spec
from fewest.web.page import PageOptions, chapter
from tests.commands.generate.spec_cases import SLIDING

REASONS = ["interrupted", "memory"]


class Stopping:
    """Runs the engines until `calls` answers have been found; then, one answer has this reason."""

    def __init__(self, patch: pytest.MonkeyPatch, reason: str, calls: int) -> None:
        self.reason, self.calls, self.has_stopped = reason, calls, False
        real = registry.implementation

        def implementation(name: str) -> Any:
            return self if self._is_next() else real(name)

        patch.setattr(registry, "implementation", implementation)
        counted = plans.find_solutions

        def find_solutions(*args: Any) -> Any:
            found = counted(*args)
            if not self._is_next():
                return found
            return msgspec.structs.replace(
                found, status="limit", num_plans=None, num_traces=None, reason=reason
            )

        patch.setattr(plans, "find_solutions", find_solutions)

    def _is_next(self) -> bool:
        self.calls -= 1
        self.has_stopped = self.has_stopped or self.calls == -1
        return self.calls == -1

    def solve(self, *_: object, **__: object) -> Answer:
        return Answer("limit", None, (1,), None, self.reason)


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize("wanted", ["unique", "no_redundant_piece", "no_redundant_wall"])
def test_no_board_is_judged_by_an_unfinished_search(
    wanted: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = load_board_spec("spec.yaml", text=f"{SLIDING}want: {{{wanted}: true}}\n")
    right = {board.position for board in find_best_of_all(spec, best=1000).boards}
    num_stopped = 0
    for calls in range(4):
        with monkeypatch.context() as patch:
            stopping = Stopping(patch, reason, calls)
            found = find_best_of_all(spec, best=1000)
        assert found.reason == (reason if stopping.has_stopped else None)
        assert {board.position for board in found.boards} <= right
        num_stopped += stopping.has_stopped
    assert num_stopped > 0


@pytest.mark.parametrize("reason", REASONS)
def test_a_document_that_could_not_be_checked_is_not_written(
    reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = load_board_spec("spec.yaml", text=SLIDING)
    boards = list(documents.records_of(generate(spec)))
    Stopping(monkeypatch, reason, 0)
    with pytest.raises(KeyboardInterrupt if reason == "interrupted" else LimitReached):
        list(documents.write_documents(spec, boards, tmp_path))
    assert list(tmp_path.iterdir()) == []


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def test_the_name_of_a_certificate_that_was_not_written_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = load_board_spec("spec.yaml", text=SLIDING)
    boards = list(documents.records_of(generate(spec)))
    monkeypatch.setattr(proving, "encode_certificate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        list(documents.write_documents(spec, boards, tmp_path, certificates=True))
    assert [path.suffix for path in tmp_path.iterdir()] == [".yaml"]


def in_a_chapter(name: str) -> None:
    chapter(fewest.load(name), PageOptions())


def in_a_check(name: str) -> None:
    list(check_documents([Path(fewest.load(name).puzzle.file), Path("other.yaml")], Effort()))


@pytest.mark.parametrize("calls", [0, 1])
@pytest.mark.parametrize("work", [in_a_chapter, in_a_check])
def test_ctrl_c_in_one_search_ends_the_command(
    work: Callable[[str], None], calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    Stopping(monkeypatch, "interrupted", calls)
    with pytest.raises(KeyboardInterrupt):
        work("bird")  # it has several metrics and known answers


@pytest.mark.parametrize(
    "extra", ['tests:\n- {board: "#$@ .#", gives: dead}\n', "expect: {plans: 1}\n"]
)
def test_ctrl_c_in_a_rule_test_or_in_counting_plans_ends_a_check(
    extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(f'puzzle: mine\nmodel: sokoban\nboard: "@$.#"\n{extra}')
    assert exit_code(list(check_documents([path], Effort()))) == Exit.ANSWERED
    Stopping(monkeypatch, "interrupted", 0)
    with pytest.raises(KeyboardInterrupt):
        list(check_documents([path], Effort()))


def test_a_limit_in_a_check_leaves_its_answer_open(monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(fewest.load("bird").puzzle.file)
    Stopping(monkeypatch, "time", 0)
    (done,) = check_documents([path], Effort())
    assert exit_code([done]) == Exit.LIMIT


def test_an_interrupted_certificate_leaves_no_file_and_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proving, "encode_certificate", interrupted)
    puzzle = fewest.load("jugs")
    done = puzzle.prove(tmp_path / "jugs.proof")
    assert (done.reason, done.exit_code, list(tmp_path.iterdir())) == (
        "interrupted",
        Exit.LIMIT,
        [],
    )
    assert "6 moves (proven minimal" in done.summary()
    assert "interrupted before the certificate was complete; nothing was written" in done.summary()
    assert done.to_json()["lower_bound"] == 6
    with pytest.raises(KeyboardInterrupt):
        certify(puzzle, None)


def test_a_search_that_stops_before_its_certificate_shows_its_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Stopping(monkeypatch, "interrupted", 0)
    done = fewest.load("jugs").prove(tmp_path / "jugs.proof")
    assert done.summary().endswith(
        ": interrupted; no plan found, at least 1 move is needed (proven); nothing was written"
    )


def test_after_ctrl_c_a_parallel_check_reports_every_finished_document() -> None:
    paths = [Path("first.yaml"), Path("second.yaml"), Path("third.yaml")]

    def parallel_map(*_: object) -> Iterator[tuple[int, DocumentCheck]]:
        for number in (2, 1):
            yield number, DocumentCheck(str(paths[number]), False)
        raise KeyboardInterrupt

    seen = []
    with pytest.raises(KeyboardInterrupt):
        for done in check_documents(paths, Effort(), parallel_map):
            seen.append(done.path)
    assert seen == ["second.yaml", "third.yaml"]
