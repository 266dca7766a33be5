"""The keys of a document, as types from which the decoder and the JSON Schema are derived.

Here, an *entry* is the form in which a document states a rule, a metric or a variable; `model` contains the compiled
forms.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

Expr = Annotated[str, Meta(description="an expression, see docs/language.md")]
OffsetPair = Annotated[list[int], Meta(min_length=2, max_length=2, description="[rows, columns]")]
Cell = Annotated[list[int | Expr], Meta(min_length=2, max_length=2, description="[row, column]")]
Directions = Annotated[
    str | list[str | OffsetPair],
    Meta(
        description="up, down, left, right, up-left …, orthogonal, diagonal, all, horizontal, vertical, "
        "knight, hex, strips, above, below; several of them; or offsets [rows, columns]; in a kind also along; in a "
        "rule also names of loops and variables that hold directions, and left_of(d), right_of(d), back_of(d)"
    ),
]
STRETCH = "..."
"""the mark after a word of a pattern that stands for any number of places"""
Loops = dict[str, Expr | list[int | Expr]]
Text = Annotated[str, Meta(description="text for people")]
DrawingText = Annotated[
    str | list[list[str]],
    Meta(description="a drawing: text with one character per cell, or rows of tokens"),
]
ConditionEntry = Annotated[
    Any,
    Meta(
        description="{X: {touches: right}}, {C: {at: [3, 1]}}, {C: {covers: T}}, {C: {on: T}}, "
        "{every: T, holds: KIND}, {every: KIND, on: T}, {some: KIND, on: T}, {count: {KIND: n}}, "
        "{board: drawing}, an expression, "
        "a list or {any: […]} (any of these), {all: […]}"
    ),
]


class Placement(Struct, kw_only=True, forbid_unknown_fields=True):
    """A condition on the place of a piece; if it has several keys, all of them must hold."""

    touches: Annotated[
        Literal["left", "right", "top", "bottom"] | None, Meta(description="an edge of the board")
    ] = None
    at: Annotated[
        list[int | Expr] | str | None,
        Meta(description="[row, column] of its top-left cell, from 0; or a node of a graph"),
    ] = None
    covers: Annotated[
        str | None,
        Meta(description="a terrain (or a|b, not a); the piece covers every cell of it"),
    ] = None
    on: Annotated[
        str | None,
        Meta(description="a terrain (or a|b, not a); every cell of the piece is on it"),
    ] = None


class ConditionMap(Struct, kw_only=True):
    """A condition as a map.

    All parts of the map must hold. Keys that are not listed here are kinds or letters of pieces, each with a placement
    as its value. The keys of a placement may appear next to `every` and `some`.
    """

    all: Annotated[list[Any] | None, Meta(description="all of these conditions")] = None
    any: Annotated[list[Any] | None, Meta(description="at least one of these conditions")] = None
    every: Annotated[
        str | None,
        Meta(
            description="a terrain, with `holds`: a condition on each of its cells; or a kind, with "
            "on, touches, at or covers: a condition on each of its pieces"
        ),
    ] = None
    some: Annotated[
        str | None,
        Meta(
            description="a kind, with on, touches, at or covers: a condition on at least one of its pieces"
        ),
    ] = None
    holds: Annotated[
        str | None, Meta(description="with `every`: the kind of piece that each cell must hold")
    ] = None
    count: Annotated[
        dict[str, int | Expr] | None,
        Meta(description="the number of pieces of each of these kinds"),
    ] = None
    board: Annotated[
        str | list[list[str]] | None, Meta(description="a drawing; ? allows any contents")
    ] = None


class ParameterEntry(Struct, kw_only=True, forbid_unknown_fields=True):
    """A whole number that the puzzle depends on, with its range."""

    default: Annotated[int, Meta(description="its value unless the command line gives another")]
    min: Annotated[int | None, Meta(description="the smallest allowed value")] = None
    max: Annotated[int | None, Meta(description="the largest allowed value")] = None
    notes: Text | None = None


class TerrainEntry(Struct, kw_only=True, forbid_unknown_fields=True):
    """A terrain, which marks cells."""

    enters: Annotated[
        str | list[str] | None, Meta(description="the kinds or letters that may stand on it")
    ] = None
    cells: Annotated[
        list[OffsetPair] | None,
        Meta(description="cells that the drawing cannot show, [row, column]"),
    ] = None


class PieceKind(Struct, kw_only=True, forbid_unknown_fields=True):
    """A kind of piece."""

    letters: Annotated[
        str | list[str] | None, Meta(description="the letters (A-Za-z0-9) or tokens that draw it")
    ] = None
    shape: Annotated[str | None, Meta(description="a drawing of #: the shape of every piece")] = (
        None
    )
    directions: Directions | None = None
    enters: Annotated[
        str | list[str] | None, Meta(description="the terrains it may stand on, and floor")
    ] = None
    mirror: Annotated[
        Literal["columns", "rows", "both"] | None,
        Meta(
            description="the pieces obey `together` in the mirrored direction; columns: left and right are exchanged"
        ),
    ] = None
    layer: Annotated[
        int,
        Meta(
            description="pieces in different layers can share a cell; larger numbers are above; default 0"
        ),
    ] = 0
    colours: Annotated[
        list[str] | None,
        Meta(
            description="colours; each makes a kind, such as red-box; a pattern applies to one colour at a time"
        ),
    ] = None
    interchangeable: Annotated[
        bool, Meta(description="false: each of its pieces is distinct from all others")
    ] = True
    parts: Annotated[
        Literal["apart", "together"] | None,
        Meta(
            description="together: all cells of a letter are one piece, even if they do not touch; "
            "apart: they are several pieces"
        ),
    ] = None


class VariableEntry(Struct, kw_only=True, forbid_unknown_fields=True):
    """A finite variable. An indexed variable has one value for each combination of the indices in `for`."""

    values: Annotated[Expr | list[int | str], Meta(description="a list, or range(n)")]
    initial: Annotated[int | str, Meta(description="a value, or an expression")]
    for_: Annotated[Loops | None, Meta(description="the range of each index")] = field(
        name="for", default=None
    )
    layout: Annotated[Cell | None, Meta(description="[row, column] where it is drawn")] = None
    characters: Annotated[
        dict[str, str] | None, Meta(description="how each of its values is drawn")
    ] = None


class MoveEntry(Struct, kw_only=True, forbid_unknown_fields=True):
    """A rule. A rule has `slide`, `together`, `before` and `after`, `cycle` (`cycles`), `pivot`, or only `set` or
    `wait`.
    """

    slide: Annotated[str | None, Meta(description="the kind that moves rigidly, any, or A|B")] = (
        None
    )
    distance: Annotated[
        Literal[1, "blocked"] | None,
        Meta(
            description="1: one cell (default); blocked: until something stops the piece, or while the pattern fits"
        ),
    ] = None
    over: Annotated[
        str | None,
        Meta(
            description="a terrain (or a|b, not a): the piece continues only while it is on this terrain"
        ),
    ] = None
    stopped_by: Annotated[
        Literal["piece", "wall"] | list[Literal["piece", "wall"]] | None,
        Meta(description="what stops the piece; default both"),
    ] = field(name="stopped-by", default=None)
    carries: Annotated[
        str | None, Meta(description="the kinds that a moving piece pushes, any, or A|B")
    ] = None
    sticky: Annotated[
        str | None,
        Meta(
            description="the kinds that move along if they touch a moving piece; own: the moving piece's own kind"
        ),
    ] = None
    most: Annotated[
        int | None,
        Meta(description="the maximum number of pieces that move along; default any number"),
    ] = None
    together: Annotated[
        str | None, Meta(description="the kind whose pieces all slide if they can, any, or A|B")
    ] = None
    before: Annotated[
        list[str | list[str]] | None,
        Meta(
            description="the contents of consecutive cells along a direction (or of a rectangle) before the move"
        ),
    ] = None
    after: Annotated[
        list[str | list[str]] | None, Meta(description="the contents of these cells after the move")
    ] = None
    rotations: Annotated[bool | None, Meta(description="turn a rectangle by 90°, 180°, 270°")] = (
        None
    )
    whole: Annotated[
        bool | None,
        Meta(
            description="true: the pattern can also move and remove pieces of several cells, each as a whole"
        ),
    ] = None
    cycle: Annotated[
        Expr | list[Cell | str] | None, Meta(description="a ring of cells [row, column]")
    ] = None
    cycles: Annotated[
        Expr | list[Expr | list[Cell | str]] | None,
        Meta(description="several rings, turned together"),
    ] = None
    steps: Annotated[int | Expr | None, Meta(description="how far the rings turn; default 1")] = (
        None
    )
    pivot: Annotated[
        str | None, Meta(description="the kind that is turned by 90°, any, or A|B")
    ] = None
    about: Annotated[
        list[OffsetPair] | str | None,
        Meta(
            description="the centres of turns: own (default: each cell of the piece), a terrain, or a list of cells"
        ),
    ] = None
    swept: Annotated[
        Literal["free", "any"] | None,
        Meta(description="free (default): all that a turned piece passes over must be free"),
    ] = None
    directions: Directions | None = None
    for_: Annotated[Loops | None, Meta(description="loops: one rule for every binding")] = field(
        name="for", default=None
    )
    when: Annotated[Expr | None, Meta(description="a condition on the state")] = None
    set: Annotated[dict[str, Expr] | None, Meta(description="assignments to variables")] = None
    wait: Annotated[
        bool | None,
        Meta(description="true: a move even if only the consequences change anything"),
    ] = None
    count: Annotated[
        int | Expr | None,
        Meta(description="its weight, which may depend on its loops; default 1"),
    ] = None
    say: Annotated[
        str | None, Meta(description='what plans call its moves, such as "pour {a} into {b}"')
    ] = None


class ConsequenceEntry(MoveEntry, kw_only=True, forbid_unknown_fields=True):
    """A consequence, which applies automatically. A consequence has `slide`, or `before` and `after`, or only `set`."""

    otherwise: Annotated[
        bool | None, Meta(description="applies only where the rules above it change nothing")
    ] = None
    everywhere: Annotated[
        bool | None, Meta(description="applies to all places at once, in a sweep of its own")
    ] = None
    once: Annotated[
        bool | None,
        Meta(description="applies once after every move, as soon as no rule above it applies"),
    ] = None


class MetricEntry(Struct, kw_only=True, forbid_unknown_fields=True):
    """A metric: the weight of each rule, and the consecutive moves that count as one."""

    count: Annotated[
        int | dict[str, int | Expr] | None, Meta(description="the weight of each rule, 0 or more")
    ] = None
    merge: Annotated[
        Literal["none", "line", "path"] | None,
        Meta(description="when consecutive moves of one piece count once"),
    ] = None


class ExpectedEntry(Struct, kw_only=True, forbid_unknown_fields=True):
    """A known answer with its source."""

    value: Annotated[
        int | str | bool | list[int],
        Meta(description="a number, an expression, true, or a list of two if lexicographic"),
    ]
    source: Text | list[str] | None = None
    slow: Annotated[bool, Meta(description="only `fewest check --slow` checks it")] = False


class DrawingEntry(Struct, kw_only=True, forbid_unknown_fields=True):
    """The style of pictures. The keys of `colours`, `symbols` and `shapes` are words: letters, kinds, terrains, `wall`
    and `floor`.
    """

    cells: Annotated[
        Literal["square", "chequered", "hex"] | None,
        Meta(
            description="the shape of the cells; default hex if pieces move in six directions, otherwise square"
        ),
    ] = None
    colours: Annotated[
        dict[str, str] | None, Meta(description="word: #rgb, #rrggbb, a name such as blue, or none")
    ] = None
    symbols: Annotated[
        dict[str, str] | None,
        Meta(description="word or value: an emoji or a short text to draw on it"),
    ] = None
    shapes: Annotated[
        dict[str, Literal["block", "disc", "diamond"]] | None,
        Meta(description="word: the shape of a piece of one cell"),
    ] = None


class PortalEntry(Struct, kw_only=True, forbid_unknown_fields=True):
    """A portal: a piece that leaves a cell in a direction enters another cell and continues in the same direction."""

    leaving: Annotated[Cell, Meta(description="[row, column]")]
    by: Annotated[str, Meta(description="a direction, such as `right`")]
    entering: Annotated[Cell, Meta(description="[row, column]")]
    both: Annotated[bool, Meta(description="false: there is no way back through it")] = True


class EdgesEntry(Struct, kw_only=True, forbid_unknown_fields=True):
    """Edges between cells."""

    drawn: Annotated[bool, Meta(description="the board is drawn with lines between its cells")] = (
        False
    )
    walls: Annotated[
        list[list[Cell]] | None, Meta(description="pairs of neighbours with a wall between them")
    ] = None
    one_way: Annotated[
        list[list[Cell]] | None,
        Meta(description="pairs of neighbours; steps lead only from the first to the second"),
    ] = field(name="one-way", default=None)
    portals: Annotated[list[PortalEntry] | None, Meta(description="ways to other cells")] = None


class GraphEntry(Struct, kw_only=True, forbid_unknown_fields=True):
    """A board of nodes and edges."""

    nodes: Annotated[
        dict[str, OffsetPair], Meta(description="name: [row, column] where the board draws it")
    ]
    edges: Annotated[
        list[str] | dict[str, list[str]],
        Meta(description="`a b`, or `a > b` for one that leads one way; or such lists by kind"),
    ]


class TestEntry(Struct, kw_only=True, forbid_unknown_fields=True):
    """A test of the rules: a position, moves, and the expected result."""

    __test__ = False  # pytest must not collect this class

    title: Text | None = None
    board: Annotated[
        DrawingText | None, Meta(description="a board to test on instead of the document's own")
    ] = None
    at: Annotated[str | None, Meta(description="a position of the board, as --at takes it")] = None
    move: Annotated[
        str | list[str] | None, Meta(description="moves, in the words of printed plans")
    ] = None
    gives: Annotated[
        str, Meta(description="the drawing of the position after them; or: not allowed, dead, goal")
    ]


class Document(Struct, kw_only=True, forbid_unknown_fields=True):
    """A puzzle, or the model of a family of puzzles."""

    puzzle: Annotated[str | None, Meta(description="the puzzle's name")] = None
    model: Annotated[
        str | None, Meta(description="the model's name; in a puzzle: the model that it uses")
    ] = None
    extends: Annotated[str | None, Meta(description="the model that this model extends")] = None
    title: Text | None = None
    names: Annotated[
        dict[str, str] | None, Meta(description="what people call the letters and kinds")
    ] = None
    source: Annotated[str | list[str] | None, Meta(description="where it comes from")] = None
    notes: Text | None = None
    difficulty: Annotated[int | str | None, Meta(description="how hard people find it")] = None
    parameters: Annotated[
        dict[str, int | ParameterEntry] | None, Meta(description="whole numbers with defaults")
    ] = None
    constants: Annotated[
        dict[str, int | Expr | list[Any] | dict[str, Any]] | None,
        Meta(description="numbers, words, lists and tables that never change"),
    ] = None
    board: DrawingText | None = None
    legend: Annotated[
        dict[str, str] | None,
        Meta(
            description="character or token: floor, wall, a terrain, a kind, KIND on TERRAIN, KIND & KIND"
        ),
    ] = None
    terrain: Annotated[
        list[str] | dict[str, str | list[str] | TerrainEntry | None] | None,
        Meta(description="the names of terrains, and the kinds or letters that may enter each"),
    ] = None
    geometry: Annotated[
        Literal["square", "hex-right", "hex-left", "triangle-up", "triangle-down"] | None,
        Meta(
            description="hex: cells with six neighbours, every row half a cell further to the right "
            "(left) than the row above it; triangle: cells with three neighbours, which point up and down in turn, "
            "the first one up (down)"
        ),
    ] = None
    levels: Annotated[
        int | None,
        Meta(
            description="the number of boards of equal size, drawn one below the other, that lie above each other"
        ),
    ] = None
    edges: Annotated[
        Literal["drawn"] | EdgesEntry | None,
        Meta(
            description="what lies between cells: walls, one-way edges, portals; drawn: as lines of the board"
        ),
    ] = None
    graph: Annotated[
        GraphEntry | None, Meta(description="nodes and edges: the board draws what stands on them")
    ] = None
    wrap: Annotated[
        Literal["rows", "columns", "both"] | list[Literal["rows", "columns"]] | None,
        Meta(description="rows: leaving on the right comes back on the left"),
    ] = None
    pieces: Annotated[dict[str, PieceKind | None] | None, Meta(description="kinds of pieces")] = (
        None
    )
    variables: Annotated[
        dict[str, VariableEntry] | None,
        Meta(description="finite variables: name, name[i], name[i, j]"),
    ] = None
    moves: Annotated[dict[str, MoveEntry] | None, Meta(description="the rules")] = None
    then: Annotated[
        dict[str, ConsequenceEntry] | None,
        Meta(description="rules that apply by themselves after a move"),
    ] = None
    order: Annotated[
        Literal["top-down", "bottom-up", "left-right", "right-left"] | None,
        Meta(description="the order in which `then` visits the cells; default top-down"),
    ] = None
    forbid: Annotated[ConditionEntry, Meta(description="states that may never arise")] = None
    goal: ConditionEntry = None
    metrics: Annotated[
        dict[str, MetricEntry | list[str] | None] | None,
        Meta(description="what counts; a list of two is lexicographic"),
    ] = None
    metric: Annotated[str | None, Meta(description="the default metric")] = None
    drawing: Annotated[
        DrawingEntry | None, Meta(description="how pictures show it; no rule depends on it")
    ] = None
    expect: Annotated[
        dict[str, int | str | bool | list[int] | ExpectedEntry] | None,
        Meta(
            description="known answers: metrics, reachable, goal_states, plans, unique, unsolvable"
        ),
    ] = None
    tests: Annotated[
        list[TestEntry] | None, Meta(description="moves and their required results")
    ] = None
