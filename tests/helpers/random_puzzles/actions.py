"""Draws puzzles that have variables and no board."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.helpers.random_puzzles.parts import document, metrics

LOOPS: list[object] = ["range(3)", [0, 1, 2], [2, "n - 1"], ["cap[0]", 1]]


@st.composite
def actions(draw: st.DrawFn) -> str:
    """Indexed variables, and assignments with conditions and loops."""
    size = draw(st.integers(1, 3))
    conditions = [
        "v[i] != k",
        "v[i] < v[j]",
        "all(v[m] <= 1 for m in range(n))",
        "v[i] + v[j] == 2",
        "not (v[j] == k and s == left)",
        "s == right or v[i] == 0",
        "sum(v[m] for m in range(n)) % 2 == 0",
        "v[i] <= cap[i] and cap[j] > 0",
        "v[j] != start[i] or s == open[left]",
    ]
    assignments = [
        {"v[i]": "k"},
        {"v[i]": "v[j]", "v[j]": "v[i]"},
        {"v[j]": "max(v[i], k)"},
        {"v[m] for m in range(n) if m != i": "2 - v[m]"},
        {"s": "left if s == right else right"},
        {"v[i]": "min(2, v[i] + 1)", "s": "left"},
        {"v[i]": "min(cap[i], v[j])", "s": "open[s]"},
        {"v[m] for m in range(n) if m != i": "v[i]"},
        {"v[i]": "v[j]", "v[j]": "(v[i] + v[j]) % 3", "s": "left"},
        {"v[i]": "v[j] if s == left else k % 3", "s": "open[s]"},
    ]
    rules = {
        name: {
            "for": {"i": "range(n)", "j": "range(n)", "k": draw(st.sampled_from(LOOPS))},
            "when": draw(st.sampled_from(conditions)),
            "set": draw(st.sampled_from(assignments)),
        }
        for name in ["one", "two"][: draw(st.integers(1, 2))]
    }
    goal = draw(
        st.sampled_from(
            [
                "all(v[i] == 2 for i in range(n))",
                "v[0] == 1 and s == right",
                ["v[0] == 2", "s == right"],
                "sum(v[i] for i in range(n)) == n + 1",
            ]
        )
    )
    return document(
        puzzle="random-actions",
        parameters={"n": size},
        constants={
            "cap": draw(st.lists(st.integers(0, 2), min_size=3, max_size=3)),
            "open": {"left": "right", "right": "left"},
            "start": "[i % 3 for i in range(n)]",
        },
        variables={
            "v[i]": {
                "for": {"i": "range(n)"},
                "values": "range(3)",
                "initial": draw(st.sampled_from(["0", "i % 3", "start[i]"])),
            },
            "s": {"values": ["left", "right"], "initial": "left"},
        },
        moves=rules,
        goal=goal,
        metrics=draw(metrics(list(rules), ["i", "k % 2 + j", "max(cap[i], 1)"])),
    )
