"""DIMACS, the text format in which SAT solvers read a CNF, and the output format of solvers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO

import numpy as np

from fewest.planning.sat.clauses import Formula, num_clauses
from fewest.planning.sat.encoding import Encoding


def write_dimacs(file: IO[bytes], clauses: Formula, comments: Iterable[str] = ()) -> None:
    """Write a CNF as DIMACS, with the comments first. The function works on arrays and takes linear time."""
    num_variables = max((int(np.abs(rows).max()) for rows in clauses if rows.size), default=0)
    for comment in comments:
        file.write(f"c {comment}\n".encode())
    file.writelines(dimacs(clauses, num_variables))


def dimacs(clauses: Formula, num_variables: int) -> Iterator[bytes]:
    """A CNF as DIMACS, in chunks, without comments."""
    yield f"p cnf {num_variables} {num_clauses(clauses)}\n".encode()
    for rows in clauses:
        line = "%d " * rows.shape[1] + "0\n"
        for start in range(0, len(rows), 10_000):
            part = rows[start : start + 10_000]
            yield (line * len(part) % tuple(part.ravel().tolist())).encode()


def symbols(encoding: Encoding, horizon: int) -> Iterator[str]:
    """A description of the variables of a CNF: the table for one layer, and the rule that extends the table to all
    layers.
    """
    width = encoding.num_variables
    yield f"variable v of layer t (0 to {horizon}) is number v + t * {width}; v means:"
    for variable, text in enumerate(encoding.names[1:], 1):
        yield f"{variable} {' '.join(text.split())}"
    if encoding.mirrored:
        yield f"Each layer in which {encoding.mirrored} is true turns all layers behind it into mirror images."


def read_solution(text: str) -> tuple[bool | None, list[int]]:
    """The verdict and the literals of the model in a solver's output. The verdict is None if no `s` line contains
    one; the list is empty if there is no model.
    """
    verdict: bool | None = None
    model: list[int] = []
    for line in text.splitlines():
        if line.startswith("s "):
            verdict = {"SATISFIABLE": True, "UNSATISFIABLE": False}.get(line[2:].strip())
        elif line.startswith("v "):
            model += [int(word) for word in line[2:].split()]
    return verdict, [literal for literal in model if literal]
