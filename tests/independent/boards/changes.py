"""The pieces that a pattern moves, captures and creates at one place."""

from __future__ import annotations

from typing import NamedTuple

from tests.independent.boards.edges import Cell
from tests.independent.boards.elements import Element, Part
from tests.independent.boards.failures import Rejected, Unsupported
from tests.independent.boards.game import Game
from tests.independent.boards.state import Piece, State

Slot = tuple[int, int]  # the number of a place, and a layer


class Plan(NamedTuple):
    """How a pattern changes its places, without a position.

    `moves` are pairs of the old and the new slot of a piece, in the order of the pattern. `created` are the slots where
    a kind appears. `cleared` are the slots that lose a piece, if there is one, and get none.
    """

    moves: tuple[tuple[Slot, Slot], ...]
    created: tuple[tuple[Slot, str], ...]
    cleared: tuple[Slot, ...]


def plan_of(game: Game, before: list[Element], after: list[Element]) -> Plan:
    """The changes of a pattern with these elements."""
    old: dict[str, list[Slot]] = {}
    new: dict[str, list[Slot]] = {}
    cleared: list[Slot] = []
    for place, (first, last) in enumerate(zip(before, after, strict=True)):
        if last.on is not None and last.text != first.text:
            raise Unsupported("a terrain in `after`")
        for part in first.parts:
            if part.is_movable and part.layer is not None:
                old.setdefault(part.text, []).append((place, part.layer))
        for part in last.parts:
            if part.is_movable and part.layer is not None:
                new.setdefault(part.text, []).append((place, part.layer))
        cleared += _cleared(place, first, last)
    moves: list[tuple[Slot, Slot]] = []
    created: list[tuple[Slot, str]] = []
    for word, slots in new.items():
        known = old.get(word, [])
        # The pieces keep their order. If there are more or fewer of them, those with the same word at their place stay.
        stay = [slot for slot in slots if slot in known] if len(slots) != len(known) else []
        left = [slot for slot in known if slot not in stay]
        wanted = [slot for slot in slots if slot not in stay]
        moves += [pair for pair in zip(left, wanted, strict=False) if pair[0] != pair[1]]
        for slot in wanted[len(left) :]:
            if word not in game.kinds:
                raise Unsupported(f"the word {word!r} appears")
            created.append((slot, word))
    moves.sort()
    return Plan(tuple(moves), tuple(created), tuple(cleared))


def _cleared(place: int, first: Element, last: Element) -> list[Slot]:
    """The slots of a place that no longer have their old words."""
    found: list[Slot] = []
    for part in first.parts:
        if part.layer is None:
            if part.text != "_" and not _is_unchanged(part, last):
                raise Unsupported(f"{part.text!r} becomes {last.text!r}")
            continue
        other = last.part(part.layer)
        if other is not None and other.text == part.text:
            continue
        if other is None:
            if [each.text for each in last.parts] == ["_"] and (
                part.is_movable or not part.is_plain
            ):
                if part.is_movable:
                    raise Unsupported("`_` in place of a piece")
                continue
            if not part.is_negated and not part.names <= {"empty", "wall", "ground", "_"}:
                found.append((place, part.layer))  # `after` does not name a kind of `before`
            continue
        if other.is_movable:
            found.append((place, part.layer))
        elif other.is_plain:
            if ("wall" in part.names) is not part.is_negated:
                raise Rejected("a wall becomes `empty`")
            found.append((place, part.layer))
        else:
            raise Unsupported(f"{part.text!r} becomes {other.text!r}")
    for part in last.parts:
        if part.layer is None:
            known = part.text == "_" or any(part.text == each.text for each in first.parts)
            if not known:
                raise Unsupported(f"{first.text!r} becomes {part.text!r}")
        elif first.part(part.layer) is None and not part.is_movable and not part.is_plain:
            raise Unsupported(f"{part.text!r} is only in `after`")
        elif first.part(part.layer) is None and part.is_plain and not first.parts:
            raise Rejected("an empty element")
    return found


def _is_unchanged(part: Part, last: Element) -> bool:
    texts = [each.text for each in last.parts]
    if part.text in texts or texts == ["_"]:
        return True
    return part.text == "ground" or all(each.is_movable or each.is_plain for each in last.parts)


class Effect(NamedTuple):
    """The position after a pattern, the pieces that moved, and those that left and arrived."""

    target: State
    moved: list[tuple[Piece, Piece]]
    gone: frozenset[Piece]
    new: tuple[Piece, ...]


def changed(game: Game, plan: Plan, cells: list[Cell | None], state: State) -> Effect | None:
    """The position after the changes at these cells; None if they are not allowed."""
    gone: set[Piece] = set()
    moved: list[tuple[Piece, Piece]] = []

    def at(slot: Slot) -> Piece | None:
        cell = cells[slot[0]]
        return None if cell is None else state.at.get((cell, slot[1]))

    for slot in plan.cleared:
        piece = at(slot)
        if piece is not None:
            gone.add(piece)
    for source, goal in plan.moves:
        piece, cell = at(source), cells[goal[0]]
        if piece is None or cell is None:
            return None
        gone.add(piece)
        after = piece.moved(frozenset({cell}))
        if not game.may_enter(after, cell):
            return None
        moved.append((piece, after))
    if any(len(piece.cells) > 1 for piece in gone):
        return None
    created = created_pieces(game, plan, cells)
    if created is None:
        return None
    new = [*(after for _, after in moved), *created]
    target = state.replacing(gone, new)
    return None if target is None else Effect(target, moved, frozenset(gone), tuple(new))


def created_pieces(game: Game, plan: Plan, cells: list[Cell | None]) -> list[Piece] | None:
    """The pieces that appear; None if they may not be there."""
    found = []
    for (place, layer), word in plan.created:
        cell = cells[place]
        if cell is None:
            return None
        if not game.kinds[word].is_interchangeable:
            raise Unsupported("a piece that appears and is not interchangeable")
        piece = Piece(word, None, None, frozenset({(0, 0)}), frozenset({cell}), layer)
        if not game.may_enter(piece, cell):
            return None
        found.append(piece)
    return found
