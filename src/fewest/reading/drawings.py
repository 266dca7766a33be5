"""Reads drawings: their rows, and the meaning of each character or token."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from msgspec import Struct

from fewest.model.answer import counted
from fewest.reading.clock import look
from fewest.reading.context import Context, Path
from fewest.reading.layers import AND, sorted_by_layer
from fewest.reading.letters import ClaimedLetters, Letters, compiled, has, single_characters

MAX_CELLS = 4_096


class Symbol(Struct, frozen=True):
    """The meaning of a character or token of a drawing for its cell."""

    is_wall: bool = False
    terrain: str | None = None
    kind: str | None = None
    label: str | None = None  # The letter of a piece, if it is drawn with its letter.
    is_open: bool = False  # Whether the token is `?` in the drawing of a goal.
    below: tuple[str, ...] = ()  # The kinds of further pieces on the cell, in lower layers.


class Drawing(Struct, frozen=True):
    """The tokens of the cells, in rows of equal length; if `without_lines` has removed lines between the cells, `lines`
    contains the whole drawing.
    """

    rows: tuple[tuple[str, ...], ...]
    lines: tuple[tuple[str, ...], ...] = ()

    @property
    def columns(self) -> int:
        return len(self.rows[0])

    def text_position(self, row: int, column: int) -> tuple[int, int]:
        """The row and column of a cell in the text."""
        return (2 * row + 1, 2 * column + 1) if self.lines else (row, column)

    def without_lines(self) -> Drawing | None:
        """The cells of a drawing that has lines between its cells; None if the size of the drawing does not fit."""
        height, width = len(self.rows), self.columns
        if height % 2 == 0 or width % 2 == 0 or height < 3 or width < 3:
            return None
        return Drawing(tuple(row[1::2] for row in self.rows[1::2]), self.rows)


def read_drawing(
    context: Context, path: Path, board: str | list[list[str]], *, is_padded: bool = False
) -> Drawing | None:
    """The tokens of a drawing, with its templates filled in; None after reporting mistakes.

    `is_padded`: whether shorter rows are filled with blanks.
    """
    if isinstance(board, str):
        if context.loaded.is_joined(path):
            report_joined(context, path)
            return None
        text = context.template(path, board)
        if text is None:
            return None
        rows = [tuple(row) for row in text.rstrip("\n").split("\n")]
        while rows and not rows[0]:
            rows.pop(0)
    else:
        rows = [tuple(row) for row in board]
    if not rows or not rows[0]:
        context.error(path, "board-empty", "this drawing has no cells")
        return None
    if is_padded:
        longest = max(map(len, rows))
        rows = [row + (" ",) * (longest - len(row)) for row in rows]
    width = _width(rows)
    ragged = False
    for number, row in enumerate(rows):
        if len(row) == width:
            continue
        ragged = True
        others = "row 1 has" if len(rows[0]) == width else "most rows have"
        message = f"row {number + 1} has {counted(len(row), 'cells')}, but {others} {width}"
        hint = _padding_hint(context)
        if len("".join(row).rstrip()) == width < len(row):
            hint = "delete the blanks at the end of the row, because they count as cells"
        if isinstance(board, str) and "{" not in board:
            shift = len(board.split("\n")) - len(board.lstrip("\n").split("\n"))
            context.error(
                path,
                "board-ragged",
                message,
                hint=hint,
                inside=(number + shift, 0, max(1, len(row))),
            )
        elif isinstance(board, str):
            context.error(path, "board-ragged", message, hint=hint)
        else:
            context.error((*path, number), "board-ragged", message, hint=hint)
    if ragged:
        return None
    if width * len(rows) > MAX_CELLS:
        context.error(
            path,
            "task-too-large",
            f"the board has {width * len(rows):,} cells; the limit is {MAX_CELLS:,}",
        )
        return None
    return Drawing(tuple(rows))


def _padding_hint(context: Context) -> str:
    """How to make a row longer, with the characters that the legend defines."""
    marks = {meaning: mark for mark, meaning in (context.document.legend or {}).items()}
    floor, wall = marks.get("floor"), marks.get("wall")
    if floor is None and wall is None:
        return "add cells to the row"
    if floor is None or wall is None:
        return f"pad the row with '{floor or wall}'"
    return f"pad the row with '{floor}', or with '{wall}' for a wall"


def _width(rows: Sequence[tuple[str, ...]]) -> int:
    """The most frequent width. Among equally frequent widths, those without a row that ends in a blank take precedence,
    and then the width of the first row.
    """
    lengths = Counter(map(len, rows))
    blank = {len(row) for row in rows if row and not row[-1].strip()}
    return max(lengths, key=lambda n: (lengths[n], n not in blank, n == len(rows[0])))


def report_joined(context: Context, path: Path) -> None:
    """Report a drawing that follows its key although the `|` is missing."""
    from fewest.reading.yaml_hints import JOINED

    key = next((part for part in reversed(path) if isinstance(part, str)), "board")
    context.error(
        path,
        "board-joined",
        JOINED,
        hint=f"write `{key}: |`",
        at_key=True,
    )


class Legend:
    """Maps characters and tokens to symbols, as defined by `legend` and the `letters` of the kinds."""

    def __init__(self, context: Context, terrains: Sequence[str]) -> None:
        self.context = context
        self.terrains = list(terrains)
        self.symbols: dict[str, Symbol] = {}
        self.used: set[str] = set()
        document = context.document
        for key, meaning in (document.legend or {}).items():
            symbol = self._entry(("legend", key), meaning)
            if symbol is not None:
                self.symbols[key] = symbol
        self.letters: list[tuple[str, Letters]] = []
        # for each kind with letters, the single characters that mean a piece of this kind
        self.characters: dict[str, tuple[str, ...]] = {}
        self._read_letters()

    def _read_letters(self) -> None:
        """Read the letters of the kinds. Report a letter or token that two kinds share, because a drawing could not
        distinguish the kinds.

        An entry of the legend takes precedence over all kinds; a kind of the document itself takes precedence over the
        kinds of its model.
        """
        kinds = self._by_depth()
        characters = {character for _, given in kinds for token in given for character in token}
        taken = set(self.symbols)
        for _, group in groupby(kinds, key=lambda pair: self._depth(pair[0])):
            same = [*group]
            # a single kind shares its letters with no other kind
            claims = ClaimedLetters(self.symbols, characters) if len(same) > 1 else None
            for name, given in same:
                look()
                letters = self._letters(("pieces", name, "letters"), given)
                if letters is None:
                    continue
                self.letters.append((name, letters))
                own = [letter for letter in single_characters(given) if letter not in taken]
                self.characters[name] = tuple(own)
                taken.update(own)
                shared = None if claims is None else claims.add(name, given, letters)
                if shared is not None:
                    other, token = shared
                    self.context.error(
                        ("pieces", name, "letters"),
                        "letter-claimed",
                        f"`{token}` is a letter of `{other}` and of `{name}`",
                        hint=f"remove `{token}` from the letters of one kind, or define `{token}` under `legend`",
                    )

    def _by_depth(self) -> list[tuple[str, str | list[str]]]:
        """The kinds with their letters: first the kinds of the document itself, then the kinds of its model, then the
        kinds of the model's model.
        """
        kinds = (self.context.document.pieces or {}).items()
        found = [(n, kind.letters) for n, kind in kinds if kind and kind.letters is not None]
        return sorted(found, key=lambda pair: self._depth(pair[0]))

    def _depth(self, kind: str) -> int:
        return self.context.loaded.depth(("pieces", kind, "letters"))

    def _entry(self, path: Path, meaning: str) -> Symbol | None:
        text = self.context.template(path, meaning)
        if text is None:
            return None
        kind, _, terrain = (part.strip() for part in text.partition(" on "))
        if terrain and terrain not in self.terrains:
            self.context.unknown(path, "unknown-terrain", "terrain", terrain, self.terrains)
            return None
        if terrain or AND in kind:
            return self._standing(path, [word.strip() for word in kind.split(AND)], terrain or None)
        if kind == "floor":
            return Symbol()
        if kind == "wall":
            return Symbol(is_wall=True)
        if kind in self.terrains:
            if kind in self.context.kinds:
                message = f"`{kind}` is both a terrain and a kind of piece"
                hint = (
                    f"rename one of them, or write `{kind} on {kind}` for a piece on this terrain"
                )
                self.context.error(path, "unknown-legend-meaning", message, hint=hint)
                return None
            return Symbol(terrain=kind)
        if kind in self.context.kinds:
            return Symbol(kind=kind)
        known = ["floor", "wall", *self.terrains, *self.context.kinds]
        self.context.unknown(path, "unknown-legend-meaning", "terrain or piece kind", kind, known)
        return None

    def _standing(self, path: Path, kinds: list[str], terrain: str | None) -> Symbol | None:
        """The symbol for pieces of these kinds on the same cell."""
        for kind in kinds:
            if kind not in self.context.kinds:
                self.context.unknown(path, "unknown-piece", "piece kind", kind, self.context.kinds)
                return None
        found = sorted_by_layer(self.context, path, kinds)
        return None if found is None else Symbol(kind=found[0], terrain=terrain, below=found[1:])

    def _letters(self, path: Path, given: str | list[str]) -> Letters | None:
        try:
            return compiled(given)
        except re.error:
            self.context.error(
                path,
                "bad-letters",
                f"`{given}` is not a set of letters",
                hint="write, for example, A-Za-z0-9",
            )
            return None

    def symbol(self, token: str) -> Symbol | None:
        """The symbol of a token; None if the token has no meaning."""
        known = self.symbols.get(token)
        if known is not None:
            self.used.add(token)
            return known
        kind = next((kind for kind, letters in self.letters if has(letters, token)), None)
        return None if kind is None else Symbol(kind=kind, label=token)

    def has(self, token: str) -> bool:
        """Whether a token has a meaning."""
        return token in self.symbols or any(has(letters, token) for _, letters in self.letters)

    def read(
        self,
        path: Path,
        drawing: Drawing,
        board: str | list[list[str]],
        *,
        is_goal: bool = False,
        has_gaps: bool = False,
    ) -> list[list[Symbol]] | None:
        """The symbol of every cell; None after reporting characters without a meaning.

        `has_gaps`: whether blanks without a meaning are walls.
        """
        failed: set[str] = set()
        out: list[list[Symbol]] = []
        plain = isinstance(board, str) and "{" not in board
        shift = 0
        if isinstance(board, str):
            shift = len(board.split("\n")) - len(board.lstrip("\n").split("\n"))
        for number, row in enumerate(drawing.rows):
            symbols: list[Symbol] = []
            for column, token in enumerate(row):
                symbol = Symbol(is_open=True) if is_goal and token == "?" else self.symbol(token)
                if symbol is None and token == " " and has_gaps:
                    symbol = Symbol(is_wall=True)
                if symbol is None:
                    if token not in failed:
                        failed.add(token)
                        self._unknown(path, token, drawing, number, column, board, plain, shift)
                    symbol = Symbol()
                symbols.append(symbol)
            out.append(symbols)
        return None if failed else out

    def _unknown(
        self,
        path: Path,
        token: str,
        drawing: Drawing,
        number: int,
        column: int,
        board: str | list[list[str]],
        plain: bool,
        shift: int,
    ) -> None:
        message = f"`{token}` has no meaning here (row {number}, column {column})"
        if token == " ":
            message = f"a space has no meaning here (row {number}, column {column})"
        listed = " ".join(f"`{key}`" for key in list(self.symbols)[:12])
        if token == " " and set(drawing.rows[number][1::2]) == {" "}:
            hint = "write the cells of a row without spaces between them"
        elif listed:
            hint = f"the legend defines {listed}"
        else:
            hint = f"define `{token}` under `legend`"
        at_row, at_column = drawing.text_position(number, column)
        if not isinstance(board, str):
            self.context.error((*path, at_row, at_column), "board-character", message, hint=hint)
        elif plain:
            inside = (at_row + shift, at_column, 1)
            self.context.error(path, "board-character", message, hint=hint, inside=inside)
        else:
            self.context.error(path, "board-character", message, hint=hint)

    def warn_of_letters(self) -> None:
        """Warn about legend entries that turn a kind's letter into a one-cell piece, if a drawing contains that
        letter.
        """
        used: dict[str | None, list[str]] = {}
        for key in sorted(self.used):
            used.setdefault(self.symbols[key].kind, []).append(key)
        for kind, letters in self.letters:
            given = (self.context.document.pieces or {})[kind]
            if given is None or given.shape is not None:
                continue
            for key in used.get(kind, ()):
                if has(letters, key):
                    self.context.warn(
                        ("legend", key),
                        "legend-letter",
                        f"`{key}` is a letter of `{kind}`, but this entry makes every `{key}` a piece of one cell",
                        hint="remove the entry, so that letters that touch form one piece",
                    )

    def warn_unused(self) -> None:
        """Warn about entries of the puzzle's own file that no drawing uses, except entries that later positions may
        need.
        """
        context = self.context
        own = context.loaded.location(()).source
        for key in context.document.legend or {}:
            path: Path = ("legend", key)
            symbol = self.symbols.get(key)
            appears = symbol is not None and bool(
                symbol == Symbol()  # a floor cell becomes visible when a piece leaves it
                or symbol.is_wall  # a legend that is copied from another puzzle is no mistake
                or symbol.below  # pieces may share a cell later
                or any(context.classes[c].kind == symbol.kind for c in context.created)
            )
            if appears or key in self.used:
                continue
            if context.loaded.key_location(path).source is own:
                context.warn(path, "legend-unused", f"no drawing uses the legend entry `{key}`")
