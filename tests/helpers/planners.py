"""Runs planners on the exported files: Fast Downward, clingo, and a search with small readers.

Fast Downward comes with the extra `dev`. If Fast Downward is missing, its tests are skipped; they fail instead if
FEWEST_NEED_PLANNERS is set, as in `.ci/run`.
"""

from __future__ import annotations

import heapq
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from fewest.machine.resources import encoding_folder

Condition = tuple[frozenset[object], frozenset[object]]
Effects = list[tuple[Condition, Condition]]  # (true, false) before, (adds, deletes)
Action = tuple[str, Condition, Effects, int]  # name, (true, false) before, effects, cost

WITH_PYTHON = str(encoding_folder() / "asp" / "run" / "with_python.py")
# the clingo executable, or else the script that replaces it if only the Python package is installed
CLINGO = [found] if (found := shutil.which("clingo")) else [sys.executable, WITH_PYTHON]


def fast_downward(
    files: list[Path], folder: Path, search: str = "astar(blind())"
) -> tuple[int | None, list[str]]:
    """The optimal cost (None if there is no plan) and the plan, as Fast Downward finds them."""
    spec = find_spec("up_fast_downward")
    if spec is None or spec.origin is None:
        assert "FEWEST_NEED_PLANNERS" not in os.environ, "install the extra `dev`"
        pytest.skip("Fast Downward is in the extra `dev`")
    driver = Path(spec.origin).parent / "downward" / "fast-downward.py"
    plan = folder / "plan"
    plan.unlink(missing_ok=True)
    done = subprocess.run(
        [
            sys.executable,
            str(driver),
            "--plan-file",
            str(plan),
            *map(str, files),
            "--search",
            search,
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
    )
    if done.returncode in (10, 11, 12):  # the translator or the search proves that there is no plan
        return None, []
    assert done.returncode == 0, done.stdout + done.stderr
    *steps, cost = plan.read_text().splitlines()
    found = re.match(r"; cost = (\d+)", cost)
    assert found
    return int(found[1]), [step.strip("() ") for step in steps]


def clingo(path: Path) -> str:
    """The output of the clingo program for a file."""
    done = subprocess.run([*CLINGO, str(path)], capture_output=True, text=True, timeout=300)
    assert done.stderr == "", done.stderr
    return done.stdout


def cheapest(initial: frozenset[object], goal: Condition, actions: list[Action]) -> int | None:
    """The cost of the cheapest plan, by Dijkstra's algorithm over sets of true atoms."""
    queue: list[tuple[int, int, frozenset[object]]] = [(0, 0, initial)]
    known = {initial: 0}
    pushed = 0
    while queue:
        cost, _, state = heapq.heappop(queue)
        if cost > known[state]:
            continue
        if goal[0] <= state and not goal[1] & state:
            return cost
        for _, (positive, negative), effects, weight in actions:
            if positive <= state and not negative & state:
                done = [e for c, e in effects if c[0] <= state and not c[1] & state]
                adds = frozenset[object]().union(*(add for add, _ in done))
                deletes = frozenset[object]().union(*(delete for _, delete in done))
                assert not adds & deletes
                target = (state - deletes) | adds
                if cost + weight < known.get(target, cost + weight + 1):
                    known[target] = cost + weight
                    pushed += 1
                    heapq.heappush(queue, (cost + weight, pushed, target))
    return None


def read_pddl(domain: str, problem: str) -> tuple[frozenset[object], Condition, list[Action]]:
    """The initial state, the goal and the actions of ground PDDL in the form that the export
    writes."""
    declared: dict[str, list[object]] = {}
    actions: list[Action] = []
    for entry in _parse(domain)[2:]:
        if entry[0] != ":action":
            declared[entry[0]] = entry[1:]
            continue
        fields = dict(zip(entry[2::2], entry[3::2], strict=True))
        assert fields[":parameters"] == []
        cost = next(int(part[2]) for part in fields[":effect"][1:] if part[0] == "increase")
        plain = [part for part in fields[":effect"] if part[0] not in ("increase", "when")]
        always: Condition = (frozenset(), frozenset())
        effects = [(always, _literals(plain))]
        effects += [
            (_literals(part[1]), _literals(part[2]))
            for part in fields[":effect"][1:]
            if part[0] == "when"
        ]
        actions.append((entry[1], _literals(fields[":precondition"]), effects, cost))
    given = {entry[0]: entry[1:] for entry in _parse(problem)[2:]}
    initial = frozenset(tuple(atom) for atom in given[":init"] if atom[0] != "=")
    goal = _literals(given[":goal"][0])
    arities = {(entry[0], len(entry) - 1) for entry in declared[":predicates"]}
    constants = declared.get(":constants", [])
    assert len(set(constants)) == len(constants)
    assert len({action[0] for action in actions}) == len(actions)
    parts = [part for action in actions for pair in action[2] for part in pair]
    conditions = [goal, *(action[1] for action in actions), *parts]
    for atom in initial.union(*(side for pair in conditions for side in pair)):
        assert (atom[0], len(atom) - 1) in arities and set(atom[1:]) <= set(constants)
    words = [*constants, *(action[0] for action in actions), *(name for name, _ in arities)]
    assert all(re.fullmatch(r"[a-z][a-z0-9_-]*", word) for word in words)
    tested = [*(action[1] for action in actions), *(c for a in actions for c, _ in a[2])]
    negative = any(condition[1] for condition in tested) or goal[1]
    assert bool(negative) == (":negative-preconditions" in declared[":requirements"])
    conditional = any(len(action[2]) > 1 for action in actions)
    assert conditional == (":conditional-effects" in declared[":requirements"])
    return initial, goal, actions


def _literals(entry: list[object]) -> Condition:
    assert entry[0] == "and"
    positive = frozenset(tuple(part) for part in entry[1:] if part[0] != "not")
    return positive, frozenset(tuple(part[1]) for part in entry[1:] if part[0] == "not")


def _parse(text: str) -> list[object]:
    text = re.sub(r";.*", "", text)
    stack: list[list[object]] = [[]]
    for token in re.findall(r"[()]|[^\s()]+", text):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    (whole,) = stack
    return whole[0]


def read_sas(text: str) -> tuple[frozenset[object], Condition, list[Action]]:
    """Initial state, goal and actions of SAS+; an atom is a variable with a value."""
    lines = iter(text.splitlines())

    def expect(*words: str) -> None:
        for word in words:
            assert next(lines) == word

    def block(name: str) -> Iterator[list[str]]:
        for _ in range(int(next(lines))):
            expect(f"begin_{name}")
            yield list(iter(lines.__next__, f"end_{name}"))

    def pairs(rows: Iterable[str]) -> dict[int, int]:
        found = [tuple(map(int, row.split())) for row in rows]
        assert len(dict(found)) == len(found)
        assert all(0 <= value < sizes[variable] for variable, value in found)
        return dict(found)

    expect("begin_version", "3", "end_version", "begin_metric", "1", "end_metric")
    sizes = []
    for _, axiom_layer, size, *values in block("variable"):
        assert (axiom_layer, int(size)) == ("-1", len(set(values))) and len(values) > 1
        sizes.append(len(values))
    mutexes = [[tuple(map(int, row.split())) for row in rows] for _, *rows in block("mutex_group")]
    expect("begin_state")
    initial = frozenset(enumerate(int(row) for row in iter(lines.__next__, "end_state")))
    assert len(initial) == len(sizes)
    assert all(len(initial.intersection(mutex)) <= 1 for mutex in mutexes)
    expect("begin_goal")
    count, *rows = iter(lines.__next__, "end_goal")
    goal = frozenset(pairs(rows).items())
    assert len(goal) == int(count) > 0
    actions: list[Action] = []
    for name, prevails, *rest in block("operator"):
        number = int(prevails)
        before = pairs(rest[:number])
        rows = [list(map(int, row.split())) for row in rest[number + 1 : -1]]
        assert len(rows) == int(rest[number]) > 0
        assert not before.keys() & {row[-3] for row in rows if row[0] == 0}
        effects: Effects = []
        for count, *condition, variable, old, new in rows:
            pairs_of = zip(condition[::2], condition[1::2], strict=True)
            assert len(condition) == 2 * count and new != old and new in range(sizes[variable])
            if old >= 0:
                before[variable] = old
            others = ((variable, value) for value in range(sizes[variable]) if value != new)
            effect = (frozenset({(variable, new)}), frozenset(others))
            effects.append(((frozenset(pairs_of), frozenset()), effect))
        needs = (frozenset(before.items()), frozenset())
        actions.append((name, needs, effects, int(rest[-1])))
    expect("0")
    return initial, (goal, frozenset()), actions
