"""Reads CaDiCaL's LRAT proofs as lists of lines, and checks the text form of a proof naively."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from fewest.planning.sat.clauses import Formula, formula
from fewest.planning.sat.profile import load_profile
from fewest.planning.sat.prover import literal_bytes, refute_formula

Clause = list[int]
Line = tuple[str, int, Clause, list[int]]  # "a" or "d", id, literals, hints (or deleted ids)


def proof_of(clauses: list[Clause]) -> bytes | None:
    """CaDiCaL's binary proof that the formula has no model; None if it has one."""
    with tempfile.TemporaryDirectory() as folder:
        rows: Formula = [
            np.array([clause], dtype=np.int32) for clause in clauses
        ]  # the order is kept, because each clause is a separate array
        found = refute_formula(rows, load_profile("proved"), Path(folder), float("inf"), None)
        return None if found is None else b"".join(found.pieces())


def clause_bytes(clauses: list[Clause]) -> bytes:
    """Clauses in the input format of the checkers, in their order."""
    return b"".join(b"".join(literal_bytes(formula([clause]))) for clause in clauses)


def lines_of(proof: bytes) -> list[Line]:
    """The lines of a binary proof."""
    at = 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = proof[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def numbers() -> list[int]:
        out = []
        while value := number():
            out.append(value)
        return out

    lines: list[Line] = []
    while at < len(proof):
        kind = chr(proof[at])
        at += 1
        if kind == "a":
            own = number() // 2
            literals = [-(n // 2) if n % 2 else n // 2 for n in numbers()]
            lines.append((kind, own, literals, [n // 2 for n in numbers()]))
        else:
            lines.append((kind, 0, [], [n // 2 for n in numbers()]))
    return lines


def bytes_of(lines: list[Line]) -> bytes:
    """The binary proof of these lines."""
    out = bytearray()

    def put(value: int) -> None:
        while value > 127:
            out.append(value & 127 | 128)
            value >>= 7
        out.append(value)

    for kind, own, literals, hints in lines:
        out += kind.encode()
        if kind == "a":
            put(2 * own)
            for literal in literals:
                put(2 * abs(literal) + (literal < 0))
            put(0)
        for hint in hints:
            put(2 * hint)
        put(0)
    return bytes(out)


def text_is_proof(cnf: str, lrat: str) -> bool:
    """Whether a proof in text form proves a DIMACS formula unsatisfiable; each hint must be a unit or the conflict."""
    clauses: dict[int, set[int]] = {}
    rows = [line for line in cnf.splitlines() if line and line[0] not in "cp"]
    for number, row in enumerate(rows, 1):
        clauses[number] = set(map(int, row.split()[:-1]))
    for line in lrat.splitlines():
        words = line.split()
        if words[1] == "d":
            for word in words[2:-1]:
                del clauses[int(word)]
            continue
        end = words.index("0", 1)
        clause = set(map(int, words[1:end]))
        true = {-literal for literal in clause}
        is_refuted = False
        for hint in map(int, words[end + 1 : -1]):
            left = {literal for literal in clauses[hint] if -literal not in true}
            if not left:
                is_refuted = True
                break
            if len(left) > 1:
                return False
            true |= left
        if not is_refuted:
            return False
        clauses[int(words[0])] = clause
        if not clause:
            return True
    return False
