"""The proof checker accepts the proofs of CaDiCaL, but no altered proof and no proof of a different formula."""

from __future__ import annotations

import random
import re
from functools import cache

import pytest
from pysat.solvers import Solver

from fewest.certificates.native import has_native_checkers
from tests.helpers.lrat import (
    Clause,
    Line,
    bytes_of,
    clause_bytes,
    lines_of,
    proof_of,
)

if not has_native_checkers():
    pytest.skip("needs the native checkers", allow_module_level=True)

from fewest.certificates import _checkers
from fewest.certificates._checkers import WrongProofError


def accepts(clauses: list[Clause], proof: bytes, piece: int = 1 << 20) -> bool:
    return accepts_of(clause_bytes(clauses), proof, piece)


def accepts_of(formula: bytes, proof: bytes, piece: int = 1 << 20) -> bool:
    checker = _checkers.Lrat(1 << 30)
    try:
        checker.add(formula)
        for at in range(0, len(proof), piece):
            checker.feed(proof[at : at + piece])
        checker.finish()
    except WrongProofError:
        return False
    return True


def reason(clauses: list[Clause], proof: bytes) -> str:
    checker = _checkers.Lrat(1 << 30)
    with pytest.raises(WrongProofError) as error:
        checker.add(clause_bytes(clauses))
        checker.feed(proof)
        checker.finish()
    return str(error.value)


def pigeons(pigeons: int, holes: int) -> list[Clause]:
    def at(pigeon: int, hole: int) -> int:
        return pigeon * holes + hole + 1

    out = [[at(p, h) for h in range(holes)] for p in range(pigeons)]
    out += [[-at(p, h), -at(q, h)] for h in range(holes) for p in range(pigeons) for q in range(p)]
    return out


def has_model(clauses: list[Clause]) -> bool:
    with Solver(name="minisat22", bootstrap_with=clauses) as solver:
        return bool(solver.solve())


@cache
def known() -> tuple[list[Clause], bytes]:
    """A pigeonhole formula with additional unit clauses, so that CaDiCaL already derives clauses while input clauses
    are still being added."""
    clauses = [[21], [-22, -21], *pigeons(5, 4), [22, 23], [23, 21]]
    proof = proof_of(clauses)
    assert proof is not None
    return clauses, proof


def test_proofs_of_random_formulas_are_accepted_and_of_no_others() -> None:
    chance = random.Random(5)
    refuted = 0
    for _ in range(12):
        clauses = [
            [
                v * chance.choice((1, -1))
                for v in chance.sample(range(1, 13), chance.choice((1, 2, 3, 3, 3)))
            ]
            for _ in range(70)
        ]
        proof = None if has_model(clauses) else proof_of(clauses)
        if proof is None:
            continue
        refuted += 1
        assert accepts(clauses, proof)
        assert accepts(clauses, proof, piece=1)
        for number in range(
            len(clauses)
        ):  # without one clause, the formula may be satisfiable, so no proof may be accepted
            fewer = clauses[:number] + clauses[number + 1 :]
            if accepts(fewer, proof):
                assert not has_model(fewer)
    assert refuted >= 5


def test_a_refutation_of_a_satisfiable_formula_is_never_accepted() -> None:
    clauses, proof = known()
    for number in range(2, 7):  # without the clause of one pigeon, the formula is satisfiable
        fewer = clauses[:number] + clauses[number + 1 :]
        assert has_model(fewer)
        assert not accepts(fewer, proof)
        assert not accepts([*fewer, [30, 31]], proof)
        assert not accepts(
            [*clauses[:number], [*clauses[number], 24], *clauses[number + 1 :]], proof
        )


def changed(kind: str, lines: list[Line], at: int) -> list[Line]:
    """The lines, with a change at line `at`; this line must add a clause."""
    _, own, literals, hints = lines[at]
    new: list[Line]
    if kind == "literal left out":
        new = [("a", own, literals[1:], hints)]
    elif kind == "literal turned":
        new = [("a", own, [-literals[0], *literals[1:]] if literals else [5], hints)]
    elif kind == "hint left out":
        new = [("a", own, literals, hints[:-1])]
    elif kind == "hints reversed":
        new = [("a", own, literals, hints[::-1])]
    elif kind == "hint of the future":
        new = [("a", own, literals, [own + 1, *hints[1:]])]
    elif kind == "hint too many":
        new = [("a", own, literals, [*hints, hints[0]])]
    elif kind == "smuggled":
        new = [lines[at], ("a", own + 1, [], [])]
    elif kind == "not derived":
        new = []
    elif kind == "derived twice":
        new = [lines[at], lines[at]]
    else:
        new = [("d", 0, [], hints), lines[at]]
    return [*lines[:at], *new, *lines[at + 1 :]]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("literal left out", "does not follow|two open literals|after the last"),
        ("literal turned", "true already|does not follow|after the last|two open literals"),
        ("hint left out", "does not follow"),
        ("hints reversed", "two open literals|true already|after the last"),
        ("hint of the future", "does not exist|deleted|two open literals|true already"),
        ("hint too many", "after the last"),
        ("smuggled", "does not follow"),
        (
            "not derived",
            "does not exist|two open literals|true already|not derive|deleted|after|not follow",
        ),
        ("derived twice", "not in ascending order"),
        ("deleted before", "is deleted"),
    ],
)
def test_changed_proofs_are_rejected_each_with_its_reason(kind: str, words: str) -> None:
    clauses, proof = known()
    lines = lines_of(proof)
    assert bytes_of(lines) == proof
    adding = [n for n, (what, _, _, hints) in enumerate(lines) if what == "a" and len(hints) > 2]
    assert len(adding) >= 8
    found = 0
    for at in adding:
        new = bytes_of(changed(kind, lines, at))
        if accepts(clauses, new):
            # The changed lines are still a proof: the changed part is not needed, or it was stronger than necessary.
            assert kind in (
                "not derived",
                "literal left out",
                "hints reversed",
                "literal turned",
            ), kind
            continue
        found += 1
        assert re.search(words, reason(clauses, new)), (kind, reason(clauses, new))
    assert found >= 5


@pytest.mark.parametrize(
    ("proof", "words"),
    [
        (b"", "does not derive the empty clause"),
        (b"x", "neither an addition nor a deletion"),
        (b"a\x04", "ends within a clause"),
        (b"a\x00", "has no id"),
        (b"a\x05", "RAT"),
        (b"a\x7e\x00\x05\x00", "RAT"),
        (b"a\x7e\x00\x00", "does not follow"),
        (b"a\x7e\x01\x00\x00", "out of range"),
        (b"a\x7e\xff\xff\xff\xff\xff\xff\xff\x7f\x00\x00", "out of range"),
        (b"a\x7e\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "too long"),
        (b"a\xfe\x80\x00", "not in its shortest form"),
        (b"a\x7e\x7c\x00\x02\x00", "that the formula does not have"),
        (b"d\x7c\x00", "does not exist"),
        (b"d\x02\x02\x00", "deleted twice"),
    ],
)
def test_invalid_proofs_are_rejected_with_a_reason(proof: bytes, words: str) -> None:
    assert words in reason([[1, 2], [-1]], proof)


def test_a_formula_is_used_unchanged() -> None:
    checker = _checkers.Lrat(1 << 30)
    checker.add(clause_bytes([[1]]) + bytes(4))  # an empty clause needs no derivation
    checker.finish()
    checker = _checkers.Lrat(1 << 30)
    for bad in (b"123", (-(1 << 31)).to_bytes(4, "little", signed=True)):
        with pytest.raises(WrongProofError):
            checker.add(bad)
    with pytest.raises(_checkers.ProofTooLargeError):
        _checkers.Lrat(1 << 10).add(clause_bytes([[1 << 20]]))
    checker = _checkers.Lrat(1 << 30)
    checker.feed(b"d")
    with pytest.raises(WrongProofError, match="continues after"):
        checker.add(clause_bytes([[1]]))


def test_no_change_of_bytes_refutes_a_satisfiable_formula() -> None:
    clauses, proof = known()
    whole, fewer = clause_bytes(clauses), clause_bytes(clauses[:2] + clauses[3:])
    chance = random.Random(7)
    for _ in range(8_000):
        raw = bytearray(proof)
        for _ in range(chance.choice((1, 1, 2, 5))):
            at = chance.randrange(len(raw))
            raw[at : at + chance.choice((0, 1, 1, 2))] = chance.randbytes(
                chance.choice((0, 1, 1, 2))
            )
        assert not accepts_of(fewer, bytes(raw))
        accepts_of(whole, bytes(raw))
