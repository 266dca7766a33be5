"""The token rules for merged moves, for integers and for arrays, agree with each other and with the metric."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import fewest
from fewest.model.costs import CostTable, RunRule, cost_table, plan_cost, run_rule, steps

NUM_KEYS, NUM_FACTS = 3, 70  # two words of facts


@st.composite
def tables(draw: st.DrawFn) -> tuple[CostTable, list[int]]:
    """A table of one or two parts, and the facts that its operators flip."""
    parts, size = draw(st.integers(1, 2)), draw(st.integers(1, 5))

    def rows(low: int, high: int) -> np.ndarray:
        row = st.lists(st.integers(low, high), min_size=size, max_size=size)
        return np.array([draw(row) for _ in range(parts)])

    facts = st.lists(st.integers(-1, NUM_FACTS - 1), min_size=NUM_KEYS, max_size=NUM_KEYS)
    table = CostTable(
        weight=rows(0, 2).astype(np.int64),
        run_in=rows(-1, NUM_KEYS - 1).astype(np.int32),
        run_out=rows(-1, NUM_KEYS - 1).astype(np.int32),
        run_fact=tuple(np.array(draw(facts), dtype=np.int32) for _ in range(parts)),
    )
    flip = st.sets(st.integers(0, NUM_FACTS - 1), max_size=40)
    return table, [sum(1 << fact for fact in draw(flip)) for _ in range(size)]


@given(tables())
def test_the_rule_on_arrays_is_the_rule_on_integers(drawn: tuple[CostTable, list[int]]) -> None:
    table, flips = drawn
    rule = RunRule(table, flips)
    words = np.array([[flip & (1 << 64) - 1, flip >> 64] for flip in flips], dtype=np.uint64)
    for part in range(len(table.run_fact)):
        pairs = [(i, t) for i in range(len(flips)) for t in range(-1, NUM_KEYS)]
        operators, tokens = np.array(pairs, dtype=np.int64).T
        paid, left = steps(table, part, operators, tokens, words)
        for (index, token), pays, leaves in zip(pairs, paid.tolist(), left.tolist(), strict=True):
            cost, after = rule.step(index, tuple(token for _ in table.run_fact))
            assert (cost[part], after[part]) == (pays, leaves)


def test_a_run_is_paid_once_and_a_free_move_breaks_it_only_if_it_moves_the_piece() -> None:
    table = CostTable(
        weight=np.array([[3, 3, 0, 0]]),
        run_in=np.array([[0, 1, -1, -1]], dtype=np.int32),
        run_out=np.array([[1, 1, -1, -1]], dtype=np.int32),
        run_fact=(np.array([4, 5], dtype=np.int32),),
    )
    rule = RunRule(table, [1 << 4 | 1 << 5, 1 << 5, 1 << 5, 1 << 6])
    assert rule.cost([]) == (0,)
    assert rule.cost([0, 1, 1]) == (3,)
    assert rule.cost([1, 0]) == (6,)  # operator 0 does not continue the run of operator 1
    assert rule.cost([0, 3, 1]) == (3,)
    assert rule.cost([0, 2, 1]) == (6,)
    assert [rule.is_free(index) for index in range(4)] == [False, False, True, True]


def test_a_plan_has_the_cost_of_the_reference_in_every_metric() -> None:
    compiled = fewest.load("bird")
    for name in compiled.metrics:
        result = compiled.solve(name)
        assert result.plan is not None and isinstance(result.cost, int)
        metric = compiled.task.metrics[name]
        operators = result.plan.operators
        assert plan_cost(compiled.task, metric, operators) == (result.cost,)
        assert run_rule(compiled.task, metric).cost(operators) == (result.cost,)
        shape = cost_table(compiled.task, metric).arrays.weight.shape
        assert shape == (1, len(compiled.task.operators))
