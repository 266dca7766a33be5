"""Reads boards that are graphs: named nodes with places in the drawing, and edges that have a direction or a kind.

The nodes of a graph are cells of the board. All other cells are walls, and the edges are the only exits. An edge is a
step in a direction that is named after the node to which it leads. Each kind of edge has its own
directions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from fewest.model.board import Board, Direction, Offset
from fewest.reading.context import Context, Path
from fewest.reading.drawings import Drawing, Symbol

MAX_PATHS = 20_000
_EDGE = re.compile(r"\s*(\S+)\s+(?:(>|-)\s+)?(\S+)\s*")


def graph_symbols(
    context: Context, drawing: Drawing, symbols: list[list[Symbol]]
) -> list[list[Symbol]] | None:
    """The drawn symbols, with walls on all cells except the nodes; None after reporting symbols outside the nodes, or
    nodes that are not drawn.
    """
    graph = context.document.graph
    assert graph is not None
    places = {(row, column) for row, column in graph.nodes.values()}
    fine = True
    out = [list(row) for row in symbols]
    for r, row in enumerate(symbols):
        for c, symbol in enumerate(row):
            if (r, c) in places:
                continue
            if drawing.rows[r][c] != " " and not symbol.is_wall:
                token = drawing.rows[r][c]
                message = f"`{token}` is drawn where there is no node (row {r}, column {c})"
                context.error(
                    ("board",),
                    "graph-form",
                    message,
                    hint="define the place of every node under `nodes`",
                )
                fine = False
            out[r][c] = Symbol(is_wall=True)
    for name, (r, c) in graph.nodes.items():
        is_inside = 0 <= r < len(out) and 0 <= c < len(out[0])
        if not is_inside or out[r][c].is_wall:
            message = f"the node `{name}` is not drawn at ({r}, {c})"
            context.error(("graph", "nodes", name), "graph-form", message)
            fine = False
    return out if fine else None


def with_graph(context: Context, board: Board) -> Board:
    """The board, with the edges of the document's graph as its only exits. Reports mistakes."""
    graph = context.document.graph
    assert graph is not None
    nodes = {name: row * board.columns + column for name, (row, column) in graph.nodes.items()}
    if len(set(nodes.values())) < len(nodes):
        context.error(("graph", "nodes"), "graph-form", "two nodes have the same place")
        return board
    given = graph.edges if isinstance(graph.edges, Mapping) else {"": graph.edges}
    exits: dict[tuple[int, Offset], int | None] = {}
    kinds: dict[str, tuple[Direction, ...]] = {}
    for number, (kind, edges) in enumerate(given.items(), 1):
        path: Path = ("graph", "edges", kind) if kind else ("graph", "edges")
        pairs = list(_pairs(context, path, edges, nodes))
        for layer in (0, number):
            for source, target in pairs:
                exits[nodes[source], _edge_direction(board, layer, nodes, target).offset] = nodes[
                    target
                ]
        if kind:
            targets = {target for _, target in pairs}
            kinds[kind] = tuple(
                _edge_direction(board, number, nodes, name) for name in nodes if name in targets
            )
    directions = tuple(_edge_direction(board, 0, nodes, name) for name in nodes)
    return replace(
        board, geometry="graph", exits=exits, nodes=nodes, kinds=kinds, directions=directions
    )


def _edge_direction(board: Board, layer: int, nodes: Mapping[str, int], name: str) -> Direction:
    """The direction to a node along edges of one kind. `layer` is the number of the kind; 0 stands for edges of any
    kind. The offset of this direction does not correspond to a step in the drawing.
    """
    return Direction((board.rows + layer, nodes[name]), f"to {name}", f"→{name}")


def _pairs(
    context: Context, path: Path, edges: list[str], nodes: Mapping[str, int]
) -> Iterator[tuple[str, str]]:
    """The start and the end of each edge; an edge without a direction occurs in both directions. Reports mistakes."""
    for index, text in enumerate(edges):
        found = _EDGE.fullmatch(text)
        if found is None or found[1] == found[3]:
            message = f"`{text}` is not an edge between two nodes"
            hint = "write `a b`, or `a > b` for an edge that leads only from a to b"
            context.error((*path, index), "graph-form", message, hint=hint)
            continue
        unknown = [name for name in (found[1], found[3]) if name not in nodes]
        for name in unknown:
            context.unknown((*path, index), "graph-form", "node", name, list(nodes))
        if not unknown:
            yield found[1], found[3]
            if found[2] != ">":
                yield found[3], found[1]


def paths(
    context: Context, path: Path, directions: tuple[Direction, ...], longest: int
) -> tuple[tuple[Direction, ...], ...]:
    """The paths along at most `longest` different nodes. Each path is a list of directions: the direction to its second
    node, the direction to its third node, and so on. The paths are in the order of their first directions, then of
    their second ones, and so on.

    A path follows edges of a single kind. If there are too many paths, this is reported, and the result is empty.
    """
    board = context.board
    assert board is not None
    found: dict[tuple[Direction, ...], None] = {}
    kinds = {
        direction.offset[0]: [w for w in directions if w.offset[0] == direction.offset[0]]
        for direction in directions
    }
    todo: list[tuple[tuple[int, ...], tuple[Direction, ...]]] = [
        ((cell,), ()) for cell in reversed(board.floors)
    ]
    while todo:
        cells, steps = todo.pop()
        if steps:
            found[steps] = None
        if len(found) > MAX_PATHS:
            message = (
                f"the number of paths of up to {longest} nodes exceeds the limit of {MAX_PATHS:,}"
            )
            context.error(path, "task-too-large", message)
            return ()
        if len(cells) == longest:
            continue
        for direction in reversed(kinds[steps[0].offset[0]] if steps else directions):
            there = board.step(cells[-1], direction.offset)
            if there is not None and there not in cells:
                todo.append(((*cells, there), (*steps, direction)))
    place = {direction: number for number, direction in enumerate(directions)}
    return tuple(sorted(found, key=lambda steps: [place[direction] for direction in steps]))
