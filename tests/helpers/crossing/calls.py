"""The calls about every puzzle of the crossing, derived from the registry of engines.

A call agrees with the reference, or a UsageError refuses it; anything else is a failure.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

from msgspec import Struct

import fewest
from fewest.certificates.container import TooLargeError
from fewest.commands.oracle import open_oracle
from fewest.commands.prove import KINDS
from fewest.commands.verify import CheckOptions, verify_file
from fewest.engines.registry import CHOICES, ENGINES
from fewest.errors import UsageError
from fewest.model.answer import Cost
from fewest.model.metric import Metric
from fewest.planning.sat.profile import profiles
from tests.helpers.agreement import states_by_expansion
from tests.helpers.crossing.truth import Truth

FOLDER = "FOLDER"  # a value that stands for a new folder

VALUES: Mapping[str, tuple[Any, ...]] = {
    **CHOICES,
    "store": (*(word for word in CHOICES["store"] if word != "disk"), FOLDER),
    "checkpoint": (FOLDER,),
    "depth": (2,),
    "exhaust": (True,),
    "threads": (2,),
    "weight": (1.5,),
    "first": (1,),
    "last": (3,),
    "stride": (2,),
    "at_most": (4,),
    "encoding": tuple(name for name, _ in profiles()),
    "seed": (7,),
    "solver": ("cadical195",),
}
"""The values of each option that the calls use; an option without values causes a KeyError."""

LIMITS: tuple[Mapping[str, Any], ...] = (
    {"seconds": 0.0},
    {"seconds": 20.0},
    {"memory": 20_000},
    {"memory": 1 << 30},
)


class Call(Struct, frozen=True):
    """A call; `check(compiled, metric, truth, folder)` raises AssertionError if the answer is wrong."""

    name: str
    check: Callable[[fewest.CompiledPuzzle, Metric, Truth, Path], None]


def outcome(
    call: Call, compiled: fewest.CompiledPuzzle, metric: Metric, truth: Truth, folder: Path
) -> str | None:
    """None if a call agrees, or the reason if it is refused; raises AssertionError in all other cases."""
    folder.mkdir(exist_ok=True)
    try:
        call.check(compiled, metric, truth, folder)
    except UsageError as error:
        assert len(error.message.split()) > 3, f"{error.message} is no reason"
        return error.message
    except AssertionError:
        raise
    except Exception as error:
        raise AssertionError(f"{type(error).__name__}: {error}") from error
    finally:
        if any(folder.iterdir()):  # most calls write nothing, so the next one can use the folder
            shutil.rmtree(folder)
    return None


# -- engines ------------------------------------------------------------------------------------------


def _solve(engine: str, options: Mapping[str, Any]) -> Call:
    words = [f"{name}={value}" for name, value in options.items()]

    def check(compiled: fewest.CompiledPuzzle, metric: Metric, truth: Truth, folder: Path) -> None:
        result = compiled.solve(metric.name, engine=engine, **_placed(options, folder))
        message = f"{result.status}, {result.reason}, {result.cost}"
        assert compiled.puzzle.goal is not None or "exhaust" in options, message
        bound = _parts(result.lower_bound)
        match result.status:
            case "optimal":
                assert (result.cost is None, result.plan is None) == (False, False), message
                assert _parts(result.cost) == truth.minimum, message
            case "solved":
                assert not ENGINES[engine].is_optimal or "weight" in options, message
                assert truth.minimum is not None and _parts(result.cost) >= truth.minimum, message
                assert bound <= truth.minimum, f"{message}, at least {bound}"
                if "weight" in options:
                    assert _parts(result.cost)[0] <= options["weight"] * truth.minimum[0], message
            case "unsolvable":
                assert truth.minimum is None, message
            case _:
                assert _may_stop(engine, options, result.reason, truth), message
                assert truth.minimum is None or bound <= truth.minimum, (
                    f"{message}, at least {bound}"
                )
        if "exhaust" in options and result.reason is None:
            found = {_parts(cost): count for cost, count in _layers(result.statistics)}
            assert found == truth.layers, found
            counts = (result.statistics["states"], result.statistics["goal_states"])
            assert counts == (truth.num_states, truth.num_goals), counts

    return Call(" ".join([f"solve {engine}", *words]), check)


def _may_stop(engine: str, options: Mapping[str, Any], reason: str | None, truth: Truth) -> bool:
    if reason == "time":
        return options.get("seconds") == 0.0
    if reason == "memory":
        return options.get("memory", 1 << 30) < 1 << 20
    if reason == "depth":
        return "depth" in options
    if reason == "horizon":
        has_bound = not {"last", "at_most"}.isdisjoint(options)
        return not ENGINES[engine].is_exhaustive and (has_bound or truth.minimum is None)
    return reason is None and not ENGINES[engine].is_optimal


def _layers(statistics: Mapping[str, Any]) -> Iterator[tuple[Any, int]]:
    yield from ((tuple(cost), count) for cost, count in statistics["layers"])


def _parts(cost: Cost | None) -> tuple[int, ...]:
    assert cost is not None
    return (cost,) if isinstance(cost, int) else tuple(cost)


def _placed(options: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    there = {"store": f"disk:{folder / 'store'}", "checkpoint": str(folder / "checkpoint")}
    return {name: there[name] if value == FOLDER else value for name, value in options.items()}


def _solves() -> Iterator[Call]:
    for engine, known in ENGINES.items():
        ends = {"last": 8} if engine in ("sat", "asp") else {}
        yield _solve(engine, ends)
        stores = VALUES["store"][1:] if "store" in known.options else ()
        singles = [
            {option: v} for option in known.options for v in VALUES[option][option in CHOICES :]
        ]
        for options in [*singles, *LIMITS]:
            yield _solve(engine, ends | dict(options))
        for store, options in product(stores, [*singles, *LIMITS]):
            if "store" not in options:
                yield _solve(engine, {"store": store, **options})
        for store, limit in product(stores, LIMITS):
            yield _solve(engine, {"store": store, "exhaust": True, **limit})


# -- questions ----------------------------------------------------------------------------------------


def _explore(options: Mapping[str, Any]) -> Call:
    words = [f"{name}={value}" for name, value in options.items()]

    def check(compiled: fewest.CompiledPuzzle, metric: Metric, truth: Truth, folder: Path) -> None:
        found = compiled.explore(metric.name, **_placed(options, folder))
        layers = {_parts(cost): count for cost, count in found.layers}
        if found.reason is not None or found.is_to_depth:
            reason = "depth" if found.is_to_depth else found.reason
            assert _may_stop("bfs", options, reason, truth), reason
            if found.is_to_depth:
                assert all(truth.layers[cost] == count for cost, count in layers.items()), layers
            return
        assert found.is_exhausted
        assert (found.num_states, found.num_goal_states) == (truth.num_states, truth.num_goals)
        assert layers == truth.layers, layers
        assert (
            found.minimum is None
            if truth.minimum is None
            else _parts(found.minimum) == truth.minimum
        )
        if compiled.puzzle.goal is None:
            assert found.goal_distances is None
        elif found.unmeasured is None:
            assert found.goal_distances is not None, "it says not why nothing was measured"
            histogram = {_parts(cost): count for cost, count in found.goal_distances.histogram}
            assert histogram == truth.goal_distances, histogram
            assert found.goal_distances.num_dead == truth.num_dead, found.goal_distances.num_dead

    return Call(" ".join(["explore", *words]), check)


def _explores() -> Iterator[Call]:
    singles: list[dict[str, Any]] = [
        {},
        {"symmetry": "on"},
        {"threads": 2},
        {"plans": False},
        {"consistent": True},
        {"depth": 2},
        {"checkpoint": FOLDER},
        *map(dict, LIMITS),
    ]
    for store, options in product(VALUES["store"][1:], singles):
        yield _explore({"store": store, **options})


def _check_hint(
    compiled: fewest.CompiledPuzzle, metric: Metric, truth: Truth, folder: Path
) -> None:
    hint = compiled.hint(metric=metric.name)
    assert compiled.puzzle.goal is not None
    if truth.minimum is None:
        assert hint.status == "dead", hint.status
        return
    assert hint.status in ("solvable", "solved"), hint.status
    assert _parts(hint.distance if hint.status == "solvable" else _zero(metric)) == truth.minimum
    assert all(
        move.left is None or _parts(move.left) in truth.goal_distances for move in hint.moves
    )


def _zero(metric: Metric) -> Cost:
    return 0 if len(metric.parts) == 1 else (0,) * len(metric.parts)


def _check_oracle(
    compiled: fewest.CompiledPuzzle, metric: Metric, truth: Truth, folder: Path
) -> None:
    compiled.build_oracle(folder / "it.oracle", metric.name)
    hint = compiled.hint(metric=metric.name, oracle=open_oracle(folder / "it.oracle"))
    assert (hint.status == "dead") == (truth.minimum is None)
    if hint.status == "solvable":
        assert _parts(hint.distance) == truth.minimum


def _check_deadlock(
    compiled: fewest.CompiledPuzzle, metric: Metric, truth: Truth, folder: Path
) -> None:
    for seconds in (0.0, 20.0):  # without a search, and with a search
        found = compiled.explain_deadlock(metric=metric.name, seconds=seconds)
        message = f"{found.status} after {seconds} s, {found.text}"
        if found.status == "dead":
            assert truth.minimum is None, message
        elif found.status in ("solvable", "solved"):
            assert truth.minimum is not None, message
            assert found.cost is None or _parts(found.cost) == truth.minimum, message
        else:
            assert seconds == 0.0, message


def _check_explanation(
    compiled: fewest.CompiledPuzzle, metric: Metric, truth: Truth, folder: Path
) -> None:
    found = compiled.explain(metric.name, largest=0, seconds=20.0)
    assert (found.status == "unsolvable") == (truth.minimum is None), found.summary()
    assert found.minimum is None or _parts(found.minimum) == truth.minimum, found.summary()


def _prove(kind: str | None, by: str) -> Call:
    def check(compiled: fewest.CompiledPuzzle, metric: Metric, truth: Truth, folder: Path) -> None:
        path = folder / "it.proof"
        proof = compiled.prove(path, metric.name, kinds=() if kind is None else (kind,))
        assert proof.reason is None, f"stopped: {proof.reason}"
        try:
            found = verify_file(path, expected=compiled.puzzle, manner=CheckOptions(by, 0.0))
        except TooLargeError as limit:  # native checkers support numbers of at most 120 bits
            assert by == "task" and "120 bits" in str(limit)
            return
        assert found.rejected is None, found.rejected
        for verdict in found.verdicts:
            value = None if verdict.value is None else tuple(verdict.value)
            if verdict.proves == "cost":
                assert truth.minimum is not None and value is not None and value >= truth.minimum
            elif verdict.proves == "bound":
                assert truth.minimum is None or value is None or value <= truth.minimum
            else:
                assert truth.minimum is None

    return Call(f"prove {kind or 'by itself'}, verify by {by}", check)


def _check_expansion(
    compiled: fewest.CompiledPuzzle, metric: Metric, truth: Truth, folder: Path
) -> None:
    assert len(states_by_expansion(compiled)) == truth.num_states


def calls() -> list[Call]:
    """All calls, the plain one of each engine first."""
    found = [
        *_solves(),
        *_explores(),
        Call("hint", _check_hint),
        Call("oracle", _check_oracle),
        Call("explain deadlock", _check_deadlock),
        Call("explain puzzle", _check_explanation),
        Call("expand", _check_expansion),
        *(_prove(kind, by) for kind in (None, *KINDS) for by in ("rules", "task")),
    ]
    assert len({call.name for call in found}) == len(found)
    return found
