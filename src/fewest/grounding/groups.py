"""Groups of facts of which every reachable state has the same number, read off the operators."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from fewest.model.settling import EffectStage
from fewest.model.task import Fact, Group, Operator, facts_in

Exchange = tuple[list[int], list[int]]  # facts that are deleted, and added


def exchanges(
    facts: Sequence[Fact], operators: Iterable[Operator], stages: Iterable[EffectStage]
) -> Iterator[Exchange]:
    """What every operator and every effect of a consequence deletes and adds."""
    exchanged: set[tuple[int, int]] = set()  # whichever way: the inverse says the same
    for operator in operators:
        old = operator.flip & operator.value
        new = operator.flip ^ old
        exchanged.add((old, new) if old < new else (new, old))
    for old, new in exchanged:
        yield facts_in(old), facts_in(new)
    for stage in stages:
        for effect in (effect for place in stage.places for effect in place):
            held = effect.need_value if stage.is_everywhere else effect.value
            # A variable loses whichever value it has: one, so that the new one may stand for it.
            deleted = [f for f in facts_in(effect.clear) if facts[f].slot < 0]
            set_anew = [f for f in facts_in(effect.flip & effect.clear) if facts[f].slot >= 0]
            added = facts_in(effect.flip & ~held)
            yield [*deleted, *facts_in(effect.flip & held & ~effect.clear), *set_anew], added


def exactly_groups(
    facts: Sequence[Fact], changes: Iterable[Exchange], initial: int
) -> tuple[Group, ...]:
    """Disjoint exactly-k groups: each variable, and each part of a piece class that never mixes.

    Facts of one class are joined where a change exchanges them (deletes one, adds the other), so
    cars of one shape in different rows come apart. A group is kept only if every change deletes as
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
    flips: list[Exchange] = []
    for deleted, added in changes:
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
