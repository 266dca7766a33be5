"""Compare the rules and the tasks of one puzzle.

For every position, compare its successors, their costs, and whether it is a goal or forbidden. Then compare the
searches: both cores; for a third of the puzzles, SAT or ASP if all plans are short; for a sixth, the backward search of
SAT.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from time import perf_counter
from typing import Any

from msgspec import Struct

from fewest import search
from fewest.engines import solve
from fewest.errors import DocumentError, UsageError
from fewest.grounding import cycle
from fewest.grounding.ground import ground
from fewest.grounding.tested_rules import rules_tested_in_rules
from fewest.model.answer import Limits
from fewest.model.costs import cost_table, plan_cost
from fewest.model.metric import Metric
from fewest.model.position import Position, start
from fewest.model.puzzle import Puzzle
from fewest.model.rules import Cycle, Together
from fewest.model.states import encode
from fewest.model.task import Task
from fewest.planning.bounds import Bounds
from fewest.planning.horizons import operators_of
from fewest.planning.sat.backward import BackwardSearch, can_search_backward
from fewest.planning.task import planning_task
from fewest.playing.exhaust import exhaust
from fewest.playing.move import Move
from fewest.playing.rules import is_forbidden, is_goal, legal_moves
from fewest.search.pure import breadth_first as pure

LIMIT = 60  # positions for which the moves are compared
MOST_DIVIDED = 500  # steps for inlining consequences into operators, fewer than in the program
MOST_CALLS = 8  # calls of the grounder's progress callback: one after every thousand steps
FACTS = "tests of rules as facts"
Price = tuple[int, ...]


class DifferenceError(Exception):
    """The rules and a task, or two searches, give different results."""


class TooLargeError(Exception):
    """The puzzle takes too long to compile for a test."""


class Compared(Struct):
    """The extent of a comparison."""

    positions: int
    is_complete: bool
    tasks: int = 0
    searches: int = 0
    planned: int = 0
    backward: int = 0
    tests_as_facts: int = 0
    """the tasks with all positions in which hidden facts answer `can(RULE)`"""


def compare(
    puzzle: Puzzle,
    *,
    limit: int = LIMIT,
    number: int = 0,
    most_divided: int = MOST_DIVIDED,
    most_calls: int = MOST_CALLS,
) -> Compared:
    """Compare a puzzle with each of its tasks. Raises DifferenceError, or DocumentError if the puzzle is refused.

    `number` selects the metric, and SAT, ASP or the backward search. `most_divided` limits the steps for inlining
    consequences into operators. A puzzle for which the grounder needs more than `most_calls` thousand steps is too
    large.
    """
    task = _grounded(puzzle, most_calls, most_divided=most_divided)
    played = Played(puzzle, limit)
    found = Compared(len(played.moves), played.is_complete)
    metrics = list(puzzle.metrics.values())
    metric = metrics[number % len(metrics)]
    for name, each in _tasks(puzzle, task, number, most_calls):
        found.tasks += 1
        try:
            played.compare(each)
            if not played.is_complete:
                continue
            found.searches += _compare_cores(played, each, metric)
            found.tests_as_facts += name == FACTS
            if each is task or name == FACTS:
                if number % 6 < 2:
                    engine = ("sat", "asp")[number % 6]
                    found.planned += _compare_engine(played, each, metric, engine)
                elif number % 6 == 2:
                    found.backward += _compare_backward(played, each, metric)
        except DifferenceError as difference:
            raise DifferenceError(f"{name}, metric {metric.name}: {difference}") from difference
    return found


def _grounded(
    puzzle: Puzzle, most_calls: int = MOST_CALLS, *, has_permutations: bool = False, **options: Any
) -> Task:
    """The task of a puzzle. Raises TooLargeError if the grounder needs too many steps; this does not depend on the
    machine.

    With `has_permutations`, rings permute facts even if few pieces are on them.
    """
    calls = 0

    def watch(_: int, __: str) -> None:
        nonlocal calls
        calls += 1
        if calls > most_calls:
            raise TooLargeError

    before, cycle.MAX_FLIPS = cycle.MAX_FLIPS, -1 if has_permutations else cycle.MAX_FLIPS
    try:
        return ground(puzzle, watch, **options)
    finally:
        cycle.MAX_FLIPS = before


def compare_positions(
    puzzle: Puzzle, *, limit: int = LIMIT, number: int = 0, most_calls: int = MOST_CALLS
) -> Compared:
    """Compare a puzzle with one task; `number` selects one of two forms. Raises the same errors as `compare`."""
    options = {"most_divided": 0, "most_flips": 0} if number % 2 else {"most_divided": MOST_DIVIDED}
    task = _grounded(puzzle, most_calls, **options)
    played = Played(puzzle, limit)
    played.compare(task)
    return Compared(len(played.moves), played.is_complete, tasks=1)


def _tasks(puzzle: Puzzle, task: Task, number: int, most_calls: int) -> Iterator[tuple[str, Task]]:
    """The task; one of its other forms, selected by `number`; and the form in which facts answer `can(RULE)` and
    `count(...)`.
    """
    yield "task", task
    others: dict[str, dict[str, Any]] = {}
    if any(rule.guard.assignments for rule in puzzle.rules):
        others["assignments at once"] = {"most_flips": 0}
    if puzzle.then:
        others = {
            "consequences apart": {"most_divided": 0},
            "consequences apart and assignments at once": {"most_divided": 0, "most_flips": 0},
        }
    if any(isinstance(rule, Cycle) for rule in puzzle.rules):
        others |= {
            f"turns and {name}": {**options, "has_permutations": True}
            for name, options in others.items()
        } or {"permutations": {"has_permutations": True}}
    is_followed = puzzle.then or any(isinstance(rule, Together) for rule in puzzle.rules)
    if not is_followed and any(rule.guard.when is not None for rule in puzzle.rules):
        others["late conditions"] = {"most_condition_steps": 0}
    names = list(others)
    chosen = names[number % max(1, len(names)) :][:1]
    # hidden facts answer `can(RULE)` and `count(...)`
    if rules_tested_in_rules(puzzle) or _counts_in_rules(puzzle):
        has_cycles = any(isinstance(rule, Cycle) for rule in puzzle.rules)
        others[FACTS] = {
            "most_rule_tests": -1,
            "has_permutations": has_cycles and number % 2 == 0,
        }
        chosen.append(FACTS)
    for name in chosen:
        options = others[name]
        try:
            other = _grounded(puzzle, most_calls, **options)
        except TooLargeError:
            continue
        except DocumentError as error:
            codes = {found.code for found in error.diagnostics}
            if codes == {"task-too-large"}:
                continue
            raise DifferenceError(f"{name}: refused ({error})") from error
        yield name, other


def _counts_in_rules(puzzle: Puzzle) -> bool:
    """Whether an expression of a rule counts pieces."""
    guards = [rule.guard for rule in (*puzzle.rules, *puzzle.then)]
    expressions = [guard.when for guard in guards if guard.when is not None]
    expressions += [expression for guard in guards for _, expression in guard.assignments]
    return any("count(" in expression.text for expression in expressions)


class Played:
    """The positions of a puzzle and their moves, by the rules."""

    def __init__(self, puzzle: Puzzle, limit: int) -> None:
        self.puzzle = puzzle
        self.moves: dict[Position, list[Move]] = {}
        self.is_complete = True
        first = start(puzzle)
        known, waiting = {first}, [first]
        for position in waiting:  # the loop appends to this list
            if len(self.moves) >= limit:
                self.is_complete = False
                break
            self.moves[position] = list(legal_moves(position))
            for move in self.moves[position]:
                if move.target not in known:
                    known.add(move.target)
                    waiting.append(move.target)
        self.known = known
        parts = {id(p): p for metric in puzzle.metrics.values() for p in metric.parts}
        self.parts = list(parts.values())

    def compare(self, task: Task) -> None:
        """Compare the moves of every position, and whether it is a goal or forbidden. Raises DifferenceError."""
        states: dict[Position, int] = {}
        for position in self.known:
            try:
                states[position] = encode(task, position)
            except KeyError as missing:
                raise DifferenceError(f"{_shown(position)} has no state: {missing}") from None
        if states[start(self.puzzle)] != task.initial:
            raise DifferenceError("the initial state is not that of the start")
        prices = self._prices(task)
        for position, state in states.items():
            for what, truth, found in (
                ("a goal", is_goal(position), task.is_goal(state)),
                ("forbidden", is_forbidden(position), task.is_forbidden(state)),
            ):
                if truth != found and (what == "a goal" or position != start(self.puzzle)):
                    raise DifferenceError(
                        f"{_shown(position)}: {what} by the rules {truth}, task {found}"
                    )
        for position, moves in self.moves.items():
            state = states[position]
            wanted: dict[int, set[Price]] = {}
            for move in moves:
                price = tuple(part.weight(move.rule, move.binding) for part in self.parts)
                wanted.setdefault(states[move.target], set()).add(price)
            found: dict[int, set[Price]] = {}
            for index, operator in enumerate(task.moves):
                if not operator.is_applicable(state):
                    continue
                after = task.after(index, state)
                if after is None or after == state or task.is_forbidden(after):
                    continue
                found.setdefault(after, set()).add(prices[index])
            self._check_moves(task, position, states, wanted, found)

    def _prices(self, task: Task) -> list[Price]:
        return [tuple(p.weight(m.rule, m.binding) for p in self.parts) for m in task.moves]

    def _check_moves(
        self,
        task: Task,
        position: Position,
        states: Mapping[Position, int],
        wanted: Mapping[int, set[Price]],
        found: Mapping[int, set[Price]],
    ) -> None:
        if wanted == found:
            return
        back = {state: reached for reached, state in states.items()}
        missing = [back[state] for state in wanted.keys() - found.keys()]
        extra = list(found.keys() - wanted.keys())
        if missing:
            rules = {m.rule for m in self.moves[position] if m.target in missing}
            raise DifferenceError(
                f"{_shown(position)}: the task lacks {', '.join(map(_shown, missing))} by {rules}"
            )
        if extra:
            state = states[position]
            rules = {
                m.rule
                for i, m in enumerate(task.moves)
                if m.is_applicable(state) and task.after(i, state) in extra
            }
            names = [_named(task, state) for state in extra]
            raise DifferenceError(
                f"{_shown(position)}: the task allows {'; '.join(names)} by {rules}"
            )
        prices = {_shown(back[s]): (wanted[s], found[s]) for s in wanted if wanted[s] != found[s]}
        raise DifferenceError(f"{_shown(position)}: prices by the rules and by the task {prices}")


def _compare_cores(played: Played, task: Task, metric: Metric) -> int:
    """Compare both cores with the reference. Raises DifferenceError."""
    try:
        table = cost_table(task, metric)
    except UsageError:
        return 0  # a metric that merges moves, with consequences outside the operators
    reach = exhaust(played.puzzle, metric, 10_000, played.moves)
    layers: dict[tuple[int, ...], int] = {}
    for cost in reach.costs.values():
        layers[cost] = layers.get(cost, 0) + 1
    wanted = (len(reach.costs), reach.num_goal_states, reach.minimum, tuple(sorted(layers.items())))
    for core in (pure.search, search.search):
        try:
            outcome = core(task.problem, table, exhaust=True)
            quick = core(task.problem, table)
        except UsageError:
            continue  # the native core refuses permutations of different costs
        found = (outcome.num_states, outcome.num_goal_states, outcome.cost, outcome.layers)
        if found != wanted:
            raise DifferenceError(f"{core.__module__} finds {found}, the rules {wanted}")
        if quick.cost != reach.minimum:
            raise DifferenceError(
                f"{core.__module__} finds {quick.cost}, the rules {reach.minimum}"
            )
        for result in (outcome, quick):
            if result.cost is not None and plan_cost(task, metric, result.plan) != result.cost:
                raise DifferenceError(
                    f"{core.__module__}: a plan of another cost than {result.cost}"
                )
    return 2


def _compare_engine(played: Played, task: Task, metric: Metric, engine: str) -> int:
    """Compare a planning engine with the reference, if all plans are short. Raises DifferenceError."""
    reach = exhaust(played.puzzle, metric, 10_000, played.moves)
    last = max(reach.costs.values())[0]
    if last > 6 or len(task.moves) > 400:
        return 0
    options = {} if reach.minimum is not None else {"last": last + 2}
    try:
        answer = solve(engine, task, metric, Limits(seconds=20), None, **options)
    except UsageError:
        return 0  # layers cannot count this metric
    if answer.status == "limit" and answer.reason == "time":
        return 0
    if reach.minimum is None:
        if answer.status not in ("limit", "unsolvable"):
            raise DifferenceError(f"{engine} says {answer.status}, by the rules there is no plan")
    elif (answer.status, answer.cost) != ("optimal", reach.minimum):
        raise DifferenceError(f"{engine}: {answer.status} {answer.cost}, the rules {reach.minimum}")
    return 1


def _compare_backward(played: Played, task: Task, metric: Metric) -> int:
    """Compare the backward search of SAT with the reference. Raises DifferenceError."""
    if len(task.moves) > 400:
        return 0
    try:
        planning = planning_task(task, metric)
        if not can_search_backward(planning):
            return 0
        backward = BackwardSearch(Bounds(planning))
        backward.advance(perf_counter() + 5)
    except UsageError:
        return 0  # layers cannot count this metric, or free moves change too many facts
    backward.close()
    reach = exhaust(played.puzzle, metric, 10_000, played.moves)
    if not backward.has_answer:
        if reach.minimum is not None and backward.refuted * planning.unit >= reach.minimum[0]:
            raise DifferenceError(f"backward: over {backward.refuted}, the rules {reach.minimum}")
        return 0
    found = None
    if backward.states is not None:
        found = (operators_of(planning, backward.states)[0] * planning.unit,)
    if found != reach.minimum:
        raise DifferenceError(f"backward: {found}, the rules {reach.minimum}")
    return 1


def _shown(position: Position) -> str:
    classes = position.puzzle.classes
    pieces = sorted(
        f"{classes[c].label or classes[c].kind}@{position.board.coordinates(cell)}"
        for c, cell in position.pieces
    )
    values = [
        f"{v.name}={x}" for v, x in zip(position.puzzle.variables, position.values, strict=True)
    ]
    return "<" + " ".join([*pieces, *values]) + ">"


def _named(task: Task, state: int) -> str:
    return " ".join(fact.name for n, fact in enumerate(task.facts) if state >> n & 1)
