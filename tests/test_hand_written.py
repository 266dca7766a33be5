"""The hand-written programs and the other programs find the minima of the puzzles that the benchmarks compare."""

from pathlib import Path

import pytest

import fewest
from bench import other_programs, puzzlescript
from bench.hand_written.__main__ import INSTANCES, by_hand


@pytest.mark.parametrize(("program", "puzzle", "parameters"), INSTANCES)
def test_minimum(program: str, puzzle: str, parameters: dict[str, int]) -> None:
    minimum, seconds = by_hand(program, "tweety")
    result = fewest.load(puzzle, parameters).solve("moves", engine="bfs")
    assert minimum == result.cost
    assert seconds > 0


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> other_programs.Programs:
    """The programs; each program in C++ is compiled only once, because this takes longer than most searches."""
    return other_programs.Programs(tmp_path_factory.mktemp("programs"), 60, None)


@pytest.mark.parametrize("subject", other_programs.SUBJECTS, ids=lambda subject: subject.puzzle)
def test_minimum_of_the_programs_in_cpp(
    subject: other_programs.Subject, programs: other_programs.Programs
) -> None:
    if not programs.compiler:
        pytest.skip("needs a C++ compiler")
    measured = programs.by_hand(subject)
    if subject.program is None:
        assert measured is None
        return
    assert measured is not None
    result = fewest.load(subject.puzzle).solve(subject.metric, engine="bfs")
    assert measured[0] == result.cost


def test_fast_downward_is_measured(tmp_path: Path) -> None:
    programs = other_programs.Programs(tmp_path, 60, None)
    if not programs.driver:
        pytest.skip("Fast Downward is in the extra `dev`")
    subject = next(one for one in other_programs.SUBJECTS if one.puzzle == "microban-004")
    measured = programs.by_fast_downward(subject, "astar(lmcut())")
    assert measured is not None
    assert measured[0] == 23


def test_each_game_for_puzzlescript_is_translated_on_the_page() -> None:
    games = {path.stem for path in puzzlescript.GAMES.glob("*.txt")}
    assert games == {name for name in puzzlescript.translations() if name.startswith("ps-")}
