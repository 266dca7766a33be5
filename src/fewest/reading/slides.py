"""Reading a slide."""

from __future__ import annotations

from fewest.model.rules import Slide
from fewest.reading.context import Context, Path
from fewest.reading.document import MoveEntry
from fewest.reading.guard import read_guard


def read_slide(context: Context, name: str, move: MoveEntry, path: Path) -> Slide | None:
    """The rule of a `slide`, mistakes reported; None if it cannot be used."""
    assert move.slide is not None
    found = [context.piece_word((*path, "slide"), w.strip()) for w in move.slide.split("|")]
    words = tuple(word for word in found if word is not None)
    for word in words:
        context.doubt_parts((*path, "slide"), word)
    directions = None
    if move.directions is not None:
        directions = context.directions((*path, "directions"), move.directions)
    is_blocked = move.distance == "blocked"
    over = None
    if move.over is not None:
        over = context.terrain((*path, "over"), move.over)
    for key, value in (("over", move.over), ("stopped-by", move.stopped_by)):
        if value is not None and not is_blocked:
            context.error(
                (*path, key),
                "move-key-unused",
                f"`{key}` belongs to a slide with `distance: blocked`",
            )
    stops = ["piece", "wall"] if move.stopped_by is None else move.stopped_by
    stops = [stops] if isinstance(stops, str) else list(stops)
    guard = read_guard(context, move, path)
    if len(words) < len(found):
        return None
    return Slide(
        name,
        guard,
        words,
        directions,
        is_blocked,
        over,
        "wall" in stops,
        "piece" in stops,
    )
