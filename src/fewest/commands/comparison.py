"""Compares the puzzle inside a certificate with a known puzzle."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from fewest.certificates.container import RejectedError
from fewest.certificates.embedded_puzzle import fingerprint
from fewest.errors import NotFoundError, UsageError
from fewest.machine import resources

if TYPE_CHECKING:
    from fewest.model.puzzle import Puzzle

NOTHING = "the certificate's own puzzle, compared with nothing"


@dataclass(frozen=True)
class Expected:
    """The puzzle that a certificate must belong to; by default, the shipped puzzle with the same name, if there is one.

    `parameters`: the required values of these parameters; all other parameters may have any value.
    """

    puzzle: str | Puzzle | None = None
    parameters: Mapping[str, int] = field(default_factory=dict)

    def compare(self, puzzle: Puzzle, metric: str) -> str:
        """Compare the puzzle of a certificate with the expected puzzle, and return a description of the expected
        puzzle.

        Raises RejectedError if the certificate belongs to another puzzle or version, UsageError if neither puzzle has
        one of the given parameters, and any errors from loading the expected puzzle.
        """
        task_hash = fingerprint(puzzle, puzzle.metrics[metric])
        for name, value in self.parameters.items():
            if puzzle.parameters.get(name, value) != value:
                raise RejectedError(
                    f"the certificate is for {name}={puzzle.parameters[name]}, not for {name}={value}"
                )
        if self.puzzle is None:
            refs: Sequence[str | Path | Puzzle] = _shipped(puzzle.name)
        else:
            refs = [self.puzzle]
        for ref in refs:
            known = self._known(ref, puzzle)
            same = known.metrics.get(metric)
            if same is not None and fingerprint(known, same) == task_hash:
                return (
                    "the puzzle given with --of"
                    if self.puzzle
                    else f"the shipped puzzle {known.name}"
                )
        if refs:
            name = self.puzzle if isinstance(self.puzzle, str) else puzzle.name
            raise RejectedError(
                f"this is not a certificate of {name}, or the puzzle has changed, because the rules, the board, "
                "the goal or the metric differ (--of names another puzzle)"
            )
        return NOTHING

    def _known(self, ref: str | Path | Puzzle, puzzle: Puzzle) -> Puzzle:
        from fewest.commands.load import load_puzzle

        if not isinstance(ref, str | Path):
            return ref
        try:
            return load_puzzle(ref, {**puzzle.parameters, **self.parameters})
        except UsageError as error:
            if self.parameters.keys() - puzzle.parameters.keys():
                raise
            raise RejectedError(f"this is not a certificate of {ref}: {error.message}") from None


def _shipped(name: str) -> Sequence[str | Path]:
    """References to the shipped puzzles with this name: the file, if exactly one file has this name, and levels of
    collections.
    """
    files = resources.puzzle_files(name)
    found: list[str | Path] = [Path(file) for file in files] if len(files) == 1 else []
    level = re.fullmatch(r"(.+)-(\d{3,9})", name)
    if level is not None:
        from fewest.formats.registry import format_of, level_document

        for path in resources.collections(level[1]):
            # a file without a format is not a collection; it may be the table of answers for the levels
            if format_of(path) is None:
                continue
            with suppress(NotFoundError):
                ref = f"{path}:{int(level[2])}"
                found += [ref] if level_document(ref) is not None else []
    return found
