"""Grounding: a `Puzzle` becomes a `Task`.

The rules add operators over *provisional* facts (every class on every cell where it fits, every value of every
variable). A relaxed exploration then keeps only the facts that can ever become true, and renumbers these facts. The
invariants are derived from the remaining operators.

Consequences become part of the operators if this leads to few operators, because every engine supports such operators.
Otherwise, consequences become separate effects on intermediate states. The modules for rules other than slides are
imported only if the puzzle has such rules.
"""

from __future__ import annotations

import time

from fewest.grounding.applicability import RuleApplicability
from fewest.grounding.conditions import ground_condition
from fewest.grounding.goals import MAX_GOALS, ground_goal
from fewest.grounding.grounder import MAX_CONDITION_STEPS, MAX_FLIPS, Grounder, Watch
from fewest.grounding.late_conditions import add_tests
from fewest.grounding.partial import PartialState, partial
from fewest.grounding.slide import ground_slide
from fewest.grounding.task_builder import TaskBuilder
from fewest.model.puzzle import Puzzle
from fewest.model.rules import Action, Cycle, Pattern, Pivot, Rule, Slide, Together
from fewest.model.task import Task

# after this number of steps (about a second), the grounder gives up including consequences in the operators, and makes
# them separate effects
MAX_DIVIDED = 100_000


def ground(
    puzzle: Puzzle,
    watch: Watch | None = None,
    *,
    most_divided: int = MAX_DIVIDED,
    most_flips: float = MAX_FLIPS,
    most_goals: int = MAX_GOALS,
    most_condition_steps: int | None = MAX_CONDITION_STEPS,
    seconds: dict[str, float] | None = None,
) -> Task:
    """The task of a puzzle. Raises DocumentError if a limit of the grounder is exceeded (`task-too-large`), if a
    consequence applies at the start (`start-unsettled`), or if an expression of a move, the goal or `forbid` has no
    value in some state.

    `watch` is called repeatedly with the number of operators and the current part; exceptions that it raises propagate.
    `most_divided`: the limit on the steps for making consequences part of the operators; if it is 0, consequences
    become separate effects. `most_condition_steps`: the limit on the steps for the cases of one `when`; beyond it,
    effects test the `when` (None: no limit). `most_flips`: the limit on the number of operators into which a move that
    sets variables is divided; beyond it, the move becomes a simultaneous assignment. `most_goals`: the limit on the
    cubes of a goal that is a single list. `seconds` receives the processor time that each part of the document takes.
    """
    grounder = Grounder(puzzle, watch)
    began = [time.process_time(), 0.0]

    def done(part: str) -> None:
        if seconds is not None:
            began[1] = time.process_time()
            seconds[part] = seconds.get(part, 0.0) + began[1] - began[0]
            began[0] = began[1]

    grounder.most_flips = most_flips
    grounder.ways = RuleApplicability(grounder, ground_rule)
    grounder.waits_for_pairs = True
    # Effects cannot test the conditions of merged moves. Nor can they test the conditions of moves with consequences,
    # because these moves have other effects.
    merges = any(part.merge != "none" for m in puzzle.metrics.values() for part in m.parts)
    if not merges and not grounder.has_consequences:
        grounder.most_condition_steps = most_condition_steps
    goal: list[list[PartialState]] = [[]]
    # A goal with too many cases is refused before the moves are compiled. If there are consequences, the goal is
    # compiled after the moves: by then, more facts are known to be static, which makes the goal smaller.
    is_early = puzzle.goal is not None and not grounder.has_consequences
    if is_early:
        goal = _ground_goal(grounder, most_goals)
        done("goal")
    for rule in puzzle.rules:
        grounder.part = ("moves", rule.name)
        grounder.step()
        ground_rule(rule, grounder)
        done(rule.name)
    if grounder.set_moves:
        from fewest.grounding.pairs import divide_set_moves

        divide_set_moves(grounder)
        done("pairs of values")
    refused = None
    if grounder.late and (grounder.pending or grounder.permutations):
        return ground(
            puzzle,
            watch,
            most_flips=most_flips,
            most_goals=most_goals,
            most_condition_steps=None,
            seconds=seconds,
        )
    if grounder.late:
        refused = add_tests(grounder)
    if grounder.has_consequences:
        from fewest.grounding.compile_consequences import follow_moves

        grounder.part = ("then",)
        follow_moves(grounder, most_divided, done)
        done("then")
    if puzzle.goal is not None and not is_early:
        goal = _ground_goal(grounder, most_goals)
        done("goal")
    forbid: list[PartialState] = []
    for number, condition in enumerate(puzzle.forbid):
        grounder.part = ("forbid", number) if len(puzzle.forbid) > 1 else ("forbid",)
        forbid += ground_condition(condition, grounder)
    # forbid states in which no piece has obeyed the command
    forbid += [partial([order.given]) for order in grounder.orders]
    if any(e.undefined for stage in grounder.effects for place in stage.places for e in place):
        forbid.append(partial([grounder.stray]))
    if refused is not None:
        forbid.append(partial([refused]))
    grounder.part = ()
    # this breaks a reference cycle, so that the memory is freed immediately
    grounder.ways = None
    done("forbid")
    task = TaskBuilder(grounder).task(goal, forbid)
    done("facts")
    return task


def _ground_goal(grounder: Grounder, most: int) -> list[list[PartialState]]:
    grounder.part = ("goal",)
    assert grounder.puzzle.goal is not None, "there is a goal"
    return ground_goal(grounder.puzzle.goal, grounder, most)


def ground_rule(rule: Rule, grounder: Grounder) -> None:
    """Add the operators of the rule to the grounder."""
    match rule:
        case Slide():
            ground_slide(rule, grounder)
        case Pattern() if rule.goes_on:
            from fewest.grounding.repeated_pattern import ground_repeated

            ground_repeated(rule, grounder)
        case Pattern():
            from fewest.grounding.pattern import ground_pattern

            ground_pattern(rule, grounder)
        case Cycle():
            from fewest.grounding.cycle import ground_cycle

            ground_cycle(rule, grounder)
        case Action():
            from fewest.grounding.action import ground_action

            ground_action(rule, grounder)
        case Together():
            from fewest.grounding.together import ground_together

            ground_together(rule, grounder)
        case Pivot():
            from fewest.grounding.pivot import ground_pivot

            ground_pivot(rule, grounder)
