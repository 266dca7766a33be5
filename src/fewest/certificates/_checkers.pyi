"""The compiled checkers; `task_checker` gives them their arguments, `cpp/layers.hpp` says what they are."""

from collections.abc import Sequence
from typing import TypeAlias

class RejectedError(Exception): ...
class GivenUpError(Exception): ...
class WrongProofError(Exception): ...
class ProofTooLargeError(Exception): ...

class Lrat:
    def __init__(self, memory: int) -> None: ...
    def add(self, clauses: bytes) -> None: ...
    def feed(self, proof: bytes) -> None: ...
    def feed_and_write(self, proof: bytes) -> bytes: ...
    def finish(self) -> None: ...
    @property
    def num_clauses(self) -> int: ...
    @property
    def num_derived(self) -> int: ...

_Cubes: TypeAlias = tuple[bytes, bytes]

class Part:
    def __init__(
        self,
        weight: Sequence[int],
        run_in: Sequence[int],
        run_out: Sequence[int],
        run_weight: Sequence[int],
        run_fact: Sequence[int],
    ) -> None: ...

class Task:
    def __init__(
        self,
        words: int,
        initial: bytes,
        operators: _Cubes,
        flip: bytes,
        index_fact: Sequence[int],
        goals: _Cubes,
        forbidden: _Cubes,
    ) -> None: ...

def check_layers(
    task: Task,
    parts: Sequence[Part],
    groups: Sequence[tuple[Sequence[int], int]],
    variables: Sequence[Sequence[int]],
    runs: Sequence[Sequence[int]],
    bound: Sequence[int] | None,
    layers: Sequence[tuple[Sequence[int], int]],
    potential: Sequence[int],
    body: bytes,
    seconds: float,
    memory: int,
) -> list[int]: ...
