"""In a browser, puzzles can be played to the end by dragging and by keys, offline, and on small screens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import fewest
from fewest.commands.api import CompiledPuzzle
from fewest.drawing.pictures.grid import grid_of
from fewest.model.answer import counted
from fewest.playing.plan import Plan
from fewest.web.page import PageOptions, chapter, page, write_page
from tests.helpers.javascript import browser

# Puzzles from all families; in the last four, consequences are not part of the moves.
NAMES = [
    "heng-dao-li-ma",
    "bird",
    "hardest-6x6",
    "exit-cell",
    "walls-12",
    "swap-corners",
    "gatekeeper",
    "microban-001",
    "pull-home",
    "thorns",
    "toll",
    "round-the-world",
    "triangle-10",
    "tiles-2x3",
    "tiles-torus",
    "guarini",
    "two-kings",
    "knights-feast",
    "swinging-stone",
    "clones-one",
    "machinarium",
    "two-colours",
    "lunar-one",
    "ricochet-small",
    "frozen-pond",
    "keys-and-doors",
    "hanoi",
    "jugs",
    "wolf-goat-cabbage",
    "landslide",
    "jelly-pair",
    "tilt-4",
    "flood-3x3",
]
OPTIONS = PageOptions(seconds=30, most=60_000)


class Played:
    """A page in a browser, with its puzzles."""

    def __init__(self, shown: Any, puzzles: list[CompiledPuzzle], path: Path) -> None:
        self.page, self.path = shown, path
        self.puzzles = {p.puzzle.name: p for p in puzzles}

    def load(self, link: str = "") -> None:
        self.page.goto("about:blank")
        self.page.goto(f"{self.path.as_uri()}{link}")
        self.page.wait_for_selector("html[data-ready]")

    def text(self, selector: str) -> str:
        return str(self.page.inner_text(selector))

    def where(self, x: float, y: float) -> tuple[float, float]:
        """The position, in the window, of a point of the picture."""
        found = self.page.evaluate(
            """([x, y]) => {
                const svg = document.querySelector(".board");
                const at = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM());
                return [at.x, at.y];
            }""",
            [x, y],
        )
        return found[0], found[1]

    def count(self, metric: str) -> str:
        return self.text(f'td[data-metric="{metric}"]')


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    path = tmp_path_factory.mktemp("page") / "many.html"
    puzzles = [fewest.load(name) for name in NAMES]
    with browser() as shown:
        path.write_text(write_page(puzzles, OPTIONS), encoding="utf-8")
        yield Played(shown, puzzles, path)


def plan_of(compiled: CompiledPuzzle) -> Plan:
    plan = compiled.solve().plan
    assert plan is not None
    return plan


def drag(played: Played, compiled: CompiledPuzzle, op: int) -> bool:
    """Drag the piece of an operator to its target; returns False if the operator moves no piece."""
    puzzle, task = compiled.puzzle, compiled.task
    operator = task.operators[op]
    if operator.from_fact < 0 or operator.to_fact < 0:
        return False
    board, grid = puzzle.board, grid_of(puzzle)
    assert board is not None
    source, target = task.facts[operator.from_fact], task.facts[operator.to_fact]
    row, column = board.at(source.cell)
    down, right = (b - a for a, b in zip(board.at(source.cell), board.at(target.cell), strict=True))
    if board.wraps_columns and abs(down) > board.rows / 2:
        down -= board.rows if down > 0 else -board.rows
    if board.wraps_rows and abs(right) > board.columns / 2:
        right -= board.columns if right > 0 else -board.columns
    first = puzzle.classes[source.class_id].shape[0]
    row, column = (row + first[0]) % board.rows, (column + first[1]) % board.columns
    begin = played.where(*grid.middle(row, column))
    end = played.where(*grid.middle(row + down, column + right))
    mouse = played.page.mouse
    mouse.move(*begin)
    mouse.down()
    mouse.move((begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2)
    mouse.move(*end)
    mouse.up()
    return True


def choose(played: Played, compiled: CompiledPuzzle, op: int) -> None:
    """If the page offers several moves, choose the one with the effect of the operator."""
    buttons = played.page.query_selector_all(".choices:not([hidden]) button")
    wanted = compiled.task.operators[op]
    for button in buttons:
        words = button.inner_text()
        direction = "" if wanted.direction is None else wanted.direction.arrow
        if (
            wanted.words in words
            and (len(compiled.puzzle.rules) == 1 or wanted.rule in words)
            and direction in words
        ):
            button.click()
            return
    raise AssertionError(f"no choice for {wanted}: {[b.inner_text() for b in buttons]}")


@pytest.mark.parametrize("name", NAMES)
def test_a_puzzle_is_played_to_the_win_with_the_plan_that_solve_found(
    many: Played, name: str
) -> None:
    compiled = next(p for p in many.puzzles.values() if Path(p.puzzle.file).stem == name)
    plan = plan_of(compiled)
    many.load()
    many.page.click(f'[data-name="{compiled.puzzle.name}"]')
    many.page.wait_for_selector(".player")
    for op in plan.operators:
        before = many.page.url
        if drag(many, compiled, op):
            if many.page.query_selector(".choices:not([hidden]) button"):
                choose(many, compiled, op)
        else:
            many.page.evaluate("document.querySelector('.all-moves').open = true")
            many.page.click(f'[data-op="{op}"]')
        assert many.page.url != before, compiled.task.operators[op]
    metric = compiled.puzzle.default_metric
    cost = compiled.solve().cost
    assert many.text(".status").startswith("Solved in")
    assert "the proven minimum" in many.text(".status")
    assert many.count(metric) == (
        f"{cost:,}" if isinstance(cost, int) else " + ".join(map(str, cost or ()))
    )
    many.page.click("#home")
    assert "solved in the fewest" in many.text(f'[data-name="{compiled.puzzle.name}"] .state')


def one(tmp_path: Path, name: str, options: PageOptions = OPTIONS) -> tuple[CompiledPuzzle, Path]:
    compiled = fewest.load(name)
    path = tmp_path / "one.html"
    path.write_text(page([chapter(compiled, options)]), encoding="utf-8")
    return compiled, path


ARROWS = {"↑": "ArrowUp", "↓": "ArrowDown", "←": "ArrowLeft", "→": "ArrowRight"}


def test_klotski_is_won_by_letters_and_arrows(tmp_path: Path) -> None:
    compiled, path = one(tmp_path, "heng-dao-li-ma")
    with browser() as shown:
        played = Played(shown, [compiled], path)
        played.load()
        labels = compiled.puzzle.labels
        plan = plan_of(compiled)
        for move in plan.moves:
            for step in move.steps:
                shown.keyboard.press(labels[step.move.moved[-1][0]].lower())
                shown.keyboard.press(ARROWS[step.arrow])
                labels = step.labels
        assert played.text(".status") == "Solved in 81 turns, the proven minimum."
        assert played.count("turns") == "81"
        assert played.count("steps") == str(len(plan.operators))


@pytest.mark.parametrize("name", ["microban-001", "frozen-pond"])
def test_the_only_moving_piece_is_chosen_automatically(tmp_path: Path, name: str) -> None:
    compiled, path = one(tmp_path, name)
    with browser() as shown:
        played = Played(shown, [compiled], path)
        played.load()
        for move in plan_of(compiled).moves:
            for step in move.steps:
                shown.keyboard.press(ARROWS[step.arrow])
        assert played.text(".status").startswith("Solved in")


def test_hanoi_is_won_by_tab_and_enter(tmp_path: Path) -> None:
    compiled, path = one(tmp_path, "hanoi")
    with browser() as shown:
        played = Played(shown, [compiled], path)
        played.load()
        for op in plan_of(compiled).operators:
            for _ in range(60):
                shown.keyboard.press("Tab")
                if shown.evaluate("document.activeElement.dataset.op") == str(op):
                    break
            shown.keyboard.press("Enter")
        assert played.text(".status") == "Solved in 7 moves, the proven minimum."


def test_a_press_on_a_variable_plays_the_move_that_changes_it(tmp_path: Path) -> None:
    compiled, path = one(tmp_path, "lights-out-3x3")
    with browser() as shown:
        played = Played(shown, [compiled], path)
        played.load()
        for op in plan_of(compiled).operators:
            row, column = re.findall(r"\d", compiled.task.operators[op].words)
            shown.click(f'.placed [aria-label="lit[{row}, {column}]"]')
        assert played.text(".status") == "Solved in 5 moves, the proven minimum."
    compiled, path = one(tmp_path, "hanoi")
    with browser() as shown:
        played = Played(shown, [compiled], path)
        played.load()
        shown.click("[data-slot='0']")
        assert "to=1" in played.text(".choices") and "to=2" in played.text(".choices")
        shown.keyboard.press("2")
        assert played.text(".status") == "6 moves left."


def test_the_page_shows_distance_regret_and_hints(tmp_path: Path) -> None:
    compiled, path = one(tmp_path, "bird")
    hint = compiled.hint()
    with browser() as shown:
        played = Played(shown, [compiled], path)
        played.load()
        assert played.text(".status") == f"{hint.distance} {compiled.puzzle.default_metric} left."
        worst = hint.moves[-1]
        fact = compiled.task.facts
        ops = compiled.task.operators
        op = next(
            i
            for i, o in enumerate(ops)
            if (fact[o.from_fact].cell, fact[o.to_fact].cell)
            == tuple(spot[1] for spot in worst.move.steps[0].move.moved[0])
        )
        shown.evaluate("document.querySelector('.all-moves').open = true")
        shown.click(f'[data-op="{op}"]')
        assert (
            f"That move lost {counted(worst.loss, compiled.puzzle.default_metric)}."
            in played.text(".live")
        )
        shown.keyboard.press("Control+z")
        best = {move.text for move in hint.best}
        shown.keyboard.press("?")
        piece = re.fullmatch(r"Look at (.+)\.", played.text(".live"))
        assert piece is not None and piece[1] in {text.split()[0] for text in best}
        shown.keyboard.press("?")
        assert re.fullmatch(r"Try: .+\.", played.text(".live"))
        shown.keyboard.press("?")
        left = compiled.puzzle.default_metric
        assert played.text(".status") == f"{int(str(hint.distance)) - 1} {left} left."


def test_a_dead_position_is_reported(tmp_path: Path) -> None:
    compiled, path = one(tmp_path, "triangle-10")
    with browser() as shown:
        played = Played(shown, [compiled], path)
        played.load()
        shown.evaluate("document.querySelector('.all-moves').open = true")
        for _ in range(10):
            if "cannot be solved" in played.text(".status"):
                break
            shown.click("[data-op]")
        assert played.text(".status") == "The puzzle cannot be solved from here: undo."
        assert "The puzzle cannot be solved from here." in played.text(".live")
        shown.click("[data-act=undo]")
        assert played.text(".status").endswith(" left.")


def test_a_link_and_a_reload_keep_the_position(tmp_path: Path) -> None:
    compiled, path = one(tmp_path, "hardest-6x6")
    plan = plan_of(compiled)
    with browser() as shown:
        played = Played(shown, [compiled], path)
        played.load()
        for _ in range(5):
            for _ in range(3):
                shown.click("[data-act=hint]")
        url, left = shown.url, played.text(".status")
        assert left == f"{len(plan) - 5} steps left."
        shown.reload()
        shown.wait_for_selector("html[data-ready]")
        assert (shown.url, played.text(".status"), played.count("steps")) == (url, left, "5")
        shown.keyboard.press("Home")
        assert played.text(".status") == f"{len(plan)} steps left."
        for broken in ("#hardest-6x6=%%%", "#hardest-6x6=____", "#other=AA", "#%"):
            played.load(broken)
            assert played.text(".status") == f"{len(plan)} steps left."


def test_the_plan_is_shown_step_by_step_and_automatically(tmp_path: Path) -> None:
    compiled, path = one(tmp_path, "machinarium")
    with browser() as shown:
        played = Played(shown, [compiled], path)
        played.load()
        shown.keyboard.press("PageDown")
        shown.keyboard.press("PageDown")
        assert played.text(".status") == "A shortest plan: step 2 of 15."
        shown.keyboard.press("Escape")
        assert played.text(".status") == "15 moves left."
        shown.click(".plan summary")
        shown.fill(".plan input", "10")
        shown.click("[data-act=run]")
        shown.wait_for_selector(".status:has-text('step 15 of 15')")
        shown.click("[data-act=close]")
        assert played.count("moves") == "0"


def test_several_moves_that_are_meant_are_shown(tmp_path: Path) -> None:
    text = (
        "puzzle: two-ways\nlegend: {'@': man, '.': floor}\npieces: {man: {}}\n"
        "variables: {boots: {values: [dry, wet], initial: dry}}\n"
        "moves:\n  walk: {before: [man, empty], after: [empty, man]}\n"
        "  wade: {before: [man, empty], after: [empty, man], set: {boots: wet}}\n"
        "board: |\n  @..\ngoal: {all: [{man: {at: [0, 2]}}, boots == wet]}\n"
    )
    compiled = fewest.load("two-ways.yaml", text=text)
    path = tmp_path / "one.html"
    path.write_text(page([chapter(compiled, OPTIONS)]), encoding="utf-8")
    with browser() as shown:
        played = Played(shown, [compiled], path)
        played.load()
        shown.keyboard.press("ArrowRight")
        assert "walk" in played.text(".choices") and "wade" in played.text(".choices")
        shown.keyboard.press("2")
        assert played.text(".chip output") == "wet"
        shown.keyboard.press("ArrowRight")
        assert played.text(".status").startswith("Solved in 2 moves")


def test_a_finger_drags_a_piece_on_a_small_screen(tmp_path: Path) -> None:
    compiled, path = one(tmp_path, "heng-dao-li-ma")
    with browser(360, 640, touch=True) as shown:
        played = Played(shown, [compiled], path)
        played.load()
        assert shown.evaluate("document.documentElement.scrollWidth") <= 360
        # Drag piece I to the right.
        begin, end = played.where(24, 4.5 * 48), played.where(72, 4.5 * 48)
        client = shown.context.new_cdp_session(shown)

        def touch(kind: str, *points: tuple[float, float]) -> None:
            client.send(
                "Input.dispatchTouchEvent",
                {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]},
            )

        touch("touchStart", begin)
        for part in (0.3, 0.7, 1.0):
            touch("touchMove", (begin[0] + part * (end[0] - begin[0]), begin[1]))
        touch("touchEnd")
        shown.wait_for_selector("td[data-metric=steps]:has-text('1')")


def test_no_page_is_wider_than_a_small_screen(many: Played) -> None:
    many.page.set_viewport_size({"width": 360, "height": 640})
    try:
        many.load()
        assert many.page.evaluate("document.documentElement.scrollWidth") <= 360
        for name in many.puzzles:
            many.load(f"#{name}")
            assert many.page.evaluate("document.documentElement.scrollWidth") <= 360, name
    finally:
        many.page.set_viewport_size({"width": 1000, "height": 760})


def test_without_distances_hints_follow_the_plan(tmp_path: Path) -> None:
    compiled, path = one(tmp_path, "machinarium", PageOptions(distances=False))
    with browser() as shown:
        played = Played(shown, [compiled], path)
        played.load()
        assert played.text(".status") == ""
        for _ in range(3):
            shown.keyboard.press("?")
        assert played.count("moves") == "1"
        shown.keyboard.press("Backspace")
        shown.click(".all-moves summary")
        shown.click(f"[data-op]:not([data-op='{plan_of(compiled).operators[0]}'])")
        shown.keyboard.press("?")
        assert "can show only a plan from the start" in played.text(".live")


def test_the_page_reports_that_a_puzzle_is_proven_unsolvable(tmp_path: Path) -> None:
    text = "puzzle: no\nmodel: sliding-blocks\nboard: |\n  A#.\n  ...\n"
    text += "goal: {all: [{A: {at: [0, 2]}}, {A: {at: [0, 0]}}]}\n"
    compiled = fewest.load("no.yaml", text=text)
    path = tmp_path / "one.html"
    path.write_text(page([chapter(compiled, OPTIONS)]), encoding="utf-8")
    with browser() as shown:
        played = Played(shown, [compiled], path)
        played.load()
        assert played.text(".status") == "This puzzle is proven unsolvable."
        assert "unsolvable" in played.text(".counters")


# All of these names are also keys of the prototype of JavaScript objects.
PROTOTYPE = """puzzle: constructor
legend: {".": floor, c: constructor}
pieces: {constructor: {}, valueOf: {}}
variables: {toString: {values: [constructor, valueOf], initial: constructor}}
moves:
  go: {before: [constructor, empty], after: [empty, constructor]}
  change: {before: [constructor], after: [valueOf], set: {toString: valueOf}}
metrics: {constructor: {}, valueOf: {}}
goal: {valueOf: {at: [0, 2]}}
board: |
  c..
"""


def test_a_name_can_be_one_of_the_words_of_javascript(tmp_path: Path) -> None:
    compiled = fewest.load("constructor.yaml", text=PROTOTYPE)
    path = tmp_path / "one.html"
    path.write_text(page([chapter(compiled, PageOptions(seconds=0))]), encoding="utf-8")
    with browser() as shown:
        played = Played(shown, [compiled], path)
        played.load()
        assert played.text(".counters").split()[-6:] == [
            "constructor",
            "0",
            "?",
            "valueOf",
            "0",
            "?",
        ]
        assert played.text(".chip") == "toString\nconstructor"
        for _ in range(2):
            shown.keyboard.press("ArrowRight")
        shown.click(
            ".chip output"
        )  # in all four directions, the move has the same result, so there is no choice
        assert played.text(".chip") == "toString\nvalueOf"
        assert played.text(".status") == "Solved in 3 constructor."
        assert "native code" not in str(shown.get_attribute(".board", "aria-label"))
        assert "native code" not in played.text("body")


def test_a_press_during_a_replay_returns_to_the_game(tmp_path: Path) -> None:
    compiled, path = one(tmp_path, "microban-001")
    plan = plan_of(compiled)
    with browser() as shown:  # the test fails if an illegal move throws an error
        played = Played(shown, [compiled], path)
        played.load()
        for _ in range(3):
            shown.keyboard.press("PageDown")
        assert played.text(".status").startswith("A shortest plan: step 3 of")
        drag(played, compiled, plan.operators[3])
        assert played.text(".live") == "Your game."
        assert set(played.page.locator("td[data-metric]").all_inner_texts()) <= {"0", "0 + 0"}


def test_a_plan_that_is_not_proven_shortest_is_not_called_minimal(tmp_path: Path) -> None:
    compiled = fewest.load("swap-corners")
    made = chapter(compiled, OPTIONS)
    unproven = replace(made, data={**made.data, "minima": {}, "distances": None})
    path = tmp_path / "one.html"
    path.write_text(page([unproven]), encoding="utf-8")
    with browser() as shown:
        played = Played(shown, [compiled], path)
        played.load()
        assert played.text("details.plan summary") == "A plan, not proven to be a shortest one"
        shown.keyboard.press("PageDown")
        assert "shortest plan" not in played.text("body")


def test_a_browser_that_refuses_to_change_the_address_does_not_disturb_the_game(
    tmp_path: Path,
) -> None:
    _, path = one(tmp_path, "hanoi", PageOptions(distances=False))
    with browser() as shown:  # the test fails if an error reaches the console
        played = Played(shown, [], path)
        played.load()
        shown.evaluate(
            """() => {
                history.changing = history.replaceState;
                history.replaceState = () => { throw new DOMException("", "SecurityError"); };
            }"""
        )
        shown.locator(".moves button").first.click()
        assert played.count("moves") == "1"
        shown.evaluate("() => { history.replaceState = history.changing; }")
        shown.wait_for_timeout(1500)
        assert "=" in shown.evaluate("location.hash")


def test_a_cost_below_the_minimum_belongs_to_another_puzzle(tmp_path: Path) -> None:
    puzzles = [fewest.load(name) for name in ("hanoi", "jugs")]
    path = tmp_path / "two.html"
    path.write_text(write_page(puzzles, OPTIONS), encoding="utf-8")
    with browser() as shown:
        played = Played(shown, puzzles, path)
        played.load()
        for cost, words in ((6, ""), (7, "★ solved in the fewest"), (8, "✓ solved in 8 moves")):
            shown.evaluate(
                "(known) => localStorage.setItem('fewest:' + document.title, JSON.stringify(known))",
                {"hanoi": {"moves": [cost]}},
            )
            played.load()
            assert played.text("[data-name=hanoi] .state") == words


def test_the_last_chosen_puzzle_is_open_whichever_is_unpacked_first(many: Played) -> None:
    many.load()
    opened = many.page.evaluate(
        """async () => {
            const shared = unpacked;
            const names = [];
            const page = Object.assign(Object.create(Page.prototype), {
                packed: ["slow", "fast"], opened: new Map(), opening: 0, progress: null, gallery: null,
                main: document.createElement("i"), home: document.createElement("i"),
                store() {}, name: (title) => names.push(title),
            });
            const data = async (name) => {
                const puzzle = await shared(document.querySelector("script.puzzle").textContent);
                if (name === "slow") await new Promise((done) => setTimeout(done, 300));
                return { ...puzzle, title: name };
            };
            unpacked = data;
            await Promise.all([page.open(0), page.open(1)]);
            unpacked = shared;
            return names;
        }"""
    )
    assert opened == ["fast"]
