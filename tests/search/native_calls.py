"""Calls every entry point of the native modules with wrong arguments. This is a separate program, because a fault would
crash the process.

In a correct call, the program replaces one argument at a time by each value of `wrong_for`. Such a call may succeed, or
raise one of ALLOWED. After a crash, the last line of the output names the call.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import fewest
from fewest.certificates import _checkers
from fewest.certificates import layer_check_input as certificate_inputs
from fewest.model.costs import cost_table
from fewest.search import _native, native
from fewest.search.cost_packing import CostPacking
from fewest.space.index import state_index

ALLOWED = (TypeError, ValueError, OverflowError, MemoryError, OSError, IndexError)

SMALL = """puzzle: {name}
board: "{board}"
pieces: {{h: {{}}}}
legend: {{".": floor, h: h}}
moves: {{push: {{slide: h}}}}
goal: cell(0, 2) == h
"""

Arguments = dict[str, Any]


def wrong_for(value: Any, name: str) -> Iterator[Any]:
    """Wrong values for an argument."""
    yield None
    yield "word"
    if isinstance(value, bool):
        return
    if isinstance(value, np.ndarray):
        kind = value.dtype.type
        yield kind(3)
        yield np.array(3, dtype=kind)
        yield value[:0]
        yield value[:-1]
        yield np.concatenate([value.ravel(), value.ravel()])
        yield value.astype(np.float64)
        yield value.reshape(*value.shape, 1)
        yield np.repeat(value, 2, axis=0)[::2]
        most = 1 if kind == np.bool_ else np.iinfo(kind).max
        yield np.full_like(value, most)
        yield np.full_like(value, 0 if kind == np.bool_ else np.iinfo(kind).min)
        yield np.full_like(value, min(1 << 20, most))
    elif isinstance(value, bytes):
        yield from (b"", value[:-1], value * 2, b"\xff" * len(value), b"\x00" * 7)
    elif isinstance(value, int):
        yield from (-1, 0, 3, 1 << 70)
    elif isinstance(value, float):
        yield from (-1.0, 0.0, float("nan"))
    elif isinstance(value, list | tuple):
        yield []
        yield [-1, -7]
        yield [[-1], [1 << 20]]
        yield [1 << 20] * len(value)
        yield list(value) * 2
        yield list(value)[:-1]
        if value and isinstance(value[0], list | tuple):
            yield [[-7] * len(row) for row in value]
            yield [[1 << 20] * len(row) for row in value]
    elif type(value).__name__ in OTHERS:
        yield OTHERS[type(value).__name__]


OTHERS: dict[str, Any] = {}
"""Objects that belong to another puzzle, by their type."""


def attempt(name: str, call: Callable[..., Any], arguments: Arguments) -> Any:
    """Make the call; it may raise one of ALLOWED."""
    print(name, flush=True)
    try:
        return call(**arguments)
    except ALLOWED:
        return None


def attack(name: str, call: Callable[..., Any], arguments: Arguments) -> Any:
    """Make all wrong calls, and then the correct one; return its result."""
    for argument, value in arguments.items():
        for number, wrong in enumerate(wrong_for(value, argument)):
            attempt(f"{name} {argument} #{number}", call, arguments | {argument: wrong})
    print(name, "as it should be", flush=True)
    return call(**arguments)


def _array(values: Any, kind: Any) -> Any:
    return np.array(values, dtype=kind)


def problem_arguments(task: fewest.CompiledPuzzle) -> Arguments:
    arrays = task.grounded.problem
    names = (
        "initial",
        "mask",
        "value",
        "flip",
        "goal_mask",
        "goal_value",
        "forbid_mask",
        "forbid_value",
    )
    found = {
        name: _array(memoryview(getattr(arrays, name)).cast("B").cast("Q").tolist(), np.uint64)
        for name in names
    }
    return {
        "num_facts": arrays.num_facts,
        **found,
        "index_fact": _array(arrays.index_fact.tolist(), np.int32),
        "exactly_one": [list(group) for group in arrays.exactly_one],
        "at_most_one": [],
        "permutations": _array(list(range(arrays.num_facts)), np.int32),
        "conditional_effects": None,
        "pending": _array([], np.uint64),
        "goal_list": _array([], np.int32),
    }


def parts_of(compiled: fewest.CompiledPuzzle) -> tuple[Any, Any, Any]:
    """The problem, costs without merged moves, and the numbering of states."""
    task = compiled.grounded
    costs = cost_table(task, task.metrics[task.default_metric])
    problem = native.bound_problem(task.problem)
    return problem, native.bound_costs(CostPacking(costs).costs), state_index(task).numbering()


def of_search(folder: Path) -> None:
    compiled = fewest.load("small.yaml", text=SMALL.format(name="small", board="h..."))
    other = fewest.load("other.yaml", text=SMALL.format(name="other", board="h" + "." * 99))
    problem, costs, numbering = parts_of(compiled)
    other_problem, other_costs, other_numbering = parts_of(other)
    size, moves = compiled.grounded.problem.num_facts, len(compiled.grounded.operators)
    effects = {
        name: _array([1], np.uint64)
        for name in ("mask", "value", "flip", "clear", "need_mask", "need_value")
    }
    stages = {"place": _array([0], np.int32), "stage": _array([0], np.int32), "everywhere": [False]}
    conditional_effects = attack("ConditionalEffects", _native.ConditionalEffects, effects | stages)
    attempt(
        "Problem that settles",
        _native.Problem,
        problem_arguments(compiled) | {"conditional_effects": conditional_effects},
    )
    attack("Problem", _native.Problem, problem_arguments(compiled))
    table: Arguments = {
        "parts": 1,
        "weight": _array([1] * moves, np.int64),
        "run_in": _array([-1] * moves, np.int32),
        "run_out": _array([-1] * moves, np.int32),
        "run_fact": [[]],
    }
    attack("CostTable", _native.CostTable, table)
    facts = _array([*range(size)], np.int32)
    symmetry_arguments = {"order": 1, "facts": facts, "fixes_initial": True}
    symmetry = attack("Symmetry", _native.Symmetry, symmetry_arguments)

    def numbered(known: Any) -> Arguments:
        names = ("size", "variables", "may_be_none", "steps", "nodes", "entries")
        return {name: getattr(known, name) for name in names}

    numbers = attack("Numbering", _native.Numbering, numbered(numbering))
    other_numbers = _native.Numbering(**numbered(other_numbering))
    hinted: Arguments = {
        "groups": [[*range(size)]],
        "numbers": [*range(size)],
        "images": [[*range(size)]],
        "dead": [([0], [1])],
    }
    hints = attack("Hints", _native.Hints, hinted)
    limited: Arguments = {"seconds": 5.0, "memory": 1 << 28, "progress": None}
    limits = attack("Limits", _native.Limits, limited)
    OTHERS.update(
        Problem=other_problem,
        CostTable=other_costs,
        Symmetry=_native.Symmetry(2, _array([0, 1, 1, 0], np.int32), False),
        Numbering=other_numbers,
        Hints=_native.Hints([[500]], [1, 2], [[-5] * size], [([700], [-3])]),
        Limits=_native.Limits(0.0, 0, None),
    )
    both: Arguments = {"problem": problem, "costs": costs}
    saving: Arguments = {"file": "", "save_every": 60.0}
    attack("check_costs", _native.check_costs, both)
    attack("is_layered", _native.is_layered, both)
    blind: Arguments = {"exhaust": True, "memory": 1 << 28, "threads": 1, "symmetry": symmetry}
    turn: Arguments = {
        "seconds": 5.0,
        "progress": None,
        "expansions": 10,
        "bytes": 1 << 20,
        "entries": 2,
    }
    search = attack("make_search", _native.make_search, both | blind | saving)
    attack("ExhaustiveSearch.advance", search.advance, turn)
    of_handing_over(both, search)
    attempt("ExhaustiveSearch.advance behind its end", search.advance, turn)
    index: Arguments = {
        "numbering": numbers,
        "levels": numbers,
        "limits": limits,
        "exhaust": True,
        "threads": 1,
    }
    index |= {"plan": True, "goal_distances": True, "depth": 7, "from_goals": False}
    attack("search_index", _native.search_index, both | index | saving)
    of_index_part(both, numbers, compiled)
    reverse: Arguments = {"reversed": problem, "reversed_costs": costs}
    goals: Arguments = {"goals": _array([[1 << 2]], np.uint64), "memory": 1 << 28}
    meeting = attack(
        "make_bidirectional", _native.make_bidirectional, both | reverse | goals | saving
    )
    attack("BidirectionalSearch.advance", meeting.advance, turn)
    meeting.outcome()
    back: Arguments = reverse | {"limits": limits}
    attack("measure", _native.measure, both | back | {"counts_plans": True, "lists_states": True})
    turned = _native.Problem(**problem_arguments(compiled))
    more = {name: np.append(table[name], -1).astype(np.int32) for name in ("run_in", "run_out")}
    weights = np.append(table["weight"], 1).astype(np.int64)
    turned_costs = _native.CostTable(**table | more | {"weight": weights})
    there: Arguments = {"problem": turned, "costs": turned_costs}
    back_turned = {"reversed": turned, "reversed_costs": turned_costs, "limits": limits}
    attack(
        "measure turns",
        _native.measure,
        there | back_turned | {"counts_plans": True, "lists_states": True},
    )
    attempt(
        "measure without inverse turns",
        _native.measure,
        there | back | {"counts_plans": True, "lists_states": True},
    )
    abstraction = (problem, costs, problem, costs, facts)
    for number, wrong in enumerate(
        (
            None,
            abstraction[:4],
            (other_problem, costs, problem, costs, facts),
            (problem, costs, other_problem, costs, facts),
            (problem, other_costs, problem, costs, facts),
            (problem, costs, problem, costs, facts[:1]),
            (problem, costs, problem, costs, facts - 9),
            (None, costs, problem, costs, facts),
        )
    ):
        attempt(
            f"guided abstraction #{number}",
            _native.guided,
            both | {"abstractions": [wrong], "limits": limits},
        )
    attack("guided", _native.guided, both | {"abstractions": [abstraction], "limits": limits})
    of_pieces(both, limits, hints, saving)
    expander = attack("Expander", _native.Expander, {"problem": problem})
    states = {"states": _array([[1], [2]], np.uint64)}
    attack("Expander.expand", expander.expand, states)
    attack("Expander.expand turns", _native.Expander(turned).expand, states)
    some = attack("StateSet", _native.StateSet, {"words": 1})
    attack("StateSet.insert", some.insert, states)
    attack("StateSet.contains", some.contains, states)
    attack("StateSet.find", some.find, states)
    attack("Expander.find_successors", expander.find_successors, {"set": some, **states})
    graph = {"first": _array([0, 1, 2], np.int64), "target": _array([1, 0], np.int32)}
    graph |= {"label": _array([0, 1], np.int32), "cost": _array([1, 0], np.int8)}
    graph |= {"is_start": _array([1, 0], np.bool_)}
    found = attack("measure_graph", _native.measure_graph, graph)
    assert found.tolist() == [0, 1]
    sets = attack("Components", _native.Components, {"size": 3})
    ends = {"sources": _array([0, 1], np.int32), "targets": _array([2, 1], np.int32)}
    attack("Components.link", sets.link, ends)
    attempt("Components.labels", sets.labels, {})
    assert len(some) == len(some.states())
    of_shards(folder, both, symmetry)


def of_index_part(both: Arguments, numbers: Any, compiled: fewest.CompiledPuzzle) -> None:
    """Attack a part of an index, which is the whole index, and the methods of this part."""
    size = compiled.index.size
    valid: Arguments = both | {"numbering": numbers, "levels": numbers, "ends": [size], "part": 0}
    sizes: Arguments = {"threads": 1, "memory": 1 << 28, "outbox": 1 << 20, "states_per_thread": 64}
    part = attack("make_index_part", _native.make_index_part, valid | sizes)
    start = part.start()
    attack("IndexPart.begin", part.begin, {"number": start})
    part.advance(within=False)
    assert attack("IndexPart.move", part.move, {"backward": False, "within": False})
    words: Arguments = {"words": _array([], np.uint8), "within": False}
    attack("IndexPart.receive", part.receive, words)
    attack("IndexPart.take", part.take, {"part": 0, "most": 1 << 10})
    attack("IndexPart.num_waiting", part.num_waiting, {"part": 0})
    attack("IndexPart.state", part.state, {"number": start})
    attack("IndexPart.operators", part.operators, {"origin": start, "target": start})
    for number in (size, 1 << 40):
        attempt("IndexPart.begin beyond", part.begin, {"number": number})
        attempt("IndexPart.state beyond", part.state, {"number": number})
        attempt("IndexPart.operators beyond", part.operators, {"origin": number, "target": number})
    attempt(
        "IndexPart.receive beyond", part.receive, words | {"words": _array([255] * 9, np.uint8)}
    )
    attack("IndexPart.write", part.write, {"path": "part", "layer": 0})
    attack("IndexPart.read", part.read, {"paths": ["part"], "layer": 0})


def of_handing_over(both: Arguments, search: Any) -> None:
    """Hand over the layers of a table to shards of the same problem and of other problems."""
    made = {"symmetry": None, "folder": "", "num_shards": 4, "owner": 0, "num_owners": 1}
    made |= {
        "workers": 1,
        "memory": 1 << 24,
        "is_reversible": True,
        "back": None,
        "back_costs": None,
        "ends": [],
    }
    other = {"problem": OTHERS["Problem"], "costs": OTHERS["CostTable"]}
    OTHERS["Shards"] = _native.make_shards(**other | made)
    search.release_slots()
    shards = _native.make_shards(**both | made)
    attack("ExhaustiveSearch.hand_over", search.hand_over, {"shards": shards})


def of_pieces(both: Arguments, limits: Any, hints: Any, saving: Arguments) -> None:
    """Call informed problems, their tables and their searches with wrong arguments."""
    plain = _native.Hints([], [], [], [])
    problem = attack("InformedProblem", _native.InformedProblem, both | {"hints": plain})
    within: Arguments = {"limits": limits}
    attempt("choose_patterns", problem.choose_patterns, within)
    attempt("build_patterns", problem.build_patterns, within | {"threads": 1})
    sizes: Arguments = {"spots": 8, "states": 99, "filled": 99, "memory": 99}
    tables = within | {
        "pdb_limits": attack("LocalPdbLimits", _native.LocalPdbLimits, sizes),
        "samples": None,
    }
    attempt("build_local_pdbs", problem.build_local_pdbs, tables)
    from_goals = within | {"pdb_limits": tables["pdb_limits"]}
    attempt("local PDBs from goals", problem.build_local_pdbs_from_goals, from_goals)
    valid: Arguments = {
        "problem": problem,
        "hints": plain,
        "algorithm": "a*",
        "memory": 1 << 20,
        "threads": 1,
        "weight": (1, 1),
        "at_least": 0,
        "expanded_before": 0,
        "most_in_table": 1 << 16,
    }
    attack("InformedSearch", _native.InformedSearch, valid | saving)
    different: list[Arguments] = [
        {"hints": hints},
        {"algorithm": "ida*"},
        {"algorithm": "bidirectional a*"},
        {"algorithm": "none"},
        {"threads": 2},
        {"weight": (3, 2), "file": ""},
        {"weight": (1, 0)},
        {"weight": (1, 2)},
    ]
    for changed in different:
        search = attempt(
            f"a search with {changed}", _native.InformedSearch, valid | saving | changed
        )
        if search is None:
            continue
        attack("InformedSearch.advance", search.advance, within | {"work": 100, "bytes": 1 << 20})
        attack("InformedSearch.samples", search.samples, {"count": 3})
        search.outcome()


def of_shards(folder: Path, both: Arguments, symmetry: Any) -> None:
    def made(number: int) -> Arguments:
        there = folder / str(number)
        there.mkdir(exist_ok=True)
        return both | {
            "symmetry": symmetry,
            "folder": str(there),
            "num_shards": 4,
            "owner": 0,
            "num_owners": 1,
            "workers": 1,
            "memory": 1 << 24,
            "is_reversible": True,
            "back": None,
            "back_costs": None,
            "ends": [],
        }

    methods: dict[str, Arguments] = {
        "least": {"layer": 0},
        "open": {"num_layers": 2},
        "expand": {"worker": 0},
        "merge": {"worker": 0},
        "close_layer": {},
        "keep": {},
        "write_to": {"folder": str(folder)},
        "abandon": {},
        "outgoing": {"owner": 0, "begin": 0, "most": 100},
        "forget_sent": {},
        "receive": {"sent": _array([7] * 64, np.uint8)},
        "num_waiting": {"owner": 0, "begin": 0},
        "has_doubts": {},
        "set_doubts": {"doubts": True},
        "give_away": {},
        "expand_other": {"file": str(folder / "100" / "layer-000000"), "shard": 0},
        "take_over": {"files": [str(folder / "100" / "layer-000000")], "num_shards": 4},
        "among": {"layer": 0, "states": _array([[1]], np.uint64)},
        "contains": {"layer": 0, "state": [1]},
        "shard_of": {"state": [1]},
        "file_contains": {"file": str(folder / "100" / "layer-000000"), "state": [1]},
        "plan": {"layer": 0, "goal": [1], "layer_has": None},
        "search_within": {"reached": _native.make_shards(**made(0))},
        "begin_at_goals": {},
        "begin": {},
        "cancel": {},
    }
    known = {
        name
        for name in dir(_native.Shards)
        if callable(getattr(_native.Shards, name)) and name[0] != "_"
    }
    assert known == set(methods), known ^ set(methods)
    attack("make_shards", _native.make_shards, made(1))
    for is_begun in (False, True):
        for number, (name, arguments) in enumerate(methods.items()):
            if name in ("open", "write_to") and is_begun:
                continue
            tried = (
                [{}]
                if not arguments
                else [
                    arguments | {argument: wrong}
                    for argument, value in arguments.items()
                    for wrong in (value, *wrong_for(value, argument))
                ]
            )
            for wrong in tried:
                shards = _native.make_shards(**made(100 + number + 100 * is_begun))
                if is_begun:
                    shards.begin()
                    shards.close_layer()
                attempt(
                    f"Shards.{name} {'later' if is_begun else 'first'}",
                    getattr(shards, name),
                    wrong,
                )


def of_checkers(folder: Path) -> None:
    caught: dict[str, list[Arguments]] = {}

    class Spy:
        """Replaces the module, and records the arguments of each constructor."""

        def __getattr__(self, name: str) -> Any:
            found = getattr(_checkers, name)
            if not isinstance(found, type) or issubclass(found, Exception):
                return found

            def make(*given: Any, **named: Any) -> Any:
                if named and not given:
                    caught.setdefault(name, []).append(named)
                return found(*given, **named)

            return make

    spied = certificate_inputs.native_checkers
    certificate_inputs.native_checkers = Spy  # type: ignore[assignment]
    compiled = fewest.load("small.yaml", text=SMALL.format(name="small", board="h..."))
    compiled.prove(folder / "it.proof", kinds=("layers",))
    from fewest.commands.verify import CheckOptions, verify_file

    verify_file(folder / "it.proof", expected=compiled.puzzle, manner=CheckOptions("task", 0.0))
    certificate_inputs.native_checkers = spied
    assert {"Part", "Effects", "Task", "Layers"} <= set(caught), set(caught)
    for name in ("Part", "Effects", "Task", "Layers"):
        attack(f"_checkers.{name}", getattr(_checkers, name), caught[name][0])
    layers_input = _checkers.Layers(**caught["Layers"][0])
    wide = caught["Layers"][0] | {
        "groups": [([0, 1, 2, 3], 2)],
        "variables": [[0]],
        "potential": [1, 2],
    }
    allowed = (*ALLOWED, _checkers.RejectedError, _checkers.GivenUpError, _checkers.WrongProofError)
    allowed = (*allowed, _checkers.ProofTooLargeError)
    for layers in (layers_input, _checkers.Layers(**wide)):
        for body in (b"", b"\xff" * 40, b"\x00" * 9):
            for seconds in (5.0, 0.0, float("nan")):
                _tolerant(
                    allowed, "check_layers", _checkers.check_layers, layers, body, seconds, 1 << 20
                )
        for share in (0, 1, 1 << 63):
            found = _tolerant(
                allowed, "LayerSequence", _checkers.LayerSequence, layers, 5.0, 1 << 20, share, 1
            )
            if found is None:
                continue
            for body in (b"", b"\xff" * 40):
                _tolerant(allowed, "LayerSequence.feed", found.feed, body)
            for method in ("needs_another_pass", "finish"):
                _tolerant(allowed, f"LayerSequence.{method}", getattr(found, method))
            assert found.counts is not None and found.chosen is not None
        for start in (0, 1, 1 << 40, (1 << 64) - 1):
            maker = _tolerant(
                allowed, "LayerWriter", _checkers.LayerWriter, layers, start, True, 5.0, 1 << 24
            )
            if maker is not None:
                for _ in range(6):
                    _tolerant(allowed, "LayerWriter.advance", maker.advance)
                _tolerant(allowed, "LayerWriter.encode", maker.encode, None)
                _tolerant(allowed, "LayerWriter.all", maker.all)
        table = _tolerant(allowed, "TableWriter", _checkers.TableWriter, layers, 5.0, 1 << 24)
        if table is not None:
            for layer in (0, 1, 1 << 40):
                _tolerant(allowed, "TableWriter.encoded", table.encoded, layers, layer)
            _tolerant(allowed, "TableWriter.advance", table.advance)
            _tolerant(allowed, "TableWriter.facts", table.facts)
    for clauses in (b"", b"\x01", b"\xff" * 8, b"\x00\x00\x00\x80" * 2, b"\xff\xff\xff\x7f" * 2):
        for proof in (b"", b"\xff" * 30, b"a\x02\x00\x00", b"d\x04\x00"):
            lrat = _tolerant(allowed, "Lrat", _checkers.Lrat, 1 << 20)
            _tolerant(allowed, "Lrat.add", lrat.add, clauses)
            _tolerant(allowed, "Lrat.feed", lrat.feed, proof)
            _tolerant(allowed, "Lrat.feed_and_write", lrat.feed_and_write, proof)
            _tolerant(allowed, "Lrat.finish", lrat.finish)


def _tolerant(
    allowed: tuple[type[Exception], ...], name: str, call: Callable[..., Any], *given: Any
) -> Any:
    print("_checkers", name, flush=True)
    try:
        return call(*given)
    except allowed:
        return None


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        of_search(Path(place))
        of_checkers(Path(place))
    print("done")
    sys.exit(0)
