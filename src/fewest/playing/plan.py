"""Plans: validated moves, with piece names, move texts and positions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from fewest.model.position import Position
from fewest.model.puzzle import Spot
from fewest.playing.step import Step, phrase

if TYPE_CHECKING:
    from fewest.drawing.pictures.puzzle_style import PuzzleStyle
    from fewest.drawing.pictures.sheet import Frame


class PlannedMove(Struct, frozen=True, gc=False):
    """The steps that the metric counts as one move: the free steps that prepare it, and then the step or the merged
    steps that count. The last move of a plan may consist of free steps only.
    """

    steps: tuple[Step, ...]
    cost: tuple[int, ...]

    def __repr__(self) -> str:
        return f"<PlannedMove {self.text}>"

    @property
    def text(self) -> str:
        """The text, such as `曹操 ↓↓` or `walk player ↑→, push box (2, 3)→(2, 4) →`; each subject is named once,
        followed by its steps.
        """
        groups: list[list[Step]] = []
        for step in self.steps:
            if groups and continues(groups[-1][-1], step):
                groups[-1].append(step)
            else:
                groups.append([step])
        return ", ".join(map(phrase, groups))

    @property
    def position(self) -> Position:
        """The position after the move."""
        return self.steps[-1].move.target


def continues(last: Step, step: Step) -> bool:
    """Whether a step belongs to the same phrase as the last step: both move the same piece or ring, and neither has a
    label or consequences.
    """
    if last.move_label or step.move_label or last.move.then or step.move.then:
        return False
    if not (last.arrow and step.arrow and last.subject == step.subject):
        return False
    if step.move.ring is not None:
        return (last.move.ring, last.move.words) == (step.move.ring, step.move.words)
    if last.move.carrier is None or step.move.carrier is None:
        return False
    return last.move.carrier[1] == step.move.carrier[0]


class Plan(Struct, frozen=True):
    """A validated plan: the start position, the letters of its pieces, the moves, and the ids of the operators."""

    start: Position
    labels: Mapping[Spot, str]
    moves: tuple[PlannedMove, ...]
    operators: tuple[int, ...]

    def __repr__(self) -> str:
        return f"<Plan of {len(self)} move{'s' * (len(self) != 1)}>"

    @property
    def counted(self) -> tuple[PlannedMove, ...]:
        """The moves that have a cost; they are the items of the plan if it is used as a sequence."""
        return tuple(move for move in self.moves if any(move.cost))

    def __len__(self) -> int:
        return len(self.counted)

    def __getitem__(self, index: Any) -> Any:
        return self.counted[index]

    def __iter__(self) -> Iterator[PlannedMove]:
        return iter(self.counted)

    def __reversed__(self) -> Iterator[PlannedMove]:
        return reversed(self.counted)

    def __contains__(self, move: object) -> bool:
        return move in self.counted

    def __bool__(self) -> bool:
        return True  # a plan is true even if it has no moves

    def index(self, move: PlannedMove, *between: int) -> int:
        """The index of the move. Raises ValueError if the plan does not contain the move."""
        return self.counted.index(move, *between)

    def count(self, move: PlannedMove) -> int:
        """How often the move occurs."""
        return self.counted.count(move)

    def text(self, *, positions: bool = False) -> str:
        """One numbered line for each move. If `positions` is true, the text begins with the board at the start, and the
        board after the move follows each line.
        """
        width = len(str(len(self.moves)))
        words = [f"{number:>{width}}. {move.text}" for number, move in enumerate(self.moves, 1)]
        if not positions:
            return "\n".join(words)
        from fewest.drawing.text import draw

        lines = [*draw(self.start, self.labels), ""]
        for line, move in zip(words, self.moves, strict=True):
            lines += [line, *draw(move.position, move.steps[-1].labels), ""]
        return "\n".join(lines)

    def frames(self, *, arrows: bool = False) -> list[Frame]:
        """The positions of the plan for pictures: the start and the result of every move.

        If `arrows` is true, each picture except the last shows the next move and names it in the caption.
        """
        from fewest.drawing.pictures.sheet import Frame

        start = Frame(self.start, self.labels, "start")
        after = [
            Frame(move.position, move.steps[-1].labels, f"{number}. {move.text}")
            for number, move in enumerate(self.moves, 1)
        ]
        frames = [start, *after]
        if not arrows:
            return frames
        out = [
            Frame(here.position, here.labels, there.caption, _arrows(move))
            for here, there, move in zip(frames, after, self.moves, strict=False)
        ]
        return [*out, Frame(frames[-1].position, frames[-1].labels, "solved")]

    def svg(
        self, *, theme: str = "light", arrows: bool = False, style: PuzzleStyle | None = None
    ) -> str:
        """The contact sheet of the plan as an SVG document; see `frames`, `drawing.pictures.puzzle_style`."""
        from fewest.drawing.pictures.puzzle_style import look
        from fewest.drawing.pictures.sheet import plan_sheet

        shown = style or look(self.start.puzzle, theme)
        return plan_sheet(shown, self.frames(arrows=arrows))

    def _repr_svg_(self) -> str:
        return self.svg()

    def to_json(self) -> list[dict[str, Any]]:
        """Plain data, with one row for each move."""
        return [
            {
                "text": move.text,
                "cost": list(move.cost),
                "steps": [step.to_json() for step in move.steps],
            }
            for move in self.moves
        ]


Sequence.register(Plan)


def _arrows(move: PlannedMove) -> list[tuple[Spot, Spot]]:
    """The arrows for a move, from the old to the new place of each piece. Consecutive steps of a piece share an arrow,
    which is omitted if the piece returns to its old place.
    """
    out: list[tuple[Spot, Spot]] = []
    for step in move.steps:
        for source, target in step.move.moved:
            if out and out[-1][1] == source:
                out[-1] = (out[-1][0], target)
            else:
                out.append((source, target))
    return [arrow for arrow in out if arrow[0] != arrow[1]]
