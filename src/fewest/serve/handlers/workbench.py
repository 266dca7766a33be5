"""The tools for designers: explanations, the uniqueness of the plan, similar boards, and the boards of a spec."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from heapq import heappop, heappush
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fewest.commands.api import CompiledPuzzle
from fewest.commands.solve import less
from fewest.drawing.pictures.picture import svg
from fewest.drawing.pictures.puzzle_style import PuzzleStyle
from fewest.errors import Exit, UsageError
from fewest.model.answer import counted, format_cost
from fewest.model.position import Position
from fewest.sanitize import shown
from fewest.serve.handlers import payload
from fewest.serve.handlers.solve import reported
from fewest.serve.worker import SendMessage
from fewest.web.scene import page_theme

if TYPE_CHECKING:
    from fewest.commands.generate.documents import NamedBoard
    from fewest.reading.board_spec import BoardSpec

_MOST_PICTURES = 120  # the page shows the same number of boards (`static/workbench.js`)


class _Bench:
    """The data of a request, with its limits and its metric, and the functions that send boards and progress."""

    def __init__(self, parameters: Mapping[str, Any], root: Path | None, send: SendMessage) -> None:
        self.parameters, self.root, self.send = parameters, root, send
        self.limits = payload.limits_of(parameters)
        self.metric = payload.metric_of(parameters)
        self.num_shown = 0
        self._ranks: list[int] = []  # a heap of the highest ranks of the boards that were sent

    def compiled(self) -> CompiledPuzzle:
        return payload.compiled_of(self.parameters, self.root)

    def progress(self, found: Any) -> None:
        self.send("progress", reported(found))

    def show(
        self,
        position: Position,
        value: str,
        caption: str,
        *,
        text: str | None = None,
        rank: int = 0,
    ) -> None:
        """Send a board to the page, unless `_MOST_PICTURES` boards of its `rank` or a higher one have already been
        sent. The page shows the boards of the highest ranks. `text`: the document that the page can open, if any.
        """
        self.num_shown += 1
        is_sent = len(self._ranks) < _MOST_PICTURES or rank > self._ranks[0]
        if is_sent:
            heappush(self._ranks, rank)
            if len(self._ranks) > _MOST_PICTURES:
                heappop(self._ranks)
            puzzle = position.puzzle
            picture = svg(position, puzzle.labels, style=PuzzleStyle(puzzle, page_theme()))
            words = {"value": shown(value), "caption": shown(caption)}
            self.send("board", {"picture": picture, **words, "rank": rank, "text": text})

    @property
    def allowed(self) -> dict[str, Any]:
        """The limits and the progress callback, as arguments of the methods of a CompiledPuzzle."""
        seconds, memory = self.limits.seconds, self.limits.memory
        return {"seconds": seconds, "memory": memory, "progress": self.progress}


def workbench(
    parameters: Mapping[str, Any], root: Path | None, send: SendMessage
) -> dict[str, Any]:
    """The answer as text; its boards are sent before it, as messages of the kind `board`.

    Raises UsageError for an unknown function, and the errors of the function.
    """
    function = payload.text_of(parameters, "function")
    if function not in FUNCTIONS:
        raise UsageError(
            f"the workbench has no function `{function}`",
            hint=f"the functions are {', '.join(FUNCTIONS)}",
        )
    summary, lines, is_whole = FUNCTIONS[function](_Bench(parameters, root, send))
    return {
        "function": function,
        "summary": shown(summary),
        "lines": [shown(line) for line in lines],
        "whole": is_whole,
    }


_Answer = tuple[str, list[str], bool]


def _explain(bench: _Bench) -> _Answer:
    from fewest.commands.explanation import removal_heading

    explanation = bench.compiled().explain(bench.metric, **bench.allowed)
    for reason in explanation.reasons:
        if reason.excerpt is not None:
            bench.show(reason.excerpt, "", reason.line())
    for one in explanation.removals.found if explanation.removals is not None else ():
        value = "" if one.minimum is None else counted(one.minimum, explanation.metric)
        bench.show(one.position, value, f"without {one}")
    lines = [reason.line() for reason in explanation.reasons]
    if explanation.removals is not None and not explanation.removals.found:
        lines.append(removal_heading(explanation.removals))
    return explanation.summary(), lines, explanation.exit_code == Exit.ANSWERED


def _hard(bench: _Bench) -> _Answer:
    hardness = bench.compiled().explain_hardness(bench.metric, **bench.allowed)
    for left, position in hardness.bottlenecks or ():
        bench.show(position, f"{format_cost(left)} left", "every plan passes here")
    return hardness.summary(), list(hardness.lines()), hardness.exit_code == Exit.ANSWERED


def _unique(bench: _Bench) -> _Answer:
    from fewest.commands.solutions.text import figures, heading

    solutions = bench.compiled().solutions(bench.metric, listed=4, **bench.allowed)
    for one in solutions.bottlenecks:
        bench.show(one.position, f"{format_cost(one.left)} left", "every plan passes here")
    lines = figures(solutions)
    for number, plan in enumerate(solutions.plans, 1):
        lines += ["", f"plan {number}:", *plan.text().splitlines()]
    return heading(solutions), lines, solutions.reason is None


def _vary(bench: _Bench) -> _Answer:
    from fewest.commands.vary import VariedBoard, vary

    compiled = bench.compiled()
    assert compiled.document is not None

    def send(one: VariedBoard) -> None:
        if one.position is not None and one.status != "unsolvable":
            minimum = one.minimum
            value = one.status if minimum is None else format_cost(minimum)
            rank = -1 if minimum is None else minimum if isinstance(minimum, int) else minimum[0]
            text = one.document
            bench.show(one.position, value, str(one.change), text=text, rank=rank)

    variations = vary(
        compiled.document,
        compiled.puzzle,
        bench.metric or compiled.metrics[0],
        each=5.0,
        limits=bench.limits,
        progress=bench.progress,
        show=send,
    )
    all_shown = bench.num_shown <= _MOST_PICTURES
    lines = [] if all_shown else list(variations.lines())
    return variations.summary(), lines, variations.exit_code == Exit.ANSWERED


def _minimize(bench: _Bench) -> _Answer:
    minimized = bench.compiled().minimize(bench.metric, **bench.allowed)
    value = counted(minimized.minimum, minimized.metric)
    bench.show(minimized.after, value, "without what it does not need", text=minimized.document)
    return minimized.summary(), list(minimized.lines()), minimized.is_minimal


def _generate(bench: _Bench) -> _Answer:
    from fewest.reading.board_spec import load_board_specs
    from fewest.reading.loader import NOWHERE

    text = payload.text_of(bench.parameters, "text", payload.MOST_CHARACTERS)
    # A spec from the page may extend only shipped models, because its documents will be read again outside the folder.
    specs = load_board_specs(payload.name_of(bench.parameters), text=text, within=NOWHERE)
    began, whole = time.perf_counter(), bench.limits
    answers = []
    for spec in specs:  # all sizes share the time limit
        bench.limits = less(whole, began)
        answers.append(_generate_one(bench, spec))
    summary = answers[-1][0]
    lines = answers[-1][1] if len(answers) == 1 else []
    for one_summary, one_lines, _ in answers if len(answers) > 1 else ():
        lines += [one_summary, *one_lines, ""]
    return summary, lines, all(is_whole for _, _, is_whole in answers)


def _generate_one(bench: _Bench, spec: BoardSpec) -> _Answer:
    """The answer for the boards of one size; the best boards are sent."""
    from fewest.commands.generate import find_best_of_all, found, generate
    from fewest.commands.generate.documents import document_at
    from fewest.commands.generate.text import figures, heading

    def send(one: NamedBoard) -> None:
        expect = {one.metric: {"value": one.minimum, "source": f"computed: {one.source}"}}
        document, board = document_at(
            spec, one.position, one.name, title=one.title, expect=expect, source=one.source
        )
        value = counted(one.minimum, one.metric)
        bench.show(board.start, value, one.source, text=document, rank=one.minimum)

    if spec.has_ranking:
        best = find_best_of_all(spec, bench.metric, limits=bench.limits, progress=bench.progress)
        for one in found.named_boards(best):
            send(one)
        lines = list(found.figures_of(best))
        return found.heading_of(best), lines, best.exit_code == Exit.ANSWERED
    metrics = () if bench.metric is None else (bench.metric,)
    report = generate(spec, metrics, bench.limits, bench.progress, show=send)
    return heading(report), list(figures(report)), report.exit_code == Exit.ANSWERED


FUNCTIONS: Mapping[str, Callable[[_Bench], _Answer]] = {
    "explain": _explain,
    "hard": _hard,
    "unique": _unique,
    "vary": _vary,
    "minimize": _minimize,
    "generate": _generate,
}
