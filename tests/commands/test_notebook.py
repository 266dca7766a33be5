"""Notebooks show representations of objects, and the executed notebook of the documentation is up to date."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

import fewest
from fewest.commands.compare import compare
from tests.helpers.engines_here import engines_run_here
from tests.helpers.notebook import NOTEBOOKS, bundle, executed, read, steady

_EMPTY = {"br", "img", "input", "meta", "link", "hr"}


class _Closed(HTMLParser):
    """Raises AssertionError if a tag is not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in _EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag


def html(value: object) -> str:
    """The HTML or SVG of an object, after a check that its tags are closed."""
    shown = bundle(value)
    text = "".join(shown.get("text/html") or shown["image/svg+xml"])
    parser = _Closed()
    parser.feed(text)
    assert parser.open == []
    return text


def test_everything_shows_itself() -> None:
    text = 'puzzle: x\ntitle: "<i>&"\nmodel: sliding-blocks\nboard: |\n  A..\ngoal: {A: {touches: right}}\n'
    compiled = fewest.load("x.yaml", text=text)
    result, found = compiled.solve(), compiled.explore()
    assert result.plan is not None
    shown = [compiled, compiled.start, result, result.plan, result.plan[0].position, found]
    for value in shown:
        assert "<svg" in html(value), value
        assert "<i>" not in html(value)
    assert html(found).count("<rect") == len(found.layers) + len(
        found.goal_distances.histogram if found.goal_distances else ()
    )
    assert f"{found.num_goal_states:,}" in html(found)


def test_a_comparison_shows_a_row_an_engine() -> None:
    with engines_run_here():
        done = compare(["jugs"], ["bfs", "astar"])
    shown = html(done)
    # The rows of the table and of the chart.
    assert shown.count("<tr>") == 3 + 2 and "astar" in shown


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_it_shows_when_it_is_executed(notebook: Path) -> None:
    book = read(notebook)
    with engines_run_here():
        done = executed(book)
    assert steady(done) == steady(book), "run: python -m tests.helpers.notebook"
