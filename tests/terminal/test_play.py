"""In the terminal, sessions follow the rules, the screen shows the position, and keys work as documented."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

import fewest
from fewest.commands.api import CompiledPuzzle
from fewest.commands.result import Result
from fewest.drawing.pictures.puzzle_style import look
from fewest.drawing.text import text_width
from fewest.model.answer import LimitReached
from fewest.model.states import encode
from fewest.playing.price import cost_of
from fewest.terminal.screen import goal_lines, lines
from fewest.terminal.session import DistanceTable, Session
from tests.helpers.command_line import run

if TYPE_CHECKING:
    from fewest.playing.move import Move

NAMES = [
    "heng-dao-li-ma",
    "microban-001",
    "knights-feast",
    "hanoi",
    "two-rings",
    "clones-one",
    "triangle-10",
]


def with_distances(session: Session) -> Session:
    session.tell = DistanceTable(session.compiled.task, session.metric, 30, 100_000)
    return session


@pytest.mark.parametrize("name", NAMES)
def test_a_session_counts_like_the_reference_and_can_undo_every_move(name: str) -> None:
    session = Session(fewest.load(name))
    generator = random.Random(3)
    played: list[Move] = []
    seen = [session.position]
    for _ in range(12):
        moves = session.moves()
        if not moves:
            break
        played.append(generator.choice(moves))
        session.play(played[-1])
        seen.append(session.position)
    for metric_name, metric in session.puzzle.metrics.items():
        assert session.now.totals[metric_name] == cost_of(metric, played)
    assert set(session.now.labels) == set(session.position.pieces)
    for position in reversed(seen[:-1]):
        assert session.undo()
        assert session.position == position
    assert not session.undo()
    while session.redo():
        pass
    assert session.position == seen[-1]
    session.restart()
    assert session.position == seen[0]


@pytest.mark.parametrize("name", NAMES)
def test_hints_lead_to_the_goal_in_the_fewest(name: str) -> None:
    compiled = fewest.load(name)
    session = with_distances(Session(compiled))
    for _ in range(300):
        if session.is_solved:
            break
        best = session.best()
        assert best is not None
        session.play(best)
    cost = compiled.solve().cost
    assert session.now.totals[session.metric.name] == ((cost,) if isinstance(cost, int) else cost)
    assert session.sentence().startswith("Solved in")


def test_the_screen_shows_the_distance_and_dead_positions() -> None:
    session = with_distances(Session(fewest.load("triangle-10")))
    assert session.sentence() == "8 jumps left"
    while session.left() is not None:
        session.play(session.moves()[0])
    assert session.sentence() == "This position cannot be solved"
    assert session.best() is None
    with pytest.raises(LimitReached):
        DistanceTable(session.compiled.task, session.metric, 30, 10)


def test_the_screen_is_as_wide_as_the_board_and_names_every_piece_once() -> None:
    puzzle = fewest.load("heng-dao-li-ma").puzzle
    session = Session(CompiledPuzzle(puzzle))
    style = look(puzzle, "dark")
    drawn = lines(style, session.position, session.now.labels, wide=6, high=3)
    assert len(drawn) == 15
    assert {sum(text_width(run.text) for run in row) for row in drawn} == {24}
    text = "\n".join("".join(run.text for run in row) for row in drawn)
    for name in ("曹操", "关羽", "A", "J"):
        assert text.count(name) == 1
    grounds = {run.ground for row in drawn for run in row}
    assert {style.colours[piece.label] for piece in puzzle.pieces} <= grounds


def test_drawn_goals_are_shown_beside_the_board() -> None:
    assert goal_lines(look(fewest.load("guarini").puzzle)) == ["w.w", "...", "b.b", ""]
    assert goal_lines(look(fewest.load("swinging-stone").puzzle))[-2] == "???o?"
    assert "count(clone, prison) == 0" in goal_lines(look(fewest.load("clones-one").puzzle))


# -- the program ----------------------------------------------------------------------------------------


def with_app(name: str, act: Callable[[Any, Any], Awaitable[None]]) -> None:
    """Run a function in the program once the distances are known."""
    pytest.importorskip("textual", reason="the extra `play`")
    from fewest.terminal.app import Player

    async def started() -> None:
        app = Player(fewest.load(name), None)
        async with app.run_test(size=(100, 32)) as pilot:
            await app.workers.wait_for_complete()
            await pilot.pause()
            await act(app, pilot)

    asyncio.run(started())


ARROWS = {"↑": "up", "↓": "down", "←": "left", "→": "right"}


def test_arrows_and_letters_win() -> None:
    plan = fewest.load("forty-01").solve().plan
    assert plan is not None

    async def act(app: Any, pilot: Any) -> None:
        labels = plan.labels
        for move in plan.moves:
            for step in move.steps:
                await pilot.press(labels[step.move.moved[-1][0]].lower(), ARROWS[step.arrow])
                labels = step.labels
        assert app.session.sentence() == f"Solved in {len(plan)} steps"
        assert f"of {len(plan)}" in app.counters()

    with_app("forty-01", act)


def test_a_single_movable_piece_needs_no_letter() -> None:
    async def act(app: Any, pilot: Any) -> None:
        await pilot.press("up")
        assert app.session.now.totals["moves"] == (1,)
        await pilot.press("backspace")
        assert app.session.now.totals["moves"] == (0,)
        await pilot.press("ctrl+y", "home")
        assert len(app.session.entries) == 1

    with_app("microban-001", act)


def test_without_a_board_moves_are_chosen_from_the_list() -> None:
    async def act(app: Any, pilot: Any) -> None:
        assert app.focused.id == "moves"
        for index in app.compiled.solve().plan.operators:
            task = app.compiled.task
            target = task.operators[index].apply(encode(task, app.session.position))
            at = next(i for i, m in enumerate(app.listed) if encode(task, m.target) == target)
            app.query_one("#moves").highlighted = at
            await pilot.press("enter")
        assert app.session.sentence() == "Solved in 7 moves"

    with_app("hanoi", act)


def test_hints_come_in_grades_and_the_plan_plays_itself() -> None:
    async def act(app: Any, pilot: Any) -> None:
        await pilot.press("question_mark")
        assert app.message.startswith("look at")
        await pilot.press("question_mark")
        assert app.message.startswith("try ")
        await pilot.press("question_mark")
        assert app.session.sentence() == "14 moves left"
        await pilot.press("f5")
        while app.replaying:
            await pilot.pause(0.05)
        assert app.session.is_solved

    with_app("machinarium", act)


def test_a_move_or_a_redo_ends_the_replay() -> None:
    async def act(app: Any, pilot: Any) -> None:
        other = app.session.moves()[-1]
        app.make(other)
        app.action_replay()
        assert app.replaying
        app.make(app.session.moves()[-1])
        assert not app.replaying
        app.tick()  # the timer of the replay still runs once
        app.action_undo()
        app.action_replay()
        app.action_redo()
        assert not app.replaying

    with_app("machinarium", act)


def test_the_cost_of_a_plan_that_is_not_proven_is_no_minimum(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = CompiledPuzzle.solve

    def stopped(*arguments: Any, **options: Any) -> Result:
        return replace(real(*arguments, **options), status="limit", reason="time")

    monkeypatch.setattr(CompiledPuzzle, "solve", stopped)

    async def act(app: Any, pilot: Any) -> None:
        assert app.counters() == "moves: 0"
        assert app.plan

    with_app("hanoi", act)


def test_a_move_to_a_dead_position_is_marked() -> None:
    async def act(app: Any, pilot: Any) -> None:
        await pilot.press("enter")
        assert app.message.endswith("a loss of 1")

    with_app("hanoi", act)


def test_without_a_terminal_there_is_nothing_to_play_in() -> None:
    done = run("play", "bird")
    assert done.returncode == 2
    assert "needs a terminal" in done.stderr or "needs textual" in done.stderr


def test_missing_programs_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    done = run("play", "bird")
    assert done.returncode == 2
    assert "pip install '.[play]'" in done.stderr


CELLAR = """
puzzle: cellar
legend: {" ": floor}
pieces: {robot: {letters: A-Z}}
moves: {run: {slide: robot}}
edges: drawn
board: |
  +-+-+-+
  1A  | |
  +-+ +v+
  |  B  1
  +-+-+-+
goal: {A: {at: [1, 0]}}
"""


def test_walls_one_way_edges_and_portals_are_drawn_between_cells() -> None:
    puzzle = fewest.load("cellar.yaml", text=CELLAR)
    drawn = lines(look(puzzle.puzzle), puzzle.start, puzzle.puzzle.labels, wide=5, high=2)
    assert ["".join(cell.text for cell in row) for row in drawn] == [
        "▏▔▔▔▔     ┃    ",
        "1 A       ┃    ",
        "━━━━━▏▔▔▔▔  v  ",
        "  ·  ▏ B      1",
    ]
