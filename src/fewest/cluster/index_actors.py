"""Actors that hold the marks of an index, for the driver in `fewest.store.index_parts`.

If an actor dies, all actors go back to the marks that were saved last, and the driver repeats the later layers
(`WorkerEndedError`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NoReturn

from fewest.cluster.recovery import LOOK_PER_OWNER, ActorEndedError, Fleet, Recovery, RecoveryLimits
from fewest.errors import UsageError
from fewest.store.index_workers import (
    MOST_FOUND,
    ExpansionCounts,
    MarkedStates,
    PartFigures,
    PartOrder,
    SavedLayers,
    WorkerEndedError,
)
from fewest.store.workers import LOOK

# The number of seconds between two checks of the owners that have finished a step.
_CHECK_EVERY = 5.0
# The maximum number of owners that one report or one check includes; the owners take turns.
_FIGURES_OF = 32


def _facts(words: Sequence[int]) -> int:
    return sum(word << 64 * number for number, word in enumerate(words))


class IndexActors:
    """See `index_workers.IndexParts`."""

    def __init__(
        self, order: PartOrder, fleet: Fleet, recovery_limits: RecoveryLimits | None = None
    ) -> None:
        self._order, self._fleet = order, fleet
        self._owners = range(order.owners)
        self._recovery = Recovery(fleet, self._owners, recovery_limits)
        self._pending: list[Any] = []
        self._step = 0
        # for each owner, the number of states that are marked for expansion
        self._states = [0] * order.owners
        self._num_bytes = self._num_messages = self._num_moves = 0
        # for each owner, the number of states that have been marked in this step
        self._seen = [0] * order.owners
        self._next_seen = self._next_checked = 0
        self._most_bytes = 0
        # the function that reports progress and raises the exceptions of limits
        self._look: Callable[[], None] = lambda: None
        self._is_stopped = False  # whether a limit has ended the search
        fleet.introduce(self._owners)
        self._num_nodes = fleet.num_nodes()
        self._has_started = False

    def wait_for_start(self, look: Callable[[], None]) -> None:
        try:
            versions = self._recovery.first(self._calls("version"), look)
        except ActorEndedError:
            self._mend()
        if len(set(versions)) > 1:
            raise UsageError("the nodes of the cluster have different versions of fewest")
        self._gather(self._go_back(), None)
        self._num_nodes = self._fleet.num_nodes()
        self._has_started = True

    def start(self) -> int:
        return int(self._one(0, "start"))

    def begin(self, number: int) -> None:
        self._all("begin", number)

    def begin_at_goals(self) -> None:
        self._all("begin_at_goals")

    def restore(self, saved: SavedLayers) -> None:
        self._states = self._all("restore", saved)

    def save(self, layer: int) -> None:
        if not all(self._all("save", layer)):
            import errno

            raise OSError(errno.ENOSPC, "the disk is full")

    def clean(self, layer: int) -> None:
        self._all("clean", layer)
        assert self._order.folder is not None, "marks are saved in a folder"
        for file in self._order.folder.glob("part-*"):
            if f"-of-{len(self._owners):04}-" not in file.name:
                file.unlink(missing_ok=True)

    def move(self, look: Callable[[], None], *, backward: bool, within: bool) -> int:
        self._step += 1
        self._seen = [0] * len(self._owners)
        sources = [owner for owner in self._owners if self._states[owner]]
        about = (self._recovery.epoch, "move", self._step, sources, backward, within)
        moved: list[ExpansionCounts] = self._answers(self._gather(self._calls("do", *about), look))
        if None in moved:
            self._mend()
        self._num_moves += 1
        self._num_messages += len(self._owners) + sum(one.messages for one in moved)
        self._num_bytes += sum(one.bytes for one in moved)
        self._recovery.end_layer()
        return sum(one.marked for one in moved)

    def advance(self, *, within: bool, has_goals: bool = True) -> MarkedStates:
        made: list[MarkedStates] = self._all("advance", within, has_goals)
        self._states = [one.states for one in made]
        first = [one.first for one in made if one.first is not None]
        return MarkedStates(
            sum(self._states), sum(one.goals for one in made), min(first, default=None)
        )

    def mark_goals(self) -> None:
        self._all("mark_goals")

    def least(self) -> int | None:
        found = [words for words in self._all("least") if words]
        least = min(found, key=lambda words: words[::-1], default=None)
        return None if least is None else _facts(least)

    def fewest_facts(self) -> list[int]:
        found = [_facts(words) for some in self._all("fewest_facts") for words in some]
        fewest = min(map(int.bit_count, found), default=0)
        return sorted(state for state in found if state.bit_count() == fewest)[:MOST_FOUND]

    def remember(self) -> bool:
        return all(self._all("remember"))

    def meet(self) -> int | None:
        return min((one for one in self._all("meeting") if one is not None), default=None)

    def operators(self, origin: int, target: int) -> list[int]:
        return list(self._one(0, "operators", origin, target))

    def figures(self) -> PartFigures:
        found: list[PartFigures] = self._all("figures")
        self._most_bytes = max(self._most_bytes, *(one.bytes for one in found))
        return PartFigures(*map(sum, zip(*found, strict=True)))

    def num_marked(self) -> int:
        """The approximate number of marked states. If there are many owners, only some of them report in each call."""
        count = min(_FIGURES_OF, len(self._owners))
        some = [(self._next_seen + i) % len(self._owners) for i in range(count)]
        self._next_seen = (self._next_seen + count) % len(self._owners)
        calls = [self._fleet.call(owner, "num_marked", beside=True) for owner in some]
        with suppress(TimeoutError, ActorEndedError):
            for owner, seen in zip(some, self._fleet.get(calls, 5.0), strict=True):
                self._seen[owner] = seen
        return sum(self._seen)

    def statistics(self) -> dict[str, int]:
        return {
            "actors": len(self._owners),
            "owners": len(self._owners),
            "nodes": self._num_nodes,
            "threads": self._order.workers,
            "actors_replaced": self._recovery.replaced,
            "bytes_exchanged": self._num_bytes,
            "bytes_per_owner": self._most_bytes,
            "messages": self._num_messages,
            "messages_per_layer": self._num_messages // max(1, self._num_moves),
        }

    def end(self) -> None:
        self._fleet.end(has_started=self._has_started)

    # -- calls ------------------------------------------------------------------------------------------

    def _calls(self, method: str, *arguments: Any) -> list[Any]:
        return [self._fleet.call(owner, method, *arguments) for owner in self._owners]

    def _all(self, method: str, *arguments: Any) -> list[Any]:
        """The answers of all owners."""
        calls = self._calls("do", self._recovery.epoch, method, *arguments)
        return self._answers(self._gather(calls, None))

    def _one(self, owner: int, method: str, *arguments: Any) -> Any:
        call = self._fleet.call(owner, "do", self._recovery.epoch, method, *arguments)
        return self._answers(self._gather([call], None))[0]

    def _answers(self, found: Sequence[tuple[Any] | None]) -> list[Any]:
        """The answers, unwrapped from their tuples. Raises WorkerEndedError if an owner has restarted."""
        if None in found:
            self._mend()
        return [one[0] for one in found if one is not None]

    def _gather(self, calls: list[Any], look: Callable[[], None] | None) -> list[Any]:
        """The results of calls. Raises WorkerEndedError or ClusterError if an owner has ended. Raises the exceptions of
        calls and of `look`, after all calls have ended.
        """
        pending, results = {call: number for number, call in enumerate(calls)}, {}
        self._look, checked = look or self._look, self._fleet.now()
        seconds = max(LOOK, LOOK_PER_OWNER * len(calls))
        try:
            while pending:
                self._pending = list(pending)
                done, _ = self._fleet.wait(self._pending, seconds)
                for call, result in zip(done, self._fleet.get(done), strict=True):
                    results[pending.pop(call)] = result
                if look is not None:
                    look()
                    if pending and self._fleet.now() - checked > _CHECK_EVERY:
                        self._check_finished(list(results))
                        checked = self._fleet.now()
        except ActorEndedError:
            self._mend()
        except BaseException:
            self._is_stopped = True
            self._recovery.rest(list(pending))
            raise
        return [results[number] for number in range(len(calls))]

    def _check_finished(self, finished: list[int]) -> None:
        """Raises ActorEndedError if an owner restarted after it had answered: other owners may need the words that it
        had packed for them. If there are many owners, each call checks only some of them.
        """
        first = self._next_checked % max(1, len(finished))
        some = [*finished[first:], *finished[:first]][:_FIGURES_OF]
        self._next_checked = first + len(some)
        calls = [
            self._fleet.call(owner, "is_at", self._recovery.epoch, self._step, beside=True)
            for owner in some
        ]
        with suppress(TimeoutError):
            if not all(self._fleet.get(calls, _CHECK_EVERY)):
                raise ActorEndedError

    def _mend(self) -> NoReturn:
        """Make all owners restart from the saved marks. Raises WorkerEndedError, ClusterError, and the exceptions of
        limits. After a limit, no owner restarts.
        """
        if not self._is_stopped:
            try:
                self._recovery.restore_actors(self._pending, self._go_back, self._look)
            except BaseException:
                self._is_stopped = True
                raise
        raise WorkerEndedError

    def _go_back(self) -> list[Any]:
        return self._calls("go_back", self._recovery.epoch)
