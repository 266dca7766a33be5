"""Makes and verifies a certificate, so that `check` and `compare` need not trust an engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from fewest.certificates.container import Budget, TooLargeError
from fewest.certificates.native import has_native_checkers
from fewest.commands.limited import uninterrupted
from fewest.commands.verify import CheckOptions, Verification, verify_file
from fewest.machine.memory import left_of
from fewest.model.answer import Cost, single

if TYPE_CHECKING:
    from fewest.commands.api import CompiledPuzzle
    from fewest.commands.prove import Proof
    from fewest.commands.result import Result

_PLAYED = 3_000  # with at most this number of positions, the rules check a certificate


@dataclass(frozen=True)
class Certified:
    """A certificate and the result of verifying it, which is None if a limit stopped the work."""

    proof: Proof
    verification: Verification | None
    reason: str | None

    @property
    def rejected(self) -> str | None:
        """If the certificate is rejected, the reason why it proves nothing. A rejection shows that this program has a
        fault.
        """
        return None if self.verification is None else self.verification.rejected

    @property
    def is_unsolvable(self) -> bool:
        """Whether the certificate proves that there is no plan."""
        return "unsolvable" in self._values

    @property
    def minimum(self) -> Cost | None:
        """The proven minimum; None if the cost of the plan does not equal the bound."""
        cost = self._values.get("cost")
        return single(cost) if cost and cost == self._values.get("bound") else None

    @property
    def _values(self) -> dict[str, tuple[int, ...] | None]:
        verdicts = () if self.verification is None else self.verification.verdicts
        return {verdict.proves: verdict.value for verdict in verdicts}


def certify(
    compiled: CompiledPuzzle,
    metric: str | None,
    *,
    seconds: float | None = None,
    memory: int | None = None,
    result: Result | None = None,
    kinds: str | Sequence[str] = (),
    progress: Callable[[Any], None] | None = None,
) -> Certified:
    """Write a certificate of an answer and verify it. The rules verify it if there are few positions or no native
    checkers.

    `result`: the answer, if it is already known. `kinds`: the sections of the certificate; see `commands.prove.KINDS`.
    The limits apply to writing and verifying together. Raises the errors of `CompiledPuzzle.prove`, and
    KeyboardInterrupt after Ctrl-C.
    """
    assert compiled.document is not None, "made by `load`"
    deadline = float("inf") if seconds is None else time.perf_counter() + seconds
    with TemporaryDirectory() as folder:
        path = Path(folder) / "it.proof"
        proof = uninterrupted(
            compiled.prove(
                path,
                metric,
                kinds=kinds,
                seconds=seconds,
                memory=memory,
                result=result,
                progress=progress,
            )
        )
        if proof.reason is not None:
            return Certified(proof, None, proof.reason)
        is_small = proof.result.statistics.get("states", 0) <= _PLAYED
        by = "rules" if is_small or not has_native_checkers() else "task"
        try:
            budget = Budget(deadline, left_of(memory) or 1 << 62)
            report = verify_file(
                path, expected=compiled.puzzle, budget=budget, manner=CheckOptions(by, audit="off")
            )
        except TooLargeError as error:
            return Certified(proof, None, error.reason)
    return Certified(proof, report, None)
