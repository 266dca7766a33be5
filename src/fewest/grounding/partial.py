"""Partial states and operators over provisional facts, in the form in which the grounder collects them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from fewest.errors import Diagnostic
from fewest.model.board import Direction
from fewest.model.rules import Action


class PartialState(Struct, frozen=True, gc=False):
    """A cube over provisional facts: facts in `positive` are true, facts in `negative` are false."""

    positive: frozenset[int]
    negative: frozenset[int]


def partial(positive: Iterable[int] = (), negative: Iterable[int] = ()) -> PartialState:
    """The partial state with these positive and negative facts."""
    return PartialState(frozenset(positive), frozenset(negative))


class Draft(Struct, frozen=True, gc=False):
    """An operator over provisional facts."""

    rule: str
    at: PartialState
    flip: frozenset[int]
    moved: tuple[int, int]
    ring: int
    direction: Direction | None
    words: str
    binding: int


class PermutationDraft(Struct, frozen=True):
    """A permutation of provisional facts, given by the target of each fact that it moves."""

    rule: str
    image: Mapping[int, int]
    ring: int
    direction: Direction | None
    words: str
    binding: int


class Change(Struct, frozen=True, gc=False):
    """The effect of a rule at a site: the facts of pieces that move, vanish and appear, and all facts that become false
    or true, including facts about variables.
    """

    moved: tuple[tuple[int, int], ...]
    removed: tuple[int, ...]
    created: tuple[int, ...]
    deleted: frozenset[int]
    added: frozenset[int]


class SetMove(Struct, frozen=True, gc=False):
    """The assignments of a binding in a partial state: by slot, the old fact (None if it is undecided) and the new
    fact.
    """

    rule: Action
    binding: int
    at: PartialState
    changes: Mapping[int, tuple[int | None, int]]


class DraftEffect(Struct, frozen=True, gc=False):
    """A `model.conditional_effects.ConditionalEffect` over provisional facts."""

    rule: str
    at: PartialState
    flip: frozenset[int]
    clear: frozenset[int] = frozenset()
    needs: PartialState = partial()
    undefined: tuple[Diagnostic, ...] = ()  # the error, if an expression of the rule has no value


class DraftStage(Struct, frozen=True):
    """The effects of one sweep, place by place."""

    places: tuple[tuple[DraftEffect, ...], ...]
    is_everywhere: bool = False
