"""Reads a slide, and the keys for pushed and sticky pieces."""

from __future__ import annotations

from fewest.model.board import GRAPH
from fewest.model.rules import Slide
from fewest.reading.context import Context, Path
from fewest.reading.document import MoveEntry
from fewest.reading.guard import read_guard

OWN = "own"  # the value of `sticky: own`: pieces stick to pieces of their own kind


def read_slide(context: Context, name: str, move: MoveEntry, path: Path) -> Slide | None:
    """The rule that a `slide` defines; None if a mistake was reported."""
    assert move.slide is not None
    words = piece_words(context, (*path, "slide"), move.slide)
    for word in words or ():
        context.warn_of_parts((*path, "slide"), word)
    is_blocked = move.distance == "blocked"
    over = None
    if move.over is not None:
        over = context.terrain((*path, "over"), move.over)
    for key, value in (("over", move.over), ("stopped-by", move.stopped_by)):
        if value is not None and not is_blocked:
            context.error(
                (*path, key),
                "move-key-unused",
                f"`{key}` is allowed only with `distance: blocked`",
            )
    stops = ["piece", "wall"] if move.stopped_by is None else move.stopped_by
    stops = [stops] if isinstance(stops, str) else list(stops)
    for key, is_said in (
        ("distance", is_blocked),
        ("carries", move.carries is not None),
        ("sticky", move.sticky is not None),
    ):
        if is_said and context.board is not None and context.board.geometry == GRAPH:
            message = f"`{key}` is not allowed on a graph, because a graph has no straight lines"
            hint = "use a pattern, which follows paths: `before: [train, car..., empty]`"
            context.error((*path, key), "move-key-unused", message, hint=hint)
    guard = read_guard(context, move, path)
    directions = None
    if move.directions is not None:
        from fewest.reading.direction_expressions import directed

        guard, directions = directed(context, (*path, "directions"), move.directions, guard)
    carries, sticky = read_pushing(context, move, path)
    if is_blocked and (carries or move.sticky):
        key = "carries" if carries else "sticky"
        message = f"`{key}` is not allowed with `distance: blocked`"
        context.error((*path, key), "move-key-unused", message)
    if words is None or carries is None or sticky is None:
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
        carries,
        sticky,
        move.most,
        own_kinds(context, move, (*words, *carries)),
    )


def read_pushing(
    context: Context, move: MoveEntry, path: Path
) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    """The words of `carries` and the words of `sticky`; each is None if a mistake in it was reported. Reports mistakes
    in these keys and in `most`.
    """
    carries = piece_words(context, (*path, "carries"), move.carries)
    words = None if move.sticky == OWN else move.sticky
    sticky = piece_words(context, (*path, "sticky"), words)
    if move.most is not None and not carries and move.sticky is None:
        message = "`most` needs `carries` or `sticky`"
        context.error((*path, "most"), "move-key-unused", message)
    if move.most is not None and move.most < 1:
        context.error(
            (*path, "most"),
            "wrong-value",
            "`most` must be at least 1",
        )
    return carries, sticky


def own_kinds(context: Context, move: MoveEntry, words: tuple[str, ...]) -> tuple[str, ...]:
    """The kinds that the rule moves, if it has `sticky: own` (which makes pieces of the same kind stick together);
    otherwise empty.
    """
    if move.sticky != OWN:
        return ()
    wanted = frozenset(words)
    found = (piece.kind for piece in context.classes if piece.answers_to_one_of(wanted))
    return tuple(dict.fromkeys(found))


def piece_words(context: Context, path: Path, text: str | None) -> tuple[str, ...] | None:
    """The kinds and letters of `A|B`; empty if there is no text, and None if a mistake was reported."""
    found = [context.piece_word(path, w.strip()) for w in text.split("|")] if text else []
    return None if None in found else tuple(word for word in found if word is not None)
