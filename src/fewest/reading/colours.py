"""Kinds of several colours: `colours: [red, blue]` defines a kind for each colour, and repeats patterns for each
colour.

For example, `box` then stands for the kinds `red-box` and `blue-box`. A pattern that names `box` gets a loop over the
colours; all kinds of several colours in the pattern take the colour of the loop. In a pattern, `any-box` means a box of
any colour; everywhere else, `box` has this meaning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from msgspec.structs import replace

from fewest.errors import Report, SourceLocation
from fewest.model.style import COLOURS
from fewest.reading.document import ConsequenceEntry, Document, DrawingEntry, MoveEntry, PieceKind

COLOUR = "colour"
"""the name of the loop over colours"""
ANY = "any-"

Path = tuple[str | int, ...]
Families = Mapping[str, tuple[str, ...]]
"""for each kind of several colours, the kinds that it stands for"""
_Move = TypeVar("_Move", MoveEntry, ConsequenceEntry)
_WORD = re.compile(r"[^\s|]+")


def with_colours(
    document: Document, key_location: Callable[[Path], SourceLocation], report: Report
) -> tuple[Document, Families]:
    """The document with a kind for each colour, and the kinds of each family. Reports mistakes."""
    return _Painter(document, key_location, report).painted()


class _Painter:
    def __init__(
        self, document: Document, key_location: Callable[[Path], SourceLocation], report: Report
    ) -> None:
        self.document, self.key_location, self.report = document, key_location, report
        self.colours: dict[str, list[str]] = {}  # the colours of each kind that has several

    def painted(self) -> tuple[Document, Families]:
        document, pieces = self.document, self._pieces()
        families = {
            kind: tuple(f"{colour}-{kind}" for colour in colours)
            for kind, colours in self.colours.items()
        }
        moves, then = document.moves, document.then
        changed = replace(
            document,
            pieces=pieces,
            moves=moves and {n: self._rule(("moves", n), move) for n, move in moves.items()},
            then=then and {n: self._rule(("then", n), move) for n, move in then.items()},
            drawing=self._drawing(families),
        )
        return changed, families

    def _error(self, path: Path, code: str, message: str, hint: str | None = None) -> None:
        self.report.error(code, self.key_location(path), message, hint=hint)

    def _pieces(self) -> dict[str, PieceKind | None]:
        raw = self.document.pieces or {}
        pieces: dict[str, PieceKind | None] = {}
        for kind, spec in raw.items():
            if spec is None or spec.colours is None:
                pieces[kind] = spec
                continue
            path = ("pieces", kind, "colours")
            if spec.letters is not None:
                message = f"`letters` cannot draw `{kind}`, because this kind has several colours"
                example = f"`r: {(spec.colours or ['red'])[0]}-{kind}`"
                hint = f"define a character for each colour under `legend`, for example {example}"
                self._error((*path[:2], "letters"), "bad-letters", message, hint)
            colours = list(dict.fromkeys(spec.colours))
            wrong = [c for c in colours if not re.fullmatch(r"\w+(-\w+)*", c)]
            if wrong or not colours or len(colours) < len(spec.colours):
                if wrong:
                    message = f"`{wrong[0]}` is not a valid name for a colour"
                else:
                    message = f"this list {'contains a colour twice' if colours else 'is empty'}"
                self._error(
                    path,
                    "bad-name",
                    message,
                    "write different words, for example [red, light-blue]",
                )
                continue
            self.colours[kind] = colours
            for colour in colours:
                name = f"{colour}-{kind}"
                if name in raw or name in pieces:
                    self._error(path, "bad-name", f"there is already a kind `{name}`")
                pieces[name] = replace(spec, colours=None)
        return pieces

    def _drawing(self, families: Families) -> DrawingEntry | None:
        """The drawing settings. Settings for a kind apply to the kinds of all of its colours. By default, the kind of a
        colour is drawn in that colour.
        """
        raw = self.document.drawing or DrawingEntry()
        named = {
            f"{colour}-{kind}": colour
            for kind, colours in self.colours.items()
            for colour in colours
            if colour in COLOURS
        }
        return replace(
            raw,
            colours={**named, **_spread(raw.colours or {}, families)},
            symbols=_spread(raw.symbols or {}, families),
            shapes=_spread(raw.shapes or {}, families),
        )

    def _rule(self, path: Path, move: _Move) -> _Move:
        """The rule; a pattern that names kinds of several colours gets a loop over the colours."""
        sides = [move.before or [], move.after or []]
        texts = [text for side in sides for row in side for text in _elements(row)]
        words = {word for text in texts for word in _WORD.findall(text.replace("...", " "))}
        named = [kind for kind in self.colours if kind in words]
        before, after = (self._side(side) for side in (move.before, move.after))
        loops = move.for_ or {}
        if named and COLOUR not in loops:
            first, *others = (self.colours[kind] for kind in named)
            shared: list[int | str] = [c for c in first if all(c in other for other in others)]
            if not shared:
                listed = " and ".join(f"`{kind}`" for kind in named)
                message = f"{listed} have no colour in common, but a pattern applies to pieces of one colour"
                hint = f"`{ANY}{named[0]}` means a `{named[0]}` of any colour"
                self._error(path, "colours-apart", message, hint)
            loops = {COLOUR: shared, **loops}
        return replace(move, before=before, after=after, for_=loops or move.for_)

    def _side(self, side: list[str | list[str]] | None) -> list[str | list[str]] | None:
        if side is None:
            return None
        return [
            self._element(row) if isinstance(row, str) else [self._element(text) for text in row]
            for row in side
        ]

    def _element(self, text: str) -> str:
        """An element of a pattern. A kind of several colours takes the colour of the loop; `any-box` becomes `box`."""

        def painted(match: re.Match[str]) -> str:
            word, stretch = re.fullmatch(r"(.*?)((?:\.\.\.)?)", match[0], re.S).groups()  # type: ignore[union-attr]
            if word in self.colours:
                return f"{{{COLOUR}}}-{word}{stretch}"
            if word.startswith(ANY) and word.removeprefix(ANY) in self.colours:
                return word.removeprefix(ANY) + stretch
            return match[0]

        return _WORD.sub(painted, text)


def _elements(row: str | Sequence[str]) -> Iterable[str]:
    return [row] if isinstance(row, str) else row


_Setting = TypeVar("_Setting")


def _spread(raw: Mapping[str, _Setting], families: Families) -> dict[str, _Setting]:
    """Settings by word; a setting for a kind of several colours becomes a setting for the kind of each colour."""
    found = {kind: setting for word, setting in raw.items() for kind in families.get(word, ())}
    found.update((word, setting) for word, setting in raw.items() if word not in families)
    return found
