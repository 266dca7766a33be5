"""Reads the `say` of a rule: the labels of its moves in plans, completed with the values of its loops."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from fewest.model.rules import Names
from fewest.reading.context import Context, Path

MAX_LABEL = 120
_WORD = re.compile(r"\w+")


def read_labels(
    context: Context, path: Path, text: str, bindings: Sequence[Names]
) -> tuple[str, ...]:
    """A label for each binding of the loops; empty if a mistake was reported."""
    used = frozenset(_WORD.findall(text))
    known: dict[tuple[object, ...], str] = {}
    labels: list[str] = []
    for names in bindings:
        used_values = {name: value for name, value in names.items() if name in used}
        key = tuple(map(repr, used_values.values()))
        if key not in known:
            label = _label(context, path, text, used_values)
            if label is None:
                return ()
            known[key] = label
        labels.append(known[key])
    return tuple(labels)


def _label(context: Context, path: Path, text: str, names: Mapping[str, object]) -> str | None:
    """The label of one binding, on one line; None if a mistake was reported.

    If a word has a display name, the label contains the display name instead.
    """
    filled = context.template(path, text, names, context.document.names)
    if filled is None:
        return None
    label = " ".join(filled.split())
    wrong = None
    if not label:
        wrong = "this label is empty"
    elif len(label) > MAX_LABEL:
        wrong = f"this label has {len(label)} characters; the limit is {MAX_LABEL}"
    elif ", " in label or label.endswith(","):
        wrong = f"`{label}` contains a comma, but commas separate the moves of a plan"
    if wrong is not None:
        context.error(
            path, "label-form", wrong, hint='write, for example, `say: "pour {a} into {b}"`'
        )
        return None
    return label
