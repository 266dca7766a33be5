"""Reads the `directions:` of rules and kinds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fewest.model.board import (
    DIRECTION_GROUPS,
    GRAPH,
    HEXAGONAL,
    STRIPS,
    Direction,
    Offset,
    Shape,
    direction_of,
)
from fewest.reading.context import Context, Path

DIRECTION_WORDS = (*DIRECTION_GROUPS, "hex", "strips", "along", "above", "below")

_OFFSET = "an offset must be [rows, columns], and the two numbers must not both be zero"


def read_directions(
    context: Context, path: Path, given: object, shape: Shape | None = None, cell: int | None = None
) -> tuple[Direction, ...] | None:
    """The directions that a `directions:` key gives; None if a mistake was reported.

    The word `along` requires the shape of a piece; without a shape, an error is reported.
    """
    if context.board is not None and context.board.geometry == GRAPH:
        return _kinds_of_edges(context, path, given)
    offsets: list[tuple[int, int]] = []
    items = [given] if isinstance(given, str) else list(given)  # type: ignore[call-overload]
    for index, item in enumerate(items):
        here = path if isinstance(given, str) else (*path, index)
        if isinstance(item, str):
            for word in item.split():
                found = _offsets_of_word(context, here, word, shape, cell)
                if found is None:
                    return None
                offsets.extend(found)
        elif _is_offset(item):
            offsets.append((item[0], item[1]))
        else:
            context.error(here, "bad-offset", _OFFSET)
            return None
    board = context.board
    known = {} if board is None else {each.offset: each for each in board.directions}
    return tuple([known.get(offset) or direction_of(offset) for offset in dict.fromkeys(offsets)])


_RELATIVE = ("forward", "forwards", "ahead", "back", "backward", "backwards")
_HEADING = (
    "store the heading in a variable, and write `directions: heading`, or `back_of(heading)`, "
    "`left_of(heading)` or `right_of(heading)`"
)


def _offsets_of_word(
    context: Context, path: Path, word: str, shape: Shape | None, cell: int | None
) -> Iterable[Offset] | None:
    """The offsets of a word for directions; None if a mistake was reported."""
    board = context.board
    if word == "along":
        return _along(context, path, shape, cell)
    if word == "hex":
        return DIRECTION_GROUPS[_hexagonal(context, path)]
    if word == "strips" and context.has_triangles:
        return STRIPS
    if word in DIRECTION_GROUPS:
        return DIRECTION_GROUPS[word]
    if word in ("above", "below") and context.document.levels is not None:
        assert board is not None
        return [each.offset for each in board.directions if each.name == word]
    if word.endswith(","):
        message = f"there is no direction `{word}`"
        hint = "separate directions by spaces, without commas"
        context.error(path, "unknown-direction", message, hint=hint)
    elif word in _RELATIVE:
        message = f"there is no direction `{word}`, because directions do not depend on a piece"
        context.error(path, "unknown-direction", message, hint=_HEADING)
    else:
        known = [known for known in DIRECTION_WORDS if known != "strips" or context.has_triangles]
        context.unknown(path, "unknown-direction", "direction", word, known)
    return None


def _kinds_of_edges(context: Context, path: Path, given: object) -> tuple[Direction, ...] | None:
    """The directions along the kinds of edges that a `directions:` key names; None if a mistake was reported."""
    assert context.board is not None
    items = [given] if isinstance(given, str) else list(given)  # type: ignore[call-overload]
    found: dict[Direction, None] = {}
    for word in (word for item in items for word in str(item).split()):
        if word not in context.board.kinds:
            known = list(context.board.kinds)
            context.unknown(path, "unknown-direction", "kind of edges", word, known)
            return None
        found.update(dict.fromkeys(context.board.kinds[word]))
    return tuple(found)


def _hexagonal(context: Context, path: Path) -> str:
    """The direction in which the rows of the hexagonal board lean; warns if the document does not define this
    direction.
    """
    geometry = context.document.geometry
    if geometry in HEXAGONAL:
        return geometry
    message = "`geometry` is missing, so `hex` includes the diagonals up-right and down-left"
    hint = "write `geometry: hex-right` for these diagonals, or `geometry: hex-left` for the others"
    context.warn(path, "geometry-unsaid", message, hint=hint)
    return "hex-right"


def _along(
    context: Context, path: Path, shape: Shape | None, cell: int | None
) -> Sequence[Offset] | None:
    """The two directions of the longer side of a shape; None if a mistake was reported."""
    if shape is None:
        context.error(
            path,
            "along-without-piece",
            "`along` is allowed only in a piece kind, not in a rule",
        )
        return None
    height = max(shape)[0] + 1  # tuples are compared by their first number
    width = max(right for _, right in shape) + 1
    if height == width:
        inside = None
        if (
            cell is not None
            and context.board is not None
            and isinstance(context.document.board, str)
        ):
            # the location of the mistake is the drawing rather than the kind
            path, inside = ("board",), (*context.board.at(cell), 1)
        context.error(
            path,
            "no-long-axis",
            f"a piece of {height} by {width} cells has no long axis for `along`",
            hint="define a separate kind with other `directions` for such pieces",
            inside=inside,
        )
        return None
    return DIRECTION_GROUPS["horizontal" if width > height else "vertical"]


def _is_offset(item: object) -> bool:
    """Whether a value is a pair of whole numbers that are not both zero. The value of a constant can be anything."""
    if not isinstance(item, (list, tuple)) or len(item) != 2:
        return False
    return all(isinstance(part, int) for part in item) and any(item)
