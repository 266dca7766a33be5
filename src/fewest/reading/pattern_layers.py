"""Patterns with several layers: every place becomes several elements, one for each layer that the place names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fewest.model.rules import NO_PIECE, Element

_NOTHING = ("empty",)


class Term(NamedTuple):
    """The part of a place that concerns one layer, together with its text in the document."""

    text: str
    element: Element


def elements_of(
    before: Sequence[Sequence[Term]], after: Sequence[Sequence[Term]]
) -> list[tuple[int, Term, Term]]:
    """The elements of a pattern, each with its place and its contents before and after the move.

    A place that is a single `_` in `after` does not change. Pieces that `after` no longer names are removed. If `after`
    names a layer that `before` does not mention, this layer of the place must be empty before the move.
    """
    out: list[tuple[int, Term, Term]] = []
    for place, (terms, becomes) in enumerate(zip(before, after, strict=True)):
        old = {term.element.layer: term for term in terms}
        new = {term.element.layer: term for term in becomes}
        if [term.element.words for term in becomes] == [("_",)]:
            new = old
        for layer in sorted({*old, *new}, reverse=True):
            was, wanted = old.get(layer), new.get(layer)
            if wanted is None:
                assert was is not None, "one of them says something about the layer"
                wanted = _unnamed(was)
            elif was is None:
                if wanted.element.words in (_NOTHING, ("_",)):
                    continue
                was = _empty(layer)
            elif wanted.element.words == ("_",):
                wanted = was
            out.append((place, was, wanted))
    return out


def _unnamed(was: Term) -> Term:
    """The result for a part that `after` does not name: pieces that `before` names there are removed."""
    element = was.element
    if element.is_negated or NO_PIECE.issuperset(element.words):
        return was
    return _empty(element.layer)


def _empty(layer: int) -> Term:
    return Term("empty", Element(_NOTHING, layer=layer))
