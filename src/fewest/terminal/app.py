"""The full-screen program: the board, the status, and the keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import work
from textual.app import App, ComposeResult
from textual.color import Color
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.events import Key, Resize
from textual.filter import LineFilter
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from fewest.drawing.pictures.puzzle_style import look
from fewest.drawing.text import variable_lines
from fewest.errors import UsageError
from fewest.model.answer import LimitReached, format_cost, single
from fewest.sanitize import hidden
from fewest.terminal.screen import goal_lines, lines
from fewest.terminal.session import DistanceTable, Session

if TYPE_CHECKING:
    from fewest.commands.api import CompiledPuzzle
    from fewest.model.answer import Cost
    from fewest.model.puzzle import Spot
    from fewest.playing.move import Move

_ARROWS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


class ControlCharacterFilter(LineFilter):
    """Filters everything that widgets draw, and removes control characters that come from the texts of a puzzle.

    These characters have no width, so the layout stays the same.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            segment if segment.control else Segment(hidden().sub("", segment.text), segment.style)
            for segment in segments
        ]


class Player(App[int]):
    """Plays one puzzle."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #stage { width: 1fr; padding: 1 2; }
    #side { width: 38; padding: 1 1; }
    #moves { height: 1fr; border: none; }
    #status { text-style: bold; }
    .faint { color: $text-muted; }
    """
    BINDINGS: ClassVar = [
        ("backspace", "undo", "Undo"),
        ("ctrl+y", "redo", "Redo"),
        ("home", "restart", "Restart"),
        ("question_mark", "hint", "Hint"),
        ("f5", "replay", "Play the plan"),
        ("tab", "focus_next", "Board or moves"),
        ("ctrl+q", "quit", "Quit"),
    ]

    def __init__(
        self,
        compiled: CompiledPuzzle,
        metric: str | None,
        *,
        theme: str = "dark",
        seconds: float = 20.0,
        most: int = 2_000_000,
    ) -> None:
        super().__init__()
        self.compiled = compiled
        self.session = Session(compiled, metric)
        self.look = look(compiled.puzzle, theme)
        self.theme = f"textual-{theme}"
        self.seconds, self.most = seconds, most
        self.chosen: Spot | None = None
        self.grade = 0
        self.message = ""
        self.minima: dict[str, Cost] = {}
        self.plan: list[int] = []  # the plan that the search has found; empty if it has found none
        self.replaying: list[int] = []  # the operators of the plan that remain during a replay
        self.listed: list[Move] = []

    def get_line_filters(self) -> list[LineFilter]:
        return [*super().get_line_filters(), ControlCharacterFilter()]

    def compose(self) -> ComposeResult:
        with Horizontal():
            with VerticalScroll(id="stage", can_focus=True):
                yield Static(id="board")
                yield Static(id="variables")
                yield Static(id="goal", classes="faint")
            with Vertical(id="side"):
                yield Static(Text(self.compiled.puzzle.title), id="title")
                yield Static(id="status")
                yield Static(id="message", classes="faint")
                yield Static(id="counters")
                yield OptionList(id="moves")
        yield Footer()

    def on_mount(self) -> None:
        self.title = self.compiled.puzzle.title
        goal = goal_lines(self.look)
        if goal:
            self.query_one("#goal", Static).update(Text("\n".join(["", "goal", *goal])))
        self.query_one("#stage" if self.compiled.puzzle.board else "#moves").focus()
        self.show()
        self.learn()

    def on_resize(self, event: Resize) -> None:
        self.show()

    # -- computations during the game ---------------------------------------------------------------

    @work(thread=True)
    def learn(self) -> None:
        """Compute the distances, the minimum and a plan in a thread, so that the game need not wait for them."""
        if self.compiled.puzzle.goal is None:
            return
        metric = self.session.metric
        try:
            tell = DistanceTable(self.compiled.grounded, metric, self.seconds, self.most)
        # a limit was reached, or the metric is not supported
        except (LimitReached, UsageError):
            tell = None
        result = self.compiled.solve(metric.name, seconds=self.seconds)
        minimum = result.cost if result.status == "optimal" else None
        self.call_from_thread(self.learned, tell, minimum, result.plan and result.plan.operators)

    def learned(
        self, tell: DistanceTable | None, minimum: Cost | None, plan: Sequence[int] | None
    ) -> None:
        """Store the results of the thread, and show them."""
        self.session.tell = tell
        if minimum is not None:
            self.minima[self.session.metric.name] = minimum
        self.plan = list(plan or ())
        self.show()

    # -- output -------------------------------------------------------------------------------------------

    def show(self) -> None:
        """Draw everything again."""
        session = self.session
        if self.chosen not in session.position.pieces:
            self.chosen = None
        if session.puzzle.board is not None:
            self.query_one("#board", Static).update(self.board())
        self.query_one("#variables", Static).update(
            Text("\n".join(variable_lines(session.position)))
        )
        self.query_one("#status", Static).update(Text(session.sentence() or "…"))
        self.query_one("#message", Static).update(Text(self.message))
        self.query_one("#counters", Static).update(Text(self.counters()))
        options = self.query_one("#moves", OptionList)
        at = options.highlighted
        self.listed = [] if session.is_solved else session.moves()
        options.clear_options()
        options.add_options([Option(Text(session.describe(move))) for move in self.listed])
        if self.listed:
            options.highlighted = min(at or 0, len(self.listed) - 1)

    def board(self) -> Text:
        """The board in colours; the cells are as large as the window allows."""
        session = self.session
        board = session.position.board
        wide, high = max(1, self.size.width - 46), max(1, self.size.height - 6)
        cell_high = max(1, min(3, high // board.rows, wide // board.columns // 2))
        drawn = lines(
            self.look,
            session.position,
            session.now.labels,
            self.chosen,
            wide=2 * cell_high,
            high=cell_high,
        )
        text = Text()
        for row in drawn:
            for run in row:
                style = Style(color=run.ink, bgcolor=run.ground, bold=run.is_bold)
                text.append(run.text, style)
            text.append("\n")
        return text

    def counters(self) -> str:
        """The cost so far in each metric, beside the minimum if it is known."""
        rows: list[str] = []
        for name, total in self.session.now.totals.items():
            known = f" of {format_cost(self.minima[name])}" if name in self.minima else ""
            rows.append(f"{name}: {format_cost(single(total))}{known}")
        return "\n".join(rows)

    # -- actions ------------------------------------------------------------------------------------------

    def make(self, move: Move) -> None:
        """Make a move that the player has chosen; this ends a replay."""
        self.replaying = []
        self._make(move)

    def _make(self, move: Move) -> None:
        """Make a move, and show its loss if it is known and not zero."""
        session = self.session
        before = None if session.tell is None else session.left()
        spent = session.now.totals[session.metric.name]
        self.message = session.describe(move)
        follows = next((b for a, b in move.moved if a == self.chosen), self.chosen)
        session.play(move)
        self.chosen = follows
        if before is not None and len(before) == 1 and not session.is_solved:
            left = session.left()
            paid = session.now.totals[session.metric.name][0] - spent[0]
            if left is not None and paid + left[0] > before[0]:
                self.message += f": a loss of {paid + left[0] - before[0]}"
        self.grade = 0
        self.show()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        if event.option_index < len(self.listed):
            self.make(self.listed[event.option_index])

    def on_key(self, event: Key) -> None:
        is_list = self.focused is not None and self.focused.id == "moves"
        if event.key in _ARROWS and not is_list and self.compiled.puzzle.board is not None:
            event.stop()
            event.prevent_default()
            self.arrow(_ARROWS[event.key])
        elif event.character and event.is_printable and event.character != "?":
            self.choose(event.character)

    def choose(self, letter: str) -> None:
        """Choose the first piece that has this letter; if one of them is chosen, choose the next."""
        labels = self.session.now.labels
        fits = sorted(s for s, label in labels.items() if label.lower() == letter.lower())
        if fits:
            at = fits.index(self.chosen) if self.chosen in fits else -1
            self.chosen = fits[(at + 1) % len(fits)]
            self.message = self.session.name(self.chosen)
            self.show()

    def arrow(self, offset: tuple[int, int]) -> None:
        """Move the chosen piece or, if none is chosen, the piece that takes part in every move."""
        spot = self.chosen or self.session.agent()
        if spot is None:
            self.message = "press the letter of a piece first"
            self.show()
            return
        moves = [] if self.session.is_solved else self.session.towards(spot, offset)
        if len(moves) == 1:
            self.make(moves[0])
        else:
            self.message = "choose one of the moves (Tab)" if moves else "this move is not possible"
            self.show()

    def action_undo(self) -> None:
        self.replaying = []
        if self.session.undo():
            self.message = "undone"
            self.show()

    def action_redo(self) -> None:
        self.replaying = []
        if self.session.redo():
            self.message = "redone"
            self.show()

    def action_restart(self) -> None:
        self.replaying = []
        self.session.restart()
        self.message = ""
        self.show()

    def action_hint(self) -> None:
        """Give a hint in three steps: the first call shows the piece, the second shows the move, and the third makes
        the move.
        """
        session = self.session
        if session.tell is None or session.is_solved:
            self.message = "" if session.is_solved else "the distances are unknown"
            self.show()
            return
        move = session.best()
        if move is None:
            self.message = "this position cannot be solved"
        elif self.grade == 0 and move.moved and move.ring is None:
            self.grade = 1
            self.chosen = move.moved[-1][0]
            self.message = f"look at {session.name(self.chosen)}"
        elif self.grade <= 1:
            self.grade = 2
            self.message = f"try {session.describe(move)}"
        else:
            self.make(move)
            return
        self.show()

    def action_replay(self) -> None:
        """Play the plan from the start, or stop playing it."""
        if self.replaying:
            self.replaying = []
            return
        if not self.plan:
            self.message = "no plan is known"
            self.show()
            return
        self.session.restart()
        self.replaying = list(self.plan)
        self.tick()

    def tick(self) -> None:
        """Play one step of the plan."""
        if not self.replaying:
            return
        from fewest.model.states import encode

        task = self.compiled.grounded
        target = task.after(self.replaying.pop(0), encode(task, self.session.position))
        moves = self.session.moves()
        self._make(next(move for move in moves if encode(task, move.target) == target))
        self.set_timer(0.25, self.tick)
