"""Makes small problems for the cores in plain integers, and solves them naively, by Dijkstra's algorithm with a dict.

Some problems are random; others are written out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from random import Random

import numpy as np

from fewest.model.costs import CostTable
from fewest.model.problem import Problem
from fewest.search.interface import Outcome

Operator = tuple[int, int, int]  # mask, value, flip
Cube = tuple[int, int]  # mask, value


@dataclass
class Case:
    """A problem and its costs in plain integers."""

    num_facts: int
    initial: int
    operators: list[Operator]
    index_fact: list[int]
    goals: list[Cube]
    forbidden: list[Cube]
    exactly_one: list[list[int]]
    at_most_one: list[list[int]]
    weight: list[list[int]]
    run_in: list[list[int]]
    run_out: list[list[int]]
    run_fact: list[list[int]]

    @property
    def problem(self) -> Problem:
        words = max(1, -(-self.num_facts // 64))

        def rows(values: Sequence[int]) -> np.ndarray:
            raw = b"".join(value.to_bytes(words * 8, "little") for value in values)
            return np.frombuffer(raw, dtype=np.uint64).reshape(-1, words)

        return Problem(
            self.num_facts,
            rows([self.initial])[0],
            rows([o[0] for o in self.operators]),
            rows([o[1] for o in self.operators]),
            rows([o[2] for o in self.operators]),
            np.array(self.index_fact, dtype=np.int32),
            rows([g[0] for g in self.goals]),
            rows([g[1] for g in self.goals]),
            rows([f[0] for f in self.forbidden]),
            rows([f[1] for f in self.forbidden]),
            tuple(tuple(group) for group in self.exactly_one),
            tuple(tuple(group) for group in self.at_most_one),
        )

    @property
    def cost(self) -> CostTable:
        shape = (len(self.weight), len(self.operators))
        return CostTable(
            np.array(self.weight, dtype=np.int64).reshape(shape),
            np.array(self.run_in, dtype=np.int32).reshape(shape),
            np.array(self.run_out, dtype=np.int32).reshape(shape),
            tuple(np.array(facts, dtype=np.int32) for facts in self.run_fact),
        )

    def successors(self, state: int) -> Iterator[tuple[int, int]]:
        for op, (mask, value, flip) in enumerate(self.operators):
            if state & mask == value:
                successor = state ^ flip
                if all(successor & m != v for m, v in self.forbidden):
                    yield op, successor

    def step(self, tokens: tuple[int, ...], op: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The cost of an operator after these tokens, and the tokens afterwards."""
        paid, after = [], []
        for c, token in enumerate(tokens):
            weight = self.weight[c][op]
            if weight == 0:
                fact = self.run_fact[c][token] if token >= 0 else -1
                paid.append(0)
                after.append(-1 if fact >= 0 and self.operators[op][2] >> fact & 1 else token)
            else:
                paid.append(0 if token >= 0 and token == self.run_in[c][op] else weight)
                after.append(self.run_out[c][op])
        return tuple(paid), tuple(after)

    def is_goal(self, state: int) -> bool:
        return any(state & mask == value for mask, value in self.goals)


def add(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def naive_costs(case: Case) -> dict[int, tuple[int, ...]]:
    """The least cost of every reachable state."""
    none = (-1,) * len(case.weight)
    first = (case.initial, none)
    best = {first: (0,) * len(case.weight)}
    queue = [(best[first], *first)]
    found: dict[int, tuple[int, ...]] = {}
    while queue:
        cost, state, tokens = heappop(queue)
        if best[state, tokens] != cost:
            continue
        found.setdefault(state, cost)
        for op, successor in case.successors(state):
            paid, after = case.step(tokens, op)
            total = add(cost, paid)
            if (successor, after) not in best or total < best[successor, after]:
                best[successor, after] = total
                heappush(queue, (total, successor, after))
    return found


def check_plan(case: Case, outcome: Outcome) -> None:
    state, tokens = case.initial, (-1,) * len(case.weight)
    total = (0,) * len(case.weight)
    for op in outcome.plan:
        applicable = dict(case.successors(state))
        assert op in applicable
        state = applicable[op]
        paid, tokens = case.step(tokens, op)
        total = add(total, paid)
    assert case.is_goal(state)
    assert total == outcome.cost


WIDTHS = [6, 9, 70, 130, 200, 300]


def random_cube(random: Random, facts: Sequence[int], size: int) -> Cube:
    chosen = random.sample(facts, min(size, len(facts)))
    mask = sum(1 << fact for fact in chosen)
    return mask, sum(1 << fact for fact in chosen if random.random() < 0.5)


def with_costs(random: Random, case: Case, kind: str, components: int = 1) -> Case:
    """The same problem with random weights, and with random run keys of the given kind."""
    size = len(case.operators)
    weight, run_in, run_out, run_fact = [], [], [], []
    for _ in range(components):
        top = random.choice([1, 1, 3, 12])
        weight.append(
            {
                "equal": [top] * size,
                "runs": [top] * size,
                "free": [random.choice([0, top]) for _ in range(size)],
                "any": [random.choice([0, 0, 1, 1, 2, 3, 7]) * top for _ in range(size)],
            }[kind]
        )
        facts = [fact for fact in range(case.num_facts) for _ in range(random.choice([0, 1, 2]))]
        facts += [-1] * random.randrange(3)
        by_fact: dict[int, list[int]] = {}
        for key, fact in enumerate(facts):
            by_fact.setdefault(fact, []).append(key)
        ins, outs = [], []
        for op, (_, value, flip) in enumerate(case.operators):
            keys = by_fact.get(case.index_fact[op], []) + by_fact.get(-1, [])
            is_plain = kind in ("equal", "free") or not keys or random.random() < 0.2
            ins.append(-1 if is_plain else random.choice(keys))
            # Most keys belong to facts that are true afterwards, so that runs continue.
            after = [f for f in range(case.num_facts) if (value ^ flip) >> f & 1]
            good = [key for fact in [*after, -1] for key in by_fact.get(fact, [])]
            outs.append(
                random.choice(
                    [*(good or [-1]), *(good or [-1]), random.randrange(-1, len(facts) or 1)]
                )
            )
            if kind in ("equal", "free") or not facts:
                outs[-1] = -1
        run_in.append(ins)
        run_out.append(outs)
        run_fact.append(facts)
    return replace(case, weight=weight, run_in=run_in, run_out=run_out, run_fact=run_fact)


def index_facts(random: Random, operators: Sequence[Operator], num_facts: int) -> list[int]:
    """A random positive fact of each cube; -1 if the cube has none, and sometimes in other cases."""
    result = []
    for _, value, _ in operators:
        positive = [fact for fact in range(num_facts) if value >> fact & 1]
        result.append(random.choice(positive) if positive and random.random() < 0.9 else -1)
    return result


def bare(
    random: Random, num_facts: int, initial: int, operators: list[Operator], **more: object
) -> Case:
    case = Case(
        num_facts,
        initial,
        operators,
        index_facts(random, operators, num_facts),
        [],
        [],
        [],
        [],
        [],
        [],
        [],
        [],
    )
    return replace(case, **more)  # type: ignore[arg-type]


def random_case(random: Random) -> Case:
    """Random cubes over a few facts in one to five words; the declared groups may be wrong."""
    num_facts = random.choice(WIDTHS)
    facts = random.sample(range(num_facts), random.randrange(1, 7))
    operators = []
    for _ in range(random.choice([0, 5, 10, 20])):
        mask, value = random_cube(random, facts, random.choice([1, 1, 2, 2, 3, 4]))
        flip = sum(1 << f for f in facts if mask >> f & 1 and random.random() < 0.7)
        operators.append((mask, value, flip))
    initial = sum(1 << f for f in range(num_facts) if random.random() < 0.4)
    groups = [random.sample(facts, random.randrange(1, len(facts) + 1)) for _ in range(3)]
    return bare(
        random,
        num_facts,
        initial,
        operators,
        goals=[random_cube(random, facts, 4) for _ in range(random.randrange(3))],
        forbidden=[random_cube(random, facts, 4) for _ in range(random.randrange(3))],
        exactly_one=groups[:1] if random.random() < 0.5 else [],
        at_most_one=groups[1:],
    )


def variables_case(random: Random) -> Case:
    """Variables with one value each, and some independent facts. The groups are correct, so most states can be
    packed."""
    num_facts = random.choice([40, 100, 200, 300])
    pool = list(range(num_facts))
    random.shuffle(pool)
    loose = [pool.pop() for _ in range(random.randrange(3))]
    groups = []
    while len(pool) > 3 and len(groups) < 9:
        size = random.choice([1, 2, 3, 5, 30, 60])
        groups.append(sorted(pool[:size]))
        del pool[:size]
    # Only few variables change, between few values, so the space stays small.
    active = [group[:4] for group in random.sample(groups, min(3, len(groups)))]
    values = [fact for group in active for fact in group] + loose
    initial = 0
    for group in groups:
        near = [fact for fact in group if fact in values] or group
        initial |= 1 << random.choice(near)
    operators = []
    for _ in range(random.choice([0, 8, 16, 32])):
        mask, value = random_cube(random, values, random.choice([0, 0, 0, 1, 2]))
        flip = 0
        for group in random.sample(active, min(len(active), random.choice([0, 1, 1, 1, 2]))):
            if len(group) < 2:
                continue
            a, b = random.sample(group, 2)
            mask |= 1 << a | 1 << b
            value = (value | 1 << a) & ~(1 << b)
            flip |= 1 << a | 1 << b
        for fact in loose:
            if random.random() < 0.3:
                mask, flip = mask | 1 << fact, flip | 1 << fact
        operators.append((mask, value, flip))
    covers = [random.sample(values, min(len(values), 3)) for _ in range(3)]
    return bare(
        random,
        num_facts,
        initial,
        operators,
        goals=[random_cube(random, values, 3) for _ in range(random.randrange(1, 3))],
        forbidden=[random_cube(random, values, 3) for _ in range(random.randrange(2))],
        exactly_one=groups,
        at_most_one=covers,
    )


def pieces_case(random: Random) -> Case:
    """Distinct pieces on a graph of cells; one piece covers two cells. The states can be packed, with derived words."""
    num_cells = random.choice([4, 5])
    padding = random.choice([0, 60, 130])
    edges = [(a, b) for a in range(num_cells) for b in range(a) if random.random() < 0.6]
    shapes = [[(c,) for c in range(num_cells)]] * random.randrange(1, 3)
    shapes.append([*edges] or [(0,)])
    first: list[int] = []
    num_facts = padding
    for shape in shapes:
        first.append(num_facts)
        num_facts += len(shape)
    for _ in range(30):
        places = [random.randrange(len(shape)) for shape in shapes]
        covered = [c for shape, place in zip(shapes, places, strict=True) for c in shape[place]]
        if len(set(covered)) == len(covered):
            break
    else:
        return variables_case(random)
    cover: list[list[int]] = [[] for _ in range(num_cells)]
    for shape, base in zip(shapes, first, strict=True):
        for place, cells in enumerate(shape):
            for cell in cells:
                cover[cell].append(base + place)
    operators = []
    for shape, base in zip(shapes, first, strict=True):
        for a, cells in enumerate(shape):
            for b, others in enumerate(shape):
                if a == b or random.random() < 0.3:
                    continue
                false = {f for c in set(others) - set(cells) for f in cover[c]} - {base + a}
                false.add(base + b)
                mask = sum(1 << f for f in false) | 1 << base + a
                operators.append((mask, 1 << base + a, 1 << base + a | 1 << base + b))
    at_most = cover if random.random() < 0.8 else []
    exactly = [list(range(b, b + len(s))) for s, b in zip(shapes, first, strict=True)]
    exactly.append(list(range(padding)))
    initial = sum(1 << b + p for b, p in zip(first, places, strict=True)) | (1 if padding else 0)
    facts = range(padding, num_facts)
    return bare(
        random,
        num_facts,
        initial,
        operators,
        goals=[random_cube(random, facts, 3) for _ in range(random.randrange(1, 3))],
        forbidden=[random_cube(random, facts, 4) for _ in range(random.randrange(2))],
        exactly_one=[group for group in exactly if group],
        at_most_one=at_most,
    )


def agent_case(random: Random) -> Case:
    """An agent that moves on a graph for free and pushes boxes at a cost."""
    num_cells = random.randrange(3, 8)
    padding = random.choice([0, 0, 40, 70])
    agent = [padding + c for c in range(num_cells)]
    box = [padding + num_cells + c for c in range(num_cells)]
    num_facts = padding + 2 * num_cells
    order = random.sample(range(num_cells), num_cells)
    initial = 1 << agent[order[0]]
    for cell in order[1 : random.randrange(1, min(4, num_cells))]:
        initial |= 1 << box[cell]
    says_own_box = random.random() < 0.5
    operators, weight = [], []

    def operator(true: Sequence[int], false: Sequence[int], flips: Sequence[int], w: int) -> None:
        value = sum(1 << f for f in true)
        mask = value | sum(1 << f for f in false)
        operators.append((mask, value, sum(1 << f for f in flips)))
        weight.append(w)

    price = random.choice([1, 4])
    for a in range(num_cells):
        for b in range(a):
            if random.random() < 0.6:
                for x, y in ((a, b), (b, a)):
                    false = [agent[y], box[y], *([box[x]] if says_own_box else [])]
                    operator([agent[x]], false, [agent[x], agent[y]], 0)
    for _ in range(random.choice([1, 8, 20])):
        if num_cells < 3:
            break
        x, y, z = random.sample(range(num_cells), 3)
        if random.random() < 0.8:
            operator(
                [agent[x], box[y]],
                [agent[y], box[z], agent[z]],
                [agent[x], agent[y], box[y], box[z]],
                price,
            )
        else:  # this operator does not depend on the agent
            operator([box[y]], [box[z], agent[z]], [box[y], box[z]], price)
    exactly = [agent]
    if padding:
        exactly.append(list(range(padding)))
        initial |= 1
    goals = [random_cube(random, box, 3), random_cube(random, agent + box, 2)]
    forbidden = [random_cube(random, box if random.random() < 0.7 else agent + box, 3)]
    case = bare(
        random,
        num_facts,
        initial,
        operators,
        goals=goals[: random.randrange(3)],
        forbidden=forbidden[: random.randrange(2)],
        exactly_one=exactly,
        at_most_one=[[agent[c], box[c]] for c in range(num_cells)],
    )
    none = [-1] * len(operators)
    return replace(case, weight=[weight], run_in=[none], run_out=[none], run_fact=[[]])


def ladder(size: int) -> Case:
    """A token walks from fact 0 to fact size - 1."""
    operators = [
        (1 << a | 1 << b, 1 << a, 1 << a | 1 << b)
        for a in range(size)
        for b in (a - 1, a + 1)
        if 0 <= b < size
    ]
    index = [value.bit_length() - 1 for _, value, _ in operators]
    none = [[-1] * len(operators)]
    return Case(
        size,
        1,
        operators,
        index,
        [(1 << size - 1, 1 << size - 1)],
        [],
        [],
        [],
        [[1] * len(operators)],
        none,
        none,
        [[]],
    )


def counter(bits: int) -> Case:
    """2 ** bits states: each bit can flip at any time."""
    operators = [(1 << b, v << b, 1 << b) for b in range(bits) for v in (0, 1)]
    none = [[-1] * len(operators)]
    return Case(
        bits,
        0,
        operators,
        [-1] * len(operators),
        [],
        [],
        [],
        [],
        [[1] * len(operators)],
        none,
        none,
        [[]],
    )


FAMILIES = {"random": random_case, "variables": variables_case, "pieces": pieces_case}
