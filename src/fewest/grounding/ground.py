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
from collections.abc import Collection, Sequence
from math import inf

from msgspec import Struct
from msgspec.structs import replace

from fewest.errors import DocumentError
from fewest.grounding.applicability import RuleApplicability
from fewest.grounding.conditions import ground_condition
from fewest.grounding.goals import MAX_GOALS, ground_goal
from fewest.grounding.grounder import MAX_CONDITION_STEPS, MAX_FLIPS, Grounder, Watch
from fewest.grounding.partial import PartialState, partial
from fewest.grounding.rule_test_limit import ManyRuleTestsError, RuleTestLimit
from fewest.grounding.slide import ground_slide
from fewest.grounding.task_builder import TaskBuilder
from fewest.model.puzzle import Puzzle
from fewest.model.rules import Action, Cycle, Pattern, Pivot, Rule, Slide, Together
from fewest.model.task import Task

# after this number of steps (about a second), the grounder gives up including consequences in the operators, and makes
# them separate effects
MAX_DIVIDED = 100_000

MAX_RULE_TESTS = 1_000_000
"""the maximum number of tests for `can(RULE)` and `count(...)` in rules, which take about 0.8 s; if more are necessary,
hidden facts are used instead"""

FACTOR_IF_MERGING = 10
"""the factor for this limit if some metric merges moves, because such a metric does not support hidden facts"""


def ground(
    puzzle: Puzzle,
    watch: Watch | None = None,
    *,
    most_divided: int = MAX_DIVIDED,
    most_flips: float = MAX_FLIPS,
    most_goals: int = MAX_GOALS,
    most_condition_steps: int | None = MAX_CONDITION_STEPS,
    most_rule_tests: int = MAX_RULE_TESTS,
    may_lack_pieces: bool = False,
    seconds: dict[str, float] | None = None,
) -> Task:
    """The task of a puzzle. Raises DocumentError if a limit of the grounder is exceeded (`task-too-large`), if a
    consequence applies at the start (`start-consequence`), or if an expression of a move, the goal or `forbid` has no
    value in some state.

    `watch` is called repeatedly with the number of operators and the current part; exceptions that it raises propagate.
    `most_divided`: the limit on the steps for making consequences part of the operators; if it is 0, consequences
    become separate effects. `most_condition_steps`: the limit on the steps for the cases of one `when`; beyond it,
    effects test the `when` (None: no limit). `most_rule_tests`: the limit on the tests of cases that `can(RULE)` and
    `count(...)` in rules take; beyond it, hidden facts answer these calls (-1: always). `most_flips`: the limit on the
    number of operators into which a move that sets variables is divided; beyond it, the move becomes a simultaneous
    assignment. `most_goals`: the limit on the cubes of a goal that is a single list. `may_lack_pieces`: whether the
    task must be correct for every start that has some of the pieces of the puzzle; it then has no exactly-k groups.
    `seconds` receives the processor time that each part of the document takes.
    """
    form = _Form(most_divided, most_flips, most_goals, most_condition_steps, seconds)
    tested: Sequence[str] = ()
    if any(rule.guard.tested_rules for rule in (*puzzle.rules, *puzzle.then)):
        from fewest.grounding.tested_rules import rules_tested_in_rules

        tested = rules_tested_in_rules(puzzle)
    grounder = Grounder(puzzle, watch, may_lack_pieces=may_lack_pieces)
    began = time.process_time()
    refusal: DocumentError | None = None
    # Metrics that merge moves do not support effects, so they need the cases, even if these take longer.
    merging = [any(p.merge != "none" for p in m.parts) for m in puzzle.metrics.values()]
    has_counts = True
    if most_rule_tests >= 0 or not tested:
        most = max(0, most_rule_tests) * (FACTOR_IF_MERGING if any(merging) else 1)
        grounder.test_limit = limit = RuleTestLimit(inf if all(merging) else most)
        try:
            return _ground(grounder, form)
        except ManyRuleTestsError:
            pass
        except DocumentError as error:
            if (
                not _is_too_large(error, grounder, ("moves", "then"))
                or all(merging)
                or not (tested or limit.has_counts)
            ):
                raise
            refusal = error
        has_counts = limit.has_counts
        if seconds is not None:  # the interrupted part takes the rest of the time
            part = str(grounder.part[-1]) if grounder.part else ""
            rest = time.process_time() - began - sum(seconds.values())
            seconds[part] = seconds.get(part, 0.0) + rest
        grounder = grounder.fresh()
    if has_counts:
        from fewest.grounding.counters import Counters

        grounder.counters = Counters(grounder)
    try:
        return _ground(grounder, form, tested)
    except DocumentError as error:
        from fewest.model.undefined import is_undefined

        # With facts, an expression may have no value in states that the cases of the tested rules exclude.
        if not is_undefined(error) and not _is_too_large(error, grounder, ("moves", "then")):
            raise
        if refusal is not None:
            raise refusal from None
    return _ground(grounder.fresh(), form)


class _Form(Struct, frozen=True):
    """The options of `ground` that determine the form of the task."""

    most_divided: int
    most_flips: float
    most_goals: int
    most_condition_steps: int | None
    seconds: dict[str, float] | None


def _is_too_large(error: DocumentError, grounder: Grounder, sections: Collection[str]) -> bool:
    """Whether the error means that a part of one of these sections of the document is too large."""
    is_here = bool(grounder.part) and grounder.part[0] in sections
    return is_here and all(found.code == "task-too-large" for found in error.diagnostics)


def _ground(grounder: Grounder, form: _Form, tested: Sequence[str] = ()) -> Task:
    """The task. Raises DocumentError, or ManyRuleTestsError if `can(RULE)` in rules takes too many tests.

    `tested`: the rules for which hidden facts answer `can(RULE)`.
    """
    puzzle, seconds = grounder.puzzle, form.seconds
    began = [time.process_time(), 0.0]

    def done(part: str) -> None:
        if seconds is not None:
            began[1] = time.process_time()
            seconds[part] = seconds.get(part, 0.0) + began[1] - began[0]
            began[0] = began[1]

    grounder.most_flips = form.most_flips
    grounder.applicability = applicability = RuleApplicability(grounder, ground_rule)
    grounder.add_rule = ground_rule
    grounder.waits_for_pairs = True
    has_consequences = grounder.has_consequences
    tests = None
    if tested or grounder.counters is not None:
        from fewest.grounding.tested_rules import TestedRules

        tests = TestedRules(grounder, tested, applicability)
        grounder.has_consequences = True
    # Effects cannot test the conditions of merged moves. Nor can they test the conditions of moves with consequences,
    # because these moves have other effects.
    merges = any(part.merge != "none" for m in puzzle.metrics.values() for part in m.parts)
    if not merges and not grounder.has_consequences:
        grounder.most_condition_steps = form.most_condition_steps
    goal: list[list[PartialState]] = [[]]
    # A goal with too many cases is refused before the moves are compiled. If there are consequences, the goal is
    # compiled after the moves: by then, more facts are known to be static, which makes the goal smaller.
    is_early = puzzle.goal is not None and not grounder.has_consequences
    if is_early:
        limit, grounder.test_limit = grounder.test_limit, None
        goal = _ground_goal(grounder, form.most_goals)
        grounder.test_limit = limit
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
        again = grounder.fresh()
        again.test_limit = grounder.test_limit
        return _ground(again, replace(form, most_condition_steps=None))
    if grounder.late:
        from fewest.grounding.late_conditions import add_tests

        refused = add_tests(grounder)
    if has_consequences:
        from fewest.grounding.compile_consequences import follow_moves

        grounder.part = ("then",)
        if tests is None:
            follow_moves(grounder, form.most_divided, done)
        else:
            follow_moves(grounder, 0, done, tests.true_at_start())
        done("then")
    if tests is not None:
        refused = tests.add_tests()
        # goals and `forbid` read positions, in which all hidden facts are false
        grounder.fits, grounder.counters = {}, None
        grounder.applicability = RuleApplicability(grounder, ground_rule)
        done("can")
    grounder.test_limit = None
    if puzzle.goal is not None and not is_early:
        goal = _ground_goal(grounder, form.most_goals)
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
    if grounder.may_lack_pieces:
        forbid += _where_consequences_apply(grounder)
    grounder.part = ()
    # this breaks a reference cycle, so that the memory is freed immediately
    grounder.applicability = None
    done("forbid")
    task = TaskBuilder(grounder).task(goal, forbid)
    done("facts")
    return task


def _where_consequences_apply(grounder: Grounder) -> list[PartialState]:
    """The partial states in which a consequence applies. They contain no position, but only the start is tested."""
    found: dict[PartialState, None] = {}
    once = {rule.name for stage in grounder.puzzle.stages if stage.is_once for rule in stage.rules}
    for rule in grounder.puzzle.then:
        if rule.name not in once:
            alone = grounder.fresh()
            alone.part, alone.applicability = ("then", rule.name), grounder.applicability
            ground_rule(rule, alone)
            found.update((draft.at, None) for draft in alone.drafts)
    return list(found)


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
