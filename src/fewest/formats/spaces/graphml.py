"""A state space as a graph in GraphML, for networkx, Gephi and yEd (Brandes et al. 2002)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from fewest.sanitize import shown_lines

if TYPE_CHECKING:
    from fewest.formats.spaces.table import SpaceTable

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
"""


def graphml(table: SpaceTable) -> Iterator[bytes]:
    """The file, as blocks of positions followed by blocks of edges.

    Nodes have the attributes `position`, `start_distance`, `goal_distance` (missing if no goal position can be
    reached) and `goal`. Each move is an edge with the attribute `move`. A cost with several parts becomes one attribute
    for each part.
    """
    starts, goals = table.columns("start_distance"), table.columns("goal_distance")
    yield _head(table, [*starts, *goals])
    space = table.space
    for ids in table.blocks():
        lines: list[str] = []
        for i in ids:
            data = {"position": escape(shown_lines(table.drawn(i)))}
            data |= zip(starts, map(str, table.start_distance[i].tolist()), strict=True)
            if table.goal_distance[i, 0] >= 0:
                data |= zip(goals, map(str, table.goal_distance[i].tolist()), strict=True)
            data["goal"] = "true" if space.is_goal[i] else "false"
            held = "".join(f'<data key="{key}">{value}</data>' for key, value in data.items())
            lines.append(f'<node id="{i}">{held}</node>\n')
        yield "".join(lines).encode()
    names = [escape(shown_lines(name)) for name in table.move_names]
    for ids in table.blocks():
        lines = []
        for i in ids:
            for edge in range(int(space.first[i]), int(space.first[i + 1])):
                move = names[space.operator[edge]]
                lines.append(
                    f'<edge id="e{edge}" source="{i}" target="{space.target[edge]}">'
                    f'<data key="move">{move}</data></edge>\n'
                )
        yield "".join(lines).encode()
    yield b"</graph>\n</graphml>\n"


def _head(table: SpaceTable, distances: list[str]) -> bytes:
    kinds = {"position": "string", **dict.fromkeys(distances, "long"), "goal": "boolean"}
    keys = [
        f'<key id="{name}" for="node" attr.name="{name}" attr.type="{kind}"/>\n'
        for name, kind in kinds.items()
    ]
    keys.append('<key id="move" for="edge" attr.name="move" attr.type="string"/>\n')
    keys.append('<key id="metric" for="graph" attr.name="metric" attr.type="string"/>\n')
    about = f'<data key="metric">{escape(shown_lines(table.metric))}</data>\n'
    graph = '<graph id="space" edgedefault="directed">\n'
    return (_HEAD + "".join(keys) + graph + about).encode()
