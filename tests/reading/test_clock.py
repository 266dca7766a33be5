"""The time for reading a text is proportional to its length, and reading stops at the time limit."""

from __future__ import annotations

import time
from pathlib import Path
from unittest.mock import patch

import pytest

import fewest
from fewest.errors import TimeLimitError
from fewest.reading import clock
from fewest.reading.clock import reading_within
from tests.helpers.command_line import run

_PARTS = {
    "pieces": "pieces:\n  block: {{letters: A-Z}}\n{lines}",
    "moves": "moves:\n  slide: {{slide: block}}\n{lines}",
    "legend": 'legend:\n  ".": floor\n{lines}',
    "metrics": "metrics:\n  steps: {{count: 1}}\n{lines}",
    "terrain": "terrain:\n{lines}",
    "constants": "constants:\n{lines}",
    "parameters": "parameters:\n{lines}",
}
_LINES = {
    "pieces": "k{}: {{}}",
    "moves": "r{}: {{slide: block}}",
    "legend": '"l{}": wall',
    "metrics": "m{}: {{count: 1}}",
    "terrain": "t{}: block",
    "constants": "c{}: 1",
    "parameters": "p{}: 1",
}


def _document(part: str, size: int) -> str:
    lines = "".join(f"  {_LINES[part].format(i)}\n" for i in range(size))
    parts = {key: _PARTS[key].format(lines="") for key in ("pieces", "moves", "legend")}
    parts[part] = _PARTS[part].format(lines=lines)
    return "puzzle: big\nboard: |\n  A.B\ngoal: {A: {at: [0, 1]}}\n" + "".join(parts.values())


def _seconds(part: str, size: int) -> float:
    text = _document(part, size)
    began = time.process_time()
    fewest.load("big", text=text).grounded  # noqa: B018
    return time.process_time() - began


@pytest.mark.parametrize("part", _PARTS)
def test_twenty_times_as_many_entries_take_some_twenty_times_as_long(part: str) -> None:
    few = min(_seconds(part, 200) for _ in range(3))
    assert _seconds(part, 4_000) < 80 * few + 0.1  # quadratic time would take 400 times as long


_RULES_OF_ALL = {
    "slide": "{{slide: {words}}}",
    "carries": "{{slide: k0, carries: {words}}}",
    "pivot": "{{pivot: {words}}}",
    "pattern": "{{before: [{words}, empty], after: [empty, _]}}",
    "pattern without": "{{before: [k0, not {words}], after: [k0, _]}}",
}


def _seconds_of_alternatives(rule: str, size: int) -> float:
    kinds = [f"k{i}" for i in range(size)]
    move = _RULES_OF_ALL[rule].format(words="|".join(kinds))
    text = "puzzle: big\nlegend: {A: k0, '.': floor}\nboard: |\n  A.\npieces:\n"
    text += "".join(f"  {kind}: {{}}\n" for kind in kinds) + f"moves: {{go: {move}}}\n"
    began = time.process_time()
    loaded = fewest.load("big", text=f"{text}goal: {{k0: {{at: [0, 1]}}}}\n")
    loaded.warnings  # noqa: B018 - this also compiles the puzzle
    return time.process_time() - began


def _seconds_of_rules(size: int) -> float:
    text = "puzzle: big\nlegend: {A: k0, '.': floor}\nboard: |\n  A.\npieces:\n"
    text += "".join(f"  k{i}: {{}}\n" for i in range(size)) + "moves:\n"
    text += "".join(f"  go{i}: {{slide: k{i}}}\n" for i in range(size))
    began = time.process_time()
    fewest.load("big", text=f"{text}goal: {{k0: {{at: [0, 1]}}}}\n").grounded  # noqa: B018
    return time.process_time() - began


def test_twenty_times_as_many_kinds_with_a_rule_take_some_twenty_times_as_long() -> None:
    few = min(_seconds_of_rules(200) for _ in range(3))
    assert _seconds_of_rules(4_000) < 40 * few + 0.1


@pytest.mark.parametrize("rule", _RULES_OF_ALL)
def test_twenty_times_as_many_alternatives_take_some_twenty_times_as_long(rule: str) -> None:
    few = min(_seconds_of_alternatives(rule, 200) for _ in range(3))
    assert _seconds_of_alternatives(rule, 4_000) < 40 * few + 0.1


def test_reading_ends_at_the_limit_of_time(tmp_path: Path) -> None:
    path = tmp_path / "big.yaml"
    path.write_text(_document("pieces", 2_000), encoding="utf-8")
    with patch.object(clock, "_LEAST_SECONDS", 0.0):
        with pytest.raises(TimeLimitError), reading_within(0.001):
            fewest.load(path)
        for command in ("solve", "explore", "hint", "prove", "draw"):
            done = run(command, str(path), "--time", "0.001")
            assert (done.returncode, done.stdout) == (4, ""), command
            assert "took longer than the time limit" in done.stderr
        checked = run("check", str(path), "--time", "0.001")
        assert checked.returncode == 4
        assert "reading: expected finished, fewest says not finished" in checked.stdout
    assert run("solve", str(path), "--time", "0").returncode in (0, 4)


_SLOW = {
    "every kind has a pattern": "pieces:\n"
    + "".join(f"  k{i}: {{}}\n" for i in range(16_000))
    + "moves:\n"
    + "".join(f"  go{i}: {{before: [k{i}, empty], after: [empty, _]}}\n" for i in range(6_000)),
}


@pytest.mark.parametrize("slow", _SLOW)
def test_long_work_on_pairs_of_entries_ends_at_the_time_limit(slow: str) -> None:
    legend = 'legend: {".": floor, A: k0}'
    text = f"puzzle: many\n{legend}\nboard: |\n  A.\ngoal: {{k0: {{at: [0, 1]}}}}\n{_SLOW[slow]}"
    began = time.perf_counter()
    with pytest.raises(TimeLimitError), reading_within(2.0):
        fewest.load("many", text=text).grounded  # noqa: B018
    assert time.perf_counter() - began < 10.0


def test_the_time_for_reading_reduces_the_limit_of_the_search() -> None:
    with reading_within(1000.0) as left:
        time.sleep(0.01)
    seconds = left()
    assert seconds is not None and 900 < seconds < 999.995
    with reading_within(None) as left:
        pass
    assert left() is None
