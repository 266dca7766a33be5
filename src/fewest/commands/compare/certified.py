"""Certificates for the answers in a comparison. The process of each run makes and checks a certificate after the
engine's time and memory have been measured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from fewest.commands.compare.entry import Entry
from fewest.commands.prove_and_verify import certify
from fewest.commands.result import Result
from fewest.errors import UsageError
from fewest.machine.processor_time import processor_seconds
from fewest.model.answer import Limits, limit_words

if TYPE_CHECKING:
    from fewest.commands.api import CompiledPuzzle
    from fewest.playing.plan import Plan

_WORDS = {
    "plan": "plan played",
    "clauses": "refutation below by LRAT",
    "layers": "all positions below",
    "bound": "positions below a lower bound",
    "invariant": "invariant",
}
_PLANNERS = ("sat", "asp")


def certified(
    entry: Entry, compiled: CompiledPuzzle, metric: str, limits: Limits, plan: Plan | None
) -> Entry:
    """The entry. If the answer is proven, `certified` states how the checkers confirmed it, or why they did not.

    If a planner (`sat` or `asp`) proves a minimum that is a single number above 0, the certificate consists of the plan
    and of formulas with LRAT proofs; all other certificates have the default kinds. The limits apply to making and
    checking a certificate together. If a checker rejects the certificate, the status of the entry becomes `failed`, and
    `certified` stays None.
    """
    if not entry.is_proven:
        return entry
    is_planned = entry.engine.partition(":")[0] in _PLANNERS and isinstance(entry.cost, int)
    kinds = ("plan", "clauses") if is_planned and entry.cost else ()
    result = Result(
        compiled.puzzle.name,
        compiled.puzzle.title,
        "optimal" if entry.status == "optimal" else "unsolvable",
        entry.cost,
        0 if entry.lower_bound is None else entry.lower_bound,
        plan,
        metric,
        entry.engine,
        None,
        entry.statistics,
    )
    began = processor_seconds()
    try:
        found = certify(
            compiled,
            metric,
            seconds=limits.seconds,
            memory=limits.memory,
            result=result,
            kinds=kinds,
        )
    except UsageError as error:
        return replace(entry, certified=f"no certificate: {error.message}")
    except MemoryError:
        return replace(entry, certified=f"no certificate: {limit_words('memory')}")
    about = {"bytes": found.proof.num_bytes, "cpu": processor_seconds() - began}
    entry = replace(entry, statistics={**entry.statistics, "certificate": about})
    if found.rejected is not None:
        error_text = f"its certificate is rejected: {found.rejected}"
        return replace(entry, status="failed", lower_bound=None, error=error_text)
    if found.reason is not None:
        return replace(entry, certified=f"no certificate: {limit_words(found.reason)}")
    is_confirmed = found.is_unsolvable if entry.cost is None else found.minimum == entry.cost
    if not is_confirmed:
        return replace(entry, certified="the certificate proves less than the answer")
    return replace(
        entry, certified=", ".join([*(_WORDS[kind] for kind in found.proof.kinds), "checked"])
    )
