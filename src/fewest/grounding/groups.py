"""Groups of facts, derived from the operators: a group has the same number of true facts in every reachable state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from fewest.model.task import Fact, Group, Operator, PermutationOperator, facts_in

if TYPE_CHECKING:
    from fewest.model.conditional_effects import ConditionalEffectStage

Exchange = tuple[list[int], list[int]]  # the deleted facts, and the added facts


def exchanges(
    facts: Sequence[Fact], operators: Iterable[Operator], stages: Iterable[ConditionalEffectStage]
) -> Iterator[Exchange]:
    """For the operators (without repetition) and for every conditional effect, the facts that are deleted and the facts
    that are added.
    """
    exchanged: set[tuple[int, int]] = set()  # an exchange and its inverse share an entry
    for operator in operators:
        old = operator.flip & operator.value
        new = operator.flip ^ old
        exchanged.add((old, new) if old < new else (new, old))
    for old, new in exchanged:
        yield facts_in(old), facts_in(new)
    for stage in stages:
        for effect in (effect for place in stage.places for effect in place):
            held = effect.need_value if stage.is_everywhere else effect.value
            # An effect may replace any value of a variable; in this case, one of the values represents all of them.
            deleted = [f for f in facts_in(effect.clear) if facts[f].slot < 0]
            set_anew = [f for f in facts_in(effect.flip & effect.clear) if facts[f].slot >= 0]
            added = facts_in(effect.flip & ~held)
            yield [*deleted, *facts_in(effect.flip & held & ~effect.clear), *set_anew], added


def exactly_groups(
    facts: Sequence[Fact],
    families: Sequence[int],
    changes: Iterable[Exchange],
    permutations: Sequence[PermutationOperator],
    initial: int,
) -> tuple[Group, ...]:
    """The groups of pieces and variables. If all operators are permutations and the groups of cells make states
    smaller, the result contains the groups of cells, together with those groups of pieces and variables that share no
    fact with them.

    `families`: a number for each class; a class has the same number as the classes that its pieces can become. For the
    cost, see `_by_piece`.
    """
    flips = list(changes)
    owners = [(families[f.class_id] if f.class_id >= 0 else -1, f.slot) for f in facts]
    by_piece = _by_piece(facts, owners, flips, permutations, initial)
    if flips or not permutations:
        return by_piece
    by_cell = _by_cell(facts, permutations, initial)
    inside = {fact for group in by_cell for fact in group.facts}
    others = tuple(group for group in by_piece if inside.isdisjoint(group.facts))
    return min(by_piece, (*by_cell, *others), key=lambda groups: _bits(groups, len(facts)))


def _bits(groups: Sequence[Group], num_facts: int) -> int:
    """The number of bits of a state: a group with exactly one true fact needs the bits of an index, and every other
    fact needs one bit.
    """
    ones = [group.facts for group in groups if group.count == 1]
    return sum((len(each) - 1).bit_length() - len(each) for each in ones) + num_facts


def _by_cell(
    facts: Sequence[Fact], permutations: Sequence[PermutationOperator], initial: int
) -> tuple[Group, ...]:
    """For each cell that always has exactly one piece, the group of its possible contents.

    Proof: one fact of each group is true at the start, and every permutation maps the facts of a group to the facts of
    a group.
    """
    cells: dict[int, frozenset[int]] = {}
    for number, fact in enumerate(facts):
        if fact.cell >= 0:
            cells[fact.cell] = cells.get(fact.cell, frozenset()) | {number}
    filled = {group for group in cells.values() if sum(initial >> f & 1 for f in group) == 1}
    while True:
        broken = {
            group
            for permutation in permutations
            for group in filled
            if frozenset(permutation.image[fact] for fact in group) not in filled
        }
        if not broken:
            return tuple(Group(tuple(sorted(group)), 1) for group in sorted(filled, key=min))
        filled -= broken


def _by_piece(
    facts: Sequence[Fact],
    owners: Sequence[tuple[int, int]],
    changes: Iterable[Exchange],
    permutations: Sequence[PermutationOperator],
    initial: int,
) -> tuple[Group, ...]:
    """Disjoint exactly-k groups: one for each variable, and one for each part of a piece class that never exchanges
    facts with the other parts.

    Two facts of one owner (a variable, or a class and the classes that its pieces can become) are joined if a change
    exchanges them (it deletes one and adds the other). Cars of one shape in different rows are therefore in separate
    groups. A group remains only if every change adds as many of its facts as it deletes. The cube of the change
    determines the deleted facts, which proves the group. A class of pieces that are captured or created has no group.
    The cost is linear in the number of flips, up to a factor of the inverse Ackermann function.
    """
    parent = list(range(len(facts)))

    def root(fact: int) -> int:
        while parent[fact] != fact:
            parent[fact] = parent[parent[fact]]
            fact = parent[fact]
        return fact

    flips: list[Exchange] = []
    for deleted, added in changes:
        if len(deleted) == len(added) == 1 and owners[deleted[0]] == owners[added[0]]:
            parent[root(added[0])] = root(deleted[0])
            continue  # this change cannot violate the group that now contains both facts
        flips.append((deleted, added))
        first: dict[tuple[int, int], int] = {}
        for fact in (*deleted, *added):
            known = first.setdefault(owners[fact], fact)
            parent[root(fact)] = root(known)
    for permutation in permutations:
        for fact, image in enumerate(permutation.image):
            parent[root(fact)] = root(image)
    variables: dict[int, int] = {}
    for number, entry in enumerate(facts):
        # all values of a variable belong to one group, even if no change exchanges them
        if entry.slot >= 0:
            parent[root(number)] = root(variables.setdefault(entry.slot, number))
    broken: set[int] = set()
    roots = [root(fact) for fact in range(len(facts))]
    for deleted, added in flips:
        balance: dict[int, int] = {}
        for fact in deleted:
            balance[roots[fact]] = balance.get(roots[fact], 0) - 1
        for fact in added:
            balance[roots[fact]] = balance.get(roots[fact], 0) + 1
        broken.update(group for group, change in balance.items() if change)
    members: dict[int, list[int]] = {}
    for fact_id, key in enumerate(roots):
        members.setdefault(key, []).append(fact_id)
    return tuple(
        Group(tuple(group), sum(initial >> fact & 1 for fact in group))
        for key, group in members.items()
        if key not in broken
    )
