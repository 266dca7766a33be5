"""The symmetries of a task in a metric: for example, mirrored boards, interchangeable colours, rotated rings.

A symmetry is a permutation of facts together with a permutation of run keys. It maps every operator to an operator with
the same weights and corresponding keys, and maps the goal, `forbid` and the groups of facts to themselves. Distances
are then the same from a state and from its image, so a search needs only one state of every orbit (Emerson and Sistla,
Symmetry and model checking, 1996). The start itself may be mapped to another state.

The task is represented by a coloured hypergraph: facts, keys and the lists of the goal are its vertices; operators,
cubes and groups are its edges. Colour refinement with individualisation along a base (McKay, Practical graph
isomorphism, 1981) proposes generators; each of them is verified against the edges before it is used. The result is a
group, but not always the whole symmetry group, because the work of the search for images is limited.

Facts that no operator flips are *static*: they never change their value. A symmetry may therefore map a static fact
only to a static fact with the same value; permutations that differ only in static facts are treated as equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fewest.model.costs import CostTable
from fewest.model.problem import Problem, Symmetry, sets_in

if TYPE_CHECKING:
    Colours = NDArray[np.uint64]
    Permutation = NDArray[np.int32]

MAX_MEMBERS = (
    # the maximum number of members of all edges; refining a graph of this size takes a second
    3_000_000
)
MAX_ORDER = 1_000
MAX_TRIES = 200  # The maximum number of choices in the search for one image.
# The work limit, expressed as rounds of refinement over MAX_MEMBERS members; together, these rounds take a few seconds.
MAX_ROUNDS = 100


def find_symmetry(
    problem: Problem, cost: CostTable, *, fix_initial: bool = False, most: int = MAX_MEMBERS
) -> Symmetry | None:
    """A group of symmetries, which may be a part of the whole group; see `search_symmetry`."""
    return search_symmetry(problem, cost, fix_initial=fix_initial, most=most).symmetry


class FoundSymmetry(Struct, frozen=True):
    """A group of symmetries, or None if only the identity was found.

    `is_whole`: whether no other symmetry of the task exists. A pruning method may use a part of the group, but a count
    up to symmetry is exact only with the whole group.
    """

    symmetry: Symmetry | None
    is_whole: bool


def search_symmetry(
    problem: Problem, cost: CostTable, *, fix_initial: bool = False, most: int = MAX_MEMBERS
) -> FoundSymmetry:
    """The symmetries of a task in a metric. No symmetry is searched for if the operators have more than `most`
    literals, if the task has separate consequences or permutations, or if its groups are not suitable
    (`_has_sound_groups`).

    `fix_initial`: whether to use only symmetries that map the start to itself. A group of more than `max_order`
    elements is replaced by a subgroup. The search needs a few refinements per generator. The time of a refinement is
    proportional to the number of literals of all operators times the number of rounds. The whole search takes 4 ms for
    Klotski, and 0.1 s for 4,000 operators.
    """
    # few symmetries would preserve the order in which consequences apply; the graph has no edges for permutations
    if problem.conditional_effects is not None or problem.num_permutations > 0:
        return FoundSymmetry(None, is_whole=False)
    if sum(len(_facts_in(row)) for row in problem.arrays.mask) > most:
        return FoundSymmetry(None, is_whole=False)
    graph = _Graph(problem, cost, fix_initial, most * MAX_ROUNDS)
    if not graph.has_sound_groups:
        return FoundSymmetry(None, is_whole=False)
    elements = _closure(graph, _generators(graph), max_order(problem))
    if len(elements) == 1:
        return FoundSymmetry(None, not graph.was_limited)
    every = np.array(elements)
    keys, at = [], problem.num_facts
    for facts in cost.arrays.run_fact:
        keys.append(np.ascontiguousarray(every[:, at : at + len(facts)] - at))
        at += len(facts)
    facts_part = np.ascontiguousarray(every[:, : problem.num_facts])
    true = _facts_in(problem.arrays.initial)
    fixes = bool((np.sort(facts_part[:, true], axis=1) == true).all())
    return FoundSymmetry(Symmetry(facts_part, tuple(keys), fixes), not graph.was_limited)


def max_order(problem: Problem) -> int:
    """The maximum order of a group. With this limit, the group's tables of images should fit into the CPU caches."""
    words = problem.words
    return max(2, min(MAX_ORDER, (1 << 24) // ((1 << 14) * words * words)))


class _Graph:
    """The hypergraph. Facts, keys and the lists of the goal are vertices. Operators, cubes, groups, and pairs of a key
    and its fact are edges. An edge has a kind and a set of pairs (vertex, role).
    """

    def __init__(self, problem: Problem, cost: CostTable, fix_initial: bool, work: int = 0) -> None:
        self.work = work  # the work that remains for refinements, in members
        self.was_limited = False  # whether a limit made the search omit possible symmetries
        self.num_facts = problem.num_facts
        sizes = [len(facts) for facts in cost.arrays.run_fact]
        num_lists = len(set(problem.goal_list))
        self.num_vertices = problem.num_facts + sum(sizes) + num_lists
        self.has_sound_groups = _has_sound_groups(problem)
        edges = {
            (kind, tuple(sorted(members))): None for kind, members in _edges(problem, cost, sizes)
        }
        kinds = {kind: number for number, kind in enumerate(dict.fromkeys(k for k, _ in edges))}
        self.kind = np.array([kinds[kind] for kind, _ in edges], dtype=np.uint64)
        lengths = np.array([len(members) for _, members in edges], dtype=np.int64)
        self.first = np.concatenate([[0], np.cumsum(lengths)])
        flat = np.array([m for _, members in edges for m in members], dtype=np.int64).reshape(-1, 2)
        self.vertex, self.role = flat[:, 0], flat[:, 1].astype(np.uint64)
        self.edge = np.repeat(np.arange(len(lengths)), lengths)
        self.by_vertex = np.argsort(self.vertex)
        self.size = len(flat)
        flips = np.bitwise_or.reduce(problem.arrays.flip, axis=0, initial=0)
        self.live = _facts_in(flips)
        start = np.ones(self.num_vertices, dtype=np.uint64)
        start[_facts_in(problem.arrays.initial)] = 2
        if not fix_initial:
            start[self.live] = 0
        others = [*sizes, num_lists]
        start[self.num_facts :] = 3 + np.repeat(np.arange(len(others)), others)
        self.start = start

    def refine(self, colours: Colours) -> Colours:
        """A stable refinement of a colouring. The result depends only on the structure of the graph.

        Colours are hashes. A hash collision makes the colouring coarser. The search then makes more attempts, but its
        result remains sound.
        """
        classes = 0
        role, edge = self.role, self.edge
        kind = _mixed(self.kind + np.uint64(77))
        colours = _mixed(colours)
        while (count := len(np.unique(colours))) > classes:
            classes = count
            self.work -= self.size + 5_000  # even a small graph needs this much work per round
            members = _mixed(colours[self.vertex] + _mixed(role + np.uint64(9)))
            seen = _mixed(kind + _sums(members, edge, len(kind)))
            places = _mixed(seen[edge] + _mixed(role + np.uint64(5)))
            around = _sums(places[self.by_vertex], self.vertex[self.by_vertex], self.num_vertices)
            colours = _mixed(colours * np.uint64(3) + around)
        return colours

    def image_edges(self, permutation: Permutation | None) -> set[tuple[int, bytes]]:
        """The image of every edge under a permutation: its kind and its sorted members."""
        vertex = self.vertex if permutation is None else permutation[self.vertex].astype(np.int64)
        member = vertex * 64 + self.role.astype(np.int64)
        member = member[np.lexsort((member, self.edge))]
        raw, first = member.tobytes(), (self.first * 8).tolist()
        return {(kind, raw[first[i] : first[i + 1]]) for i, kind in enumerate(self.kind.tolist())}

    def is_automorphism(self, permutation: Permutation) -> bool:
        """Whether the permutation maps every edge to an edge of the same kind, and every vertex to a vertex that has
        the same initial colour. Returns False if the groups are not suitable (`_has_sound_groups`).
        """
        whole = np.arange(self.num_vertices)
        if len(permutation) != len(whole) or not np.array_equal(np.sort(permutation), whole):
            return False
        if not np.array_equal(self.start[permutation], self.start) or not self.has_sound_groups:
            return False
        return self.image_edges(permutation) == self.image_edges(None)


def _edges(
    problem: Problem, cost: CostTable, sizes: list[int]
) -> Iterator[tuple[object, list[tuple[int, int]]]]:
    num_parts = len(sizes)
    first_key = np.cumsum([problem.num_facts, *sizes]).tolist()
    masks, values, flips = (
        sets_in(rows, problem.words) for rows in (problem.mask, problem.value, problem.flip)
    )
    for index, (mask, value, flip) in enumerate(zip(masks, values, flips, strict=True)):
        members = [(fact, (value >> fact & 1) + 2 * (flip >> fact & 1)) for fact in _bits(mask)]
        for part in range(num_parts):
            for role, key in enumerate(
                (cost.arrays.run_in[part, index], cost.arrays.run_out[part, index])
            ):
                if key >= 0:
                    members.append((first_key[part] + int(key), 8 + 2 * part + role))
        yield ("operator", *cost.arrays.weight[:, index].tolist()), members
    for part, facts in enumerate(cost.arrays.run_fact):
        for key, fact in enumerate(facts.tolist()):
            if fact >= 0:
                yield "run fact", [(first_key[part] + key, 0), (fact, 1)]
    number_of = {of: number for number, of in enumerate(sorted(set(problem.goal_list)))}
    # Every list of the goal is a vertex, so that symmetries map lists to lists.
    lists = [[(first_key[-1] + number_of[of], 2)] for of in problem.goal_list]
    for name, cube_masks, cube_values in (
        ("goal", problem.arrays.goal_mask, problem.arrays.goal_value),
        ("forbid", problem.arrays.forbid_mask, problem.arrays.forbid_value),
    ):
        cubes = zip(map(_integer, cube_masks), map(_integer, cube_values), strict=True)
        for number, (mask, value) in enumerate(cubes):
            members = [(f, value >> f & 1) for f in _bits(mask)]
            if lists and name == "goal":
                members += lists[number]
            # A cube that requires a true fact outside its mask never holds, so it must not be mapped to a cube that may
            # hold.
            yield (name, value & ~mask == 0), members
    for name, groups in (("exactly", problem.exactly_one), ("most", problem.at_most_one)):
        for group in groups:
            yield name, [(fact, 0) for fact in group]


def _has_sound_groups(problem: Problem) -> bool:
    """Whether no fact is in two exactly-one groups, and all groups hold at the start. Otherwise, some cores do not use
    the groups.
    """
    initial = _integer(problem.arrays.initial)
    owned = [fact for group in problem.exactly_one for fact in group]
    return (
        len(owned) == len(set(owned))
        and all(sum(initial >> f & 1 for f in group) == 1 for group in problem.exactly_one)
        and all(sum(initial >> f & 1 for f in group) <= 1 for group in problem.at_most_one)
    )


# -- generators ----------------------------------------------------------------------------------------


def _generators(graph: _Graph) -> list[Permutation]:
    """Verified automorphisms along a base. The automorphisms that fix the most vertices come first."""
    colours = graph.refine(graph.start)
    levels: list[tuple[Colours, NDArray[np.int64]]] = []
    while (cell := _open_cell(colours, graph.live)) is not None and graph.work > 0:
        levels.append((colours, cell))
        colours = graph.refine(_individualised(colours, int(cell[0])))
    graph.was_limited |= cell is not None
    generators: list[Permutation] = []
    for colours, cell in reversed(levels):
        reached = _orbit(int(cell[0]), generators)
        for image in cell[1:].tolist():
            if image in reached:
                continue
            if graph.work <= 0:
                graph.was_limited = True
                continue
            permutation = _match(graph, colours, int(cell[0]), image)
            if permutation is not None:
                generators.append(permutation)
                reached = _orbit(int(cell[0]), generators)
    return generators


def _match(graph: _Graph, colours: Colours, vertex: int, image: int) -> Permutation | None:
    """A verified automorphism that preserves colours and maps `vertex` to `image`, or None if the search finds no such
    automorphism.
    """
    every = np.arange(graph.num_vertices)
    tries = MAX_TRIES

    def search(left: Colours, right: Colours) -> Permutation | None:
        nonlocal tries
        order, target = np.argsort(left), np.argsort(right)
        if not np.array_equal(left[order], right[target]):
            return None
        cell = _open_cell(left, graph.live)
        if cell is None:
            cell = _open_cell(left, every)
        if cell is None:
            permutation = np.empty(graph.num_vertices, dtype=np.int32)
            permutation[order] = target
            return permutation if graph.is_automorphism(permutation) else None
        first = int(cell[0])
        images = np.flatnonzero(right == left[first]).tolist()
        # if possible, vertices that the first choice leaves open are mapped to themselves
        if first in images:
            images.remove(first)
            images.insert(0, first)
        finer = graph.refine(_individualised(left, first))
        for candidate in images:
            if tries == 0 or graph.work <= 0:
                graph.was_limited = True
                return None
            tries -= 1
            found = search(finer, graph.refine(_individualised(right, candidate)))
            if found is not None:
                return found
        return None

    return search(
        graph.refine(_individualised(colours, vertex)),
        graph.refine(_individualised(colours, image)),
    )


def _closure(graph: _Graph, generators: list[Permutation], most: int) -> list[Permutation]:
    """The elements of the generated group, beginning with the identity. Any two elements differ in at least one fact
    that is not static.

    Generators that would make the group larger than `most` are omitted. The other generators generate a subgroup.
    """
    identity = np.arange(graph.num_vertices, dtype=np.int32)
    elements = [identity]
    taken: list[Permutation] = []
    for generator in generators:
        larger = _generated(graph, [*taken, generator], identity, most)
        if larger is not None:
            elements = larger
            taken.append(generator)
        else:
            graph.was_limited = True
    return elements


def _generated(
    graph: _Graph, generators: list[Permutation], identity: Permutation, most: int
) -> list[Permutation] | None:
    known = {identity[graph.live].tobytes(): identity}
    queue = [identity]
    for element in queue:
        for generator in generators:
            product = generator[element]
            name = product[graph.live].tobytes()
            if name not in known:
                if len(known) == most:
                    return None
                known[name] = product
                queue.append(product)
    return queue


def _orbit(vertex: int, generators: list[Permutation]) -> set[int]:
    """The images of a vertex under products of the generators."""
    reached = {vertex}
    queue = [vertex]
    for at in queue:
        for generator in generators:
            to = int(generator[at])
            if to not in reached:
                reached.add(to)
                queue.append(to)
    return reached


# -- colours -------------------------------------------------------------------------------------------


def _open_cell(colours: Colours, among: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """A smallest set of at least two of these vertices with the same colour. The result is None if all of these
    vertices differ in colour.
    """
    seen, count = np.unique(colours[among], return_counts=True)
    count = np.where(count > 1, count, len(among) + 1)
    if not len(count) or count.min() > len(among):
        return None
    cell: NDArray[np.int64] = among[colours[among] == seen[np.argmin(count)]]
    return cell


def _individualised(colours: Colours, vertex: int) -> Colours:
    apart = colours.copy()
    apart[vertex] = _mixed(apart[vertex : vertex + 1] + np.uint64(0x5851F42D4C957F2D))[0]
    return apart


def _mixed(values: Colours) -> Colours:
    """A hash of each number (splitmix64, Steele, Lea and Flood 2014)."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Colours = values ^ (values >> np.uint64(31))
    return mixed


def _sums(values: Colours, owner: NDArray[np.int64], size: int) -> Colours:
    """For each owner, the sum of its values; `owner` is in ascending order."""
    totals = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(values, dtype=np.uint64)])
    bounds = np.searchsorted(owner, np.arange(size + 1))
    sums: Colours = totals[bounds[1:]] - totals[bounds[:-1]]
    return sums


# -- bits ----------------------------------------------------------------------------------------------


def _integer(row: NDArray[np.uint64]) -> int:
    return int.from_bytes(np.ascontiguousarray(row, dtype="<u8").tobytes(), "little")


def _facts_in(row: NDArray[np.uint64]) -> NDArray[np.int64]:
    bits = np.unpackbits(np.ascontiguousarray(row, dtype="<u8").view(np.uint8), bitorder="little")
    return np.flatnonzero(bits)


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
