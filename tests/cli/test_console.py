"""Tests of the console: colours, quiet mode, errors as JSON, shell completion and the manual page."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from unittest.mock import patch

import click
import pytest
from click.shell_completion import BashComplete

from fewest.cli import COMMANDS, group
from tests.helpers.cells import BAD
from tests.helpers.command_line import run
from tests.helpers.manual import MANUAL, leaves, page

ESCAPE = "\x1b["


@pytest.fixture(autouse=True)
def _plain() -> Iterator[None]:
    unset = dict.fromkeys(("NO_COLOR", "FORCE_COLOR"), "")
    with patch.dict(os.environ, {**unset, "TERM": "xterm"}):
        yield


def test_only_terminals_get_colour_by_default() -> None:
    assert ESCAPE not in run("solve", "bird", "--show").stdout
    assert ESCAPE in run("solve", "bird", "--show", "--color").stdout
    for setting in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}):
        with patch.dict(os.environ, setting):
            assert ESCAPE not in run("show", "bird").stdout
            assert ESCAPE in run("show", "bird", "--color").stdout
    with patch.dict(os.environ, {"FORCE_COLOR": "1"}):
        assert ESCAPE in run("show", "bird").stdout
        assert ESCAPE not in run("show", "bird", "--no-color").stdout


def test_errors_have_colours_too() -> None:
    bad = str(BAD / "board-ragged.yaml")
    assert ESCAPE not in run("solve", bad).stderr
    assert f"{ESCAPE}31m" in run("solve", bad, "--color").stderr


def test_quiet_leaves_out_warnings_and_keeps_errors() -> None:
    warned = str(BAD / "legend-unused.yaml")
    assert "warning[legend-unused]" in run("show", warned).stderr
    assert run("show", warned, "--quiet").stderr == ""
    assert "no puzzle" in run("show", "nobody", "-q").stderr
    assert run("solve", "bird", "-q").stdout == run("solve", "bird").stdout


def test_common_options_may_precede_the_name_of_a_command() -> None:
    warned = str(BAD / "legend-unused.yaml")
    assert run("--quiet", "show", warned).stderr == ""
    assert run("--color", "show", "bird").stdout == run("show", "bird", "--color").stdout
    with patch.dict(os.environ, {"FORCE_COLOR": "1"}):
        assert ESCAPE not in run("--no-color", "show", "bird").stdout


def test_a_line_without_a_style_has_no_end_of_one() -> None:
    plain = run("check", "bird", "--quiet").stdout
    assert run("check", "bird", "--quiet", "--color").stdout == plain


@pytest.mark.parametrize(
    ("args", "kind", "words"),
    [
        (["solve", "nobody"], "not-found", "no puzzle or file"),
        (["solve", "bird", "-m", "turnz"], "usage", "no metric"),
        (["solve"], "usage", "Missing argument"),
        (["frobnicate"], "usage", "no command"),
        (["solve", "bird", "--time", "soon"], "usage", "not a duration"),
        (["solve", str(BAD / "board-ragged.yaml")], "input", "1 mistake"),
    ],
)
def test_errors_with_json_are_json_with_the_same_exit_code(
    args: list[str], kind: str, words: str
) -> None:
    plain = run(*args)
    done = run(*args, "--json")
    assert done.returncode == plain.returncode != 0
    error = json.loads(done.stdout)["error"]
    assert (error["kind"], error["exit_code"]) == (kind, done.returncode), error
    assert words in error["message"] and words in plain.stderr + error["message"]
    assert done.stderr == "" and plain.stdout == ""


def test_the_mistakes_of_a_document_are_in_the_json() -> None:
    done = run("solve", str(BAD / "board-ragged.yaml"), "--json")
    (mistake,) = json.loads(done.stdout)["error"]["mistakes"]
    assert (mistake["code"], mistake["line"], mistake["column"]) == ("board-ragged", 6, 3)


def test_the_short_version() -> None:
    assert run("-V").stdout == run("--version").stdout != ""


@pytest.mark.parametrize(
    ("line", "incomplete", "found"),
    [
        ("solve bird -m", "", ["steps", "slides", "turns"]),
        ("solve bird --metric", "s", ["steps", "slides"]),
        ("compare bird -m", "t", ["turns"]),
        ("solve hanoi --set", "", ["disks=", "pegs="]),
        ("solve hanoi --set", "p", ["pegs="]),
        ("sweep hanoi", "d", ["disks="]),
        ("solve - -m", "", []),
        ("solve nobody -m", "", []),
    ],
)
def test_metrics_and_parameters_are_completed(line: str, incomplete: str, found: list[str]) -> None:
    shell = BashComplete(group, {}, "fewest", "_FEWEST_COMPLETE")
    items = shell.get_completions(line.split(), incomplete)
    assert [item.value for item in items] == found


def test_the_manual_is_current() -> None:
    assert MANUAL.read_text(encoding="utf-8") == page(), "run: python -m tests.helpers.manual"


@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff")
def test_the_manual_can_be_set() -> None:
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-Kutf8", str(MANUAL)], capture_output=True, text=True
    )
    assert done.returncode == 0 and done.stderr == ""


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_every_option_fits_in_one_line_of_100_characters(name: str) -> None:
    with click.Context(group) as context:
        command = group.get_command(context, name)
        assert command is not None
        records = [
            (called, *record)
            for called, leaf in leaves(command, name)
            for option in leaf.params
            if (record := option.get_help_record(context)) is not None
        ]
    assert records
    assert [record for record in records if len(record[2]) > 100] == []


def test_solve_groups_its_options_the_most_used_first_each_on_one_line() -> None:
    with click.Context(group) as context:
        command = group.get_command(context, "solve")
    assert command is not None
    with click.Context(
        command, info_name="fewest solve", terminal_width=100, help_option_names=["-h", "--help"]
    ) as context:
        lines = command.get_help(context).splitlines()
    headings = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert headings[:3] == ["Most used:", "What to solve:", "How to solve:"]
    assert "Other options:" not in headings
    first = lines[lines.index("Most used:") + 1 :][:5]
    assert [line.split()[0] for line in first] == ["-m,", "-e,", "--time", "--show", "--json"]
    options = lines[lines.index("Most used:") :]
    assert all(
        len(line) <= 100 and (not line or line.startswith("  -") or line in headings)
        for line in options
    )
