"""The command line gives the right output and exit codes, also for wrong input, full disks and Ctrl-C."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import fewest
from fewest.cli import COMMANDS
from fewest.machine.resources import data_folder
from tests.helpers import address
from tests.helpers.cells import BAD, ROOT
from tests.helpers.command_line import begun, run, run_process


def test_solve_prints_the_minimum_and_the_plan() -> None:
    done = run_process("solve", "heng-dao-li-ma")
    assert done.returncode == 0 and done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0].startswith("横刀立马: 81 turns (proven minimal")
    assert len(lines) == 82


def test_solve_draws_every_position_without_colour_in_a_pipe() -> None:
    done = run_process("solve", "machinarium", "--set", "n=2", "--show")
    assert done.returncode == 0
    assert ">>_<<" in done.stdout and "<<_>>" in done.stdout
    assert "\x1b" not in done.stdout


def test_solve_as_json_is_the_result() -> None:
    done = run("solve", "hardest-6x6", "-m", "slides", "--json")
    data = json.loads(done.stdout)
    assert (data["status"], data["cost"], data["metric"]) == ("optimal", 49, "slides")
    assert len(data["plan"]) == 49


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["solve", "zou-tou-wu-lu"], 10, ""),
        (["solve", "fifteen-30", "--engine", "python", "--time", "0.3s"], 4, ""),
        (["solve", "fifteen-30", "--engine", "bfs", "--memory", "200K"], 4, ""),
        (["solve", "heng-dao-li-ma", "--metric", "truns"], 2, "did you mean `turns`"),
        (["solve", "heng-dao-li-ma", "--engine", "bsf"], 2, "did you mean `bfs`"),
        (["solve", "hanoi", "--engine", "fast"], 2, "the engines are auto, "),
        (["solve", "hanoi", "--set", "disk=3"], 2, "did you mean `disks`"),
        (["solve", "hanoi", "--set", "disks"], 2, "n=5"),
        (["solve", "hanoi", "--time", "soon"], 2, "60"),
        (["solve", "hanoi", "--memory", "much"], 2, "8G"),
        (["solve", "hanoi", "--memory", "0"], 2, "must be positive"),
        (["solve"], 2, "PUZZLE"),
        (["slove", "hanoi"], 2, "Did you mean `solve`"),
        (["solve", "heng-dao-lima"], 3, "did you mean `heng-dao-li-ma`"),
        (["solve", "no/such/file.yaml"], 3, "no file"),
        (["solve", str(ROOT)], 3, "folder"),
        (["check", "nowhere"], 3, "no puzzle or file"),
        (["list", "klotsky"], 2, "did you mean `klotski`"),
        (["solve", "hanoi", "--set", "disks=2001"], 3, "task-too-large"),
    ],
)
def test_exit_codes_and_messages(args: list[str], code: int, words: str) -> None:
    done = run(*args)
    assert done.returncode == code, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_bad_document_is_reported_on_stderr_with_code_three(tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text("puzzle: bad\nmodel: rush-hour\nboard: |\n  AAB\n  X.\n")
    done = run("solve", str(path))
    assert (done.returncode, done.stdout) == (3, "")
    assert "bad.yaml:5:3: error[board-ragged]" in done.stderr


def test_check_confirms_denies_and_counts(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.yaml", tmp_path / "wrong.yaml"
    text = "puzzle: two\nmodel: sliding-blocks\nboard: |\n  A..\ngoal: {A: {touches: right}}\n"
    good.write_text(text + "expect: {steps: 2, slides: 1, reachable: 3}\n")
    assert run("check", str(good)).returncode == 0
    bad.write_text(text + "expect: {steps: 3}\n")
    done = run("check", str(tmp_path), "--jobs", "2")
    assert done.returncode == 1
    assert "steps: expected 3, bfs says 2" in done.stdout
    assert "2 documents: 1 ok, 1 wrong" in done.stdout
    rows = json.loads(run("check", str(bad), "--json", "--twice").stdout)[0]["rows"]
    assert {row["engine"] for row in rows} == {"bfs", "python", "reference"}


def test_check_takes_puzzles_and_models_by_name_as_well() -> None:
    done = run("check", "hanoi", "rush-hour")
    assert (done.returncode, done.stderr) == (0, "")
    assert "hanoi.yaml: reachable 27, moves 7" in done.stdout
    assert "2 documents: 2 ok" in done.stdout


def test_a_page_may_go_to_stdout_alone() -> None:
    done = run_process("page", "tiles-2x2", "-o", "-", "--no-distances")
    assert done.returncode == 0
    assert done.stdout.startswith("<!doctype html>")
    assert done.stdout.rstrip().endswith("</html>")
    assert "1 puzzle" in done.stderr


def test_show_and_list_and_schema_are_also_json() -> None:
    shown = json.loads(run("show", "bird", "--json").stdout)
    assert shown["board"][2].startswith("A.XX")
    listed = json.loads(run("list", "--json").stdout)
    assert {"arrows", "klotski", "rush-hour", "sokoban", "tiles"} <= {
        row["family"] for row in listed
    }
    schema = json.loads(run("schema").stdout)
    assert "stopped-by" in schema["$defs"]["Move"]["properties"]


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_help_that_fits_the_terminal(command: str) -> None:
    done = run(command, "--help")
    assert done.returncode == 0
    assert max(len(line) for line in done.stdout.splitlines()) <= 80


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str) -> None:
    done = run("completion", shell)
    assert done.returncode == 0 and "_FEWEST_COMPLETE" in done.stdout


def test_completion_completes_puzzle_names() -> None:
    environment = {
        **os.environ,
        "_FEWEST_COMPLETE": "bash_complete",
        "COMP_WORDS": "fewest solve heng",
        "COMP_CWORD": "2",
    }
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; sys.argv = ['fewest']; from fewest.cli import main; main()",
        ],
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
    )
    assert "heng-dao-li-ma" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_an_error_and_no_traceback() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "fewest", "list"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    assert done.returncode == 74
    assert "No space left" in done.stderr and "Traceback" not in done.stderr


CLOSED = [
    "list",
    "--version",
    "--help",
    "solve bird --json",
    "solve nobody --json",
    "solve LEVELS",
    "verify REJECTED",
    "verify REJECTED --json",
    "check BAD",
    "draw bird -o -",
    "draw bird -o /dev/stdout",
]


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("command", CLOSED)
def test_a_pipe_that_its_reader_closes_ends_a_command_without_a_message_and_with_the_code_of_sigpipe(
    command: str, tmp_path: Path
) -> None:
    # The code is that of a program that SIGPIPE ends. A code such as 0 would say that there is an answer, or that
    # `verify` accepted a certificate, although the command stopped before it returned its own code.
    paths = {
        "REJECTED": tmp_path / "rejected.proof",
        "LEVELS": tmp_path / "levels.xsb",
        "BAD": BAD / "board-ragged.yaml",
    }
    if "REJECTED" in command:
        run("prove", "bird", "-o", str(paths["REJECTED"]))
        command += " --of jugs"
        assert run(*(str(paths.get(word, word)) for word in command.split())).returncode == 1
    paths["LEVELS"].write_text("######\n#@ $.#\n######\n\n######\n#. $@#\n######\n")
    words = [str(paths.get(word, word)) for word in command.split()]
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "fewest", *words],
            stdout=writer,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    finally:
        os.close(writer)
    assert done.returncode == 141
    assert not re.search("Traceback|Exception|Broken", done.stderr), done.stderr


def test_a_reader_that_needs_only_the_first_line_gets_it() -> None:
    solve = f"{sys.executable} -m fewest solve hardest-6x6"
    command = f"{sys.executable} -m fewest list | head -n 1; {solve} | grep -q steps"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr == "" and done.stdout.count("\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("engine", ["bfs", "python"])
def test_an_interrupted_search_reports_its_proved_bound(engine: str) -> None:
    with begun("solve", "tiles-3x4", "--engine", engine, "--memory", "2G") as process:
        assert process.stderr is not None
        err = process.stderr.readline()  # the first line of progress: the search is running
        process.send_signal(signal.SIGINT)
        out, rest = process.communicate(timeout=60)
    err += rest
    assert process.returncode == 4, err
    assert "interrupted; no plan found, at least" in out
    assert "states/s" in err
    assert "Traceback" not in err


def modules_of(*arguments: str) -> set[str]:
    """The modules that a process has imported after it ran a command."""
    code = (
        "import sys; from fewest.cli import group\n"
        "try: group.main(sys.argv[1:], standalone_mode=False)\n"
        "except SystemExit: pass\n"
        "print(*sys.modules)"
    )
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    modules = set(done.stdout.splitlines()[-1].split())
    assert "fewest.cli" in modules, done.stderr
    return modules


def test_start_up_imports_neither_numpy_nor_yaml() -> None:
    assert not modules_of("--help") & {"numpy", "yaml", "rich", "pysat", "clingo"}


def test_astar_imports_no_code_for_stores() -> None:
    unwanted = {"numpy", "hashlib", "pathlib", "fewest.store.metadata"}
    assert not modules_of("solve", "microban-001") & unwanted


def test_solving_imports_no_code_for_stores_and_warnings() -> None:
    unwanted = {"numpy", "hashlib", "pathlib", "fewest.store.metadata", "fewest.commands.lint"}
    unwanted |= {
        "dataclasses",
        "json",
        "zlib",
        "fewest.formats.collection",
        "fewest.reading.style",
        "fewest.search.pure.breadth_first",
    }
    if Path(data_folder(), "trees").is_dir():
        unwanted |= {"yaml", "fewest.reading.source"}
    assert not modules_of("solve", "heng-dao-li-ma") & unwanted


def test_compiling_imports_no_code_for_expressions_counts_and_refusals() -> None:
    code = "import sys, fewest; fewest.load('bird').task; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    grounding = {"alternatives", "counters", "late_conditions", "remedies", "tree_size"}
    unwanted = {"random", "threading", "fewest.reading.expressions"}
    unwanted |= {"fewest.reading.direction_expressions", "fewest.model.conditional_effects"}
    unwanted |= {f"fewest.grounding.{name}" for name in grounding}
    if Path(data_folder(), "trees").is_dir():
        unwanted |= {"yaml", "fewest.reading.source"}
    modules = {*done.stdout.split()}
    assert "fewest.grounding.ground" in modules and not modules & unwanted


def test_the_version_is_the_packages() -> None:
    assert run_process("--version").stdout.strip().endswith(fewest.__version__)


def addresses(texts: dict[str, str]) -> set[str | None]:
    """The addresses of the repository in the files of `tests.helpers.address`."""
    project = tomllib.loads(texts["pyproject.toml"])["project"]
    citation = yaml.safe_load(texts["CITATION.cff"])
    assert project["version"] == citation["version"] == fewest.__version__
    urls = project.get("urls", {})
    assert all(url.startswith(urls["Repository"]) for url in urls.values())
    site = re.search(r"^repo_url: (.*)$", texts["mkdocs.yml"], re.M)
    security = re.search(r"\]\((https.*)/security/advisories/new\)", texts["SECURITY.md"])
    found = [urls.get("Repository"), citation.get("repository-code")]
    return {*found, site and site[1], security and security[1]}


def test_the_addresses_of_the_project_agree() -> None:
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in address.FILES}
    assert len(addresses(texts)) == 1
    for url in ("https://example.org/someone/fewest", "https://example.org/other/fewest"):
        texts = address.with_address(texts, url)
        assert addresses(texts) == {url}
    with pytest.raises(ValueError, match="not the https address"):
        address.with_address(texts, "fewest")


@pytest.mark.parametrize("path", sorted((ROOT / ".github").rglob("*.yml")), ids=lambda p: p.stem)
def test_forms_and_workflows_are_yaml_and_request_the_puzzle(path: Path) -> None:
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert isinstance(form, dict)
    if "body" in form:
        assert "puzzle" in {part.get("id") for part in form["body"]}
