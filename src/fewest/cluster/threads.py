"""Runs functions in threads of their own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence


class Threads:
    """Functions that run at the same time."""

    def __init__(self, phases: Sequence[Callable[[], bool]]) -> None:
        self._are_done = [False] * len(phases)
        self._error: BaseException | None = None
        self._threads = [
            threading.Thread(target=self._run, args=(number, phase), daemon=True)
            for number, phase in enumerate(phases)
        ]
        for thread in self._threads:
            thread.start()

    def _run(self, number: int, phase: Callable[[], bool]) -> None:
        try:
            self._are_done[number] = phase()
        except BaseException as error:  # `join` raises it
            self._error = error

    @property
    def are_running(self) -> bool:
        """Whether a function has not ended yet."""
        return any(thread.is_alive() for thread in self._threads)

    def wait(self) -> None:
        """Wait for the functions, whatever their results are."""
        for thread in self._threads:
            thread.join()

    def join(self) -> bool:
        """Wait for the functions, and return whether all of them ended without being cancelled. Raises the error that
        one of the functions raised.
        """
        self.wait()
        if self._error is not None:
            raise self._error
        return all(self._are_done)
