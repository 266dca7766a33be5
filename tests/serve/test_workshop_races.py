"""What the workshop shows and writes always belongs to the open document, whatever the order of answers and clicks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.helpers.javascript import browser
from tests.helpers.served import Served
from tests.serve.test_workshop import ENDLESS, Page

SMALL = """puzzle: small
model: sliding-blocks
board: |
  A..
goal: {A: {touches: right}}
"""
# This puzzle has no goal, and the name of its metric is markup.
AIMLESS = """puzzle: aimless
variables: {x: {values: range(3), initial: 0}}
moves: {go: {set: {x: (x + 1) % 3}}}
metrics: {"</title><b id=markup>": {}}
"""
ONE_MOVE = AIMLESS.replace('"</title><b id=markup>"', "moves") + "goal: x == 1\n"


@pytest.fixture(scope="module")
def page(served: Served) -> Iterator[Page]:
    with browser(1200, 800, offline=False) as tab:
        yield Page(tab, served)


def test_the_play_tab_shows_the_current_text_after_an_interrupted_request(page: Page) -> None:
    page.open("own/mine.yaml")
    page.tab.click("#tab-play")
    page.tab.wait_for_selector("#panel-play .board")
    page.tab.click("#tab-board")
    page.write(SMALL)
    page.tab.evaluate("workshop.choose('play'); workshop.choose('board')")  # before the answer
    page.tab.click("#tab-play")
    page.tab.wait_for_selector("#panel-play .status:has-text(' left')")
    assert page.tab.evaluate("workshop.playing.player.puzzle.name") == "small"
    page.tab.click("#tab-board")
    page.write("puzzle: small\n")
    page.tab.click("#tab-play")
    page.tab.wait_for_selector("#panel-play .note:has-text('mistakes')")
    assert page.tab.query_selector("#panel-play .player") is None


def test_the_distances_arrive_without_a_loss_of_the_moves_to_redo(page: Page) -> None:
    page.open("own/mine.yaml")
    page.write(SMALL)
    page.tab.click("#tab-play")
    page.tab.wait_for_selector("#panel-play .status:has-text(' left')")
    number = page.tab.evaluate(
        """async () => {
            const { playing } = workshop;
            playing.player.play(playing.player.game.task.legal(playing.player.game.now.state)[0]);
            playing.player.undo();
            const data = { ...playing.player.puzzle, task: playing.player.puzzle.task.data };
            const Running = Run;
            Run = class {
                constructor(request, parameters, handlers) { this.handlers = handlers; }
                start() {}
                drop() {}
            };
            playing.begin();
            playing.run.handlers.ready(data);
            playing.run.handlers.answer({ puzzle: data, note: "" });
            playing.run.handlers.ended();
            Run = Running;
            return playing.player.game.undone.length;
        }"""
    )
    assert number == 1
    assert page.tab.is_enabled("#panel-play [data-act=redo]")


def test_the_offer_to_overwrite_a_file_ends_when_another_is_opened(page: Page) -> None:
    path = page.served.folder / "asked.yaml"
    path.write_text(SMALL, encoding="utf-8")
    page.open("own/asked.yaml")
    page.write(SMALL + "# mine\n")
    path.write_text(SMALL + "# theirs\n", encoding="utf-8")
    page.tab.click("#save")
    page.tab.wait_for_selector(".toast:has-text('changed on disk')")
    page.tab.evaluate("workshop.openText('other', 'puzzle: other\\n')")
    assert page.tab.query_selector(".toast:has-text('changed on disk')") is None
    assert path.read_text(encoding="utf-8") == SMALL + "# theirs\n"
    path.unlink()


def test_two_saves_in_a_row_are_not_a_conflict(page: Page) -> None:
    path = page.served.folder / "twice.yaml"
    path.write_text(SMALL, encoding="utf-8")
    page.open("own/twice.yaml")
    page.tab.evaluate(
        """async () => {
            workshop.editor.rewrite(workshop.editor.text + "# one\\n");
            const first = workshop.persistence.save();
            workshop.editor.rewrite(workshop.editor.text + "# two\\n");
            await Promise.all([first, workshop.persistence.save()]);
        }"""
    )
    assert page.tab.query_selector(".toast.bad") is None
    assert path.read_text(encoding="utf-8") == SMALL + "# one\n# two\n"
    assert "●" not in page.tab.title()
    path.unlink()


def test_an_unsaved_puzzle_can_be_opened_again(page: Page) -> None:
    page.open("own/mine.yaml")
    page.tab.evaluate("(text) => workshop.openText('mine', text)", SMALL + "# mine\n")
    page.tab.evaluate("(text) => workshop.openText('hardest', text)", SMALL)
    page.tab.click(".toast button:has-text('Open it again')")
    assert page.text == SMALL + "# mine\n"


def test_the_last_chosen_puzzle_is_open_whatever_arrives_last(page: Page) -> None:
    page.open("own/mine.yaml")
    name = page.tab.evaluate(
        """async () => {
            const slow = query;
            query = async (...given) => {
                const answer = await slow(...given);
                if (given[1].ref === "shipped/variables/hanoi") await new Promise((done) => setTimeout(done, 300));
                return answer;
            };
            const both = ["shipped/variables/hanoi", "own/mine.yaml"].map((ref) => workshop.openRef(ref));
            await Promise.all(both);
            query = slow;
            return workshop.file.ref;
        }"""
    )
    assert name == "own/mine.yaml"


def test_a_puzzle_without_a_goal_is_not_called_unsolvable(page: Page) -> None:
    page.open("own/mine.yaml")
    page.write(AIMLESS)
    page.tab.click("#tab-explore")
    page.tab.click("#explore")
    page.tab.wait_for_selector("#panel-explore .figures")
    figures = page.tab.inner_text("#panel-explore .figures")
    assert "no goal" in figures and "unsolvable" not in figures
    assert page.tab.query_selector("#markup") is None


def test_only_a_proven_cost_is_shown_without_a_sign(page: Page) -> None:
    page.open("own/mine.yaml")
    page.write(ONE_MOVE)
    page.tab.click("#tab-solve")
    page.tab.click("#solve")
    page.tab.wait_for_selector("#panel-solve .verdict")
    assert page.tab.inner_text("#panel-solve .verdict").startswith("1 move\n")
    text = page.tab.evaluate(
        """() => [["optimal", 3, 3], ["solved", 3, 1], ["limit", [8, 33], [8, 30]], ["limit", null, 2],
            ["limit", null, 0], ["unsolvable", null, 0], ["failed", null, null]]
            .map(([status, cost, lower_bound]) => boundWords({ status, cost, lower_bound }))"""
    )
    assert text == ["3", "≤ 3", "≤ 8 + 33", "≥ 2", "", "unsolvable", ""]


def test_a_connection_that_ends_before_the_answer_is_reported(page: Page) -> None:
    page.open("own/mine.yaml")
    text = page.tab.evaluate(
        """async () => {
            const fetching = window.fetch;
            window.fetch = async () => new Response('event: begun\\ndata: {"id": "x"}\\n\\n');
            const heard = [];
            await new Run("solve", {}, { refused: ({ message }) => heard.push(message) }).start();
            window.fetch = fetching;
            return heard;
        }"""
    )
    assert text == ["the connection ended before the answer"]


def test_the_page_shows_the_boards_of_the_highest_ranks(page: Page) -> None:
    page.open("own/mine.yaml")
    ranks = page.tab.evaluate(
        """() => {
            const bench = workshop.panels.workbench;
            bench.cards = element("div");
            const card = (rank) => bench.card({ picture: "", value: "", caption: "", rank });
            for (let i = 0; i < MOST_CARDS; i++) card(i < 2 ? i : 7);
            card(8);
            return [...bench.cards.children].map((card) => Number(card.dataset.rank));
        }"""
    )
    assert sorted(ranks) == [1, *[7] * 118, 8]


def test_an_unsaved_text_belongs_to_one_folder(page: Page) -> None:
    page.open("own/mine.yaml")
    page.write(page.text + "# here\n")
    found = page.tab.evaluate(
        """() => {
            workshop.persistence.now();
            const { persistence } = workshop;
            const drafts = () => [persistence.draft("own/mine.yaml") !== null, persistence.last() !== null];
            const here = drafts();
            const { place } = workshop.about;
            workshop.about.place = "another folder";
            const there = drafts();
            workshop.about.place = place;
            return [here, there];
        }"""
    )
    assert found == [[True, True], [False, False]]
    page.tab.evaluate("localStorage.clear(); sessionStorage.clear()")


def test_the_plan_is_controlled_by_keys_after_a_press_on_a_button(page: Page) -> None:
    page.open("own/mine.yaml")
    page.write(SMALL)
    page.tab.click("#tab-solve")
    page.tab.click("#solve")
    page.tab.wait_for_selector("#panel-solve .player")
    page.tab.evaluate("workshop.panels.solve.player.show(0); workshop.panels.solve.player.stop()")
    page.tab.focus("#solve")
    page.tab.keyboard.press("PageDown")
    assert "step 1 of" in page.tab.inner_text("#panel-solve .status")


def test_a_file_that_is_not_utf_8_is_replaced_only_on_request(page: Page) -> None:
    path = page.served.folder / "latin.yaml"
    text = SMALL + "# Gr\xfcn\n"
    path.write_bytes(text.encode("latin-1"))
    page.open("own/latin.yaml")
    assert page.tab.locator(".problems li").count() == 1
    page.tab.click("#save")
    page.tab.wait_for_selector(".toast:has-text('not UTF-8')")
    assert path.read_bytes() == text.encode("latin-1")
    page.tab.click(".toast button:has-text('Save it anyway')")
    page.tab.wait_for_selector(".toast:has-text('Saved')")
    assert path.read_text(encoding="utf-8") == text.replace("\xfc", "\ufffd")
    page.tab.wait_for_selector(".problems li", state="detached")
    path.unlink()


def test_the_play_tab_reports_that_the_text_has_changed_while_it_was_read(page: Page) -> None:
    page.open("own/mine.yaml")
    page.write(SMALL)
    page.tab.click("#tab-play")
    page.tab.wait_for_selector("#panel-play .status:has-text(' left')")
    page.tab.click("#tab-board")
    page.write(SMALL + "# more\n")
    page.tab.evaluate("workshop.choose('play'); workshop.editor.rewrite('puzzle: other')")
    page.tab.evaluate(
        "() => new Promise((done) => { workshop.playing.run.handlers.ended = done; })"
    )
    assert "text has changed" in page.tab.inner_text("#panel-play .note")


def test_a_request_that_begins_again_leaves_only_the_last_answer(page: Page) -> None:
    page.open("own/mine.yaml")
    page.write(ENDLESS)
    page.tab.evaluate("workshop.editor.view.focus()")
    page.tab.keyboard.press("Control+Enter")
    page.tab.wait_for_selector("#panel-solve .progress:has-text('positions')")
    page.tab.evaluate("window.older = workshop.panels.solve.run")
    page.write(ONE_MOVE)
    page.tab.evaluate("workshop.editor.view.focus()")
    page.tab.keyboard.press("Control+Enter")
    page.tab.wait_for_selector("#panel-solve .verdict strong")
    assert page.tab.evaluate("[window.older.isOver, workshop.panels.solve.run]") == [True, None]
    assert page.tab.inner_text("#panel-solve .verdict strong") == "1"


def test_the_keyboard_paints_several_cells(page: Page) -> None:
    page.open("own/mine.yaml")
    page.write(SMALL)
    page.tab.locator(".cells").focus()
    page.tab.keyboard.press("ArrowRight")
    page.tab.keyboard.press("#")
    page.checked()
    page.tab.keyboard.press("ArrowRight")
    page.tab.keyboard.press("#")
    assert "  A##\n" in page.text
