"""The child process for one engine and one instance. The process runs only the function `serve`.

The process receives a `CompareRequest` over a connection. Its last message is an `Entry`; before that, it sends
`Started` when the engine begins, progress messages, and `Answered` if a certificate follows.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from fewest.commands.compare.engine_spec import CERTIFICATE, EngineSpec
from fewest.commands.compare.entry import CpuSeconds, Entry
from fewest.engines.entry_points import implementation
from fewest.errors import FewestError, InternalError, UsageError
from fewest.machine.memory import memory_of_tree, peak_memory, unseen_memory_of_children
from fewest.machine.processor_time import processor_seconds, stay_on
from fewest.machine.signals import ignore_termination
from fewest.model.answer import Limits, single

if TYPE_CHECKING:
    from fewest.commands.api import CompiledPuzzle


class CompareRequest(Struct, frozen=True):
    """The instance for an engine: `puzzle` is a name, a file, or the name of the document in `text`.

    Engines without a seed ignore `seed`. `processor`: the only processor on which the process and its children run
    (None: any). `certifies`: whether the process makes a certificate of the answer; the measured time does not include
    this.
    """

    puzzle: str
    parameters: Mapping[str, int]
    metric: str
    engine: EngineSpec
    limits: Limits
    text: str | None = None
    repeat: int = 1
    seed: int | None = None
    processor: int | None = None
    certifies: bool = False


class Started(Struct, frozen=True):
    """A message: the task is ready, and the engine begins to search. `memory` is in bytes, and `grounding` is in CPU
    seconds.
    """

    memory: int
    grounding: float


class Answered(Struct, frozen=True):
    """A message: the entry is complete except for its certificate, which follows."""

    entry: Entry


def serve(connection: Connection) -> None:
    """Answer the first request received on the connection."""
    request: CompareRequest = connection.recv()
    stay_on(request.processor)
    limits = request.limits
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")

        def complete(entry: Entry) -> Entry:
            return replace(
                entry,
                time_limit=limits.seconds,
                memory_limit=None if limits.memory is None else int(limits.memory),
                repeat=request.repeat,
                warnings=tuple(str(warning.message) for warning in seen),
            )

        def send(message: Any) -> None:
            is_answer = isinstance(message, Answered)
            connection.send(Answered(complete(message.entry)) if is_answer else message)

        try:
            entry = _answer(request, send)
        except KeyboardInterrupt:
            entry = Entry(request.engine.name, "limit", reason="interrupted")
        ignore_termination()  # the answer exists now and must be sent before the process ends
        connection.send(complete(entry))


def _answer(request: CompareRequest, send: Callable[[Any], None]) -> Entry:
    name = request.engine.name
    try:
        return _solve(request, send)
    except UsageError as error:
        return Entry(name, "refused", error=error.message)
    except InternalError as error:
        return Entry(name, "failed", error=str(error))
    except FewestError as error:
        return Entry(name, "invalid", error=str(error))
    except MemoryError:
        return Entry(name, "limit", reason="memory")
    except Exception as error:
        return Entry(name, "failed", error=f"{type(error).__name__}: {error}")


def _solve(request: CompareRequest, send: Callable[[Any], None]) -> Entry:
    from fewest.commands.api import load
    from fewest.commands.audit import audit_answer, claim_of, explain_failure, played
    from fewest.engines import engine_of, solve
    from fewest.model.metric import metric_of
    from fewest.playing.validate import validate

    cpu_began = processor_seconds()
    compiled = load(request.puzzle, request.parameters, text=request.text)
    task = compiled.grounded
    grounding = processor_seconds() - cpu_began
    metric = metric_of(task, request.metric)
    spec = request.engine
    if spec.engine == CERTIFICATE:
        return _certify(request, compiled, grounding, send)
    engine = engine_of(spec.engine)
    implementation(engine.module)
    seed = request.seed if "seed" in engine.options else None
    options = {**spec.options, **({} if seed is None else {"seed": seed})}
    before = peak_memory()
    send(Started(before, grounding))
    audit_began = time.process_time()
    began, cpu_began = time.perf_counter(), processor_seconds()
    answer = solve(spec.engine, task, metric, request.limits, send, **options)
    seconds, solved = time.perf_counter() - began, processor_seconds()
    peak = _peak()
    encoding = answer.statistics.get("encoding_cpu")
    cpu = CpuSeconds(grounding, encoding, max(0.0, solved - cpu_began - (encoding or 0.0)))
    entry = Entry(
        spec.name,
        answer.status,
        lower_bound=single(answer.lower_bound),
        reason=answer.reason,
        seconds=seconds,
        cpu=cpu,
        memory=peak,
        memory_before=before,
        seed=_effective(seed, answer.statistics),
        statistics=dict(answer.statistics),
    )
    has_plan = answer.plan is not None and answer.cost is not None
    audited = audit_answer(
        compiled.puzzle,
        task,
        metric,
        began=audit_began,
        claim=claim_of(answer.status, has_plan=has_plan),
        operators=answer.plan or (),
    )
    entry = replace(entry, statistics={**entry.statistics, "audit": played(audited)})
    plan = None
    if answer.plan is not None and answer.cost is not None:
        try:
            plan = validate(compiled.puzzle, task, metric, answer.plan, answer.cost)
        except InternalError as error:
            explain_failure(compiled.puzzle, task, metric, answer.plan)
            return replace(entry, status="failed", lower_bound=None, error=f"a wrong plan: {error}")
        entry = replace(entry, cost=single(answer.cost), plan=plan.text(), moves=plan.to_json())
    entry = replace(entry, cpu=replace(cpu, validation=processor_seconds() - solved))
    if not request.certifies:
        return entry
    from fewest.commands.compare.certified import certified

    send(Answered(entry))
    return certified(entry, compiled, request.metric, request.limits, plan)


def _effective(seed: int | None, statistics: Mapping[str, Any]) -> int | None:
    """The seed; None if the engine reports a configuration of its solver that does not contain the seed, because such a
    solver has no seed.
    """
    words = statistics.get("configuration")
    has_it = words is None or f"seed={seed}" in (word.lstrip("-") for word in words.split())
    return seed if has_it else None


def _peak() -> int:
    """The peak memory of this process and all its descendants, in bytes."""
    tree = memory_of_tree(os.getpid())
    return max(peak_memory() + unseen_memory_of_children(), 0 if tree is None else tree[0])


def _certify(
    request: CompareRequest,
    compiled: CompiledPuzzle,
    grounding: float,
    send: Callable[[Any], None],
) -> Entry:
    """Make and check a certificate, and return the entry with the checkers' verdict and the seconds for making and
    checking it.
    """
    from fewest.commands.prove_and_verify import certify

    before = peak_memory()
    send(Started(before, grounding))
    began, cpu_began = time.perf_counter(), processor_seconds()
    limits = request.limits
    found = certify(
        compiled, request.metric, seconds=limits.seconds, memory=limits.memory, progress=send
    )
    result = found.proof.result
    entry = Entry(
        CERTIFICATE,
        "limit",
        lower_bound=result.lower_bound,
        reason=found.reason,
        seconds=time.perf_counter() - began,
        cpu=CpuSeconds(grounding, None, processor_seconds() - cpu_began),
        memory=_peak(),
        memory_before=before,
        statistics={"bytes": found.proof.num_bytes, "kinds": list(found.proof.kinds)},
    )
    if found.rejected is not None:
        why = f"its certificate is rejected: {found.rejected}"
        return replace(entry, status="failed", lower_bound=None, error=why)
    if found.is_unsolvable:
        return replace(entry, status="unsolvable")
    if found.minimum is None or result.plan is None:
        return entry
    return replace(
        entry,
        status="optimal",
        cost=found.minimum,
        lower_bound=found.minimum,
        plan=result.plan.text(),
        moves=result.plan.to_json(),
    )
