"""The checkers play a plan move by move; they reject every altered plan and give a reason."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import fewest
from fewest.certificates.container import (
    CertificateError,
    RejectedError,
    encode_head,
)
from fewest.certificates.rules_checker import PlanHead
from tests.helpers.agreement import relaxed
from tests.helpers.certificates import apart, certificate_of, checked, made, together


@cache
def certificate(name: str = "tiles-2x3") -> bytes:
    compiled = fewest.load(name)
    return made(compiled, Path(mkdtemp()), compiled.metrics[0], "plan")


def head() -> PlanHead:
    return certificate_of(certificate()).section(0).head(PlanHead)


def sealed(plan: PlanHead) -> bytes:
    return together(apart(certificate())[0], [encode_head(plan)])


def test_a_plan_proves_its_cost_as_an_upper_bound_only() -> None:
    (verdict,) = checked(certificate())
    assert (verdict.proves, verdict.value) == ("cost", head().cost) == ("cost", (21,))
    assert sealed(head()) == certificate()


def first_two_swapped(plan: PlanHead) -> PlanHead:
    one, two, *rest = plan.steps
    return replace(plan, steps=(two, one, *rest))


def step_changed(**fields: object) -> Callable[[PlanHead], PlanHead]:
    return lambda plan: replace(plan, steps=(replace(plan.steps[0], **fields), *plan.steps[1:]))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (first_two_swapped, "step 1 .* is not a legal move"),
        (lambda plan: replace(plan, steps=plan.steps[1:]), "step 1 .* is not a legal move"),
        (lambda plan: replace(plan, steps=plan.steps[:-1]), "does not end in a goal"),
        (lambda plan: replace(plan, steps=()), "does not end in a goal"),
        (
            lambda plan: replace(plan, steps=(*plan.steps, plan.steps[-1])),
            "step 22 .* is not a legal move",
        ),
        (lambda plan: replace(plan, cost=(20,)), "costs 21, not 20"),
        (lambda plan: replace(plan, cost=(21, 0)), "costs 21, not 21"),
        (step_changed(rule="jump"), "step 1 .* is not a legal move"),
        (step_changed(direction="north"), "step 1 .* is not a legal move"),
        (step_changed(carrier=None), "step 1 .* is not a legal move"),
        (step_changed(gone=()), "step 1 .* is not a legal move"),
        (step_changed(come=((0, 0), (1, 1))), "step 1 .* is not a legal move"),
        (step_changed(values=((0, 1),)), "step 1 .* is not a legal move"),
    ],
)
def test_altered_certificates_are_rejected_with_a_reason(
    change: Callable[[PlanHead], PlanHead], words: str
) -> None:
    with pytest.raises(RejectedError, match=words):
        checked(sealed(change(head())))


def test_the_plan_of_another_puzzle_of_the_same_size_is_rejected() -> None:
    text = (
        "puzzle: mine\nmodel: tiles\nboard: |\n  421\n  3_5\ngoal:\n  board: |\n    123\n    45_\n"
    )
    compiled = fewest.load("mine.yaml", text=text)
    header, _ = apart(made(compiled, Path(mkdtemp()), compiled.metrics[0]))
    with pytest.raises(RejectedError, match=r"is not a legal move|does not end in a goal"):
        checked(together(replace(header, sections=("plan",)), apart(certificate())[1]))


@settings(relaxed, max_examples=60)
@given(at=st.integers(0, 1 << 20), byte=st.integers(0, 255), length=st.integers(0, 3))
def test_no_change_of_bytes_crashes_or_proves_a_false_statement(
    at: int, byte: int, length: int
) -> None:
    header, (section,) = apart(certificate())
    at %= len(section)
    new = section[:at] + bytes([byte] * length) + section[at + length :]
    try:
        (verdict,) = checked(together(header, [new]))
    except (RejectedError, CertificateError):
        return
    assert verdict.value == (21,)


def test_checkers_are_short_enough_to_be_read() -> None:
    """Users have to trust the code of the checkers, so it must be short."""
    import fewest.certificates

    room = Path(fewest.certificates.__file__).parent
    for name, most in (("rules_checker.py", 300), ("cpp/lrat.hpp", 400)):
        source = room / name
        if source.exists():  # an installed package has no C++ source
            assert len(source.read_text(encoding="utf-8").splitlines()) < most, name
