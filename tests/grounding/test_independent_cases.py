"""The cases of conditions and assignments that depend only on variables are computed once, and the operators and
effects are the same.
"""

from __future__ import annotations

import pytest

import fewest
from fewest.grounding import cases_at_sites, guard
from fewest.grounding.ground import ground
from fewest.model.task import Task

RUNS = """
puzzle: runs
legend: {".": floor}
pieces: {robot: {letters: R}, helper: {letters: H}}
variables:
  way: {values: [none, across, along], initial: none}
  turned: {values: [0, 1], initial: 0}
  here: {values: range(5), initial: 0}
moves:
  help: {slide: helper, distance: blocked, set: {here: "max(col(robot), 0)"}}
  across:
    slide: robot
    directions: horizontal
    distance: blocked
    set: {turned: "1 if way == along else turned", way: across}
  along:
    slide: robot
    directions: vertical
    distance: blocked
    set: {turned: "1 if way == across else turned", way: along}
goal: {R: {at: [2, 0]}}
board: |
  R..
  ..H
  ...
"""


def operators(task: Task) -> list[tuple[int, int, int]]:
    return [(move.mask, move.value, move.flip) for move in task.moves]


def test_operators_do_not_depend_on_when_the_cases_are_computed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = fewest.load("runs.yaml", text=RUNS)
    found = operators(expected.task)
    monkeypatch.setattr(guard, "MOST_CALLS", 0)
    one_by_one = fewest.load("runs.yaml", text=RUNS)
    assert operators(one_by_one.task) == found
    assert len(found) > 50
    assert expected.solve().cost == one_by_one.solve().cost


def test_cases_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0
    computed = guard._independent_cases

    def counting(*arguments: object) -> object:
        nonlocal calls
        calls += 1
        return computed(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(guard, "_independent_cases", counting)
    assert len(fewest.load("ricochet-straight").task.moves) > 30_000
    assert calls == 2  # `across` and `along`; `help` sets nothing


WEATHER = """
puzzle: weather
legend: {".": floor, w: wind, s: seed, "~": soil}
terrain: [soil]
pieces: {wind: {}, seed: {}}
variables:
  n: {values: range(4), initial: 0}
  day: {values: [0, 1], initial: 0}
moves:
  blow: {slide: wind, set: {n: "min(n + 1, 3)", day: "1 - day"}}
then:
  drift: {slide: seed, directions: [right, down], when: "n // day >= 2", set: {n: "n - 2"}, once: true}
  sow: {before: [seed on soil], after: [seed], when: "n > 0 or day != 1", set: {n: 3 - n}, once: true}
  wilt: {before: [wind, seed], after: [wind, empty], when: n == 3 and day == 0}
  grow: {before: [seed, empty], after: [seed, seed], when: n + day == 4, set: {n: 1}, everywhere: true}
goal: count(seed) == 4
board: |
  w~.
  s..
"""


def test_effects_do_not_depend_on_when_the_cases_are_computed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    puzzle = fewest.load("weather.yaml", text=WEATHER).puzzle
    found = ground(puzzle, most_divided=0)
    assert {e.rule for stage in found.consequences for place in stage.places for e in place} == {
        "drift",
        "sow",
        "wilt",
        "grow",
    }
    assert found.undefined  # `drift` divides by `day`
    monkeypatch.setattr(cases_at_sites, "MOST_CALLS", 0)
    one_by_one = ground(puzzle, most_divided=0)
    assert found.consequences == one_by_one.consequences
    assert found == one_by_one
