"""Small documents for sentences of `docs/language.md`: both programs understand them in the same way."""

from __future__ import annotations

import pytest

from tests.independent.compare_boards import compare

WALK = 'moves: {walk: {before: [w, empty], after: [empty, w]}}\npieces: {w: {}}\nlegend: {".": floor, "@": w}\n'
SLIDE = 'moves: {slide: {slide: any}}\nlegend: {".": floor, "#": wall}\n'
DOCUMENTS = {
    # Every connected group of cells with the same letter is a piece.
    "groups of a letter": f'{SLIDE}pieces: {{p: {{letters: AB}}}}\nboard: "AA.A/B.B."',
    # With `parts: together`, all cells with the same letter form one piece.
    "parts together": f'{SLIDE}pieces: {{p: {{letters: AB, parts: together}}}}\nboard: "AA.A/B.B./...."',
    # Cells are divided into pieces of a shape in reading order.
    "shapes": f'{SLIDE}pieces: {{p: {{shape: "##"}}}}\nlegend: {{".": floor, 1: p}}\nboard: "11../1111/...."',
    # A kind slides only in its own directions; `along` means along the longer side.
    "along": f'{SLIDE}pieces: {{p: {{letters: A-C, directions: along}}}}\nboard: "AA.B/...B/CC.."',
    # The keys of a kind: terrains that it may enter, and `floor`.
    "enters": f'{SLIDE}terrain: [ice, mud]\npieces: {{p: {{enters: [floor, ice]}}, q: {{enters: mud|ice}}}}\n'
    'legend: {".": floor, "~": ice, "=": mud, p: p, q: q on ice}\nboard: "p~=./.q~="',
    # Only the listed pieces may enter a terrain; a terrain can list cells that the drawing cannot mark.
    "terrain enters": f'{SLIDE}terrain: {{gate: {{enters: [A, q], cells: [[0, 1], [1, 1]]}}}}\n'
    'pieces: {p: {letters: AB}, q: {}}\nlegend: {".": floor, q: q}\nboard: "A.B/.q./..."',
    # A token can stand for each cell, and the legend gives its meaning.
    "tokens": f'{SLIDE}terrain: [ice]\npieces: {{p: {{}}, q: {{layer: 1}}}}\n'
    'legend: {"..": floor, p1: p, pq: p & q, i1: ice, p2: p on ice}\nboard: [[p1, ".."], [pq, i1], [p2, ".."]]',
    # A number equals its text.
    "numbers": f'{SLIDE}pieces: {{p: {{letters: [1, "2"]}}}}\nboard: "1.2/..."\ngoal: cell(0, 0) == 2\n'
    'variables: {v: {values: ["1", 2], initial: 1}}\nforbid: cell(1, 0) == "1" and v == 1',
    # `yes` and `no`, `on` and `off` are words.
    "words of YAML": f"{WALK}variables: {{v: {{values: [yes, no, on, off], initial: no}}}}\n"
    'board: "@.."\ngoal: {any: [{w: {at: [0, 2]}}, v == yes]}',
    # Later loops may use the names of earlier loops; a loop runs over a table's keys.
    "loops": f"{WALK}constants: {{cap: {{left: 1, right: 2}}, order: [right, left]}}\n"
    "variables: {v: {values: range(3), initial: 0}}\nboard: '@..'\n"
    "moves: {walk: {for: {d: order, i: 'range(cap[d])'}, before: [w, empty], after: [empty, w], "
    "directions: d, when: i > 0 or v == 0, set: {v: i}}}",
    # Templates: expressions in braces, and `{{` for a brace.
    "templates": f"{WALK}parameters: {{n: 3}}\nboard: \"@{{'.' * n}}\"\ngoal: {{board: \"{{'.' * n}}@\"}}",
    # `legend` and patterns name the kinds of each colour; a pattern takes one colour within a move.
    "colours": 'pieces: {k: {colours: [red, blue]}, m: {colours: [red, blue]}}\n'
    'legend: {".": floor, r: red-k, b: blue-k, R: red-m, B: blue-m}\nboard: "rB./bR."\n'
    "moves: {step: {before: [k, empty], after: [empty, k]}, pair: {before: [k, m], after: [m, k]}, "
    "any: {before: [any-m, any-k], after: [any-k, any-m], directions: left}}\ngoal: cell(0, 0) == k",
    # One-way lines, walls and portals between cells.
    "drawn lines": f'{SLIDE}pieces: {{p: {{}}}}\nlegend: {{" ": floor, p: p}}\nedges: drawn\n'
    'board: "+-+-+-+/|p>   1/+-+^+v+/1   < |/+-+-+-+"',
    "listed lines": f'{SLIDE}pieces: {{p: {{}}}}\nlegend: {{".": floor, p: p}}\nboard: "p../..p"\n'
    "edges: {walls: [[[0, 0], [0, 1]]], one-way: [[[0, 2], [1, 2]]], "
    "portals: [{leaving: [0, 0], by: up, entering: [1, 1], both: false}]}",
    # The keys of a goal's map, and lists of goals.
    "goals": f'{SLIDE}pieces: {{p: {{letters: AB}}, q: {{}}}}\nterrain: [t]\nlegend: {{".": floor, q: q, "!": t}}\n'
    'board: "AA!/B.q"\ngoal: [{A: {touches: bottom}, B: {at: [0, 0]}}, {every: t, holds: A}, {some: p, on: t}]\n'
    "forbid: {all: [{q: {covers: t}}, {count: {p: 2}}]}",
    # A rectangle with rotations; `not` and `_`.
    "rectangles": 'pieces: {a: {}, b: {}}\nlegend: {".": floor, a: a, b: b, "#": wall}\nboard: "a.b/.#./..."\n'
    "moves: {m: {before: [[a, empty], [not b, _]], after: [[empty, a], [not b, _]], rotations: true}}",
    # Names: an index of a loop, a constant or parameter, a variable, a word, in this order.
    "names": f"{WALK}constants: {{c: 1}}\nvariables: {{d: {{values: range(4), initial: 0}}}}\nboard: '@...'\n"
    "moves: {walk: {for: {c: [2]}, before: [w, empty], after: [empty, w], set: {d: c}}, "
    "back: {when: d == 2, set: {d: c}}}\ngoal: cell(0, 3) == w and d == c",
    # `rows` and `columns`; the top-left cell of a piece; `terrain`.
    "functions": f'{SLIDE}pieces: {{p: {{letters: AB}}}}\nterrain: [t]\nlegend: {{".": floor, "!": t, "#": wall}}\n'
    'board: "A.!/AA#/.B."\ngoal: row(A) == rows - 2 and col(B) == columns - 1\n'
    'forbid: "count(p, not t) == 1 or terrain(0, 2) == wall or cell(2, 0) == B and sees(A, B)"',
    # A mirrored kind moves after all other pieces, in the mirrored direction.
    "mirrors": 'pieces: {a: {}, b: {mirror: columns}, c: {}}\nlegend: {".": floor, a: a, b: b, c: c, "#": wall}\n'
    'board: "ac.b/..#."\nmoves: {m: {together: a|b, carries: c}}',
    # A slide pushes pieces, takes sticky pieces along, and at most `most` of them.
    "pushing": 'pieces: {a: {}, b: {letters: BC}, s: {}}\nlegend: {".": floor, a: a, s: s}\n'
    'board: "aB.s/.BC./...."\nmoves: {m: {slide: a|s, carries: b, sticky: b, most: 1}}',
    # A line that no piece can cross on the way from A to B is between them; the view passes through portals.
    "views across lines": f'{SLIDE}pieces: {{p: {{}}, q: {{}}, r: {{layer: 1}}}}\n'
    'legend: {" ": floor, p: p, q: q, r: p & r}\nedges: drawn\nboard: "+-+-+-+/|p>q|r1/+ + +v+/1 |   |/+-+-+-+"\n'
    "goal: sees(r, q)\nforbid: sees(q, p) and sees(p, q)",
    # A line that cannot be crossed in the direction of the pattern counts as the edge of the board.
    "patterns behind lines": 'pieces: {p: {}, q: {}}\nlegend: {" ": floor, p: p, q: q}\nedges: drawn\n'
    'board: "+-+-+-+/|p|q> 1/+ +^+-+/1   > |/+-+-+-+"\nmoves: {step: {before: [p, empty], after: [empty, p]}, '
    "push: {before: [wall, q, empty], after: [wall, empty, q]}, "
    "pull: {before: [q, empty..., wall], after: [empty, q..., wall], directions: up right}}",
    # With `whole`, all cells of a piece go in the direction of the line; in a rectangle, only the ends matter.
    "whole pieces and lines": 'pieces: {p: {letters: A-C}}\nlegend: {" ": floor}\nedges: drawn\n'
    'board: "+-+-+-+/|A A> |/+ +-+ +/|B<C>C|/+^+ + +/|   | |/+-+-+-+"\n'
    "moves: {go: {before: [p, empty], after: [empty, p], whole: true}, "
    "back: {before: [empty, p], after: [p, empty], whole: true, directions: left down}, "
    "turn: {before: [[p, _], [_, empty]], after: [[empty, _], [_, p]], whole: true, rotations: true}}",
    # The paths of a pivot must not cross a line that a piece cannot cross.
    "pivots and lines": 'pieces: {p: {letters: A}, q: {letters: B}}\nlegend: {" ": floor}\nedges: drawn\n'
    'board: "+-+-+-+/|A A> |/+ +^+ +/|   |B|/+-+v+ +/|    B|/+-+-+-+"\n'
    "moves: {turn: {pivot: p}, swing: {pivot: q, swept: any}}",
    # Pieces stick together where a step could lead from the moving piece to the other one.
    "sticky pieces and lines": 'pieces: {p: {}, q: {}}\nlegend: {" ": floor, p: p, q: q}\nedges: drawn\n'
    'board: "+-+-+-+/|p>q  1/+ +^+ +/1q p| |/+-+-+-+"\n'
    'moves: {m: {slide: any, sticky: own}, s: {slide: p, sticky: q}}',
    # `_` in `after` leaves a piece, and another piece of its kind can appear.
    "pieces that stay": 'pieces: {p: {}, q: {}}\nlegend: {".": floor, p: p, q: q}\nboard: "pq.../..q.."\n'
    "moves: {a: {before: [p, q], after: [_, p]}, b: {before: [q, empty], after: [_, q], directions: right}}",
    # The contents of two cells are equal if the kinds and the letters are.
    "equal contents": f'{SLIDE}pieces: {{p: {{letters: AB}}, q: {{}}}}\nlegend: {{".": floor, "#": wall, q: q}}\n'
    'board: "A#q/B.A"\ngoal: cell(0, 0) == cell(1, 1)\nforbid: cell(0, 2) == cell(1, 2)',
    # A terrain that a piece may not enter is an obstacle like a wall; a wall counts more than a piece.
    "obstacles": 'pieces: {p: {letters: AB, enters: floor}, q: {}}\nterrain: [mud]\n'
    'legend: {".": floor, "#": wall, "=": mud, q: q}\nboard: "A.q/A.#/B.="\n'
    "moves: {far: {slide: p, distance: blocked, stopped-by: piece}, "
    "out: {slide: p, distance: blocked, stopped-by: wall, directions: right}, n: {slide: q}}",
    # A pattern that would never end is no move, and neither is a line that passes a cell twice.
    "closed rows": 'pieces: {p: {}}\nlegend: {".": floor, p: p}\nboard: "p..."\n'
    "edges: {portals: [{leaving: [0, 3], by: right, entering: [0, 0]}]}\n"
    "moves: {far: {before: [p, empty], after: [empty, p], distance: blocked}, "
    "leap: {before: [p, _, _, _, empty], after: [empty, _, _, _, p]}, step: {slide: p}}",
    # `everywhere`: the last change of a variable counts, and `set` applies even if no piece is left.
    "changes everywhere": 'pieces: {p: {}}\nlegend: {".": floor, p: p}\nboard: "p.p"\n'
    "variables: {x: {values: range(4), initial: 0}}\nmoves: {go: {set: {x: 1}, when: x == 0}}\n"
    "then: {f: {for: {i: [2, 3, 1]}, before: [p], after: [empty], directions: up, when: x == 1, set: {x: i}, "
    "everywhere: true, once: true}}",
    # `together`: the foremost cell decides, and pieces of all layers on a cell move.
    "turns of a common move": 'pieces: {k: {letters: AB}, p: {}, q: {layer: 1, mirror: rows}, x: {mirror: columns}}\n'
    'legend: {".": floor, "#": wall, p: p & q, x: x}\nboard: "AB.p/AAA./.x.#"\n'
    "moves: {m: {together: any, carries: x}}",
    "pieces that move twice": 'pieces: {k: {letters: A}, x: {}}\nlegend: {".": floor, x: x}\n'
    'board: "Ax.../AAA../....."\n'
    "moves: {m: {together: any, carries: x, directions: right}, b: {slide: x, directions: left}}",
    # A wall or a portal between cells separates letters; a one-way line does not.
    "letters and lines": f'{SLIDE}pieces: {{p: {{letters: A-C}}}}\nlegend: {{" ": floor}}\nedges: drawn\n'
    'board: "+-+-+-+/|A|A>A|/+ + + +/1B1B  |/+-+-+-+"',
    # The first direction has priority, in the order of the document, whatever determines the directions.
    **{
        f"the order of {directions} in a consequence": 'pieces: {a: {}, b: {}}\nlegend: {".": floor, a: a, b: b}\n'
        "variables: {f: {values: orthogonal, initial: right}, n: {values: [0, 1], initial: 0}}\n"
        f'board: "{row}"\n'
        "moves: {go: {set: {n: 1}, when: n == 0}, turn: {set: {f: back_of(f)}}}\n"
        f"then: {{e: {{{loops}{rule}, directions: {directions}, when: n == 1, set: {{n: 0}}}}}}"
        for rule, row, loops, directions in (
            ("before: [a, b], after: [empty, a]", "bab", "", "f back_of(f)"),
            ("before: [a, b], after: [empty, a]", "bab", "for: {d: [right, left]}, ", "d left"),
            ("before: [a, b], after: [empty, a]", "bab", "for: {d: [right, left]}, ", "back_of(d) right"),
            ("before: [a, empty..., b], after: [empty, empty..., a]", "b.ab", "", "left f"),
            ("slide: a", ".a.", "", "f left"),
            ("slide: a, everywhere: true, once: true", ".a.a.", "", "f f left right"),
        )
    },
    # On a graph, nodes have the order of the document.
    "the order of the nodes of a graph": 'pieces: {a: {}, b: {}}\nlegend: {".": floor, a: a, b: b}\n'
    "graph: {nodes: {p: [0, 0], q: [0, 1], s: [0, 3], r: [0, 2]}, edges: {rail: [p s, q s], road: [q r, r s, q p]}}\n"
    'board: "...b"\nvariables: {n: {values: range(5), initial: 0}}\n'
    "moves: {go: {for: {i: [1, 2, 3, 4]}, set: {n: i}, when: n == 0}}\n"
    "then: {e: {slide: b, when: n == 1, set: {n: 0}}, f: {slide: b, directions: road rail, when: n == 2, set: {n: 0}}, "
    "g: {before: [b, empty, empty], after: [empty, empty, b], when: n == 3, set: {n: 0}}, "
    "h: {before: [b, empty, empty], after: [empty, empty, b], directions: road, when: n == 4, set: {n: 0}}}",
    # `ground` describes the uppermost layer that the pattern names, and a place can become empty.
    "captures": 'pieces: {a: {}, b: {}, c: {layer: 1}}\nlegend: {".": floor, a: a, b: b, A: a & c, c: c}\n'
    'board: "aA/cb/Ac"\n'
    "moves: {m: {before: [a, ground], after: [empty, a]}, n: {before: [a & c, ground], after: [c, a]}, "
    "o: {before: [a, b|empty], after: [a, empty]}, p: {before: [a & c, c|empty], after: [c, a]}}",
    # In a metric that merges moves, consequences move the piece on.
    "merged moves and consequences": 'pieces: {a: {}, b: {}}\nlegend: {".": floor, a: a, b: b, "#": wall}\n'
    'board: "a...b/##.##/....."\nmoves: {m: {slide: any, directions: horizontal}}\n'
    "then: {f: {slide: any, directions: down}}\nmetrics: {path: {merge: path}}\ngoal: {a: {at: [2, 4]}}",
    # In `directions`, a word for a direction always means this direction, whatever else has this name.
    "names of directions": f'{WALK}constants: {{up: down}}\nboard: "@../..."\n'
    "variables: {left: {values: [right, down], initial: right}}\n"
    "moves: {walk: {before: [w, empty], after: [empty, w], directions: right up, set: {left: down}}, "
    "back: {before: [w, empty], after: [empty, w], directions: left}, "
    "turn: {before: [w, empty], after: [empty, w], directions: back_of(left)}}",
}  # fmt: skip


@pytest.mark.parametrize("name", DOCUMENTS)
def test_both_programs_agree(name: str) -> None:
    text = DOCUMENTS[name]
    lines, board = [], ""
    keys: dict[str, str] = {}
    for each in text.split("\n"):  # a later line replaces an earlier one with the same key
        key, _, value = each.partition(":")
        keys[key] = value
    for key, value in keys.items():
        if key == "board" and value.startswith(' "'):
            board = value.strip().strip('"').replace("/", "\n  ")
        else:
            lines.append(f"{key}:{value}")
    if board:
        lines.append(f"board: |\n  {board}")
    found = compare("puzzle: small\n" + "\n".join(lines) + "\n")
    assert found.verdict == "equal", (found, lines, board)
