"""Finds dead states by exhaustive search, and the positions that a single box can reach."""

from __future__ import annotations

from collections.abc import Iterator

from fewest.model.task import Task

Cell = tuple[int, int]
DIRECTIONS = ((0, 1), (1, 0), (0, -1), (-1, 0))


def states_of(task: Task, limit: int) -> Iterator[tuple[int, bool]]:
    """Yields every reachable state, and whether it can reach a goal; yields nothing if there are more than `limit`
    states."""
    order, number = [task.initial], {task.initial: 0}
    before: list[list[int]] = [[]]
    for state in order:
        for operator in task.operators:
            if not operator.is_applicable(state):
                continue
            target = operator.apply(state)
            if task.is_forbidden(target):
                continue
            if target not in number:
                number[target] = len(order)
                order.append(target)
                before.append([])
                if len(order) > limit:
                    return
            before[number[target]].append(number[state])
    alive = [index for index, state in enumerate(order) if task.is_goal(state)]
    known = set(alive)
    for index in alive:
        new = set(before[index]) - known
        known |= new
        alive += new
    yield from ((state, index in known) for index, state in enumerate(order))


class Warehouse:
    """A level with boxes to push, read from its text alone."""

    def __init__(self, text: str) -> None:
        rows = text.partition("board: |\n")[2].splitlines()
        cells = {(r, c): x for r, row in enumerate(rows) for c, x in enumerate(row.strip())}
        self.walls = {at for at, x in cells.items() if x == "#"}
        self.targets = {at for at, x in cells.items() if x in ".*+"}

    def homes(self, box: Cell, player: Cell) -> set[Cell]:
        """The targets that the box can reach if there is no other box."""
        known = {(box, player)}
        waiting = [(box, player)]
        for (r, c), (y, x) in waiting:
            for dy, dx in DIRECTIONS:
                step, beyond = (y + dy, x + dx), (y + 2 * dy, x + 2 * dx)
                then = ((r, c), step) if step != (r, c) else (beyond, step)
                if step not in self.walls and then[0] not in self.walls and then not in known:
                    known.add(then)
                    waiting.append(then)
        return {at for at, _ in known} & self.targets

    def frozen(self, boxes: set[Cell]) -> set[Cell]:
        """The boxes that block each other permanently. A push to a cell where a single box is dead does not count as
        possible."""

        def can_move(box: Cell, stay: set[Cell]) -> bool:
            r, c = box
            return any(
                not {(r - dy, c - dx), (r + dy, c + dx)} & (self.walls | stay)
                and self.homes((r + dy, c + dx), box)
                for dy, dx in DIRECTIONS
            )

        stay = set(boxes)
        while moving := {box for box in stay if can_move(box, stay)}:
            stay -= moving
        return stay
