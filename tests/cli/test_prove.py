"""`prove` and `verify` give the right output and exit codes, also for damaged files, at limits, and if they are
killed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.command_line import begun, run
from tests.helpers.engines_here import engines_run_here


def test_a_proof_is_written_and_verified(tmp_path: Path) -> None:
    path = str(tmp_path / "it.proof")
    done = run("prove", "jugs", "-o", path)
    assert done.returncode == 0 and "plan and layers" in done.stdout
    done = run("verify", path)
    assert done.returncode == 0, done.stderr
    assert ", and no fewer (verified in" in done.stdout
    assert "trusts: the language and the interpreter of the rules" in done.stdout
    data = json.loads(run("verify", path, "--json").stdout)
    assert data["verified"] and [s["kind"] for s in data["sections"]] == ["plan", "layers"]


def test_the_absence_of_a_plan_is_proven(tmp_path: Path) -> None:
    text = "puzzle: stuck\nmodel: rush-hour\nboard: |\n  XX.A\n  ...A\n  ...A\n"
    (tmp_path / "stuck.yaml").write_text(text)
    path = str(tmp_path / "it.proof")
    assert run("prove", str(tmp_path / "stuck.yaml"), "-o", path).returncode == 0
    done = run("verify", path)
    assert done.returncode == 0 and done.stdout.startswith("stuck: unsolvable (verified in")
    done = run("prove", str(tmp_path / "stuck.yaml"), "-o", path, "--kind", "plan")
    assert done.returncode == 2 and "no plan exists" in done.stderr


def test_a_certificate_of_a_changed_puzzle_is_rejected_with_the_reason(tmp_path: Path) -> None:
    text = "puzzle: mine\nmodel: rush-hour\nboard: |\n  XX.A\n  ...A\n  ....\n"
    file, path = tmp_path / "mine.yaml", str(tmp_path / "it.proof")
    file.write_text(text)
    assert run("prove", str(file), "-o", path).returncode == 0
    file.write_text(text + "title: the same in another coat\n")
    assert run("verify", path, "--of", str(file)).returncode == 0
    file.write_text(text.replace("....", "..#."))
    done = run("verify", path, "--of", str(file))
    assert done.returncode == 1 and "the puzzle has changed" in done.stdout
    data = json.loads(run("verify", path, "--of", str(file), "--json").stdout)
    assert not data["verified"] and "changed" in data["rejected"]


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["verify", "nowhere.proof"], 3, "nowhere.proof"),
        (["verify", __file__], 3, "is not a certificate"),
        (["verify", "microban-001", "--level", "1"], 2, "--lurd"),
        (["verify", "microban-001", "--lurd", "r", "--of", "jugs"], 2, "only with a certificate"),
        (["prove", "jugs", "--kind", "layer"], 2, "did you mean `layers`"),
        (["prove", "jugs", "-o", "no/such/folder/it.proof"], 3, "No such file"),
        (["prove", "jugs", "-m", "pour"], 2, "has no metric `pour`"),
    ],
)
def test_exit_codes_and_messages(args: list[str], code: int, words: str) -> None:
    done = run(*args)
    assert done.returncode == code, done.stdout + done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_limits_leave_no_file(tmp_path: Path) -> None:
    path = tmp_path / "it.proof"
    for name, *limit in (("tiles-3x4", "--time", "0.1"), ("heng-dao-li-ma", "--memory", "100K")):
        done = run("prove", name, "-o", str(path), *limit)
        assert done.returncode == 4 and f"{name}: " in done.stdout
        assert "limit" in done.stdout and done.stdout.endswith("; nothing was written\n")
        assert list(tmp_path.iterdir()) == []
    assert run("prove", "jugs", "-o", str(path)).returncode == 0
    done = run("verify", str(path), "--time", "0")
    assert done.returncode == 4 and "time limit" in done.stderr


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("kind", ["layers", "clauses"])
def test_a_killed_prove_leaves_nothing(kind: str, how: signal.Signals, tmp_path: Path) -> None:
    path = tmp_path / "it.proof"
    # Each proof takes many seconds.
    name = {"layers": "tiles-2x6", "clauses": "heng-dao-li-ma"}[kind]
    with begun("prove", name, "--kind", kind, "-o", str(path)) as process:
        time.sleep(0.6)
        process.send_signal(how)
        process.wait(10)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="limits as Linux has them")
@pytest.mark.parametrize("kind", ["layers", "clauses"])
def test_a_full_disk_leaves_nothing(kind: str, tmp_path: Path) -> None:
    most = {"layers": 4_000, "clauses": 200_000}[kind]  # half of the certificate, in bytes
    code = (
        "import resource, runpy, sys; sys.dont_write_bytecode = True;"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most}));"
        f"sys.argv[1:] = 'prove bird -m slides --kind {kind} -o'.split() + [{str(tmp_path / 'it.proof')!r}];"
        "runpy.run_module('fewest', run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=False, timeout=60
    )
    assert done.returncode == 74 and b"it.proof" in done.stderr, done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_certificate_is_read_from_stdin(tmp_path: Path) -> None:
    path = tmp_path / "it.proof"
    assert run("prove", "jugs", "-o", str(path)).returncode == 0

    def verified(**how: Any) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "fewest", "verify", "-"]
        return subprocess.run(command, capture_output=True, check=False, timeout=60, **how)

    with path.open("rb") as file:
        assert verified(stdin=file).returncode == 0
    done = verified(input=path.read_bytes()[:-5])
    assert done.returncode == 3 and b"stdin is damaged" in done.stderr


STAND_IN = """#!{python}
import sys
sys.path[:0] = {path!r}
from pathlib import Path
from tests.helpers.lrat import text_is_proof
cnf, lrat = (Path(name).read_text() for name in sys.argv[1:])
print("c a stand-in")
print({yes!r} if text_is_proof(cnf, lrat) else "s NOT VERIFIED")
"""


def test_others_give_a_second_opinion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace two external checkers with scripts that print what the real programs print."""
    path, folder = str(tmp_path / "it.proof"), tmp_path / "bin"
    monkeypatch.setenv("PATH", str(folder))
    assert run("prove", "tiles-2x2", "--kind", "clauses", "-o", path).returncode == 0
    done = run("verify", path, "--second-opinion")
    assert done.returncode == 2 and "neither cake_lpr nor lrat-check" in done.stderr
    folder.mkdir()
    for name, yes in (("cake_lpr", "s VERIFIED UNSAT"), ("lrat-check", "c VERIFIED")):
        other = folder / name
        other.write_text(STAND_IN.format(python=sys.executable, path=sys.path, yes=yes))
        other.chmod(0o755)
    done = run("verify", path, "--second-opinion")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "(with cake_lpr and lrat-check)" in done.stdout
    monkeypatch.chdir(tmp_path)
    done = run(
        "verify", path, "--second-opinion", "--export", "exported"
    )  # the path is relative to the working directory of `verify`, not of the checkers
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "exported" / "proof.lrat").is_file()
    (folder / "lrat-check").write_text("#!/bin/sh\necho c failed to check clause\n")
    done = run("verify", path, "--second-opinion")
    assert done.returncode == 1 and "lrat-check does not accept the proof" in done.stdout
    assert run("prove", "jugs", "-o", path).returncode == 0
    done = run("verify", path, "--second-opinion")
    assert done.returncode == 2 and "no refuted formula" in done.stderr


def test_compare_requests_certificates() -> None:
    with engines_run_here():
        done = run("compare", "tiles-2x3", "tiles-2x3-swapped", "-e", "certificate", "--json")
    assert done.returncode == 0, done.stderr
    answers = [
        [(entry["engine"], entry["status"], entry["cost"]) for entry in one["entries"]]
        for one in json.loads(done.stdout)["comparisons"]
    ]
    assert answers == [
        [("certificate", "optimal", 21)],
        [("certificate", "unsolvable", None)],
    ]


def test_solve_writes_a_certificate_of_its_answer(tmp_path: Path) -> None:
    path = tmp_path / "it.proof"
    done = run("solve", "jugs", "--prove", str(path), "--engine", "sat")
    assert done.returncode == 0 and "plan and layers" in done.stderr
    assert run("verify", str(path)).returncode == 0
    done = run("solve", "tiles-2x3-swapped", "--prove", str(path), "--json")
    data = json.loads(done.stdout)
    assert done.returncode == 10 and data["proof"]["kinds"] == ["invariant"]
    done = run("verify", str(path))
    assert done.returncode == 0 and "unsolvable (verified" in done.stdout
    done = run("solve", "microban.xsb", "--prove", str(path))
    assert done.returncode == 2 and "--prove" in done.stderr
    done = run("solve", "jugs", "--prove", str(tmp_path / "no" / "it.proof"))
    assert done.returncode == 3


def test_check_makes_and_verifies_certificates(tmp_path: Path) -> None:
    text = "puzzle: mine\nmodel: rush-hour\nboard: |\n  XX.A\n  ...A\n  ....\n"
    (tmp_path / "mine.yaml").write_text(text + "expect: {steps: 3, slides: 2}\n")
    done = run("check", str(tmp_path / "mine.yaml"), "--certificates", "1000")
    assert done.returncode == 0 and "2 by certificate" in done.stdout
    (tmp_path / "mine.yaml").write_text(text + "expect: {steps: 4}\n")
    done = run("check", str(tmp_path / "mine.yaml"), "--certificates", "1000")
    assert done.returncode == 1 and "certificate says 3" in done.stdout
