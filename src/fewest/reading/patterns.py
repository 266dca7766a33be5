"""Reads a pattern: the words, terrain and identities of `before` and `after`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from itertools import chain, groupby

from msgspec.structs import replace

from fewest.model.answer import counted
from fewest.model.board import GRAPH, Offset
from fewest.model.puzzle import PieceClass
from fewest.model.rules import NO_PIECE, Element, Form, Guard, Names, Orientation, Pattern
from fewest.reading.context import Context, Path
from fewest.reading.direction_expressions import without_heading
from fewest.reading.document import MoveEntry
from fewest.reading.guard import read_guard
from fewest.reading.layers import AND, report_clash
from fewest.reading.pattern_layers import Term, elements_of
from fewest.reading.pattern_orientations import (
    Rows,
    line_directions,
    line_orientations,
    path_orientations,
    rectangle_orientations,
)
from fewest.reading.repetition import (
    Written,
    count_stretches,
    lengths,
    longest_line,
    written_out,
)

_WHOLE = "write `whole: true` to move and remove pieces of any shape"

GROUND = "ground"  # a floor cell, with or without pieces on it; the word means `not wall`


def read_pattern(context: Context, name: str, move: MoveEntry, path: Path) -> Pattern | None:
    """The rule of a pattern (`before` and `after`); None if a mistake was reported."""
    assert move.before is not None and move.after is not None
    sides = _sides(context, move.before, move.after, path)
    if sides is None:
        return None
    before, after = sides
    is_grid = isinstance(move.before[0], list)
    guard = read_guard(context, move, path)
    number = count_stretches(context, path, chain(*before), chain(*after))
    if number is None or (number and is_grid):
        if number:
            message = "`...` is allowed only in a line, not in a rectangle"
            context.error((*path, "before"), "pattern-length", message)
        return None
    directions = None
    if not is_grid:
        guard, directions = line_directions(context, move, path, guard)
        if directions is None:
            return None
    assert context.board is not None
    is_graph = context.board.geometry == GRAPH
    is_whole = move.whole is True
    if is_whole and is_graph:
        message = "`whole` has no effect on a graph, where every piece covers one node"
        context.error((*path, "whole"), "move-key-unused", message)
        return None
    if is_graph:
        longest = len(context.board.floors)
    else:
        longest = max((longest_line(context.board, d.offset) for d in directions or ()), default=0)
    places = len(before[0]) + (longest if number else 0)
    if directions is None:
        orientations = rectangle_orientations(context, move, path, before)
    elif is_graph:
        orientations = path_orientations(context, path, directions, min(places, longest))
    else:
        orientations = line_orientations(directions, places)
    forms: list[Form] = []
    seen: dict[tuple[object, ...], Form | None] = {}
    # The bindings of one combination of loops differ in their directions. A shorter stretch in the last of these
    # directions has priority over a longer one in the first.
    for _, same in groupby(
        enumerate(guard.bindings), key=lambda numbered: without_heading(numbered[1])
    ):
        bindings = list(same)
        written = _written(context, path, bindings[0][1], before, after, is_grid)
        if written is None:
            return None
        for each in lengths(number, longest):
            sides_now = [written_out(side, each) for side in written]
            form = _form(context, sides_now, seen, is_whole=is_whole)
            if form is None:
                return None
            if form.elements:
                forms += [replace(form, names=names, binding=n) for n, names in bindings]
    if orientations is None:
        return None
    if not is_whole:
        _warn_of_large_pieces(context, path, forms)
    if not is_graph:
        _warn_of_directions(context, path, forms, orientations, guard)
    goes_on = move.distance == "blocked"
    if goes_on:
        _check_distance(context, path, forms, is_grid=is_grid)
    return Pattern(name, guard, tuple(forms), orientations, is_whole, goes_on)


def _check_distance(context: Context, path: Path, forms: list[Form], *, is_grid: bool) -> None:
    """Report a `distance` in a pattern that has no direction in which it could continue."""
    assert context.board is not None
    message = None
    if is_grid:
        message = "`distance` is allowed only with a line, not with a rectangle"
    elif context.board.geometry == GRAPH:
        message = "`distance` is not allowed on a graph, because a graph has no straight lines"
    elif any(form.lead is None for form in forms):
        message = "`distance` needs a piece that moves, but this pattern moves none"
    if message is not None:
        context.error((*path, "distance"), "move-key-unused", message)


def _warn_of_large_pieces(context: Context, path: Path, forms: list[Form]) -> None:
    """Warn if a kind that the pattern moves or removes has pieces of several cells: the pattern does not apply to such
    pieces.
    """
    for form in forms:
        for place in form.going:
            element = form.elements[place]
            named = [c for c in context.classes if _may_be(c, element)]
            large = [c for c in named if not c.is_single_cell]
            if element.is_piece and large and "any" not in element.words:
                word = large[0].label or large[0].kind
                message = f"this pattern does not move pieces of `{word}` that have several cells"
                context.warn((*path, "before"), "pattern-large-piece", message, hint=_WHOLE)
                return


def _warn_of_directions(
    context: Context,
    path: Path,
    forms: list[Form],
    orientations: tuple[Orientation, ...],
    guard: Guard,
) -> None:
    """Warn if a pattern moves a piece in a direction that is not among the `directions` of its kind."""
    limited = [c for c in context.classes if c.directions is not None]
    for form in forms if limited else ():
        fitting = [
            orientation
            for orientation in orientations
            if not guard.directions_of_binding
            or orientation.direction in guard.directions_of_binding[form.binding]
        ]
        for start, end in form.carried:
            moved = [c for c in limited if start != end and _may_be(c, form.elements[start])]
            for piece in moved:
                allowed = {orientation.offset for orientation in piece.directions or ()}
                if all(
                    _offset(form, start, end, orientation) in allowed for orientation in fitting
                ):
                    continue
                word = piece.label or piece.kind
                message = (
                    f"this pattern also moves `{word}` in other directions than those of its kind"
                )
                hint = "write `directions` in the rule, because those of the kind do not apply to patterns"
                context.warn((*path, "before"), "pattern-directions", message, hint=hint)
                return


def _offset(form: Form, start: int, end: int, orientation: Orientation) -> Offset:
    """The direction in which a pattern moves the piece between two of its elements, as an offset."""
    first, last = form.at[start], form.at[end]
    if orientation.offsets:
        (row, column), (down, right) = orientation.offsets[first], orientation.offsets[last]
        return down - row, right - column
    down, right = orientation.direction.offset
    return (down, right) if last > first else (-down, -right)


def _sides(
    context: Context, old: list[str | list[str]], new: list[str | list[str]], path: Path
) -> tuple[Rows, Rows] | None:
    """The rows of both sides, which must have equal sizes; None if a mistake was reported."""
    for key, side in (("before", old), ("after", new)):
        if len({isinstance(item, str) for item in side}) > 1:
            context.error(
                (*path, key),
                "pattern-length",
                "this list mixes places of a line with rows of a rectangle",
            )
            return None
    before, after = _rows(old), _rows(new)
    if [len(row) for row in before] != [len(row) for row in after] or not before[0]:
        context.error(
            (*path, "after"),
            "pattern-length",
            "`before` and `after` must have the same size",
            expected=_size(before),
            found=_size(after),
        )
        return None
    if isinstance(old[0], list) and len({len(row) for row in before}) > 1:
        context.error(
            (*path, "before"), "pattern-length", "the rows of a rectangle must be equally long"
        )
        return None
    return before, after


def _rows(raw: list[str | list[str]]) -> Rows:
    """The rows of one side of a pattern; a line is a single row."""
    line = [item for item in raw if isinstance(item, str)]
    return [line] if line else [item for item in raw if not isinstance(item, str)]


def _size(rows: Rows) -> str:
    return f"{len(rows)} by {len(rows[0])}" if len(rows) > 1 else counted(len(rows[0]), "places")


def _written(
    context: Context, path: Path, names: Names, before: Rows, after: Rows, is_grid: bool
) -> list[list[Written]] | None:
    """The elements of both sides with their templates filled in; None if a mistake was reported."""
    sides: list[list[Written]] = []
    for key, rows in (("before", before), ("after", after)):
        side: list[Written] = []
        for r, row in enumerate(rows):
            for c, text in enumerate(row):
                here: Path = (*path, key, r, c) if is_grid else (*path, key, c)
                filled = context.template(here, text, names)
                if filled is None:
                    return None
                side.append((filled, here))
        sides.append(side)
    return sides


def _form(
    context: Context,
    sides: list[list[Written]],
    seen: dict[tuple[object, ...], Form | None],
    *,
    is_whole: bool,
) -> Form | None:
    """The form of a pattern with these elements; None if a mistake was reported."""
    texts = [[text for text, _ in side] for side in sides]
    key = (tuple(texts[0]), tuple(texts[1]))
    if key not in seen:
        paths = [[path for _, path in side] for side in sides]
        seen[key] = _Reader(context, paths, texts, is_whole=is_whole).form()
    return seen[key]


class _Reader:
    """Reads one pair of `before` and `after`, after their templates have been filled in."""

    def __init__(
        self, context: Context, paths: list[list[Path]], texts: list[list[str]], *, is_whole: bool
    ) -> None:
        self.context = context
        self.is_whole = is_whole
        self.paths = paths
        self.texts = texts
        self.failed = False
        self.places: list[int] = []  # The place of each element.
        self.after_texts: list[str] = []  # The text of each element in `after`.

    def form(self) -> Form | None:
        sides = [
            [self._terms(side, place) for place in range(len(self.texts[0]))] for side in (0, 1)
        ]
        if self._has_failed():
            return None
        pairs = elements_of(*sides)
        self.places = [place for place, _, _ in pairs]
        before, wanted = [b.element for _, b, _ in pairs], [a.element for _, _, a in pairs]
        self.after_texts = [a.text for _, _, a in pairs]
        self._check_places(before, wanted)
        carried, removed, created = self._identities(before, wanted)
        if not self.is_whole:
            self._check_sizes(before, carried, removed)
        if self._has_failed():
            return None
        self._warn_of_copies(before, created)
        after_cells = tuple(after.cells for after in wanted)
        at = tuple(self.places)
        return Form({}, tuple(before), carried, removed, created, after_cells, at)

    def _terms(self, side: int, place: int) -> list[Term]:
        """The terms of a place, one for each layer that the place names."""
        text, path = self.texts[side][place], self.paths[side][place]
        parts = [part.strip() for part in text.split(AND)]
        terms = [self._term(side, place, part) for part in parts]
        by_layer: dict[int, Term] = {}
        for term in terms:
            other = by_layer.setdefault(term.element.layer, term)
            if other is not term and not self.failed:
                unnamed = [t.text for t in (other, term) if not self._layers(t.element.words)]
                report_clash(self.context, path, other.text, term.text, unnamed[:1])
                self.failed = True
        return list(by_layer.values())

    def _term(self, side: int, place: int, text: str) -> Term:
        element = self._element(side, place, text)
        found = self._layers(element.words)
        if len(found) > 1:
            self._error_at(
                side,
                place,
                "layer-clash",
                f"`{'|'.join(element.words)}` names kinds in different layers",
                "write `A & B` if both pieces share the cell",
            )
        layer = found[0] if found else self._main_layer
        return Term(text, replace(element, layer=layer))

    def _layers(self, words: Iterable[str]) -> list[int]:
        """The layers of the kinds and letters among some words, lowest first."""
        named = frozenset(words) - NO_PIECE - {"any"}
        return sorted({c.layer for c in self.context.classes if c.answers_to_one_of(named)})

    @cached_property
    def _main_layer(self) -> int:
        """The layer of words that do not name a kind: the uppermost layer that the pattern names."""
        texts = [part for side in self.texts for text in side for part in text.split(AND)]
        known = frozenset(self.context.piece_words)
        aliases = self.context.aliases
        named = [word for text in texts for word in re.split(r"[\s|]+", text)]
        words = [aliases.get(word, word) for word in named]
        found = self._layers(word for word in words if word in known)
        return found[-1] if found else self.context.scope.layers.get(0, 0)

    def _has_failed(self) -> bool:
        return self.failed

    def _error(
        self, side: int, number: int, code: str, message: str, hint: str | None = None
    ) -> None:
        """Report a mistake at one of the elements."""
        self._error_at(side, self.places[number], code, message, hint)

    def _error_at(
        self, side: int, place: int, code: str, message: str, hint: str | None = None
    ) -> None:
        self.failed = True
        self.context.error(self.paths[side][place], code, message, hint=hint)

    def _element(self, side: int, place: int, text: str) -> Element:
        parts = text.split()
        is_negated = parts[:1] == ["not"]
        parts = parts[1:] if is_negated else parts
        words = tuple("".join(parts[:1]).split("|"))
        rest = parts[1:]
        if " | " in text or not parts or ("_" in words and (is_negated or len(words) > 1)):
            hint = "write A|B without spaces" if parts else None
            self._error_at(side, place, "pattern-word", f"`{text}` is not valid in a pattern", hint)
            return Element(("_",))
        if words == (GROUND,) and not is_negated:
            words, is_negated = ("wall",), True
        found = [self._word(self.paths[side][place], word) for word in words]
        self.failed = self.failed or None in found
        words = tuple(word for word in found if word is not None) or ("_",)
        cells: frozenset[int] | None = None
        while rest:
            is_other = rest[1:2] == ["not"]
            if rest[0] in ("or", "and"):
                sign = "empty|box" if rest[0] == "or" else "walker & ice"
                hint = f"patterns have signs for this, as in `{sign}`"
                message = f"`{' '.join(rest)}` is not valid in a pattern"
                self._error_at(side, place, "pattern-word", message, hint)
                break
            if len(rest) < 2 + is_other or rest[0] not in ("on", "off"):
                self._error_at(
                    side,
                    place,
                    "pattern-word",
                    f"`{' '.join(rest)}` is not valid in a pattern",
                    "write `KIND on TERRAIN` or `KIND off TERRAIN`; TERRAIN can also be A|B or `not A`",
                )
                break
            name = " ".join(rest[1 : 2 + is_other])
            terrain = self.context.terrain(self.paths[side][place], name)
            if terrain is None:
                self.failed = True
                break
            assert self.context.board is not None
            allowed = terrain if rest[0] == "on" else frozenset(self.context.board.floors) - terrain
            cells = allowed if cells is None else cells & allowed
            rest = rest[2 + is_other :]
        return Element(words, cells, is_negated)

    def _word(self, path: Path, word: str) -> str | None:
        """The meaning of a word in a pattern; None after reporting that it is unknown."""
        if word in NO_PIECE:
            return word
        if not self.context.is_piece_word(word) and self.context.is_terrain(word):
            hint = (
                "write `empty` for a floor cell without a piece, or `ground` for any floor cell"
                if word == "floor"
                else f"write `empty on {word}` for a cell without a piece, or else `ground on {word}`"
            )
            message = f"`{word}` is a terrain, but a pattern must describe the contents of the cell"
            self.context.error(path, "unknown-piece", message, hint=hint)
            return None
        return self.context.piece_word(path, word, {*NO_PIECE, GROUND})

    def _check_places(self, before: list[Element], wanted: list[Element]) -> None:
        floors = {self.places[n] for n, element in enumerate(before) if _is_floor(element)}
        for place, (element, after) in enumerate(zip(before, wanted, strict=True)):
            if after.content == element.content:
                continue
            may_be_wall = _may_be_wall(element) and self.places[place] not in floors
            if may_be_wall or after.content == (("wall",), False):
                hint = (
                    None
                    if element.words == ("wall",)
                    else "write what is on the floor of this cell"
                )
                self._error(
                    1, place, "pattern-wall", "a pattern cannot add, move or remove a wall", hint
                )
            elif after.is_negated or (not after.is_piece and after.words != ("empty",)):
                self._error(
                    1,
                    place,
                    "pattern-new-piece",
                    f"`{self.after_texts[place]}` does not determine what is in this cell afterwards",
                    "write the same as in `before` to leave the cell unchanged, or else name one kind or `empty`",
                )
            elif element.words[0] == "_":
                self._error(
                    1,
                    place,
                    "pattern-unknown-place",
                    "`after` cannot change a cell that is `_` in `before`",
                    "write `empty` or a piece in `before`",
                )

    def _identities(
        self, before: list[Element], wanted: list[Element]
    ) -> tuple[tuple[tuple[int, int], ...], tuple[int, ...], tuple[tuple[int, int], ...]]:
        """The pairs of places between which pieces move, the places of removed pieces, and the places of new pieces
        with their classes.
        """
        starts: dict[tuple[str, ...], list[int]] = {}
        ends: dict[tuple[str, ...], list[int]] = {}
        carried: list[tuple[int, int]] = []
        removed: list[int] = []
        created: list[tuple[int, int]] = []
        for place, element in enumerate(before):
            if element.is_piece:
                starts.setdefault(element.words, []).append(place)
            elif element.content not in ((("empty",), False), wanted[place].content):
                removed.append(place)
        for place, element in enumerate(wanted):
            if element.is_piece:
                ends.setdefault(element.words, []).append(place)
        for words in dict.fromkeys([*starts, *ends]):
            from_places, to_places = starts.get(words, []), ends.get(words, [])
            if len(from_places) != len(to_places):
                same = [place for place in from_places if place in to_places]
                carried.extend((place, place) for place in same)
                from_places = [place for place in from_places if place not in same]
                to_places = [place for place in to_places if place not in same]
            carried.extend(zip(from_places, to_places, strict=False))
            removed.extend(from_places[len(to_places) :])
            for place in to_places[len(from_places) :]:
                class_id = self._created_class(place, words)
                if class_id is not None:
                    created.append((place, class_id))
        return tuple(sorted(carried)), tuple(sorted(removed)), tuple(sorted(created))

    def _warn_of_copies(self, before: list[Element], created: tuple[tuple[int, int], ...]) -> None:
        """Warn if `_` in `after` leaves a piece in place while another piece of the same kind appears elsewhere."""
        for place, class_id in created:
            kind = self.context.classes[class_id]
            for source, element in enumerate(before):
                is_unchanged = self.texts[1][self.places[source]] == "_" and element.is_piece
                if is_unchanged and _may_be(kind, element):
                    text, path = self.after_texts[place], self.paths[1][self.places[source]]
                    self.context.warn(
                        path,
                        "pattern-copy",
                        f"`_` leaves `{'|'.join(element.words)}` in this cell, and another `{text}` appears",
                        hint="write `empty` here if the piece moves, or the kind instead of `_` if the piece stays",
                    )
                    return

    def _created_class(self, place: int, words: tuple[str, ...]) -> int | None:
        if len(words) > 1 or words[0] == "any":
            self._error(
                1,
                place,
                "pattern-new-piece",
                f"`{'|'.join(words)}` is not in `before` and does not determine which piece appears here",
                "name a single kind",
            )
            return None
        matching = [piece for piece in self.context.classes if piece.answers_to(words[0])]
        if len(matching) == 1 and self._is_one_piece(matching[0], words[0]):
            label = matching[0].label or matching[0].kind
            self._error(
                1,
                place,
                "pattern-new-piece",
                f"`{words[0]}` means only the piece `{label}` of the start, which a new piece cannot be",
                "give the new pieces a kind of their own, or a letter that no rule and no condition names",
            )
        if len(matching) != 1:
            self._error(
                1,
                place,
                "pattern-new-piece",
                f"`{words[0]}` means {len(matching)} classes of pieces, but the piece that appears here must "
                "be of one class",
            )
            return None
        if not matching[0].is_single_cell:
            self._error(
                1,
                place,
                "pattern-large-piece",
                f"a pattern cannot create `{words[0]}`, because this piece has several cells",
                "a pattern can create only pieces of one cell",
            )
        return matching[0].id

    @staticmethod
    def _is_one_piece(piece: PieceClass, word: str) -> bool:
        """Whether a class of a kind contains a certain piece of the start. The reason is that the document names its
        letter, or that the pieces of the kind are not interchangeable.
        """
        return piece.label not in (None, word) or piece.member is not None

    def _check_sizes(
        self, before: list[Element], carried: tuple[tuple[int, int], ...], removed: tuple[int, ...]
    ) -> None:
        moving = [start for start, end in carried if start != end] + list(removed)
        for place in moving:
            element = before[place]
            if not element.is_piece:
                continue
            classes = [piece for piece in self.context.classes if _may_be(piece, element)]
            if classes and not any(piece.is_single_cell for piece in classes):
                self._error(
                    0,
                    place,
                    "pattern-large-piece",
                    f"this pattern cannot move or remove `{'|'.join(element.words)}`, because this piece has "
                    "several cells",
                    _WHOLE,
                )


def _may_be_wall(element: Element) -> bool:
    return "_" not in element.words and ("wall" in element.words) != element.is_negated


def _is_floor(element: Element) -> bool:
    """Whether the element excludes walls."""
    return "_" not in element.words and not _may_be_wall(element)


def _may_be(piece: PieceClass, element: Element) -> bool:
    return piece.answers_to_one_of(element.alternatives)
