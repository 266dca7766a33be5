"""`prove` and `verify` as their users meet them: output, exit codes, damaged files, limits, kills."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from tests.helpers.command_line import begun, run


def test_a_proof_is_written_and_verified(tmp_path: Path) -> None:
    path = str(tmp_path / "it.proof")
    done = run("prove", "jugs", "-o", path)
    assert done.returncode == 0 and "plan and layers" in done.stdout
    done = run("verify", path)
    assert done.returncode == 0, done.stderr
    assert ", and no fewer (verified in" in done.stdout
    assert "believed: the language and the playing of rules" in done.stdout
    data = json.loads(run("verify", path, "--json").stdout)
    assert data["verified"] and [s["kind"] for s in data["sections"]] == ["plan", "layers"]


def test_what_is_unsolvable_is_proven(tmp_path: Path) -> None:
    text = "puzzle: stuck\nmodel: rush-hour\nboard: |\n  XX.A\n  ...A\n  ...A\n"
    (tmp_path / "stuck.yaml").write_text(text)
    path = str(tmp_path / "it.proof")
    assert run("prove", str(tmp_path / "stuck.yaml"), "-o", path).returncode == 0
    done = run("verify", path)
    assert done.returncode == 0 and done.stdout.startswith("stuck: unsolvable (verified in")
    done = run("prove", str(tmp_path / "stuck.yaml"), "-o", path, "--kind", "plan")
    assert done.returncode == 2 and "there is no plan" in done.stderr


def test_a_certificate_of_a_changed_puzzle_is_rejected_with_the_reason(tmp_path: Path) -> None:
    text = "puzzle: mine\nmodel: rush-hour\nboard: |\n  XX.A\n  ...A\n  ....\n"
    file, path = tmp_path / "mine.yaml", str(tmp_path / "it.proof")
    file.write_text(text)
    assert run("prove", str(file), "-o", path).returncode == 0
    file.write_text(text + "title: the same in another coat\n")
    assert run("verify", path, "--of", str(file)).returncode == 0
    file.write_text(text.replace("....", "..#."))
    done = run("verify", path, "--of", str(file))
    assert done.returncode == 1 and "that has changed" in done.stdout
    data = json.loads(run("verify", path, "--of", str(file), "--json").stdout)
    assert not data["verified"] and "changed" in data["rejected"]


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["verify", "nowhere.proof"], 3, "nowhere.proof"),
        (["verify", __file__], 3, "is no certificate"),
        (["verify", "microban-001", "--level", "1"], 2, "--lurd"),
        (["verify", "microban-001", "--lurd", "r", "--of", "jugs"], 2, "for certificates"),
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
    for limit in (["--time", "0.1"], ["--memory", "100K"]):
        done = run("prove", "heng-dao-li-ma", "-o", str(path), *limit)
        assert done.returncode == 4 and "limit; nothing is written" in done.stdout
        assert list(tmp_path.iterdir()) == []
    assert run("prove", "jugs", "-o", str(path)).returncode == 0
    done = run("verify", str(path), "--time", "0")
    assert done.returncode == 4 and "time limit" in done.stderr


def test_a_killed_prove_leaves_no_half_certificate(tmp_path: Path) -> None:
    path = tmp_path / "it.proof"
    with begun("prove", "tiles-3x4", "--kind", "layers", "-o", str(path)) as process:
        assert process.stderr is not None and process.stderr.readline()  # progress: it is under way
        process.send_signal(signal.SIGKILL)
        process.wait(10)
    assert not path.exists()


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
