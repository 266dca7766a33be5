"""Reports on a document after each save: its board, its mistakes, its answer, and the changes since the last
save.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from difflib import ndiff
from pathlib import Path
from typing import Any

from msgspec import Struct

from fewest.commands.api import CompiledPuzzle, load
from fewest.commands.result import Result
from fewest.drawing.text import draw
from fewest.errors import Diagnostic, DocumentError, FewestError, UsageError
from fewest.model.answer import Cost, counted, format_cost

Stamp = tuple[tuple[int, int], ...]


class SavedDocument(Struct, frozen=True):
    """The state of the document after a save. `compiled` and `result` are None if there are mistakes; `result` is also
    None if there is no goal.
    """

    compiled: CompiledPuzzle | None
    result: Result | None
    mistakes: str
    diagnostics: tuple[Diagnostic, ...]
    files: tuple[Path, ...]

    @property
    def board(self) -> list[str]:
        """The start as text; empty if there are mistakes."""
        return (
            [] if self.compiled is None else draw(self.compiled.start, self.compiled.puzzle.labels)
        )

    def answers(self) -> list[str]:
        """The expected answers that the answer in this metric contradicts, as text. A plan that is not proven minimal
        contradicts only a minimum above its cost.
        """
        if self.compiled is None or self.result is None:
            return []
        found, is_proven = self.result.cost, self.result.is_proven
        lines: list[str] = []
        for e in self.compiled.puzzle.expectations:
            if e.key == "unsolvable":
                if found is not None if e.value else self.result.status == "unsolvable":
                    wanted = "unsolvable" if e.value else "a plan"
                    lines.append(f"expected {wanted}, found {_answer(self.result)}")
            elif e.key == self.result.metric and not isinstance(e.value, bool):
                is_wrong = is_proven and e.value != found
                if is_wrong or (found is not None and _parts(e.value) > _parts(found)):
                    expected = f"expected {counted(e.value, e.key)}, found"
                    shown = self.result.status if found is None else format_cost(found)
                    lines.append(f"{expected} {shown}")
        return lines


def stamp(files: Sequence[Path]) -> Stamp:
    """A value that changes when one of the files is saved or removed."""
    out: list[tuple[int, int]] = []
    for path in files:
        try:
            status = os.stat(path)
            out.append((status.st_mtime_ns, status.st_size))
        except OSError:
            out.append((0, -1))
    return tuple(out)


def look_at(
    path: Path,
    settings: dict[str, int],
    metric: str | None,
    seconds: float | None,
    memory: int | None,
) -> SavedDocument:
    """Read the document and solve the puzzle. Mistakes and limits do not raise an error; they become part of the
    report. Raises UsageError, for example for an unknown metric or parameter.
    """
    files: tuple[Path, ...] = (path,)
    try:
        compiled = load(path, settings)
        if compiled.document is not None:
            files = (path, *(Path(f) for f in compiled.document.files if f != str(path)))
        result = None
        if compiled.puzzle.goal is not None:
            result = compiled.solve(metric, seconds=seconds, memory=memory)
    except UsageError:
        raise
    except DocumentError as error:
        return SavedDocument(None, None, str(error), error.diagnostics, files)
    except FewestError as error:
        return SavedDocument(None, None, str(error), (), files)
    warnings = compiled.puzzle.warnings
    if result is not None:
        warnings += compiled.warnings_with(result)
    return SavedDocument(compiled, result, "", warnings, files)


def changes(before: SavedDocument | None, now: SavedDocument) -> list[str]:
    """The differences since the last save, as lines of text."""
    if before is None:
        return []
    gone = _codes(before) - _codes(now)
    if now.compiled is None:
        # An error ended the reading, so there are no warnings yet. A new error may hide the earlier ones; so does an
        # error without a location, such as a missing file.
        hides_others = not now.diagnostics or bool(_codes(now) - _codes(before))
        gone = {text for text in gone if text.startswith("error") and not hides_others}
    lines = [f"gone: {text}" for text in sorted(gone)]
    if before.compiled is None or now.compiled is None:
        return lines
    moved = [row for row in ndiff(before.board, now.board) if row[0] in "+-"]
    lines += [f"board {row}" for row in moved[:12]]
    for noun, old, new in zip(
        ("pieces", "rules", "facts", "operators"),
        _sizes(before.compiled),
        _sizes(now.compiled),
        strict=True,
    ):
        if old != new:
            lines.append(f"{noun}: {old:,} → {new:,}")
    old_answer, new_answer = _answer(before.result), _answer(now.result)
    if old_answer != new_answer:
        lines.append(f"answer: {old_answer} → {new_answer}")
    return lines


def _codes(report: SavedDocument) -> set[str]:
    return {f"{d.severity}[{d.code}] {d.message}" for d in report.diagnostics}


def _sizes(compiled: CompiledPuzzle) -> tuple[int, int, int, int]:
    puzzle, task = compiled.puzzle, compiled.grounded
    return len(puzzle.pieces), len(puzzle.rules), len(task.facts), len(task.moves)


def _answer(result: Result | None) -> str:
    if result is None:
        return "no goal"
    found: Any = result.cost
    if found is None:
        return result.status
    words = counted(found, result.metric)
    return words if result.is_proven else f"at most {words}"


def _parts(cost: Cost) -> tuple[int, ...]:
    return (cost,) if isinstance(cost, int) else tuple(cost)
