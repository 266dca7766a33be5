"""The progress line shows the finished fraction of a search, if this fraction is known."""

from __future__ import annotations

import pytest

from fewest.cli.progress import ProgressLine
from fewest.model.answer import Grounding, Horizon
from fewest.search import Progress


@pytest.mark.parametrize(
    ("most", "shown"),
    [(43_589_145_600, "10,897,286,400 (25.0%) · "), (None, "10,897,286,400 states · ")],
)
def test_progress_shows_the_share_of_all_states(
    most: int | None, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with ProgressLine("moves") as line:
        line(Progress(52, 10_897_286_400, 9_000_000_000, 450.0, 10 << 30, most))
    text = capsys.readouterr().err
    assert text.startswith(f"moves 52 · {shown}20,000,000 states/s")
    assert len(text.rstrip()) <= 79  # the progress line fits in one line of a terminal


def test_progress_counts_one_of_something_in_the_singular(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with ProgressLine("moves") as line:
        line(Grounding(1, 2.0))
        line(Progress(0, 1, 1, 9.0, 1 << 20, messages_per_layer=1))
        line(Horizon(1, "no plan", 9.0, conflicts=1, variables=1, clauses=1))
    lines = capsys.readouterr().err.splitlines()
    assert " · 1 move · " in lines[0]
    assert " · 1 state · " in lines[1] and lines[1].endswith(" · 1 message/layer")
    assert "1 var · 1 clause · 1 conflict" in lines[2]


def test_the_rate_of_a_resumed_search_leaves_out_the_states_from_before(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with ProgressLine("slides") as line:
        line(Progress(4, 200_000_000, 200_000_000, 0.1, 1 << 20, None))
        line(Progress(5, 210_000_000, 210_000_000, 2.1, 1 << 20, None))
        line(Progress(0, 30_000_000, 30_000_000, 10.0, 1 << 20, None))  # a new search
    lines = capsys.readouterr().err.splitlines()
    assert "5,000,000 states/s" in lines[0]
    assert "3,000,000 states/s" in lines[1]


def test_progress_on_a_cluster_shows_the_messages(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressLine("moves") as line:
        line(Progress(3, 20, 10, 10.0, 1 << 20, messages_per_layer=1234))
    assert "1 MiB · 10 s · 1,234 messages/layer" in capsys.readouterr().err
