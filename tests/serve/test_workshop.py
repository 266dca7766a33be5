"""The workshop in a browser shows diagnostics, and can paint, solve, save and share puzzles on screens of all sizes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import fewest
from tests.helpers.cells import BAD, ROOT
from tests.helpers.errors_doc import diagnostics_of
from tests.helpers.javascript import browser
from tests.helpers.served import Served, is_running, seconds_until_gone

FILES = sorted(path for path in BAD.glob("*.yaml") if path.is_file())
ENDLESS = (ROOT / "puzzles" / "tiles" / "korf-001.yaml").read_text(encoding="utf-8")


class Page:
    """A tab of the workshop."""

    def __init__(self, tab: Any, served: Served) -> None:
        self.tab, self.served = tab, served

    def open(self, ref: str) -> None:
        """Open a puzzle. Only the first call loads the page; later calls discard unsaved changes."""
        if self.tab.url.startswith(self.served.address):
            self.tab.evaluate("localStorage.clear(); workshop.file = null")
            self.tab.evaluate("(ref) => workshop.openRef(ref)", ref)
        else:
            self.load(f"#{ref}")
        self.checked()

    def load(self, link: str) -> None:
        """Load the page from the given address."""
        self.tab.goto("about:blank")
        self.tab.goto(f"{self.served.address}{link}")
        self.tab.wait_for_selector("html[data-ready]")

    def paint(self, row: int, column: int) -> None:
        """Click a cell."""
        place = self.tab.evaluate(
            """(cell) => {
                const node = document.querySelector(`polygon[data-cell="${cell}"]`);
                node.scrollIntoView({ block: "nearest" });
                const box = node.getBoundingClientRect();
                return [box.x + box.width / 2, box.y + box.height / 2];
            }""",
            f"{row},{column}",
        )
        self.tab.mouse.click(*place)

    def checked(self) -> None:
        self.tab.wait_for_selector(".bench[data-checked=all]")

    @property
    def text(self) -> str:
        return str(self.tab.evaluate("workshop.editor.text"))

    def write(self, text: str) -> None:
        self.tab.evaluate("(text) => workshop.editor.rewrite(text)", text)
        self.checked()


@pytest.fixture(scope="module")
def page(served: Served) -> Iterator[Page]:
    with browser(1200, 800, offline=False) as tab:
        yield Page(tab, served)


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def test_the_mistakes_that_check_reports_are_underlined(page: Page) -> None:
    page.open("own/mine.yaml")
    found = page.tab.evaluate(
        """async (names) => {
            const all = {};
            for (const name of names) {
                workshop.open({ ...(await query("opened", { ref: `own/bad/${name}` })), saved: null });
                await workshop.check.run(true);
                const seen = [];
                Editor.forEachDiagnostic(workshop.editor.view.state, (d, from, to) => seen.push([d.source, from, to]));
                all[name] = { seen, marks: document.querySelectorAll(".cm-lintRange, .cm-lintPoint").length };
            }
            return all;
        }""",
        [path.name for path in FILES],
    )
    for path in FILES:
        lines = path.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n").split("\n")
        expected = set()
        for one in diagnostics_of(path):
            # These warnings need a search, but the editor does not run a search.
            if one.code in ("rule-unused", "forbid-unused"):
                continue
            if (
                Path(one.file).name != path.name
            ):  # the place is in a model that the document extends
                expected.add((one.code, 0))
                continue
            before = "\n".join([*lines[: one.line - 1], ""]) if one.line > 1 else ""
            line = lines[one.line - 1] if one.line <= len(lines) else ""
            expected.add((one.code, units(before + line[: one.column - 1])))
        seen = found[path.name]["seen"]
        assert {(code, start) for code, start, _ in seen} == expected, path.name
        assert found[path.name]["marks"] > 0 or not expected, path.name


def test_a_mistake_is_underlined_until_it_is_corrected(page: Page) -> None:
    page.open("own/mine.yaml")
    page.tab.evaluate("workshop.editor.goTo(workshop.editor.text.indexOf('sliding-blocks'))")
    page.tab.keyboard.type("x")
    page.tab.wait_for_selector(".cm-lintRange-error")
    assert "xsliding-blocks" in page.tab.inner_text(".problems")
    page.tab.keyboard.press("Backspace")
    page.tab.wait_for_selector(".facts-line.good")
    assert page.tab.query_selector(".cm-lintRange-error") is None


def test_the_words_of_the_schema_are_offered_where_they_fit(page: Page) -> None:
    page.open("own/mine.yaml")
    places = {
        "puzzle: x\nmo|": {"model", "moves"},
        "puzzle: x\nmodel: slid|": {"sliding-blocks"},
        "puzzle: x\nmetrics:\n  a: {me|": {"merge"},
        "puzzle: x\nmetrics:\n  a: {merge: |": {"line", "path", "none"},
        "puzzle: x\nmoves:\n  push:\n    be|": {"before"},
        "puzzle: x\ngoal:\n  A: {tou|": {"touches"},
        "puzzle: x\ngoal: {A: {touches: r|": {"right"},
        "puzzle: x\nboard: |\n  ab|": set(),
        "puzzle: x\ntitle: 'mo|": set(),
    }
    for text, wanted in places.items():
        at = text.rindex("|")
        offered = page.tab.evaluate(
            """([text, at]) => {
                const { completion } = workshop.editor;
                const found = completion.complete({ state: { doc: text }, pos: at, explicit: true });
                return found === null ? [] : found.options.map((option) => option.label);
            }""",
            [text[:at] + text[at + 1 :], at],
        )
        assert wanted <= set(offered), (text, offered)
        assert wanted or not offered, (text, offered)


@pytest.mark.parametrize(
    "ref", ["own/mine.yaml", "shipped/sokoban/microban-002", "shipped/tiles/fifteen-15"]
)
def test_painting_a_cell_changes_exactly_its_characters(page: Page, ref: str) -> None:
    page.open(ref)
    before = page.text
    cells = page.tab.evaluate("workshop.painter.cells")
    marks = sorted({cell[6] for cell in cells} - {" "})
    rng = random.Random(1)
    for cell in rng.sample(cells, 4):
        row, column, _, _, start, end, mark = cell
        brush = rng.choice([m for m in marks if m != mark])
        page.tab.click(f'[data-brush="{brush}"]')
        page.paint(row, column)
        assert page.text == before[:start] + brush + before[end:], cell
        page.checked()
        page.tab.evaluate("workshop.editor.view.focus()")
        page.tab.keyboard.press("Control+z")
        assert page.text == before
        page.checked()


def test_painting_continues_after_a_stroke_that_causes_a_mistake(page: Page) -> None:
    page.open("own/mine.yaml")
    before = page.text
    page.tab.fill(".other", "!")
    page.paint(4, 0)
    page.checked()
    assert "board-character" in page.tab.inner_text(".problems")
    page.tab.click('[data-brush="I"]')
    page.paint(4, 0)
    assert page.text == before
    page.checked()


@pytest.mark.parametrize(
    ("board", "brush", "wanted"),
    [
        ("|\n  A.\n", "#", "|\n  A#\n"),
        ("|\n  A.\n", "ab", "|\n  A.\n"),  # one character per cell
        ("[[A, .]]\n", "#", '[[A, "#"]]\n'),
        ("[[A, .]]\n", "ab", "[[A, ab]]\n"),
        ("[[A, .]]\n", ", x", '[[A, ", x"]]\n'),
        ('"A."\n', '"', '"A\\""\n'),
        ("'A.'\n", "'", "'A'''\n"),
        ("A.\n", ":", "A.\n"),  # the text would no longer be a drawing
        ("A.\n", "B", "AB\n"),
    ],
)
def test_painting_writes_yaml_in_the_notation_of_the_board(
    page: Page, board: str, brush: str, wanted: str
) -> None:
    page.open("own/mine.yaml")
    page.write(f"puzzle: x\nboard: {board}")
    page.tab.fill(".other", brush)
    page.paint(0, 1)
    assert page.text == f"puzzle: x\nboard: {wanted}"
    page.checked()


def test_painting_by_keys(page: Page) -> None:
    page.open("own/mine.yaml")
    lines = page.text.split("\n")
    page.tab.locator(".cells").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "#"):
        page.tab.keyboard.press(key)
    changed = page.text.split("\n")
    assert [i for i, pair in enumerate(zip(lines, changed, strict=True)) if len(set(pair)) > 1] == [
        6
    ]
    assert (lines[6], changed[6]) == ("  DFFE", "  D#FE")


def test_a_plan_is_found_shown_and_played_on_from(page: Page) -> None:
    page.open("shipped/rush-hour/exit-cell")
    compiled = fewest.load("exit-cell")
    cost = compiled.solve().cost
    page.tab.click("#tab-solve")
    page.tab.click("#solve")
    page.tab.wait_for_selector(".verdict.good")
    assert page.tab.inner_text(".verdict strong") == str(cost)
    page.tab.evaluate("workshop.panels.solve.player.stop(); workshop.panels.solve.player.show(2)")
    assert "step 2 of" in page.tab.inner_text("#panel-solve .status")
    page.tab.click("#play-from")
    page.tab.wait_for_selector("#panel-play .status:has-text('left')")
    assert page.tab.inner_text("#panel-play .status").startswith(f"{int(str(cost)) - 2} ")
    page.tab.click("#panel-play [data-act=hint]")
    assert page.tab.inner_text("#panel-play .live").startswith("Look at")


def test_cancelling_ends_the_process(page: Page) -> None:
    page.open("own/mine.yaml")
    page.write(ENDLESS)
    page.tab.click("#tab-solve")
    page.tab.select_option("#solve-engine", "bfs")
    page.tab.click("#solve")
    page.tab.wait_for_selector(".progress:has-text('positions')")
    id_ = "workshop.panels.solve.run.id"
    assert page.tab.evaluate(id_) is not None
    page.tab.click("#solve")
    page.tab.wait_for_selector("#solve:has-text('Solve')")
    page.tab.wait_for_selector("#panel-solve .verdict")


def test_engines_are_compared_and_positions_explored(page: Page) -> None:
    page.open("shipped/sliding/swap-corners")
    page.tab.click("#tab-compare")
    page.tab.evaluate(
        "workshop.panels.compare.boxes.forEach(({ box }) => {"
        " box.checked = ['bfs', 'python'].includes(box.value); })"
    )
    page.tab.click("#compare")
    page.tab.wait_for_selector("#panel-compare .verdict")
    assert (
        page.tab.inner_text("#panel-compare .verdict small") == "All engines that answered agree."
    )
    assert page.tab.locator(".engines-table tbody tr").count() == 2
    assert page.tab.locator(".chart.times rect").count() == 2
    page.tab.click("#tab-explore")
    page.tab.click("#explore")
    page.tab.wait_for_selector("#hardest")
    found = fewest.load("swap-corners").explore()
    assert f"{found.num_states:,}" in page.tab.inner_text(".figures")
    assert page.tab.locator("#panel-explore figure").first.locator("rect").count() == len(
        found.goal_distances.histogram if found.goal_distances else ()
    )
    page.tab.click("#hardest")
    page.checked()
    assert page.text.startswith("puzzle: swap-corners-hardest")


def test_unsaved_text_survives_a_reload_in_its_own_tab(page: Page) -> None:
    page.open("own/mine.yaml")
    other = Page(page.tab.context.new_page(), page.served)
    other.open("own/windows.yaml")
    page.write(page.text + "# one\n")
    other.write(other.text + "# two\n")
    for tab, words in ((page, "# one\n"), (other, "# two\n")):
        tab.tab.reload()
        tab.tab.wait_for_selector("html[data-ready]")
        tab.checked()
        assert tab.text.endswith(words)
        assert "●" in tab.tab.title()
    assert "# two" not in page.text
    other.tab.close()
    again = Page(page.tab.context.new_page(), page.served)
    again.open("own/windows.yaml")  # the page offers the unsaved text of a closed tab
    assert again.text.endswith("# two\n")
    again.tab.click(".toast button")
    assert "# two" not in again.text
    again.tab.close()
    page.tab.evaluate("localStorage.clear(); sessionStorage.clear()")


def test_saving_and_a_file_that_changed_meanwhile(page: Page) -> None:
    name = "saved.yaml"
    path = page.served.folder / name
    page.open("shipped/variables/hanoi")
    page.tab.keyboard.press("Control+s")
    page.tab.fill("#file-name", name)
    page.tab.keyboard.press("Enter")
    page.tab.wait_for_selector(".toast:has-text('Saved')")
    assert path.read_text(encoding="utf-8") == page.text
    path.write_text("puzzle: other\n", encoding="utf-8")
    page.write(page.text + "# more\n")
    page.tab.click("#save")
    page.tab.click(".toast:has-text('changed on disk') button")
    page.tab.wait_for_selector(".toast:has-text('Saved') >> nth=1")
    assert path.read_text(encoding="utf-8") == page.text
    path.unlink()


def test_a_text_that_is_opened_during_a_save_is_not_linked_to_the_saved_file(page: Page) -> None:
    path = page.served.folder / "saved.yaml"
    path.write_text("puzzle: saved\n", encoding="utf-8")
    page.open("own/saved.yaml")
    opened = page.tab.evaluate(
        """async () => {
            workshop.editor.rewrite("puzzle: saved\\n# more\\n");
            const saved = workshop.persistence.write("saved.yaml", workshop.file.digest);
            workshop.openText("other", "puzzle: other\\n");
            await saved;
            return [workshop.file.ref, workshop.file.name, workshop.file.saved];
        }"""
    )
    assert opened == [None, "other.yaml", None]
    assert path.read_text(encoding="utf-8") == "puzzle: saved\n# more\n"
    path.unlink()


def test_an_answer_about_an_older_text_is_marked(page: Page) -> None:
    page.open("shipped/variables/hanoi")
    text = page.text
    page.tab.click("button[role=tab]:has-text('Solve')")
    page.tab.click("#solve")
    page.tab.wait_for_selector("#play-from")
    assert page.tab.query_selector(".result.outdated") is None
    page.write(text + "# more\n")
    assert page.tab.is_disabled("#play-from")
    assert page.tab.is_visible(".outdated-note:not([hidden])")
    page.write(text)
    assert page.tab.is_enabled("#play-from")
    assert page.tab.query_selector(".result.outdated") is None


def test_a_link_contains_the_whole_puzzle(page: Page) -> None:
    page.open("own/mine.yaml")
    text = page.text + "# 曹操 𝄞\n"
    page.write(text)
    page.tab.click("#share")
    link = page.tab.input_value("#link")
    page.tab.keyboard.press("Escape")
    page.tab.evaluate("localStorage.clear(); sessionStorage.clear()")
    assert len(link) < 1500
    page.load(link.removeprefix(page.served.address))
    page.checked()
    assert page.text == text
    for broken in ("#p=", "#p=AAAA", "#p=%%%", "#own/nothing.yaml", "#own/../x.yaml"):
        page.load(broken)
        assert page.tab.query_selector(".library") is not None
        page.tab.wait_for_selector(".toast.bad")


def test_the_arrow_keys_choose_an_entry_of_the_download_menu(page: Page) -> None:
    page.open("own/mine.yaml")
    page.tab.click("#download")
    focused = "document.activeElement.dataset.kind"
    chosen = [page.tab.evaluate(focused)]
    for key in ("ArrowDown", "ArrowUp", "ArrowUp", "ArrowDown"):
        page.tab.keyboard.press(key)
        chosen.append(page.tab.evaluate(focused))
    assert chosen == ["yaml", "svg", "yaml", "html", "yaml"]
    page.tab.keyboard.press("Escape")
    assert page.tab.evaluate("document.activeElement.id") == "download"


@pytest.mark.parametrize("kind", ["yaml", "svg", "html", "gif", "xsb"])
def test_downloads(page: Page, kind: str) -> None:
    if kind == "gif":
        pytest.importorskip("resvg_py", reason="the extra `pictures`")
    page.open("shipped/sokoban/microban-002")
    page.tab.click("#download")
    with page.tab.expect_download() as waiting:
        page.tab.click(f'[data-kind="{kind}"]')
    data = Path(waiting.value.path()).read_bytes()
    begins = {"yaml": b"puzzle:", "svg": b"<svg", "html": b"<!doctype", "gif": b"GIF8", "xsb": b""}
    assert data.startswith(begins[kind])
    assert waiting.value.suggested_filename == f"microban-002.{kind}"


def test_puzzles_are_found_by_words(page: Page) -> None:
    page.load("")
    page.tab.wait_for_selector(".tile")
    every = page.tab.locator(".tile:visible").count()
    page.tab.fill(".search", "rush hardest")
    assert 0 < page.tab.locator(".tile:visible").count() < 10 < every
    page.tab.fill(".search", "no such puzzle")
    assert page.tab.locator(".tile:visible").count() == 0
    page.tab.fill(".search", "")
    page.tab.click('[data-family="klotski"]')
    page.tab.locator(".tile:visible").first.click()
    page.checked()
    page.tab.go_back()
    page.tab.wait_for_selector(".library")


def test_a_small_screen_does_it_all(served: Served) -> None:
    with browser(360, 640, touch=True, offline=False) as tab:
        page = Page(tab, served)
        page.load("")
        tab.wait_for_selector(".tile")
        assert tab.evaluate("document.documentElement.scrollWidth") <= 360
        page.open("own/mine.yaml")
        before = page.text
        for name in ("text", "board", "play", "solve", "compare", "explore", "workbench"):
            tab.tap(f"#tab-{name}")
            assert tab.evaluate("document.documentElement.scrollWidth") <= 360, name
        tab.tap("#tab-board")
        tab.tap('[data-brush="K"]')
        tab.locator('polygon[data-cell="4,1"]').tap()
        page.checked()
        assert page.text == before.replace("I..J", "IK.J")
        tab.tap("#tab-solve")
        tab.tap("#solve")
        tab.wait_for_selector("#panel-solve .verdict")
        assert tab.evaluate("document.documentElement.scrollWidth") <= 360
        tab.tap("#download")
        tab.wait_for_selector('[data-kind="html"]')
        tab.keyboard.press("Escape")
        tab.tap("#tab-play")
        tab.wait_for_selector("#panel-play .board")
        assert tab.evaluate("document.documentElement.scrollWidth") <= 360


def test_closing_the_tab_ends_its_work(served: Served) -> None:
    with browser(offline=False) as tab:
        page = Page(tab, served)
        page.load("#new")
        page.write(ENDLESS)
        tab.evaluate(
            """() => {
                const { start } = Run.prototype;
                Run.prototype.start = function () {
                    this.handlers.begun = (d) => (window.began = d.process);
                    return start.call(this);
                };
            }"""
        )
        tab.click("#tab-solve")
        tab.select_option("#solve-engine", "bfs")
        tab.click("#solve")
        tab.wait_for_selector(".progress:has-text('positions')")
        process = int(tab.evaluate("window.began"))
        assert is_running(process)
    seconds_until_gone(process)
