"""If a puzzle is too large, the error names the rule, and the remedy in the error works."""

from __future__ import annotations

import pytest

import fewest
from fewest.errors import Diagnostic, DocumentError
from fewest.grounding import assignments, conditional_effects, facts, grounder
from fewest.grounding.ground import ground
from fewest.reading import context

LAMPS = """
puzzle: lamps
variables:
  c[i]: {for: {i: range(8)}, values: range(4), initial: 0}
  n: {values: range(25), initial: 0}
moves:
  up: {for: {i: range(8)}, when: "c[i] < 3 and n < 24", set: {"c[i]": "c[i] + 1"COUNTED}}
MORE
"""
COUNTED = ", n: n + 1"
WALKER = """
puzzle: walker
legend: {".": floor, "@": man, o: jelly}
pieces: {man: {}, jelly: {}}
variables: {"c[i]": {for: {i: range(8)}, values: range(4), initial: 0}, k: {values: range(9), initial: 0}}
moves:
  MOVE
MORE
goal: {man: {at: [0, 0]}}
board: |
  .....
  .ooo.
  .ooo@
  .....
"""
WALK = "walk: {before: [man, empty], after: [empty, man]"
ALL = 'set: {"c[i] for i in range(8)": "(c[i] + 1) % 4"}'


def lamps(more: str, counted: str = "") -> str:
    return LAMPS.replace("COUNTED", counted).replace("MORE", more)


def walker(move: str, more: str = "") -> str:
    return WALKER.replace("MOVE", move).replace("MORE", more)


ANY = ", ".join(f'"any(c[i] == {value} for i in range(8))"' for value in range(4))
OUTSIDE = ", ".join(f"{{any: [n == 3, {part}]}}" for part in ANY.split(", "))
RING = "all(c[i] == 1 or c[i] == c[(i + 1) % 8] or c[i] == c[(i + 3) % 8] for i in range(8))"
TESTED = """then:
  reset: {set: {n: 0}, once: true}
  test: {for: {v: range(4)}, when: "n == 0 and all(c[i] != v for i in range(8))", set: {n: 1}, once: true}
"""

FALLING = walker(
    WALK + "}\n  flow: {slide: jelly}",
    "then: {fall: {slide: jelly, carries: jelly, sticky: jelly, directions: downMOST}}",
).replace("  .....\n  .ooo.\n  .ooo@\n  .....", "  .....\n  .....\n  .ooo@\n  .ooo.")

CELLS = "sum(1 for r in range(4) for c in range(5) if cell(r, c) == jelly)"
FLOW = WALK + "}\n  flow: {slide: jelly}"
NUMBER = "let the rules store this number in a variable"


@pytest.mark.parametrize(
    ("large", "line", "hint", "small"),
    [
        pytest.param(
            lamps("goal: sum(c[i] for i in range(8)) == 12"),
            8,
            NUMBER,
            lamps("goal: n == 12", COUNTED),
            id="goal",
        ),
        pytest.param(
            lamps("forbid: sum(c[i] for i in range(8)) == 12\ngoal: n == 1"),
            8,
            NUMBER,
            lamps("forbid: n == 12\ngoal: n == 1", COUNTED),
            id="forbid",
        ),
        pytest.param(
            lamps('  jump: {when: "sum(c[i] for i in range(8)) == 12", set: {n: 1}}\ngoal: n == 1'),
            8,
            NUMBER,
            lamps("  jump: {when: n == 12, set: {n: 1}}\ngoal: n == 1", COUNTED),
            id="when",
        ),
        pytest.param(
            lamps(
                'then: {add: {when: "n < sum(c[i] for i in range(8))", set: {n: n + 1}}}\n'
                "goal: n == 9"
            ),
            8,
            NUMBER,
            lamps("then: {add: {when: n == 8, set: {n: 9}}}\ngoal: n == 9", COUNTED),
            id="consequence",
        ),
        pytest.param(
            lamps(
                "goal: all(c[i] == c[0] or c[i] == c[1] + c[2] + c[3] + c[4] for i in range(8)) "
                "or any(c[i] * c[0] > c[1] * c[2] * c[3] + c[4] * c[5] for i in range(8))"
            ),
            8,
            NUMBER,
            lamps("goal: n == 12", COUNTED),
            id="arithmetic",
        ),
        pytest.param(
            walker(WALK + f", {ALL}}}"),
            7,
            "let the rule set only one variable",
            walker(
                WALK + ", set: {k: 8}}",
                "then: {tick: {for: {i: range(8)}, when: k == i + 1, "
                'set: {"c[i]": "(c[i] + 1) % 4", k: k - 1}}}',
            ),
            id="assignments",
        ),
        pytest.param(
            walker(WALK + "}", f"then: {{tick: {{{ALL}, once: true}}}}"),
            8,
            "let the rule set one variable at a time",
            walker(
                WALK + ", set: {k: 8}}",
                "then: {tick: {for: {i: range(8)}, when: k == i + 1, "
                'set: {"c[i]": "(c[i] + 1) % 4", k: k - 1}}}',
            ),
            id="assignments of a consequence",
        ),
        pytest.param(
            walker("walk: {slide: man, carries: jelly, sticky: jelly}"),
            7,
            "limit the number of pieces that move along",
            walker("walk: {slide: man, carries: jelly, sticky: jelly, most: 1}"),
            id="sticky",
        ),
        pytest.param(
            FALLING.replace("MOST", ""),
            9,
            "limit the number of pieces that move along",
            FALLING.replace("MOST", ", most: 1"),
            id="sticky consequence",
        ),
        pytest.param(
            lamps(f"goal: {{any: [n == 3, {{all: [{ANY}]}}]}}"),
            8,
            "write `all` outside and `any` inside",
            lamps(f"goal: {{all: [{OUTSIDE}]}}"),
            id="all inside any",
        ),
        pytest.param(
            lamps(f"forbid: {{all: [{ANY}]}}\ngoal: n == 3"),
            8,
            "let a rule under `then` test one part of the condition at a time",
            lamps(f"forbid: n == 0\ngoal: n == 3\n{TESTED}"),
            id="forbidden conjunction",
        ),
        pytest.param(
            lamps(f"then: {{jump: {{when: '{RING} and n == 5', set: {{n: 1}}}}}}\ngoal: n == 1"),
            8,
            "let a rule under `then` test one part of the condition at a time",
            lamps(f"{TESTED}  jump: {{when: n == 0, set: {{n: 2}}, once: true}}\ngoal: n == 2"),
            id="conjunction with indices",
        ),
        pytest.param(
            lamps(
                "goal: n == 12\nthen: {count: {set: {n: 'sum(c[i] for i in range(8))'}, once: true}}"
            ),
            9,
            "let each rule that changes this number also change the variable",
            lamps("goal: n == 12", COUNTED),
            id="number of a consequence",
        ),
        pytest.param(
            walker(WALK + f", set: {{k: '{CELLS}'}}}}\n  flow: {{slide: jelly}}"),
            7,
            "count the pieces of a kind on a terrain with `count(KIND, TERRAIN)`",
            walker(WALK + ", set: {k: 'count(jelly, floor)'}}\n  flow: {slide: jelly}"),
            id="number of cells",
        ),
        pytest.param(
            walker(FLOW).replace("{man: {at: [0, 0]}}", "{count: {jelly: 6}}"),
            10,
            "let a rule under `then` store the number of pieces in a variable",
            walker(FLOW, "then: {tally: {once: true, set: {k: 'count(jelly)'}}}").replace(
                "{man: {at: [0, 0]}}", "k == 6"
            ),
            id="number of pieces in a goal",
        ),
        pytest.param(
            walker(
                FLOW,
                "then: {tally: {once: true, set: {k: 'count(jelly)', 'c[0]': 'count(man) + count(jelly) // 4'}}}",
            ),
            9,
            "let a separate rule store each of these numbers",
            walker(
                FLOW,
                "then:\n  tally: {once: true, set: {k: 'count(jelly)'}}\n"
                "  men: {once: true, set: {'c[0]': 'count(man) + k // 4'}}",
            ),
            id="numbers of pieces in one rule",
        ),
    ],
)
def test_the_remedy_of_a_part_with_many_cases_works(
    large: str, line: int, hint: str, small: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grounder, "MAX_CASES", 200)
    found = refused(large)
    assert (found.code, found.line) == ("task-too-large", line)
    assert found.hint is not None and found.hint.startswith(hint)
    ground(fewest.load("small.yaml", text=small).puzzle)


def refused(text: str) -> Diagnostic:
    puzzle = fewest.load("large.yaml", text=text).puzzle
    with pytest.raises(DocumentError) as error:
        ground(puzzle)
    (found,) = error.value.diagnostics
    return found


SOME = '"any(c[i] == 1 for i in range(8))"'
OTHER = SOME.replace("== 1", "== 2")


@pytest.mark.parametrize(
    ("more", "line", "share"),
    [
        (
            "goal: sum(c[i] for i in range(8)) == 12",
            8,
            "a condition has more than 200 cases, which depend on 8 variables",
        ),
        (
            '  jump: {when: "sum(c[i] for i in range(6)) == 9", set: {n: 1}}\ngoal: n == 1',
            8,
            "a condition of `jump` has more than 200 cases, which depend on 6 variables",
        ),
        (
            f"goal: {{any: ['n == 9', {{all: [{SOME}, {OTHER}, {SOME.replace('8', '7')}]}}]}}",
            8,
            "which combine 2 parts of 8 cases and 1 part of 7 cases",
        ),
        (
            "goal: n == 9\nforbid: ['n == 3', "
            "'any(c[i] + c[j] + c[7] == 4 for i in range(7) for j in range(i))']",
            9,
            "which come from 17 parts of 12 cases",
        ),
    ],
)
def test_a_refusal_names_the_cause_of_the_cases_of_a_condition(
    more: str, line: int, share: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grounder, "MAX_CASES", 200)
    found = refused(lamps(more))
    assert found.line == line
    assert share in found.message
    assert found.message.endswith("; the limit is 200")


def test_a_refusal_gives_the_number_of_places_in_the_goal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grounder, "MAX_CASES", 200)
    text = walker(WALK + "}").replace("{man: {at: [0, 0]}}", "{count: {jelly: 6}}")
    moving = text.replace(WALK + "}", WALK + "}\n  flow: {slide: jelly}")
    assert "which choose 6 of 20 places" in refused(moving).message


def test_the_rule_with_most_operators_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grounder, "MAX_OPERATORS", 30)
    text = walker(WALK + "}\n  few: {set: {k: 1}}\n  last: {when: k < 8, set: {k: k + 1}}")
    found = refused(text)
    assert found.line == 7
    assert "more than 30 operators, of which `walk` has" in found.message
    assert found.hint == (
        "in `walk`: choose a smaller board or let pieces that need not be distinguished be interchangeable"
    )


def test_the_remedy_for_many_operators_suits_the_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grounder, "MAX_OPERATORS", 30)
    found = refused(lamps("goal: n == 1", COUNTED))
    assert found.hint == (
        "in `up`: exclude bindings of its loops with `when` or give the variables that it reads fewer values"
    )


def test_too_many_hidden_facts_are_refused_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assignments, "MAX_FACTS", 100)
    swap = "  swap: {for: {i: range(8), j: range(8)}, when: 'WHEN', set: {'c[i]': 'c[j]', 'c[j]': 'c[i]'}}"
    text = lamps(f"{swap}\ngoal: n == 1").replace("range(4)", "range(10)")
    found = refused(text.replace("WHEN", "c[i] != c[j]"))
    assert found.line == 8 and "`swap` needs more than 100 hidden facts" in found.message
    assert found.hint is not None and "`a < b`" in found.hint
    ground(fewest.load("small.yaml", text=text.replace("WHEN", "i < j")).puzzle)


def test_facts_are_counted_before_they_are_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts, "MAX_FACTS", 2)
    built: list[str] = []
    monkeypatch.setattr(facts, "Fact", lambda name, *_: built.append(name))
    found = refused(walker(WALK + "}\n  flow: {slide: jelly}"))
    assert "it has more than 32 facts" in found.message
    assert len(built) == 20, "the facts of the man, but not those of the jelly"


def test_the_rule_with_most_consequences_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditional_effects, "MAX_OPERATORS", 100)
    then = "then:\n  tick: {when: k > 0, set: {k: 0}}\n  fall: {slide: jelly, directions: down, when: k > 0}"
    text = walker("walk: {slide: man, carries: jelly}", then)
    puzzle = fewest.load("large.yaml", text=text).puzzle
    with pytest.raises(DocumentError, match="consequences, of which `fall` has") as error:
        ground(puzzle, most_divided=0)
    assert error.value.diagnostics[0].line == 10


def test_loops_over_values_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "MAX_BINDINGS", 100)
    move = "  swap: {{for: {{i: range(7){0}}}, when: {1}, set: {{{2}}}}}\ngoal: n == 1"
    loops = move.format(", a: range(4), b: range(4)", '"c[i] == a and c[i + 1] == b"', "")
    with pytest.raises(DocumentError, match="limit of 100 bindings") as error:
        fewest.load("large.yaml", text=lamps(loops.replace("{}", '{"c[i]": b, "c[i + 1]": a}')))
    (found,) = error.value.diagnostics
    assert found.line == 8 and found.hint is not None
    assert found.hint.startswith("remove loops over values")
    small = move.format("", "n == 0", '"c[i]": "c[i + 1]", "c[i + 1]": "c[i]"')
    assert fewest.load("small.yaml", text=lamps(small)).task.facts


MANY = """
puzzle: many
variables:
  c[i]: {for: {i: range(12)}, values: range(4), initial: 0}
  n: {values: range(40), initial: 0}
moves:
  up: {for: {i: range(12)}, when: "c[i] < 3WHEN", set: {"c[i]": "c[i] + 1"}}
MORE
"""
SUM = "sum(c[j] for j in range(12))"


@pytest.mark.parametrize(
    ("when", "more"),
    [
        ("", f"goal: {SUM} == 18"),
        ("", f"forbid: {SUM} > 20\ngoal: n == 1"),
        (f" and {SUM} < 20", "goal: c[3] == 3"),
        # the many cases are in one of the 40 branches of the root
        ("", f"then: {{won: {{when: 'n == 0 and {SUM} == 20', set: {{n: 1}}}}}}\ngoal: n == 1"),
        ("", f"then: {{count: {{once: true, set: {{n: '{SUM}'}}}}}}\ngoal: n == 20"),
    ],
)
def test_far_too_many_cases_are_refused_long_before_they_are_counted(
    when: str, more: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = 0
    step = grounder.Grounder.step

    def counted(self: grounder.Grounder) -> None:
        nonlocal steps
        steps += 1
        step(self)

    monkeypatch.setattr(grounder.Grounder, "step", counted)
    found = refused(MANY.replace("WHEN", when).replace("MORE", more))
    assert "more than 50,000 cases, which depend on 1" in found.message
    assert steps < 20_000


def test_as_many_cases_as_the_limit_allows_are_not_refused_by_an_estimate() -> None:
    text = MANY.replace("range(12)", "range(7)").replace("WHEN", "")
    goal = "sum(c[j] * 4 ** j for j in range(7)) == 4321"  # 4^7 cases
    task = ground(fewest.load("x.yaml", text=text.replace("MORE", f"goal: {goal}")).puzzle)
    assert len(task.goal) == 1
