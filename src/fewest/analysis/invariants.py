"""Invariants of a task: the number of empty cells, the facts that may ever be true, and the facts that exclude each
other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fewest.model.task import Group, Task, facts_in


def num_empty_cells(exactly: Sequence[Group], at_most_one: Sequence[tuple[int, ...]]) -> int | None:
    """The number of empty cells in every reachable state; None if the groups do not determine this number.

    They determine it if every fact that covers a cell is in an exactly-k group, and all facts of each exactly-k group
    cover the same number of cells.
    """
    num_cells: dict[int, int] = {}
    for cell in at_most_one:
        for fact in cell:
            num_cells[fact] = num_cells.get(fact, 0) + 1
    covered = 0
    for group in exactly:
        sizes = {num_cells.pop(fact, 0) for fact in group.facts}
        if len(sizes) > 1:
            return None
        covered += group.count * sizes.pop()
    return None if num_cells else len(at_most_one) - covered


def possible_facts(task: Task) -> int:
    """The set of facts that may ever be true; all other facts are false in every reachable state.

    Deletions are ignored: a fact is possible if it is true at the start, if an operator that requires only possible
    facts adds it, or if a permutation moves a possible fact to it. The time is proportional to the number of operators
    times the number of rounds.
    """
    if task.consequences:  # the grounder has already selected the possible facts in this way
        at_rest = (f.class_id >= 0 or f.slot >= 0 for f in task.facts)
        return sum(1 << number for number, is_there in enumerate(at_rest) if is_there)
    possible = task.initial
    waiting = list(task.operators)
    while True:
        later = []
        before = possible
        for operator in waiting:
            if operator.value & ~possible:
                later.append(operator)
            else:
                possible |= operator.flip
        for permutation in task.permutations:
            possible |= permutation.apply(possible)
        if possible == before:
            return possible
        waiting = later


def mutexes(num_facts: int, groups: Iterable[int]) -> list[int]:
    """For each fact, the bit set of the facts that exclude it, given that at most one fact of each of these groups is
    true.
    """
    out = [0] * num_facts
    for group in groups:
        for fact in facts_in(group):
            out[fact] |= group & ~(1 << fact)
    return out


def proven_at_most_one(task: Task) -> tuple[tuple[int, ...], ...]:
    """The groups in `at_most_one` that provably have at most one true fact in every reachable state.

    The proof is by induction over the operators, for all groups together. If an operator adds a fact of a group, then
    for each other fact of the group, the operator must delete it, or the operator's cube or another group must imply
    that it is false. Groups that violate this rule are removed until all groups obey it. If the task has permutations
    or separate consequences, no group is proved.
    """
    if task.consequences or task.permutations:
        return ()
    groups = [
        (facts, mask)
        for facts in task.at_most_one
        if ((mask := sum(1 << fact for fact in facts)) & task.initial).bit_count() <= 1
    ]
    single = [sum(1 << f for f in group.facts) for group in task.exactly if group.count <= 1]
    while True:
        excluded = mutexes(len(task.facts), (*single, *(mask for _, mask in groups)))
        groups_of: list[list[int]] = [[] for _ in task.facts]
        for number, (facts, _) in enumerate(groups):
            for fact in facts:
                groups_of[fact].append(number)
        broken: set[int] = set()
        for operator in task.operators:
            added = operator.flip & ~operator.value
            gone = operator.mask & ~operator.value | operator.flip & operator.value
            for fact in facts_in(operator.value):
                gone |= excluded[fact]
            gone &= ~added
            for fact in facts_in(added):
                others = ~(gone | 1 << fact)
                broken.update(n for n in groups_of[fact] if groups[n][1] & others)
        if not broken:
            return tuple(facts for facts, _ in groups)
        groups = [group for number, group in enumerate(groups) if number not in broken]
