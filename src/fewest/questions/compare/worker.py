"""In the child process: one engine, one question. It runs only `serve`.

Over a connection a `CompareRequest` comes in; `Started`, progress and an `Entry` go out.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from fewest.errors import FewestError, InternalError, UsageError
from fewest.machine.memory import peak_memory, unseen_memory_of_children
from fewest.machine.signals import ignore_termination
from fewest.model.answer import Limits, single
from fewest.questions.compare.engine_spec import CERTIFICATE, EngineSpec
from fewest.questions.compare.entry import Entry

if TYPE_CHECKING:
    from fewest.questions.api import CompiledPuzzle


class CompareRequest(Struct, frozen=True):
    """The question for an engine: `puzzle` is a name or a file, or the name of `text`."""

    puzzle: str
    parameters: Mapping[str, int]
    metric: str
    contender: EngineSpec
    limits: Limits
    text: str | None = None


class Started(Struct, frozen=True):
    """The puzzle is grounded and the engine begins; `memory` in bytes until now."""

    memory: int


def serve(connection: Connection) -> None:
    """Answer the question that arrives first over the connection."""
    question: CompareRequest = connection.recv()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        try:
            entry = _answer(question, connection.send)
        except KeyboardInterrupt:
            entry = Entry(question.contender.name, "limit", reason="interrupted")
    ignore_termination()  # the answer exists: let it be sent
    connection.send(replace(entry, warnings=tuple(str(warning.message) for warning in seen)))


def _answer(question: CompareRequest, send: Callable[[Any], None]) -> Entry:
    name = question.contender.name
    try:
        return _solve(question, send)
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


def _solve(question: CompareRequest, send: Callable[[Any], None]) -> Entry:
    from fewest.engines import engine_of, solve
    from fewest.model.metric import metric_of
    from fewest.playing.validate import validate
    from fewest.questions.api import load
    from fewest.questions.audit import audit_answer, explain_failure, played

    compiled = load(question.puzzle, question.parameters, text=question.text)
    task = compiled.grounded
    metric = metric_of(task, question.metric)
    asked = question.contender
    if asked.engine == CERTIFICATE:
        return _certify(question, compiled, send)
    import_module(engine_of(asked.engine).module)
    before = peak_memory()
    send(Started(before))
    began, cpu_began = time.perf_counter(), time.process_time()
    answer = solve(asked.engine, task, metric, question.limits, send, **asked.options)
    seconds, peak = time.perf_counter() - began, peak_memory() + unseen_memory_of_children()
    entry = Entry(
        asked.name,
        answer.status,
        lower_bound=single(answer.lower_bound),
        reason=answer.reason,
        seconds=seconds,
        memory=peak,
        memory_before=before,
        statistics=dict(answer.statistics),
    )
    has_plan = answer.plan is not None and answer.cost is not None
    audited = audit_answer(
        compiled.puzzle,
        task,
        metric,
        began=cpu_began,
        has_plan=has_plan,
        operators=answer.plan or (),
    )
    entry = replace(entry, statistics={**entry.statistics, "audit": played(audited)})
    if answer.plan is None or answer.cost is None:
        return entry
    try:
        plan = validate(compiled.puzzle, task, metric, answer.plan, answer.cost)
    except InternalError as error:
        explain_failure(compiled.puzzle, task, metric, answer.plan)
        return replace(entry, status="failed", lower_bound=None, error=f"a wrong plan: {error}")
    return replace(entry, cost=single(answer.cost), plan=plan.text(), moves=plan.to_json())


def _certify(
    question: CompareRequest, compiled: CompiledPuzzle, send: Callable[[Any], None]
) -> Entry:
    """The verdict of the checkers on a certificate that is made here; seconds are those of all of it."""
    from fewest.questions.prove_and_verify import certify

    before = peak_memory()
    send(Started(before))
    began = time.perf_counter()
    limits = question.limits
    found = certify(
        compiled, question.metric, seconds=limits.seconds, memory=limits.memory, progress=send
    )
    result = found.proof.result
    entry = Entry(
        CERTIFICATE,
        "limit",
        lower_bound=result.lower_bound,
        reason=found.reason,
        seconds=time.perf_counter() - began,
        memory=peak_memory() + unseen_memory_of_children(),
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
