"""`check --twice` starts the reference interpreter only if the puzzle is not known to be too large for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fewest.commands import check
from fewest.commands.check import Effort, check_document
from fewest.playing.exhaust import Exhausted, exhaust

WALK = """
puzzle: walk
legend: {".": floor, a: ant}
pieces: {ant: {}}
moves: {walk: {before: [ant, empty], after: [empty, ant]}}
goal: {ant: {at: [1, 3]}}
board: |
  a...
  ....
"""


@pytest.mark.parametrize(
    ("expect", "most", "is_played"),
    [
        ("{moves: 4, reachable: 8}", 8, True),
        ("{moves: 4, reachable: 8}", 7, False),
        ("{moves: 4}", 8, True),
        ("{moves: 4}", 3, False),  # the search for the minimum has visited more positions
    ],
)
def test_the_reference_interpreter_plays_only_small_puzzles(
    expect: str, most: int, is_played: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "walk.yaml"
    path.write_text(WALK + f"expect: {expect}\n")
    played: list[bool] = []

    def counted(*arguments: Any) -> Exhausted:
        played.append(True)
        return exhaust(*arguments)

    monkeypatch.setattr(check, "exhaust", counted)
    checked = check_document(path, Effort(twice=True, reference_states=most))
    assert checked.verdict == "ok"
    assert bool(played) == is_played
    assert is_played == any(row.engine == "reference" for row in checked.rows)
