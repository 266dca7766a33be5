"""Compiles simultaneous assignments to operators with flips, for engines that support nothing else.

In a task, a move with simultaneous assignments has several effects, one for each value that the move reads
(`grounding.assignments`). This module replaces the move with one operator for each combination of these values. (If a
move sets only a few variables, the grounder itself does this.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from fewest.errors import UsageError
from fewest.model.conditional_effects import ConditionalEffect
from fewest.model.task import Operator, Task, facts_in

MAX_OPERATORS = 200_000


class CompiledTask(NamedTuple):
    """A task without consequences, and, for each of its moves, the id of the corresponding move of the original
    task.
    """

    task: Task
    origins: tuple[int, ...]


class _Case(NamedTuple):
    """A case of a move: its precondition, the facts that it replaces, and the new facts."""

    mask: int
    value: int
    clear: int = 0
    made: int = 0


def compile_to_flips(task: Task, engine: str) -> CompiledTask:
    """The equivalent task in which all operators only flip facts. The pending facts, which come last, are removed; the
    other facts keep their numbers. The consequences of the task must all belong to pending facts.

    Raises UsageError if there are more than MAX_OPERATORS operators; `engine` is the engine's name for the message.
    """
    places: dict[int, list[Sequence[ConditionalEffect]]] = {}
    for place in (place for stage in task.consequences for place in stage.places):
        places.setdefault(place[0].value & task.pending, []).append(place)
    slots: dict[int, int] = {}
    for number, fact in enumerate(task.facts):
        if fact.slot >= 0:
            slots[fact.slot] = slots.get(fact.slot, 0) | 1 << number
    operators: list[Operator] = []
    origins: list[int] = []
    for number, operator in enumerate(task.operators):
        begun = operator.flip & task.pending
        for new in _cases(task, operator, places[begun], slots) if begun else (operator,):
            operators.append(new)
            origins.append(number)
            if len(operators) > MAX_OPERATORS:
                raise UsageError(
                    f"{engine} does not support the rule `{operator.rule}` of {task.name}, because its "
                    f"assignments would need more than {MAX_OPERATORS:,} moves",
                    hint="fewest can search (--engine bfs, sat, asp), explore, prove, check and play such puzzles",
                )
    origins += range(len(task.operators), len(task.moves))
    num_remaining = len(task.facts) - task.pending.bit_count()
    assert task.pending == (1 << len(task.facts)) - (1 << num_remaining), "pending facts come last"
    return CompiledTask(
        replace(
            task,
            facts=task.facts[:num_remaining],
            operators=tuple(operators),
            permutations=tuple(
                replace(p, image=p.image[:num_remaining]) for p in task.permutations
            ),
            consequences=(),
            pending=0,
        ),
        tuple(origins),
    )


def _cases(
    task: Task,
    operator: Operator,
    places: Sequence[Sequence[ConditionalEffect]],
    slots: dict[int, int],
) -> Iterator[Operator]:
    """The operators of one move."""
    own = ~task.pending
    cases = [_Case(operator.mask & own, operator.value)]
    for place in places:
        cases = [
            case._replace(clear=case.clear | effect.clear, made=case.made | effect.flip & own)
            for known in cases
            for effect in place
            if (case := _refined(known, effect.mask & own, effect.value & own, slots)) is not None
        ]
        if len(cases) > MAX_OPERATORS:  # the caller also counts the operators and raises the error
            break
    for case in cases:
        for whole in _replaced(case, slots):
            flip = (whole.value & whole.clear) ^ whole.made
            if flip:
                mask = whole.mask | flip
                yield replace(operator, mask=mask, value=whole.value, flip=flip)


def _replaced(case: _Case, slots: dict[int, int]) -> Iterator[_Case]:
    """The case, split into one case for each combination of replaced values."""
    for values in slots.values():
        if case.clear & values and not case.value & values:
            for fact in facts_in(values & ~case.mask):
                refined = _refined(case, 1 << fact, 1 << fact, slots)
                if refined is not None:
                    yield from _replaced(refined, slots)
            return
    yield case


def _refined(case: _Case, mask: int, value: int, slots: dict[int, int]) -> _Case | None:
    """The case, restricted by an additional condition. The result is None if the case and the condition contradict each
    other, because a variable has only one value.
    """
    if (case.value ^ value) & case.mask & mask:
        return None
    both = case.value | value
    if any((both & values).bit_count() > 1 for values in slots.values()):
        return None
    return case._replace(mask=case.mask | mask, value=both)
