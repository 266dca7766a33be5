"""The workbench in a browser shows explanations, unique plans, boards that appear during a search, and boards of a
spec."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

import fewest
from fewest.commands.api import CompiledPuzzle
from fewest.commands.explanation import Removals
from fewest.commands.generate import generate
from fewest.commands.generate.documents import NamedBoard
from fewest.commands.generate.text import heading
from fewest.reading.board_spec import load_board_spec
from fewest.serve.handlers.check import check
from fewest.serve.handlers.workbench import FUNCTIONS, workbench
from tests.helpers.cells import ROOT
from tests.helpers.javascript import browser
from tests.helpers.served import Served
from tests.serve.test_workshop import Page

SPEC = (
    (ROOT / "docs" / "generate.md")
    .read_text(encoding="utf-8")
    .split("```text\n")[1]
    .partition("```")[0]
)


@pytest.fixture(scope="module")
def page(served: Served) -> Iterator[Page]:
    with browser(1200, 800, offline=False) as tab:
        yield Page(tab, served)


def begin(page: Page, function: str) -> str:
    """Start a request, and wait for its answer of one line."""
    page.tab.click("#tab-workbench")
    page.tab.select_option("#workbench-function", function)
    page.tab.click("#workbench")
    page.tab.wait_for_selector("#panel-workbench .verdict")
    return str(page.tab.inner_text("#panel-workbench .verdict"))


def test_the_parts_that_prevent_a_plan_are_drawn(page: Page) -> None:
    page.open("shipped/klotski/zou-tou-wu-lu")
    text = begin(page, "explain")
    assert "unsolvable" in text
    found = fewest.load("zou-tou-wu-lu").explain()
    assert found.removals is not None
    captions = page.tab.locator(".board-card figcaption").all_inner_texts()
    assert captions == [
        f"{one.minimum} {found.metric} · without {one}" for one in found.removals.found
    ]
    assert page.tab.locator(".board-card svg").count() == len(captions)


def test_an_argument_is_shown_in_words(page: Page) -> None:
    page.open("shipped/tiles/tiles-2x3-swapped")
    assert "even or odd" in begin(page, "explain")


def test_after_a_limit_the_page_claims_nothing_about_open_sets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiled = fewest.load("tiles-2x3-swapped")
    found = compiled.explain(always=True)
    assert compiled.document is not None
    given = {"function": "explain", "text": compiled.document.texts[0]}
    for removals, words in (
        (Removals(2, (), True, 10, 0, 0, None), "no removal of up to 2 parts"),
        (Removals(2, (), True, 10, 1, 0, None), "no decided removal of up to 2 parts"),
        (Removals(2, (), False, 10, 0, 0, "time"), "no decided removal of up to 2 parts"),
    ):
        answer = replace(found, reasons=(), removals=removals)
        monkeypatch.setattr(CompiledPuzzle, "explain", lambda *_, answer=answer, **__: answer)
        (line,) = workbench(given, None, lambda *_: None)["lines"]
        assert line.startswith(words)


def test_the_only_plan_and_its_bottlenecks(page: Page) -> None:
    page.open("shipped/rush-hour/bird")
    assert "the only plan, up to the order of independent moves" in begin(page, "unique")
    found = fewest.load("bird").solutions()
    assert page.tab.locator(".board-card").count() == len(found.bottlenecks)
    assert "2 lead away from the goal" in begin(page, "hard") + page.tab.inner_text(".report")


def test_the_workbench_shows_solved_boards_and_opens_one(page: Page) -> None:
    page.open("shipped/sliding/swap-corners")
    begin(page, "vary")
    boards = fewest.load("swap-corners").vary(each=5).boards
    shown = [one for one in boards if one.status in ("optimal", "limit")]
    assert page.tab.locator(".board-card").count() == len(shown)
    values = page.tab.locator(".board-card b").all_inner_texts()
    assert values == [
        str(one.minimum) for one in shown
    ]  # at the end, the boards are sorted, the hardest first
    page.tab.locator(".board-card button").first.click()
    page.checked()
    assert page.text.startswith("puzzle: swap-corners")
    assert page.tab.inner_text(".facts-line").count("mistake") == 0


def test_a_smaller_puzzle_opens_with_its_answers(page: Page) -> None:
    page.open("shipped/sokoban/microban-001")
    assert "still 8 pushes" in begin(page, "minimize")
    page.tab.locator(".board-card button").first.click()
    page.checked()
    assert "expect: {pushes: {value: 8" in page.text


def test_the_boards_of_a_spec_are_generated(page: Page) -> None:
    page.open("shipped/sokoban/microban-001")
    page.checked()
    page.write(SPEC)
    page.checked()
    assert page.tab.inner_text(".facts-line") == "a spec of boards · 5 letters in fill"
    metrics = page.tab.locator("#workbench-metric option").all_inner_texts()
    assert metrics == ["steps", "slides", "turns"]  # not the metrics of Sokoban
    text = begin(page, "generate")
    came: list[NamedBoard] = []
    found = generate(load_board_spec("spec.yaml", text=SPEC), show=came.append)
    assert heading(found) in text
    values = page.tab.locator(".board-card b").all_inner_texts()
    # At the end, the boards are sorted.
    minima = sorted((one.minimum for one in came), reverse=True)
    assert values == [f"{minimum} steps" for minimum in minima]
    page.tab.locator(".board-card button").first.click()
    page.checked()
    assert page.text.startswith("puzzle: ")


def test_the_best_boards_of_several_sizes_are_generated(page: Page) -> None:
    lines = SPEC.partition("board: |\n")
    rules = lines[2][lines[2].index("stuck_lines") :]
    page.open("shipped/rush-hour/bird")
    page.write(f"{lines[0]}sizes: {{rows: 4, columns: [4, 5]}}\n{rules}\nwant: {{minimum: 8}}\n")
    page.checked()
    text = begin(page, "generate")
    assert "jams-4x4-4x5: the best board needs 19 steps (proven" in text
    assert "jams-4x4-4x4: the best board needs 10 steps (proven" in page.tab.inner_text("body")
    values = page.tab.locator(".board-card b").all_inner_texts()
    assert "10 steps" in values
    assert all(int(value.split()[0]) >= 8 for value in values)


def test_the_check_of_a_spec_gives_the_places_of_its_mistakes() -> None:
    def mistakes(text: str) -> list[tuple[int, str]]:
        return [(one["line"], one["code"]) for one in check({"text": text}, None, None)["mistakes"]]

    assert mistakes(SPEC) == []
    line = SPEC.count("\n") + 1
    assert mistakes(f"{SPEC}want: {{minimun: 3}}\n") == [(line, "unknown-key")]
    assert mistakes(SPEC.replace("board: |", "bord: |"))[0] == (3, "unknown-key")
    pairs = "metrics: {steps: {}, pair: [steps, slides]}\nmetric: slides\n"
    assert check({"text": SPEC + pairs}, None, None)["spec"]["metrics"][0] == "slides"
    assert "pair" not in check({"text": SPEC + pairs}, None, None)["spec"]["metrics"]


def test_mistakes_and_unknown_functions_are_refused(page: Page) -> None:
    page.open("shipped/rush-hour/bird")
    assert "fill" in begin(page, "generate")
    assert sorted(FUNCTIONS) == ["explain", "generate", "hard", "minimize", "unique", "vary"]
    text = page.tab.evaluate(
        "new Promise((done) => new Run('workbench', { ...workshop.parameters(), function: 'no' },"
        " { refused: (data) => done(data.message) }).start())"
    )
    assert "no function" in text
