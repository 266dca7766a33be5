"""Patterns: lines and rectangles of places, before and after a move."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

from tests.independent.boards.board import GRAPH, Direction, Plane
from tests.independent.boards.changes import Effect, Plan, changed, plan_of
from tests.independent.boards.directions import ALONG, directions_of
from tests.independent.boards.edges import Cell, beside
from tests.independent.boards.elements import Element, layer_of, matches, read_element
from tests.independent.boards.failures import Rejected, Unsupported
from tests.independent.boards.fits import Change, Fit, Rule
from tests.independent.boards.game import Game
from tests.independent.boards.headings import Offset
from tests.independent.boards.lines import continued, lines
from tests.independent.boards.loops import filled
from tests.independent.boards.state import Piece, State
from tests.independent.boards.whole import changed_whole


class Form(NamedTuple):
    """A pattern with stretches of certain lengths."""

    lengths: tuple[int, ...]
    before: list[Element]
    after: list[Element]
    plan: Plan


class Pattern(NamedTuple):
    """A pattern for one binding; `places` are those of a rectangle, relative to the first one."""

    forms: list[Form]
    places: list[Offset] | None


def patterns(game: Game, rule: Rule, state: State, binding: dict[str, Any]) -> Iterator[Fit]:
    """The places where a pattern fits in a position, for one binding."""
    key = (id(rule), repr(binding))
    if key not in game.patterns:
        game.patterns[key] = _read(game, rule, binding)
    pattern = game.patterns[key]
    distance = str(rule.keys.get("distance", "1"))
    if distance not in ("1", "blocked"):
        raise Unsupported("the distance")
    is_far = distance == "blocked"
    if pattern.places is not None:
        if is_far or "directions" in rule.keys:
            raise Rejected("a rectangle with a distance or directions")
        yield from _rectangles(game, rule, pattern, state)
        return
    directions = directions_of(
        game.board.plane, rule.keys.get("directions"), game.scope(state, binding)
    )
    # On a graph, a rule without directions follows edges of any kind.
    is_any = game.board.plane.geometry == GRAPH and "directions" not in rule.keys
    for form in pattern.forms:
        if is_far and not form.plan.moves:
            raise Rejected("a far pattern that moves nothing")
        for number, direction in enumerate(directions):
            if direction == ALONG:
                raise Unsupported("`along` in a pattern")
            for cells in lines(game.board, direction, len(form.before)):
                effect = _effect(game, rule, form, cells, state, direction)
                if effect is None:
                    continue
                seen = _seen(form, cells, state)
                if is_far:
                    effect = _repeated(game, rule, pattern, direction, effect)
                    if effect is None:
                        continue
                first = next(cell for cell in cells if isinstance(cell, tuple))
                order = (sum(form.lengths), *form.lengths, 0 if is_any else number)
                order += game.board.plane.node_order(cells[1:])
                yield _fit(effect, seen, first, order, direction)


def _fit(
    effect: Effect, seen: frozenset[Piece], first: Cell, order: tuple[int, ...], direction: Any
) -> Fit:
    # Metrics follow the last piece of a pattern.
    piece, after = effect.moved[-1] if effect.moved else (None, None)
    change = Change(seen, effect.gone, effect.new, dict(effect.moved))
    return Fit(effect.target, first, order, direction, piece, after, change)


def _seen(form: Form, cells: list[Any], state: State) -> frozenset[Piece]:
    """The pieces at the places that a pattern describes."""
    found = [
        state.at.get((cell, part.layer))
        for element, cell in zip(form.before, cells, strict=True)
        for part in element.parts
        if cell is not None and part.layer is not None
    ]
    return frozenset(piece for piece in found if piece is not None)


def _repeated(
    game: Game, rule: Rule, pattern: Pattern, direction: Direction, first: Effect
) -> Effect | None:
    """The position after a pattern has applied again and again, with the pieces that moved from first to last; None if
    this never ends.
    """
    effect, seen = first, {(first.target, first.moved[0][1].cells)}
    origin = {after: piece for piece, after in first.moved}
    while True:
        (start,) = effect.moved[0][1].cells
        for form in pattern.forms:
            found = None
            for cells in continued(game.board, [start], direction, len(form.before)):
                found = _effect(game, rule, form, cells, effect.target, direction)
            if found is not None:
                break
        else:
            moved = [(origin.get(after, after), after) for _, after in effect.moved]
            return effect._replace(moved=moved)
        effect = found
        origin |= {after: origin.get(piece, piece) for piece, after in effect.moved}
        if (effect.target, effect.moved[0][1].cells) in seen:
            return None
        seen.add((effect.target, effect.moved[0][1].cells))


def _effect(
    game: Game, rule: Rule, form: Form, cells: list[Any], state: State, direction: Direction | None
) -> Effect | None:
    """The position after the pattern has applied at these places; None if it does not fit. For a line, `direction`
    is given.
    """
    for element, cell in zip(form.before, cells, strict=True):
        if not matches(game, element, state, cell):
            return None
    known = [cell for cell in cells if cell is not None]
    if len(known) != len(set(known)):
        return None  # a line does not meet itself
    if str(rule.keys.get("whole", "false")) == "true":
        return changed_whole(game, form.plan, form.before, form.after, cells, state, direction)
    return changed(game, form.plan, cells, state)


def _rectangles(game: Game, rule: Rule, pattern: Pattern, state: State) -> Iterator[Fit]:
    (form,) = pattern.forms
    places = pattern.places or []
    reach = max(max(abs(r), abs(c)) for r, c in places)
    has_turns = str(rule.keys.get("rotations", "false")) == "true"
    plane = game.board.plane
    if not plane.is_square_or_hexagonal:
        raise Rejected("a rectangle on this board")
    turned = places
    for number in range((6 if plane.is_hexagonal else 4) if has_turns else 1):
        if number:
            turned = [_turned(plane.geometry, *each) for each in turned]
        for level, r, c in product(
            range(plane.levels),
            range(-reach, plane.level_height + reach),
            range(-reach, plane.width + reach),
        ):
            if (plane.wraps_rows and not 0 <= c < plane.width) or (
                plane.wraps_columns and not 0 <= r < plane.height
            ):
                continue
            cells = [_place(plane, level, beside((r, c), each)) for each in turned]
            on_board = [cell for cell in cells if cell is not None]
            if not on_board:
                continue
            effect = _effect(game, rule, form, cells, state, None)
            if effect is None or not _is_undivided(game, on_board):
                continue
            seen = _seen(form, cells, state)
            yield _fit(effect, seen, on_board[0], (number,), number)


def _turned(geometry: str, r: int, c: int) -> Offset:
    """A place after a turn by 90°, or by 60° on a hexagonal board."""
    if geometry == "hex-right":
        return r + c, -r
    return (c, c - r) if geometry == "hex-left" else (c, -r)


def _place(plane: Plane, level: int, place: Cell) -> Cell | None:
    """The cell at a place of a level; None outside the level."""
    row, column = plane.inside(place)
    cell = row + level * plane.level_height, column
    return cell if 0 <= row < plane.level_height and plane.contains(cell) else None


def _is_undivided(game: Game, cells: list[Cell]) -> bool:
    """Whether no line divides a rectangle."""
    return game.board.is_whole(frozenset(cells))


def _read(game: Game, rule: Rule, binding: dict[str, Any]) -> Pattern:
    """The pattern of a rule for one binding."""
    scope = game.plain_scope.having(binding)
    before, after = rule.keys["before"], rule.keys.get("after")
    if not isinstance(before, list) or not isinstance(after, list) or len(before) != len(after):
        raise Rejected("`before` and `after` have several lengths")
    is_rectangle = isinstance(before[0], list)
    places = None
    if is_rectangle:
        places = [(r, c) for r, row in enumerate(before) for c in range(len(row))]
        if len({len(row) for row in [*before, *after]}) != 1:
            raise Rejected("rows of several lengths")
        before, after = [x for row in before for x in row], [x for row in after for x in row]
    colour = binding.get("colour")

    def text(element: Any) -> str:
        given = filled(str(element), scope)
        return re.sub(r"[\w-]+", lambda match: coloured(game, match[0], colour), given)

    first, last = [text(each) for each in before], [text(each) for each in after]
    uppermost = _uppermost(game, first + last)
    old = [read_element(game, each, uppermost) for each in first]
    new = [read_element(game, each, uppermost) for each in last]
    # `_` leaves its cell unchanged
    new = [
        n._replace(parts=o.parts) if n.is_anything else n for o, n in zip(old, new, strict=False)
    ]
    stretches = [n for n, each in enumerate(old) if each.is_stretch]
    others = [n for n, each in enumerate(new) if each.is_stretch]
    if len(stretches) != len(others) or len(stretches) > 2 or (stretches and is_rectangle):
        raise Rejected("the stretches of a pattern")
    longest = _longest(game)
    forms = []
    for lengths in product(range(longest + 1), repeat=len(stretches)):
        stretched = [_stretched(old, lengths), _stretched(new, lengths)]
        if stretched[0]:
            forms.append(Form(lengths, *stretched, plan_of(game, *stretched)))
    return Pattern(forms, places)


def _longest(game: Game) -> int:
    """The length of the longest line that has a cell on the board, with a place outside it."""
    plane = game.board.plane
    if game.board.edges.portals or plane.wraps or plane.geometry == GRAPH:
        return len(game.board.floor) + 1
    return (2 if plane.is_triangular else 1) * max(plane.height, plane.width) + 1


def coloured(game: Game, word: str, colour: Any) -> str:
    """The kind that a word of a pattern names: a kind with colours takes the colour of the rule."""
    if word in game.bases and word not in game.kinds:
        return f"{colour}-{word}"
    return word


def _stretched(elements: list[Element], lengths: tuple[int, ...]) -> list[Element]:
    found, left = [], list(lengths)
    for element in elements:
        if element.is_stretch:
            text = element.text.removesuffix("...").strip()
            found += [element._replace(is_stretch=False, text=text)] * left.pop(0)
        else:
            found.append(element)
    return found


def _uppermost(game: Game, texts: list[str]) -> int:
    """The uppermost layer that a pattern names."""
    layers = []
    for text in texts:
        words = re.sub(r" (on|off) .*", "", text.strip().removesuffix("..."))
        for part in words.split("&"):
            names = frozenset(x.strip() for x in part.strip().removeprefix("not ").split("|"))
            layer = layer_of(game, names)
            if layer is not None:
                layers.append(layer)
    if not layers and len({kind.layer for kind in game.kinds.values()}) > 1:
        raise Unsupported("a pattern without a kind on a board with several layers")
    return max(layers, default=next((kind.layer for kind in game.kinds.values()), 0))
