"""The measurement of the audit works: mutants change the running code, and the audit rejects their answers."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

import fewest
from fewest.commands.audit.disagreement import DisagreementError
from tests.audit_mutants import modules
from tests.helpers.forks import Say, in_forks
from tests.helpers.source_mutants import Mutant, install, mutants_of

SOURCE = """
class Counter:
    @property
    def value(self):
        total = 0
        for number in (3, 4, 5):
            if number == 4:
                continue
            total += number
        return total


def doubled(number):
    assert number > 0, "never mutated"
    return number * 2
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name = "a_module_to_mutate"
    (tmp_path / f"{name}.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, name, raising=False)
    importlib.import_module(name)
    return name


def results(mutant: Mutant) -> list[object]:
    """The results of both functions in a process with the mutant."""

    def work(item: Mutant, say: Say) -> None:
        install(item)
        found = sys.modules[item.module]
        say([found.Counter().value, found.doubled(5)])

    [(_, words)] = in_forks(work, [mutant], jobs=1, seconds=10)
    return words


def test_a_mutant_runs_in_its_process_only(module: str) -> None:
    found = {m.name: results(m) for m in mutants_of(module)}
    prefix = f"{module}.Counter.value"
    assert found[f"{prefix}:comparison:1"] == [[4, 10]]
    assert found[f"{prefix}:loop-left:1"] == [[3, 10]]
    assert found[f"{module}.doubled:arithmetic:1"] == [[8, 7]]
    assert sys.modules[module].Counter().value == 8
    assert all(words != [[8, 10]] for name, words in found.items()), "each of them shows here"


def test_assertions_are_not_mutated(module: str) -> None:
    assert {m.line for m in mutants_of(module) if m.function == "doubled"} == {15}


def test_the_audit_rejects_the_answer_of_a_mutant() -> None:
    for name in modules():
        importlib.import_module(name)
    mutants = [m for m in mutants_of("fewest.grounding.slide") if m.function == "_ground_ray"]

    def work(item: Mutant, say: Say) -> None:
        install(item)
        for puzzle, minimum in (("frozen-pond", 6), ("lunar-one", 5)):
            try:
                cost = fewest.load(puzzle).solve(threads=1).cost
            except DisagreementError:
                say("rejected")
            except Exception:
                say("failed")
            else:
                say("same" if cost == minimum else "missed")

    verdicts = [word for _, words in in_forks(work, mutants, jobs=2, seconds=20) for word in words]
    assert verdicts.count("rejected") > 5
    assert "missed" not in verdicts
