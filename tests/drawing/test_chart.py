"""Diagrams of times show points in the right places, with marks that can be distinguished without colour."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

from fewest.drawing.chart import cactus_chart, scatter_chart


def test_a_cactus_line_rises_with_the_time_on_a_logarithmic_axis() -> None:
    text = cactus_chart("t", {"a": [(1, 0.1), (2, 1.0), (3, 10.0)]}, 10)
    ElementTree.fromstring(text)
    found = re.search(r'<polyline.*points="([^"]*)"', text)
    assert found is not None
    places = [tuple(map(float, pair.split(","))) for pair in found[1].split()]
    assert ">instances solved</text>" in text
    heights = [y for _, y in places]
    assert heights[0] - heights[1] == heights[1] - heights[2] > 0
    assert [x for x, _ in places] == sorted(x for x, _ in places)


def test_lines_differ_in_form_too() -> None:
    text = cactus_chart("t", {name: [(1, 1.0)] for name in "abcd"}, None)
    assert len(set(re.findall(r'stroke-width="1.6" stroke-dasharray="([^"]*)"', text))) == 4
    assert "<circle" in text and "<rect x" in text and text.count("<path") >= 4


def test_five_and_more_lines_differ_in_dashes_or_marks() -> None:
    names = "abcdefghijkl"
    text = cactus_chart("t", {name: [(1, 1.0)] for name in names}, 10)
    dashes = re.findall(r'stroke-width="1.6" stroke-dasharray="([^"]*)" points', text)
    marks = [number % 4 for number in range(len(names))]
    assert len(set(zip(dashes, marks, strict=True))) == len(names)
    assert text.index("<polyline") < text.index("fill-opacity") < text.index(">a</text>")


def test_names_are_escaped() -> None:
    text = cactus_chart("a<b", {"<script>": [(1, 1.0)]}, None)
    ElementTree.fromstring(text)
    assert "<script>" not in text


def test_unsolved_instances_are_drawn_at_the_limit() -> None:
    text = scatter_chart("t", "x", "y", [(1.0, None), (1.0, 100.0)], 100)
    ElementTree.fromstring(text)
    unsolved = re.search(r'<rect x="([\d.]+)" y="([\d.]+)" width="6"', text)
    solved = re.search(r'<circle cx="([\d.]+)" cy="([\d.]+)"', text)
    assert unsolved is not None and solved is not None
    assert float(unsolved[1]) + 3 == float(solved[1])
    assert float(unsolved[2]) + 3 == float(solved[2])


def test_a_diagram_without_times_can_be_drawn() -> None:
    ElementTree.fromstring(cactus_chart("t", {"a": []}, None))
    ElementTree.fromstring(scatter_chart("t", "x", "y", [(None, None)], 5))
