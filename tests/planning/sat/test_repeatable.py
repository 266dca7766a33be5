"""The formula of a puzzle is the same in every process, because the checker of a certificate builds it again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import fewest

PROGRAM = """
import sys
from hashlib import blake2b
import fewest
from fewest.certificates.clauses import PROFILE, encoding_of
from fewest.planning.sat.profile import load_profile

for name_and_metric in sys.argv[1:]:
    name, metric = name_and_metric.split(":")
    puzzle = fewest.load(name)
    encoding, _ = encoding_of(puzzle.task, puzzle.puzzle.metrics[metric], load_profile(PROFILE))
    digest = blake2b(digest_size=8)
    for rows in encoding.formula_for(2):
        digest.update(repr(rows.shape).encode() + rows.tobytes())
    print(name_and_metric, digest.hexdigest())
"""
CASES = [
    "microban-001:pushes",
    "microban-001:lines",
    "microban-001:moves",
    "pull-out:pulls",
    "heng-dao-li-ma:turns",
    "two-colours:quarters",
    "shunting:moves",
    "thin-ice:moves",
    "conveyors:moves",
    "movers:steps",
    "bridge:minutes",
    "lights-out-3x3:moves",
]


def digests(seed: int) -> list[str]:
    environment = os.environ | {
        "PYTHONHASHSEED": str(seed),
        "PYTHONPATH": str(Path(fewest.__file__).parents[1]),
    }
    command = [sys.executable, "-P", "-c", PROGRAM, *CASES]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_formula_is_the_same_in_every_process() -> None:
    known = digests(1)
    assert len(known) == len(CASES)
    for seed in (2, 3):
        assert digests(seed) == known
