"""The results for all boards of a spec as text: the figures, and the boards that hold the record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import wrap

from fewest.commands.generate.drawing import drawing_of
from fewest.commands.generate.report import BoardsOfMetric, Generation
from fewest.model.answer import counted, limit_words
from fewest.model.position import Position

_FEW = 3  # the maximum number of boards to draw


def heading(generation: Generation) -> str:
    """The answer in one line."""
    known = [
        counted(one.record, one.metric) for one in generation.metrics if one.record is not None
    ]
    if generation.reason is not None:
        if generation.num_pieces is None:
            return f"{generation.title}: {limit_words(generation.reason)}; nothing is proven"
        most = ", ".join(
            counted(one.minimum, one.metric)
            for one in generation.metrics
            if one.minimum is not None
        )
        proven = f"needs more than {most}" if most else "can be solved"
        boards = f"no board with up to {counted(generation.num_pieces, 'pieces')}"
        return f"{generation.title}: {limit_words(generation.reason)}; {boards} {proven} (proven)"
    if not generation.num_positions:
        return f"{generation.title}: there is no board, because the pieces do not fit (proven)"
    if not known:
        return f"{generation.title}: no unsolved board can be solved (proven)"
    return f"{generation.title}: the hardest boards need {', '.join(known)} (proven: all boards were searched)"


def figures(generation: Generation) -> Iterator[str]:
    """A line for every figure and, for each metric, drawings of a few boards that hold the record."""
    solvable = generation.num_solvable_positions
    yield f"  {'positions':<14} {generation.num_positions:,}, of which {solvable:,} can be solved"
    yield f"  {'boards':<14} {generation.num_boards:,}, of which {generation.num_solvable:,} can be solved"
    if generation.num_canonical is not None and generation.num_canonical != generation.num_boards:
        yield f"  {'up to symmetry':<14} {counted(generation.num_canonical, 'boards')}"
    for one in generation.metrics:
        yield from _of_metric(one)


def _of_metric(one: BoardsOfMetric[Position]) -> Iterator[str]:
    if one.minimum is None:
        return
    yield ""
    minimal = f"{one.num_minimal:,} minimal {'board' if one.num_minimal == 1 else 'boards'}"
    yield f"{one.metric}: {minimal}, the record is {one.record}"
    yield f"  first is minimal   {counted(one.num_first_minimal, 'boards')}"
    positions = counted(one.num_hardest, "positions")
    yield f"  farthest position  {counted(one.minimum, one.metric)}: {positions}"
    yield from counts_by_minimum("  boards by minimum  ", one.histogram)
    for position in one.best[:_FEW]:
        yield ""
        yield from drawing_of(position)
    if len(one.best) > _FEW:
        yield ""
        yield f"and {len(one.best) - _FEW:,} more: -o FOLDER writes them"


def counts_by_minimum(heading: str, counts: Iterable[tuple[object, int]]) -> list[str]:
    """A heading and the count for each minimum, in lines of at most 80 columns; no line break divides a pair."""
    pairs = ", ".join(f"{minimum}:\u00a0{count:,}" for minimum, count in counts)
    lines = wrap(heading + pairs, 80, subsequent_indent=" " * len(heading))
    return [line.replace("\u00a0", " ") for line in lines]
