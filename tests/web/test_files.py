"""The page as a file is small and complete, and texts of documents cannot break it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import fewest
from fewest.errors import UsageError
from fewest.web.page import PageOptions, chapter, page, write_page
from tests.helpers.command_line import run

OPTIONS = PageOptions(seconds=30, most=60_000)


def test_a_page_makes_no_requests_and_is_small() -> None:
    text = page([chapter(fewest.load("heng-dao-li-ma"), PageOptions(distances=False))])
    assert len(text.encode()) < 300_000
    assert "default-src 'none'" in text
    addresses = set(re.findall(r"https?://[^\s\"'<>]+", text))
    assert addresses <= {"http://www.w3.org/2000/svg"}  # a namespace, which no browser downloads


def test_texts_of_documents_are_no_markup_on_the_page() -> None:
    text = (
        'puzzle: x\ntitle: "</script><img src=x onerror=alert(1)>"\nmodel: sliding-blocks\n'
        'names: {A: "<b>&"}\nboard: |\n  A.\ngoal: {A: {touches: right}}\n'
    )
    made = page([chapter(fewest.load("x.yaml", text=text), OPTIONS)])
    assert "<img" not in made


def test_the_command_writes_a_page_and_reports_mistakes(tmp_path: Path) -> None:
    path = tmp_path / "x.html"
    done = run("page", "jugs", "hanoi", "-o", str(path), "--positions", "20")
    assert done.returncode == 0 and "2 puzzles" in done.stdout
    assert "hanoi: no distances: there are more than 20 positions" in done.stderr
    for args, code in (
        (("jugs", "-o", str(tmp_path / "x.txt")), 2),
        (("jugs", "jugs", "-o", str(path)), 2),
        (("jugs", "-m", "turns", "-o", str(path)), 2),
        (("nothing", "-o", str(path)), 3),
        (("jugs",), 2),
    ):
        assert run("page", *args).returncode == code
    with pytest.raises(UsageError):
        write_page([], OPTIONS)
