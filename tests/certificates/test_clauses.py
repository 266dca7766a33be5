"""Every plan is a model of its formula; a refuted formula belongs to the puzzle, and its proof is valid."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from time import perf_counter

import msgspec
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pysat.solvers import Solver

import fewest
from fewest.certificates.clauses import PROFILE, ClausesHead, encoding_of, is_complete
from fewest.certificates.container import (
    Budget,
    CertificateError,
    RejectedError,
    TooLargeError,
    encode_head,
)
from fewest.certificates.make_clauses import clauses_section
from fewest.certificates.native import has_native_checkers
from fewest.errors import DocumentError, InternalError, UsageError
from fewest.grounding.ground import ground
from fewest.model.answer import LimitReached
from fewest.model.metric import metric_of
from fewest.model.position import start
from fewest.model.states import encode
from fewest.planning.sat.profile import PruningPart, load_profile
from fewest.planning.sat.prover import refute_formula
from fewest.playing.price import cost_of
from fewest.playing.rules import legal_moves
from tests.helpers.agreement import compiled_or_none, relaxed
from tests.helpers.certificates import apart, certificate_of, checked, made, together
from tests.helpers.command_line import run
from tests.helpers.lrat import bytes_of, lines_of, text_is_proof
from tests.helpers.random_puzzles import puzzles

needs_native = pytest.mark.skipif(not has_native_checkers(), reason="needs the native checkers")


def modelled(
    compiled: fewest.CompiledPuzzle | None, seed: int, most: int, rounds: int | None = None
) -> None:
    """Check that a random walk of fewer than `most` moves is a model, in every metric of one part.

    If every move costs one unit, all positions of the walk are assumptions, so the solver has nothing to search.
    Otherwise, only the last position is an assumption.
    """
    assume(compiled is not None and len(compiled.task.operators) <= 150 * most)
    assert compiled is not None
    chance = random.Random(seed)
    profile = load_profile(PROFILE)
    for metric in compiled.puzzle.metrics.values():
        try:
            encoding, unit = encoding_of(compiled.task, metric, profile, rounds)
            walk, moves = [start(compiled.puzzle)], []
            for _ in range(chance.randrange(most)):
                legal = list(legal_moves(walk[-1]))
                if not legal:
                    break
                moves.append(chance.choice(legal))
                walk.append(moves[-1].target)
        except (UsageError, DocumentError):
            continue
        costs = [cost_of(metric, moves[:number])[0] for number in range(len(walk))]
        is_even = costs == [unit * number for number in range(len(walk))]
        horizon = -(-costs[-1] // unit)
        facts = (1 << len(compiled.task.facts)) - 1
        have = -1
        with Solver(name="glucose42") as solver:
            for last in (horizon, horizon + 1):  # in the second pass, the last layer is idle
                at = {last: walk[-1]} | (dict(enumerate(walk)) if is_even else {})
                given_facts = [
                    v + encoding.num_variables * layer * (1 if v > 0 else -1)
                    for layer, position in at.items()
                    for v in encoding.state.literals_here((facts, encode(compiled.task, position)))
                ]
                for rows in encoding.layers(have, last):
                    solver.append_formula(rows.tolist())
                have = last
                solver.conf_budget(5_000)  # an exceeded budget proves nothing
                found = solver.solve_limited(assumptions=given_facts)
                assert found is not False, (metric.name, last, str(compiled))


@settings(relaxed, max_examples=20)
@given(text=puzzles(), seed=st.integers(0, 1 << 30))
def test_every_walk_by_the_rules_has_a_model(text: str, seed: int) -> None:
    modelled(compiled_or_none(text), seed, 4)


@pytest.mark.slow
@settings(relaxed, max_examples=300)
@given(text=puzzles(), seed=st.integers(0, 1 << 30))
def test_every_longer_walk_by_the_rules_has_a_model(text: str, seed: int) -> None:
    modelled(compiled_or_none(text), seed, 9)


def test_the_profile_prunes_nothing_and_one_that_does_is_refused() -> None:
    profile = load_profile(PROFILE)
    assert is_complete(profile)
    for name in PruningPart.__struct_fields__:
        value = "forward" if name == "distances" else True
        pruning = msgspec.structs.replace(profile.pruning, **{name: value})
        assert not is_complete(msgspec.structs.replace(profile, pruning=pruning))
    exact = msgspec.structs.replace(profile.transition, idle="none")
    assert not is_complete(msgspec.structs.replace(profile, transition=exact))


@cache
def certificate() -> bytes:
    text = "puzzle: mine\nmodel: rush-hour\nboard: |\n  ..BB.\n  XX.A.\n  ...A.\n  .CC..\n"
    return made(fewest.load("mine.yaml", text=text), Path(mkdtemp()), "slides", "plan", "clauses")


def sections() -> tuple[ClausesHead, bytes, bytes]:
    """The head of the refuted formula, the formula, and its proof."""
    stream = certificate_of(certificate()).section(1)
    head = stream.head(ClausesHead)
    return head, stream.read(head.formula_bytes), b"".join(stream.rest())


def sealed(head: ClausesHead, formula: bytes, proof: bytes) -> bytes:
    header, (plan, _) = apart(certificate())
    return together(header, [plan, encode_head(head) + formula + proof])


@needs_native
def test_a_minimum_is_proven_by_a_plan_and_a_refuted_formula() -> None:
    head, formula, proof = sections()
    assert sealed(head, formula, proof) == certificate()
    plan, clauses = checked(certificate())
    assert (plan.proves, clauses.proves) == ("cost", "bound")
    assert plan.value == clauses.value == (head.bound,)


@needs_native
def test_variables_that_no_clause_has_are_no_reason_to_reject(tmp_path: Path) -> None:
    """If the minimum is one move, the horizon of the formula is 0, and no clause mentions most cells."""
    data = made(fewest.load("clones-one"), tmp_path, "moves", "clauses")
    stream = certificate_of(data).section(0)
    head = stream.head(ClausesHead)
    assert head.horizon == 0 and 4 * head.variables > head.formula_bytes
    assert checked(data)[0].value == (1,)


@needs_native
def test_changes_are_rejected_each_with_its_reason() -> None:
    head, formula, proof = sections()
    lines = lines_of(proof)
    word = 4 * (len(formula) // 8)

    def with_head(**fields: object) -> bytes:
        return sealed(msgspec.structs.replace(head, **fields), formula, proof)

    other = formula[:word] + (77).to_bytes(4, "little") + formula[word + 4 :]
    pruned = msgspec.structs.replace(head.profile, pruning=PruningPart(undo=True))
    for data, words in (
        (
            sealed(head, other, proof),
            r"clause ([\d,]+) of the certificate differs from clause \1 of the puzzle's formula",
        ),
        (with_head(bound=head.bound + 1), "does not prove a bound"),
        (with_head(bound=head.bound + 1, horizon=head.horizon + 1), "variables"),
        (with_head(profile=pruned), "may exclude plans"),
        (with_head(variables=1), "variables"),
        (with_head(formula_bytes=len(formula) + 4), "longer or shorter"),
        (sealed(head, formula, proof[:-4]), "ends within|does not derive"),
        (sealed(head, formula, b""), "does not derive the empty clause"),
        (sealed(head, formula, bytes_of(lines[:-1])), "does not derive the empty clause"),
        (
            sealed(head, formula, bytes_of([("a", 60_000, [], [1])])),
            "two open literals|does not",
        ),
    ):
        with pytest.raises(RejectedError, match=words):
            checked(data)
    with pytest.raises(CertificateError, match="ends too early"):
        checked(sealed(head, formula[:-400], b""))


@needs_native
def test_the_proof_of_another_puzzle_of_the_same_size_is_rejected() -> None:
    text = "puzzle: mine\nmodel: rush-hour\nboard: |\n  ..BB.\n  XX.A.\n  ...A.\n  CC...\n"
    other = made(fewest.load("mine.yaml", text=text), Path(mkdtemp()), "slides", "clauses")
    header, _ = apart(other)
    _, body = apart(certificate())[1]
    with pytest.raises(RejectedError, match="formula"):
        checked(together(header, [body]))


@needs_native
@settings(relaxed, max_examples=50)
@given(at=st.integers(0, 1 << 30), byte=st.integers(0, 255), length=st.integers(0, 3))
def test_no_change_of_bytes_crashes_or_proves_a_false_statement(
    at: int, byte: int, length: int
) -> None:
    header, (plan, body) = apart(certificate())
    at %= len(body)
    new = body[:at] + bytes([byte] * length) + body[at + length :]
    try:
        verdicts = checked(together(header, [plan, new]))
    except (RejectedError, CertificateError, TooLargeError):
        return
    assert verdicts[0].value == verdicts[1].value


@needs_native
def test_formula_and_proof_are_written_as_text_for_other_checkers(tmp_path: Path) -> None:
    path = tmp_path / "it.proof"
    path.write_bytes(certificate())
    folder = tmp_path / "text"
    assert run("verify", str(path), "--export", str(folder)).returncode == 0
    cnf, lrat = ((folder / name).read_text() for name in ("formula.cnf", "proof.lrat"))
    assert text_is_proof(cnf, lrat)
    assert not text_is_proof(cnf.replace(" 0", " 73 0"), lrat)


def test_a_solver_that_runs_out_of_memory_while_it_is_given_clauses_is_a_limit_without_output(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rows = [np.arange(1, 1_200_001, dtype=np.int32).reshape(-1, 3)] * 3
    for memory in (10_000_000, 120_000_000, 200_000_000):
        with pytest.raises(LimitReached, match="memory"):
            refute_formula(rows, load_profile(PROFILE), tmp_path, float("inf"), memory=memory)
    assert capfd.readouterr() == ("", "")


def test_an_empty_clause_is_refuted(tmp_path: Path) -> None:
    rows = [np.zeros((2, 0), dtype=np.int32), np.zeros((0, 3), dtype=np.int32)]
    found = refute_formula(rows, load_profile(PROFILE), tmp_path, float("inf"), None)
    assert found is not None
    assert sum(map(len, found.pieces())) < 100


def test_pairs_and_free_moves_are_refused(tmp_path: Path) -> None:
    done = run(
        "prove", "microban-001", "-m", "tidy", "--kind", "clauses", "-o", str(tmp_path / "it")
    )
    assert done.returncode == 2


FALLING = """
puzzle: falling
legend: {".": floor, a: a, b: b}
pieces: {a: {}, b: {}}
moves: {go: {before: [a, empty], after: [empty, a], directions: horizontal}}
then: {fall: {slide: b, directions: down}}
goal: {b: {touches: bottom}}
board: |
  b.
  a.
  ..
"""


def test_a_wrong_bound_for_separate_consequences_is_a_bug_of_ours(tmp_path: Path) -> None:
    task = ground(fewest.load("falling.yaml", text=FALLING).puzzle, most_divided=0)
    assert task.consequences
    budget = Budget(perf_counter() + 10)
    with pytest.raises(InternalError, match="there is a plan of at most 1 move, below 2"):
        next(clauses_section(task, metric_of(task, None), 2, tmp_path, budget))
