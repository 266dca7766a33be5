"""The pure-Python core computes the same effects as full sweeps do, with far fewer tests."""

from __future__ import annotations

from random import Random

from fewest import load
from fewest.model.conditional_effects import (
    ConditionalEffect,
    ConditionalEffectStage,
    apply_effects,
)
from fewest.search.pure.breadth_first import ProblemTables
from fewest.search.pure.effect_fixpoint import EffectFixpoint

NUM_FACTS = 7
STATES = range(1 << NUM_FACTS)


def random_effect(random: Random, is_everywhere: bool) -> ConditionalEffect:
    mask, need_mask = random.choice(STATES), random.choice(STATES) & random.choice(STATES)
    return ConditionalEffect(
        "rule",
        mask,
        random.choice(STATES) & mask,
        random.choice(STATES) & random.choice(STATES),
        random.choice(STATES) & random.choice(STATES) & random.choice(STATES),
        need_mask if is_everywhere else 0,
        random.choice(STATES) & need_mask if is_everywhere else 0,
    )


def random_stage(random: Random) -> ConditionalEffectStage:
    is_everywhere = random.random() < 0.3
    places = [
        tuple(random_effect(random, is_everywhere) for _ in range(random.randint(1, 3)))
        for _ in range(random.randint(1, 3))
    ]
    return ConditionalEffectStage(tuple(places), is_everywhere)


def test_effects_that_may_fit_give_the_result_of_full_sweeps() -> None:
    random = Random(1)
    num_endless = num_changed = 0
    for _ in range(300):
        stages = [random_stage(random) for _ in range(random.randint(1, 3))]
        fixpoint = EffectFixpoint(stages)
        at_rest = [state for state in STATES if apply_effects(stages, state) == state]
        for before in random.sample(at_rest, min(4, len(at_rest))):
            for state in random.sample(STATES, 20):
                wanted = apply_effects(stages, state)
                assert fixpoint.apply(before, state) == wanted
                num_endless += wanted is None
                num_changed += wanted not in (None, state)
    assert num_endless > 100
    assert num_changed > 1_000


def test_a_phase_variable_does_not_make_the_core_test_all_effects() -> None:
    """In jelly puzzles, each value of `phase` is in hundreds of cubes, and most of these cubes also contain a mark that
    is not there."""
    task = load("jelly-first").grounded
    tables = ProblemTables(task.problem)
    fixpoint = tables.fixpoint
    down = next(1 << n for n, fact in enumerate(task.facts) if fact.name == "phase=down")
    none = next(1 << n for n, fact in enumerate(task.facts) if fact.name == "phase=none")
    after = task.initial ^ down ^ none
    needing = sum(bool(effect.value & down) for effect in fixpoint.effects)
    assert needing > 300
    assert fixpoint.may_fit(task.initial, after).bit_count() * 5 < needing
