"""Every command that reads a puzzle accepts it from stdin, a pipe, or a process substitution."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from fewest.machine.input import _read
from tests.cli.test_output import shell
from tests.helpers.command_line import run
from tests.helpers.engines_here import engines_run_here

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX files and shells")

BOARD = """puzzle: two
model: sliding-blocks
board: |
  A..
goal: {A: {touches: right}}
expect: {steps: 2}
"""
LEVEL = """Title: one

#####
#@$.#
#####

Title: two

######
#@ $.#
######
"""
COMMANDS = [
    "solve {}",
    "show {}",
    "explore {}",
    "solutions {}",
    "hint {}",
    "explain deadlock {}",
    "explain {}",
    "minimize {}",
    "vary {}",
    "check {} -j 2",
    "check {}",
    "draw {}",
    "export {} --to asp",
    "compare {} -e bfs,python",
    "sweep {} n=1,2",
    "prove {} -o two.proof",
    "oracle build {} -o two.oracle",
]


STREAMS = ["file", "pipe", "/dev/stdin", "/dev/fd"]


@pytest.mark.parametrize(
    "stream_kind", ["fewest {c} < it", "fewest {d} < it", "fewest {s}", "cat it | fewest {c}"]
)
@pytest.mark.parametrize("command", ["solve {}", "check {} -j 2"])
def test_a_shell_gives_a_command_its_stream(command: str, stream_kind: str, tmp_path: Path) -> None:
    (tmp_path / "it").write_text(BOARD)
    text = stream_kind.format(
        c=command.format("-"), d=command.format("/dev/stdin"), s=command.format("<(cat it)")
    )
    done = shell(text, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout or done.stderr


@contextmanager
def stdin_from(descriptor: int) -> Iterator[None]:
    """In this context, stdin of this process is the given file or pipe, as in a process that a shell starts."""
    copy, stdin = os.dup(0), sys.stdin
    os.dup2(descriptor, 0)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - it has no descriptor of its own
    try:
        yield
    finally:
        sys.stdin.close()
        sys.stdin = stdin
        os.dup2(copy, 0)
        os.close(copy)


def run_with_stream(command: str, stream_kind: str, text: str) -> subprocess.CompletedProcess[str]:
    """The result of a command in this process. A reference to a stream with the given text replaces `{}`."""
    _read.cache_clear()  # an earlier stream may have had the same descriptor
    Path("it").write_text(text)
    with ExitStack() as open_files:
        if stream_kind in ("file", "/dev/stdin"):
            stream = open_files.enter_context(open("it", "rb")).fileno()
        else:
            stream, end = os.pipe()
            open_files.callback(os.close, stream)
            os.write(end, text.encode())
            os.close(end)
        if stream_kind != "/dev/fd":
            open_files.enter_context(stdin_from(stream))
        ref = {"/dev/stdin": stream_kind, "/dev/fd": f"/dev/fd/{stream}"}.get(stream_kind, "-")
        with engines_run_here():
            return run(*command.format(ref).split())


@pytest.mark.parametrize("stream_kind", STREAMS)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_reads_a_puzzle_from_a_stream(
    command: str, stream_kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = BOARD + ("parameters: {n: 1}\n" if "sweep" in command else "")
    done = run_with_stream(command, stream_kind, text)
    assert done.returncode == 0, done.stderr
    assert done.stdout or done.stderr


@pytest.mark.parametrize("stream_kind", STREAMS)
def test_formats_of_levels_without_a_file_extension_are_recognised(
    stream_kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run_with_stream("solve -j 2 {}", stream_kind, LEVEL)
    assert done.returncode == 0, done.stderr
    assert "2 levels: 2 proven minimal" in done.stdout
    for command in (
        "solve --level 2 {}",
        "show --level two {}",
        "convert --to slc {}",
        "verify --level 2 --lurd rR {}",
    ):
        done = run_with_stream(command, stream_kind, LEVEL)
        assert done.returncode == 0, (command, done.stderr)


@pytest.mark.parametrize("stream_kind", STREAMS)
def test_messages_do_not_name_the_number_of_a_pipe(
    stream_kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    called = "pipe" if stream_kind == "/dev/fd" else "stdin"
    level = "#####\n#@$.#\n#####\n"
    done = run_with_stream("solve {}", stream_kind, f"{level}\n{level}")
    assert done.stdout.startswith(f"{called}: pushes"), done
    done = run_with_stream("solve {}", stream_kind, BOARD.replace("A..", "A.+"))
    assert done.stderr.startswith(f"{called}:4:5: error[board-character]")


def test_mistakes_in_stdin_name_it_and_models_are_found_in_the_current_folder(
    tmp_path: Path,
) -> None:
    (tmp_path / "mine.yaml").write_text("model: mine\nextends: sliding-blocks\n")
    (tmp_path / "it").write_text(BOARD.replace("sliding-blocks", "./mine.yaml"))
    assert shell("fewest solve - < it", tmp_path).returncode == 0
    (tmp_path / "it").write_text(BOARD.replace("A..", "A.+"))
    done = shell("fewest solve - < it", tmp_path)
    assert done.returncode == 3 and done.stderr.startswith(b"stdin:4:5: error[board-character]")


def test_a_position_is_read_from_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "it").write_text(BOARD)
    done = shell("fewest hint it --at <(echo .A.)".replace(" it ", " ./it.yaml "), tmp_path)
    assert done.returncode == 3
    (tmp_path / "it.yaml").write_text(BOARD)
    done = shell("fewest hint it.yaml --at <(echo .A.)", tmp_path)
    assert done.returncode == 0 and b"1 step" in done.stdout.splitlines()[0]
    assert shell("echo .A. | fewest hint it.yaml --at -", tmp_path).stdout == done.stdout


@pytest.mark.parametrize(
    "command",
    [
        "hint two.yaml --at it",
        "hint two.yaml --at -",
        "draw two.yaml --at it",
        "draw two.yaml --at -",
        "explain deadlock two.yaml --at it",
        "explain deadlock two.yaml --at -",
        "verify two.yaml --plan it",
        "verify two.yaml --plan -",
        "verify level.xsb --lurd -",
    ],
)
def test_text_that_cannot_be_decoded_has_a_location(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _read.cache_clear()
    (tmp_path / "two.yaml").write_text(BOARD)
    (tmp_path / "level.xsb").write_text("#####\n#@$.#\n#####\n")
    (tmp_path / "it").write_bytes(b"A..\nA\xff.\n")
    with open("it", "rb") as file, stdin_from(file.fileno()):
        done = run(*command.split())
    called = "stdin" if command.endswith("-") else "it"
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"{called}:2:1: error[document-encoding]: this is neither UTF-8")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_a_position_and_a_plan_may_have_a_byte_order_mark(
    encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.yaml").write_text(BOARD)
    (tmp_path / "board").write_text(".A.\n", encoding=encoding)
    done = run("hint", "two.yaml", "--at", "board")
    assert done.returncode == 0 and "1 step" in done.stdout.splitlines()[0]
    (tmp_path / "plan").write_text(run("solve", "two.yaml").stdout, encoding=encoding)
    assert run("verify", "two.yaml", "--plan", "plan").returncode == 0
    (tmp_path / "level.xsb").write_text("#####\n#@$.#\n#####\n")
    (tmp_path / "letters").write_text("R", encoding=encoding)
    _read.cache_clear()
    with open("letters", "rb") as file, stdin_from(file.fileno()):
        assert run("verify", "level.xsb", "--lurd", "-").returncode == 0
