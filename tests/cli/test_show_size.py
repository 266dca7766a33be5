"""`fewest show --size` prints the size of each rule after compilation."""

from __future__ import annotations

import json

from tests.helpers.command_line import run


def test_each_rule_has_its_operators_and_seconds() -> None:
    found = run("show", "hanoi", "--size", "--json")
    assert found.returncode == 0
    table = json.loads(found.stdout)["sizes"]
    parts = {row["part"]: row for row in table}
    assert parts["goal"]["cases"] > 0
    assert sum(row["operators"] for row in table) > 10
    assert all(row["seconds"] >= 0 for row in table)


def test_people_get_a_table() -> None:
    found = run("show", "wildfire", "--size")
    assert found.returncode == 0
    first, *rows = found.stdout.splitlines()
    assert first.split() == ["operators", "effects", "cases", "seconds"]
    assert any(row.startswith("then") for row in rows)
