"""Groups of facts of which every reachable state has the same number, read off the operators."""

from __future__ import annotations

from collections.abc import Sequence

from fewest.model.task import Fact, Group, Operator, facts_in


def exactly_groups(
    facts: Sequence[Fact], operators: Sequence[Operator], initial: int
) -> tuple[Group, ...]:
    """Disjoint exactly-k groups: each variable, and each part of a piece class that never mixes.

    Facts of one class are joined where an operator exchanges them (deletes one, adds the other), so
    cars of one shape in different rows come apart. A group is kept only if every operator deletes as
    many of its facts as it adds, inside its own cube: that is the proof. A class whose pieces are
    captured or created has none. Cost: linear in the flips, up to the inverse Ackermann function.
    """
    parent = list(range(len(facts)))

    def root(fact: int) -> int:
        while parent[fact] != fact:
            parent[fact] = parent[parent[fact]]
            fact = parent[fact]
        return fact

    owners = [(fact.class_id, fact.slot) for fact in facts]
    exchanged: set[tuple[int, int]] = set()  # whichever way: the inverse says the same
    for operator in operators:
        old = operator.flip & operator.value
        new = operator.flip ^ old
        exchanged.add((old, new) if old < new else (new, old))
    flips: list[tuple[list[int], list[int]]] = []
    for old, new in exchanged:
        deleted, added = facts_in(old), facts_in(new)
        flips.append((deleted, added))
        first: dict[tuple[int, int], int] = {}
        for fact in (*deleted, *added):
            known = first.setdefault(owners[fact], fact)
            parent[root(fact)] = root(known)
    variables: dict[int, int] = {}
    for number, entry in enumerate(facts):
        if entry.slot >= 0:  # all values of a variable belong together, also those never exchanged
            parent[root(number)] = root(variables.setdefault(entry.slot, number))
    broken: set[int] = set()
    for deleted, added in flips:
        balance: dict[int, int] = {}
        for fact in deleted:
            balance[root(fact)] = balance.get(root(fact), 0) - 1
        for fact in added:
            balance[root(fact)] = balance.get(root(fact), 0) + 1
        broken.update(group for group, change in balance.items() if change)
    members: dict[int, list[int]] = {}
    for fact_id in range(len(facts)):
        members.setdefault(root(fact_id), []).append(fact_id)
    return tuple(
        Group(tuple(group), sum(initial >> fact & 1 for fact in group))
        for key, group in members.items()
        if key not in broken
    )
