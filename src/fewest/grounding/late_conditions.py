"""Late conditions: a move happens first, and effects test its `when` afterwards.

The negation of a `when` with many cases can have few cases: "no spot can spread" has a case for every combination of
spots, whereas its negation has one cube per spot. A late condition requires no case split for such a `when`. Instead,
the move makes a hidden fact *tested* true, which is false in every position. The first effect that fits ends the test.
Each cube of the negation has an effect that leads to a forbidden state, so that the move is not allowed; the last
effect, which fits if no cube does, only makes the fact *tested* false again. The cubes describe the state before the
move. Effects can still test these cubes after the move, because a move flips only facts that its precondition
determines, and the cubes do not contain these facts. This is sound in all metrics, because costs belong to operators,
and the costs of operators do not change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from msgspec.structs import replace

from fewest.errors import DocumentError
from fewest.grounding.alternatives import cases_of, negation_of
from fewest.grounding.grounder import Grounder, ManyCasesError, TooManyCasesError
from fewest.grounding.partial import DraftEffect, DraftStage, PartialState, partial
from fewest.grounding.rule_test_limit import ManyRuleTestsError
from fewest.grounding.view import PartialView, UndecidedError

if TYPE_CHECKING:
    from fewest.model.expression import Expression
    from fewest.model.rules import Names

T = TypeVar("T")
Cubes = tuple[PartialState, ...]


class _Marked(NamedTuple):
    """A partial state with a mark, and the cubes in which the condition is false."""

    at: PartialState
    excluded: Cubes


class _Excluded:
    """The result in states in which the condition is false."""


def refinements(
    when: Expression | None,
    names: Names,
    grounder: Grounder,
    at: PartialState,
    decide: Callable[[PartialView], T],
) -> Iterator[tuple[T, PartialState]]:
    """The results of `decide` on disjoint refinements of `at` in which a condition is true.

    If there are many refinements and the negation of the condition has few cubes, the refinements ignore the condition
    and contain a mark instead: a fact that must be false. `add_tests` replaces the mark.
    """
    if when is None:
        yield from grounder.split(decide, at)
        return
    found = _cases_or_mark(when, names, grounder, at)
    if isinstance(found, _Marked):
        try:
            results = grounder.split(_unless(found.excluded, decide, grounder), found.at)
        except DocumentError:  # there are too many cases, or the condition itself has no value
            found = cases_of(when, names, grounder, at)
        else:
            for result, case in results:
                if not isinstance(result, _Excluded):
                    yield result, case
            return
    try:
        for case in found:
            yield from grounder.split(decide, case)
    except ManyCasesError as error:
        error.cases = found
        raise


def _unless(
    excluded: Cubes, decide: Callable[[PartialView], T], grounder: Grounder
) -> Callable[[PartialView], T | _Excluded]:
    """Like `decide`, but the result is `_Excluded` for states in which `decide` raises DocumentError and the condition
    is false. For example, the rest of the rule may set a variable to a value that is out of range there.
    """

    def result(view: PartialView) -> T | _Excluded:
        try:
            return decide(view)
        except DocumentError:
            at = view.at
            open_cubes = [
                (cube.positive - at.positive, cube.negative - at.negative)
                for cube in excluded
                if grounder.is_consistent(
                    PartialState(cube.positive | at.positive, cube.negative | at.negative)
                )
            ]
            if not open_cubes:
                raise
            positive, negative = min(open_cubes, key=lambda cube: len(cube[0]) + len(cube[1]))
            fact = min(positive | negative, default=None)
            if fact is None:
                return _Excluded()
            raise UndecidedError([([fact], []), ([], [fact])]) from None

    return result


def _cases_or_mark(
    when: Expression, names: Names, grounder: Grounder, at: PartialState
) -> list[PartialState] | _Marked:
    """Disjoint cubes within `at` in which a condition is true. If computing them takes too many steps and the negation
    of the condition has few cubes, the result is `at` with a *mark*: a hidden fact that represents the condition and
    must be false.
    """
    if grounder.most_condition_steps is None:
        return cases_of(when, names, grounder, at)
    key = id(when), id(names)
    # a `when` with `can` has too many cases at every place if it has too many at one
    if key not in grounder.negations or not when.tested_rules:
        try:
            with grounder.limited(grounder.most_condition_steps):
                return cases_of(when, names, grounder, at)
        except (TooManyCasesError, ManyRuleTestsError):
            if key not in grounder.negations:
                grounder.negations[key] = when, names, negation_of(when, names, grounder)
    excluded = grounder.negations[key][2]
    if excluded is None:
        return cases_of(when, names, grounder, at)
    left = _within(excluded, at, grounder)
    if not left:
        return [at]
    if partial() in left:
        return []
    mark = grounder.late.get(left)
    if mark is None:
        mark = grounder.late[left] = grounder.add_hidden(f"(mark {len(grounder.late)})")
    return _Marked(PartialState(at.positive, at.negative | {mark}), left)


def _within(cubes: Iterable[PartialState], at: PartialState, grounder: Grounder) -> Cubes:
    """The cubes that intersect `at`, without the facts that `at` determines."""
    left: dict[PartialState, None] = {}
    for cube in cubes:
        both = PartialState(cube.positive | at.positive, cube.negative | at.negative)
        if grounder.is_consistent(both):
            left[PartialState(cube.positive - at.positive, cube.negative - at.negative)] = None
    return tuple(left)


def add_tests(grounder: Grounder) -> int:
    """Replace the marks of all operators by effects. Returns the forbidden fact that these effects make true.

    There must be no permutations and no simultaneous assignments: `ground` compiles puzzles with such moves without
    late conditions.
    """
    assert not grounder.pending and not grounder.permutations, "no other moves have effects"
    cubes_of_mark = {mark: cubes for cubes, mark in grounder.late.items()}
    refused = grounder.add_hidden("(not allowed)")
    tested: dict[Cubes, int] = {}
    drafts, grounder.drafts = grounder.drafts, {}
    for draft in drafts:
        marks = [fact for fact in draft.at.negative if fact in cubes_of_mark]
        if marks:
            (mark,) = marks
            at = PartialState(draft.at.positive, draft.at.negative - {mark})
            cubes = _within(cubes_of_mark[mark], at, grounder)
            if partial() in cubes:
                continue
            draft = replace(draft, at=at)
            if cubes:
                fact = tested.get(cubes)
                if fact is None:
                    fact = tested[cubes] = grounder.add_hidden(f"(test {len(tested)})")
                needs = PartialState(at.positive, at.negative | {fact})
                draft = replace(draft, at=needs, flip=draft.flip | {fact})
        grounder.draft(draft)
    places = [_place(fact, cubes, refused) for cubes, fact in tested.items()]
    if places:
        grounder.effects = (DraftStage(tuple(places)), *grounder.effects)
    return refused


def _place(fact: int, cubes: Cubes, refused: int) -> tuple[DraftEffect, ...]:
    """The effects that end a test: effects that forbid the move, and the effect that allows it."""
    is_tested = frozenset((fact,))
    return (
        *(
            DraftEffect(
                _RULE,
                PartialState(cube.positive | is_tested, cube.negative | {refused}),
                is_tested | {refused},
            )
            for cube in cubes
        ),
        DraftEffect(_RULE, partial(is_tested), is_tested),
    )


_RULE = "when"
