"""Layers: pieces may share a cell if their kinds belong to different layers.

Documents may number layers freely, with larger numbers for upper layers; all later code counts layers from the lowest
layer.
"""

from __future__ import annotations

from collections.abc import Sequence

from fewest.reading.context import Context, Path

AND = " & "  # separates the kinds that share a cell


def layer_of(context: Context, kind: str) -> int:
    """The layer of a kind, counted from the lowest."""
    spec = (context.document.pieces or {})[kind]
    return context.layers[0 if spec is None else spec.layer]


def sorted_by_layer(context: Context, path: Path, kinds: Sequence[str]) -> tuple[str, ...] | None:
    """The kinds that share a cell, uppermost first; None after reporting that they cannot share a cell."""
    by_layer: dict[int, str] = {}
    for kind in kinds:
        other = by_layer.setdefault(layer_of(context, kind), kind)
        if other != kind or kinds.count(kind) > 1:
            report_clash(context, path, other, kind)
            return None
    return tuple(by_layer[layer] for layer in sorted(by_layer, reverse=True))


def report_clash(
    context: Context, path: Path, one: str, other: str, unnamed: Sequence[str] = ()
) -> None:
    """Report two words for pieces that cannot share a cell; `unnamed` contains the words that are not kinds."""
    hint = "give one of the kinds a different `layer`: 1 is above the others, -1 below"
    if unnamed:
        named = (other if unnamed[0] == one else one).removeprefix("not ")
        hint = (
            f"`{unnamed[0]}` refers to the uppermost layer that the rule names; put `{named}` into a lower"
            " layer, such as `layer: -1`, or name the kinds that must be absent: `not A|B`"
        )
    message = f"`{one}` and `{other}` cannot share a cell, because they are in the same layer"
    context.error(path, "layer-clash", message, hint=hint)
