"""The progress of a search through all boards, with the number of finished stages."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fewest.model.answer import Trial

if TYPE_CHECKING:
    from fewest.search.interface import Progress


class Stages:
    """Forwards the progress reports of a search, each with the number of finished stages."""

    def __init__(self, progress: Callable[[Trial], None]) -> None:
        self._progress = progress
        self._number, self._total, self._what = 0, 1, "placing the pieces"

    def begin(self, number: int, total: int, what: str) -> None:
        """Begin a stage: `number` of `total` stages are finished; `what` describes the new stage."""
        self._number, self._total, self._what = number, total, what

    def __call__(self, progress: Progress) -> None:
        self._progress(Trial(self._number, self._total, self._what, progress.seconds))
