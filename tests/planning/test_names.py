"""Whatever names a puzzle uses, a parser recovers each name correctly from the names in exported files."""

from __future__ import annotations

import clingo
import pytest

import fewest
from fewest.commands.export import export
from fewest.planning.asp import program
from fewest.planning.bounds import Bounds
from fewest.planning.free_graph import free_graph
from fewest.planning.names import PlanningNames
from fewest.planning.sat.dimacs import symbols
from fewest.planning.sat.encoding import Encoding
from fewest.planning.sat.profile import load_profile
from fewest.planning.task import PlanningTask, planning_task
from tests.helpers.planners import cheapest, read_pddl, read_sas

# Values with quotes, backslashes and line breaks; two of them are equal when printed on one line.
SIGNS = r"""
puzzle: signs
variables:
  sign: {values: ["a \"b\"", "c\\d", "e\nf", "e f", 曹], initial: "a \"b\""}
  x: {values: [0, 1, 2], initial: 0}
moves:
  turn: {for: {v: '("c\\d", "e\nf", "e f", "曹")'}, set: {sign: v}}
  step: {when: "x < 2 and sign == 曹", set: {x: x + 1, sign: '"e\nf"'}}
goal: x == 2
metrics: {all: {}, steps: {count: {turn: 0, step: 1}}}
"""

CALLED = """
puzzle: called
board: |
  XX.
  aY.
  aZZ
legend: {".": floor, a: Äpfel}
pieces: {曹: {letters: X-Z}, Äpfel: {}}
variables:
  Tür: {values: [zu, "Ganz  auf", 1], initial: zu}
moves:
  slide: {slide: 曹}
  open: {set: {Tür: '"Ganz  auf"'}}
goal: {X: {touches: right}}
metrics:
  dear: {count: {slide: 3, open: 1}}
  turns: {merge: path}
"""


def test_clingo_reads_every_name_as_it_is_written() -> None:
    compiled = fewest.load("signs.yaml", text=SIGNS)
    planning = planning_task(compiled.task, compiled.puzzle.metrics["steps"])
    names = PlanningNames(compiled.puzzle, planning)
    lines = list(program(Bounds(planning), names))
    assert all(len(line.splitlines()) <= 1 for line in lines)
    read = {
        (term.name, term.arguments[0].number): term.arguments[1].string
        for term in (
            clingo.parse_term(line.removesuffix("."))
            for line in lines
            if line.startswith(("name(", "place_name("))
        )
    }
    places = {
        ("place_name", number): ", ".join(
            text for fact, text in enumerate(names.facts) if value >> fact & 1
        )
        for number, value in enumerate(free_graph(planning).values)
    }
    moves = {("name", number): text for number, text in enumerate(names.moves(planning.moves))}
    assert read == places | moves
    assert len(places) == 5 and len(set(read.values())) == len(read)
    signs = {'a "b"', r"c\d", "e f", "e f_2", "曹"}
    assert set(places.values()) == {f"sign = {sign}" for sign in signs}


@pytest.mark.parametrize("metric", ["all", "steps"])
def test_values_of_any_text_do_no_harm_to_a_format(metric: str) -> None:
    compiled = fewest.load("signs.yaml", text=SIGNS)
    minimum = compiled.solve(metric).cost
    assert minimum == (4 if metric == "all" else 2)
    (sas,) = (data.decode() for data in export(compiled, "sas", metric).files.values())
    assert cheapest(*read_sas(sas)) == minimum
    pddl = [data.decode() for data in export(compiled, "pddl", metric).files.values()]
    assert cheapest(*read_pddl(*pddl)) == minimum
    for encoding in ("operators", "leave-arrive"):
        made = export(compiled, "dimacs", metric, horizon=2, encoding=encoding)
        (cnf,) = (data.decode() for data in made.files.values())
        assert all(line[:2] in ("c ", "p ") or line.endswith(" 0") for line in cnf.splitlines())


def test_a_legend_explains_each_name_in_one_line() -> None:
    compiled = fewest.load("called.yaml", text=CALLED)
    names = PlanningNames(
        compiled.puzzle, planning_task(compiled.task, compiled.puzzle.metrics["dear"])
    )
    assert sorted(names.legend()) == [
        "apfel: Äpfel, 1x1, 2 at the start",
        "ganz-auf: Ganz auf",
        "tur: Tür",
        "u66f9-1x1: Y, 1x1, 1 at the start",
        "u66f9-1x2: Z, 1x2, 1 at the start",
        "x: X, 1x2, 1 at the start",
    ]


def symbol_table(planning: PlanningTask, profile: str) -> set[str]:
    """The meanings of the variables of a layer, from the comments of a CNF."""
    _, *rows = symbols(Encoding(Bounds(planning), load_profile(profile)), 1)
    table = [row.partition(" ") for row in rows]
    assert [number for number, _, _ in table] == [f"{number}" for number in range(1, len(rows) + 1)]
    assert all(text and text != "None" for _, _, text in table)
    return {text for _, _, text in table}


def test_moves_and_waits_have_words_in_the_symbol_table_of_every_transition() -> None:
    compiled = fewest.load("called.yaml", text=CALLED)
    planning = planning_task(compiled.task, compiled.puzzle.metrics["dear"])
    assert any(not move.operators for move in planning.moves)
    for profile, wanted in (
        ("operators", {"wait", "slide X@0,0 right", "open"}),
        ("leave-arrive", {"X@0,0 leaves", "X@0,1 arrives", "ready leaves"}),
    ):
        assert wanted <= symbol_table(planning, profile)
    turns = planning_task(compiled.task, compiled.puzzle.metrics["turns"])
    moves = {f"effect 曹@1,1 曹@0,2: move {number}" for number in (0, 1)}
    assert moves <= symbol_table(turns, "leave-arrive")
