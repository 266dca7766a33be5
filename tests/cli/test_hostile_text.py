"""No command prints control sequences from a puzzle's text to the terminal."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch
from xml.etree import ElementTree

import pytest

import fewest
from fewest.cli import COMMANDS
from tests.helpers.command_line import run
from tests.helpers.engines_here import engines_run_here
from tests.helpers.hostile import HOSTILE, PUZZLE, obeyed

METRIC = "mo\u202eves\x1b[2J"

# Every command, with arguments that print as much of the puzzle as possible. FILE stands for the puzzle's file, and TMP
# for its folder.
CALLS = {
    "solve": ["solve FILE", "solve FILE --show", "solve FILE -e sat", "solve FILE -m METRIC"],
    "compare": ["compare FILE -e bfs -m METRIC"],
    "explore": [
        "explore FILE -m METRIC",
        "explore FILE --store disk:TMP/store --depth 1",
        "explore FILE --write TMP/space.graphml --picture TMP/space.svg",
    ],
    "resume": ["resume TMP/store", "resume TMP/nothing\x1b[2J"],
    "solutions": ["solutions FILE --list 3", "solutions FILE -m METRIC"],
    "hint": ["hint FILE", "hint FILE --at ..A/..\x1b\u202e"],
    "explain": ["explain deadlock FILE", "explain FILE --always", "explain FILE --json"],
    "minimize": ["minimize FILE -m METRIC", "minimize FILE -o TMP/min.yaml", "minimize BROKEN"],
    "vary": ["vary FILE", "vary FILE --csv", "vary BROKEN"],
    "oracle": ["oracle build FILE -o TMP/o.oracle", "oracle info TMP/o.oracle"],
    "sweep": ["sweep FILE n\u202e=1..2", "sweep LEVELS"],
    "generate": ["generate FILE --exhaustive", "generate BROKEN --exhaustive"],
    "diff": ["diff FILE FILE", "diff BROKEN FILE", "diff no\x1b[2J\u202e FILE --on FILE"],
    "check": ["check FILE --verbose --twice", "check BROKEN"],
    "play": ["play FILE"],
    "new": ["new TMP/new\x1b[2J", "new TMP/new --model x\u202e\x1b[2J"],
    "watch": ["watch FILE", "watch BROKEN"],
    "prove": ["prove FILE -o TMP/p.proof"],
    "show": ["show FILE", "show LEVELS:1", "show BROKEN"],
    "draw": ["draw FILE", "draw FILE --plan", "draw BROKEN"],
    "page": ["page FILE -o -", "page FILE -o TMP/page.html"],
    "serve": ["serve TMP/no\x1b[2J\u202e"],
    "export": [
        "export FILE --to asp",
        "export FILE --to dimacs --horizon 1",
        "export FILE --to pddl",
        "export FILE --to sas",
    ],
    "convert": [
        "convert LEVELS --to yaml --level 1",
        "convert LEVELS --to slc",
        "convert LEVELS --to xsb",
        "convert LEVELS --level no\x1b[2J\u202e",
    ],
    "verify": ["verify TMP/p.proof --of FILE", "verify TMP/p.proof", "verify FILE --plan PLAN"],
    "list": ["list no\x1b[2J\u202e"],
    "schema": ["schema"],
    "completion": ["completion bash", "completion no\x1b\u202e"],
}

LEVELS = f"""\
{HOSTILE.replace(chr(13), "")}
#####
#@$.#
#####
Title: one{HOSTILE.replace(chr(13), "")}
Author: someone{HOSTILE.replace(chr(13), "")}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("hostile")
    (made / "\u202e\x1b[2Jpuzzle.yaml").write_text(PUZZLE, encoding="utf-8")
    broken = PUZZLE + '"un\\u202eknown\\e[2J": "\\e[2J"\ndrawing: {colours: {"A": "\\e]0;x\\a"}}\n'
    (made / "broken.yaml").write_text(broken, encoding="utf-8")
    (made / "levels.xsb").write_text(LEVELS, encoding="utf-8")
    (made / "plan.txt").write_text(f"1. {HOSTILE}\n", encoding="utf-8")
    return made


def _arguments(line: str, folder: Path) -> list[str]:
    names = {
        "FILE": str(folder / "\u202e\x1b[2Jpuzzle.yaml"),
        "BROKEN": str(folder / "broken.yaml"),
        "LEVELS": str(folder / "levels.xsb"),
        "PLAN": str(folder / "plan.txt"),
        "TMP": str(folder),
        "METRIC": METRIC,
    }
    words = line.split(" ")
    for short, long in names.items():
        words = [word.replace(short, long) for word in words]
    return words


def _interrupt(_: float) -> None:
    raise KeyboardInterrupt


def test_every_command_is_tried_with_a_hostile_puzzle() -> None:
    assert set(CALLS) == set(COMMANDS)


@pytest.mark.parametrize("line", [line for lines in CALLS.values() for line in lines])
def test_no_control_character_is_printed(line: str, folder: Path) -> None:
    for more in ([], ["--json"], ["--color"]):
        with (
            patch.object(time, "sleep", _interrupt if line.startswith("watch") else time.sleep),
            engines_run_here(),
        ):
            done = run(*_arguments(line, folder), *more)
        out, err = (_without_our_colours(text) for text in (done.stdout, done.stderr))
        assert obeyed(out) == set(), (more, out)
        assert obeyed(err) == set(), (more, err)
        assert done.returncode != 70, err
        if "--json" in more and done.stdout and done.returncode != 2:
            for text in (done.stdout,) if done.stdout.startswith(("{\n", "[\n")) else ():
                json.loads(text)


def _without_our_colours(text: str) -> str:
    import re

    return re.sub(r"\x1b\[(0|1|2|3[0-7]|9[0-7])m", "", text)


def test_json_contains_the_exact_text(folder: Path) -> None:
    file = _arguments("FILE", folder)[0]
    shown = json.loads(run("show", file, "--json").stdout)
    assert f"Title{HOSTILE} 曹操 عربي".replace("\r", " ").replace("\u2028", " ") in shown["title"]
    assert shown["source"] == f"Source{HOSTILE}"


def test_legitimate_letters_of_all_scripts_are_printed(folder: Path) -> None:
    file = _arguments("FILE", folder)[0]
    assert "曹操 عربي" in run("show", file).stdout
    joined = "می\u200cخواهم 👩\u200d🚀"
    path = folder / "joined.yaml"
    path.write_text(PUZZLE.replace("曹操 عربي", joined), encoding="utf-8")
    assert joined in run("show", str(path)).stdout


def test_a_title_cannot_begin_a_line_of_its_own(folder: Path) -> None:
    file = _arguments("FILE", folder)[0]
    for command in ("show", "solve"):
        assert not any(line.startswith("fake") for line in run(command, file).stdout.splitlines())


def test_text_of_others_cannot_use_the_mark_of_our_colours() -> None:
    from fewest.cli.safe_output import style

    assert "\x1b" not in style("text", colour="red")


@pytest.mark.parametrize("ending", ["svg", "graphml"])
def test_pictures_and_graphs_are_well_formed(ending: str, folder: Path) -> None:
    file, made = _arguments("FILE", folder)[0], folder / f"made.{ending}"
    make: dict[str, Callable[[], object]] = {
        "svg": lambda: run("draw", file, "-o", str(made)),
        "graphml": lambda: run("explore", file, "--write", str(made)),
    }
    make[ending]()
    assert obeyed(made.read_text(encoding="utf-8")) == set()
    ElementTree.parse(made)


@pytest.mark.parametrize("to", ["asp", "asp-facts", "dimacs", "pddl", "sas"])
def test_exported_files_have_no_control_characters(to: str, folder: Path) -> None:
    horizon = ("--horizon", "1") if to == "dimacs" else ()
    made = folder / f"exported-{to}"
    file = _arguments("FILE", folder)[0]
    assert run("export", file, "--to", to, *horizon, "-o", str(made)).returncode == 0
    for path in sorted(made.iterdir()) if made.is_dir() else [made]:
        assert obeyed(path.read_text(encoding="utf-8")) == set(), path


def test_a_converted_level_keeps_its_title_and_can_be_read(folder: Path) -> None:
    made = folder / "one.yaml"
    assert (
        run("convert", str(folder / "levels.xsb"), "--to", "yaml", "-o", str(made)).returncode == 0
    )
    assert "\x1b" in fewest.load(made).puzzle.title


def test_the_hostile_puzzle_is_solved(folder: Path) -> None:
    assert run("solve", _arguments("FILE", folder)[0], "--show").returncode == 0


def test_the_player_in_the_terminal_draws_no_control_characters(folder: Path) -> None:
    pytest.importorskip("textual", reason="the extra `play`")
    import asyncio

    from fewest.terminal.app import Player

    async def drawn() -> str:
        app = Player(fewest.load(_arguments("FILE", folder)[0]), None)
        async with app.run_test(size=(100, 32)) as pilot:
            await pilot.press("a", "right")
            await pilot.pause()
            lines = app.screen._compositor.render_strips()
            return "\n".join(strip.text for strip in lines)

    text = asyncio.run(drawn())
    assert "曹操" in text and "Title" in text
    assert obeyed(text) == set()


@pytest.mark.parametrize("size", ["99999999999G", "9" * 400])
def test_more_memory_than_any_machine_has_is_refused(size: str, folder: Path) -> None:
    done = run("solve", _arguments("FILE", folder)[0], "--memory", size)
    assert done.returncode == 2 and "is too large for a memory limit" in done.stderr
