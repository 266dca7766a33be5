"""Decodes a tree with locations into a `Document`, according to the types in `document`. Reports all mistakes with
locations.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache, cached_property
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from fewest.errors import Report, did_you_mean, listed
from fewest.reading import document
from fewest.reading.clock import look
from fewest.reading.tree import MappingNode, ScalarNode, SequenceNode, TreeNode


def _both_hint(text: str, literals: Collection[object]) -> str:
    """A hint if a text combines values, and `both` is a value."""
    words = text.replace(",", " ").split()
    if "both" in literals and len(words) > 1 and all(word in literals for word in words):
        return "did you mean `both`?"
    return ""


def decode_node(node: TreeNode, kind: Any, report: Report) -> Any:
    """The value of a node as `kind`; None at nodes with reported mistakes.

    `kind` is a type from `document`, or a struct with annotations that contain only names of that module.
    """
    return _Decoder(report).decode(node, _form(kind), "this")


@cache
def _keys_of(struct: type[msgspec.Struct]) -> dict[str, str]:
    """For each YAML key, its attribute."""
    return dict(zip(struct.__struct_encode_fields__, struct.__struct_fields__, strict=True))


@cache
def _required_keys(struct: type[msgspec.Struct]) -> dict[str, str]:
    """For each YAML key that is required, its attribute."""
    defaults = struct.__struct_defaults__  # only the last fields of a struct have defaults
    given = [msgspec.NODEFAULT] * (len(struct.__struct_fields__) - len(defaults)) + [*defaults]
    pairs = zip(_keys_of(struct).items(), given, strict=True)
    return {key: name for (key, name), default in pairs if default is msgspec.NODEFAULT}


@cache
def _type_of(struct: type, name: str) -> Any:
    """The type of an attribute. It is computed only on demand: computing the types of all attributes would take longer
    than reading a puzzle.
    """
    # importing `inspect`, which has a function for this, would take longer than reading most puzzles
    annotations = (getattr(one, "__annotations__", {}) for one in struct.__mro__)
    return eval(next(found[name] for found in annotations if name in found), vars(document))


@cache
def _options(kind: Any) -> tuple[Any, ...]:
    """The alternatives of a union, without annotations."""
    kind = _plain(kind)
    if get_origin(kind) in (Union, UnionType):
        return tuple(option for part in get_args(kind) for option in _options(part))
    return (kind,)


@cache
def _list_length(kind: Any) -> int | None:
    """The number of items that a list must have, if its `Meta` specifies one."""
    if get_origin(kind) is Annotated:
        inner, *notes = get_args(kind)
        lengths = [note.min_length for note in notes if note.min_length is not None]
        return lengths[0] if lengths else _list_length(inner)
    if get_origin(kind) in (Union, UnionType):
        return next((n for part in get_args(kind) if (n := _list_length(part))), None)
    return None


def _is_integer(text: str) -> bool:
    """Whether a text is a whole number of at most 18 digits."""
    digits = text[1:] if text.startswith(("-", "+")) else text
    return 0 < len(digits) <= 18 and digits.isascii() and digits.isdigit()


def _plain(kind: Any) -> Any:
    while get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    return kind


class _Form:
    """A type as alternatives. It is computed once for each type, because comparing types takes long."""

    def __init__(self, kind: Any) -> None:
        self.options = options = _options(kind)
        self.is_any = Any in options
        self.length = _list_length(kind)
        self.literals = [value for option in options for value in _literals(option)]
        self.struct = next(
            (o for o in options if isinstance(o, type) and issubclass(o, msgspec.Struct)), None
        )

    @cached_property
    def item(self) -> _Form | None:
        """The form of the items if the type contains lists."""
        lists = [option for option in self.options if get_origin(option) is list]
        return _form(get_args(lists[0])[0]) if lists else None

    @cached_property
    def value(self) -> _Form | None:
        """The form of the values if the type contains maps."""
        maps = [option for option in self.options if get_origin(option) is dict]
        return _form(get_args(maps[0])[1]) if maps else None


_form = cache(_Form)


@cache
def _form_of(struct: type[msgspec.Struct], name: str) -> _Form:
    """The form of an attribute."""
    return _form(_type_of(struct, name))


class _Decoder:
    def __init__(self, report: Report) -> None:
        self.report = report

    def decode(self, node: TreeNode, form: _Form, what: str) -> Any:
        if form.is_any:
            return plain_data(node)
        if isinstance(node, ScalarNode):
            return self._scalar(node, form, what)
        if isinstance(node, SequenceNode):
            return self._sequence(node, form, what)
        assert isinstance(node, MappingNode)
        return self._mapping(node, form, what)

    def _wrong(self, node: TreeNode, options: tuple[Any, ...], what: str) -> None:
        is_quoted = isinstance(node, ScalarNode) and (
            (int in options and _is_integer(node.text))
            or (bool in options and node.text in ("true", "false"))
        )
        self.report.error(
            "wrong-type",
            node.location,
            f"{what} has the wrong type",
            expected=describe(options),
            found=in_words(node),
            hint="remove the quotes" if is_quoted else _form_hint(node, options, what),
        )

    def _scalar(self, node: ScalarNode, form: _Form, what: str) -> Any:
        options, literals = form.options, form.literals
        if node.is_null:
            if NoneType not in options:
                self._wrong(node, options, what)
            return None
        if int in options and node.is_plain and _is_integer(node.text):
            return int(node.text)
        if bool in options and node.is_plain and node.text in ("true", "false"):
            return node.text == "true"
        if literals:
            for value in literals:
                if str(value) == node.text:
                    return value
            if str not in options:
                self.report.error(
                    "wrong-value",
                    node.location,
                    f"`{node.text}` is not a valid value for {what}",
                    expected=" or ".join(str(value) for value in literals),
                    hint=_both_hint(node.text, literals)
                    or did_you_mean(node.text, map(str, literals))
                    or None,
                )
                return None
        if str in options:
            return node.text
        self._wrong(node, options, what)
        return None

    def _sequence(self, node: SequenceNode, form: _Form, what: str) -> Any:
        item_form, length = form.item, form.length
        if item_form is None:
            self._wrong(node, form.options, what)
            return None
        if length is not None and len(node.items) != length:
            self.report.error(
                "wrong-type",
                node.location,
                f"{what} has the wrong length",
                expected=f"a list of {length} items",
                found=f"a list of {len(node.items)} item{'s' * (len(node.items) != 1)}",
            )
        return [self.decode(item, item_form, f"item {i + 1}") for i, item in enumerate(node.items)]

    def _mapping(self, node: MappingNode, form: _Form, what: str) -> Any:
        value_form = form.value
        if value_form is not None:
            return {
                key: self.decode(value, value_form, f"`{key}`") for key, value in node.items.items()
            }
        if form.struct is not None:
            return self._struct(node, form.struct)
        self._wrong(node, form.options, what)
        return None

    def _struct(self, node: MappingNode, kind: type[msgspec.Struct]) -> Any:
        look()
        known = _keys_of(kind)
        values: dict[str, Any] = {}
        for key, value in node.items.items():
            if key not in known:
                self.report.error(
                    "unknown-key",
                    node.keys[key],
                    f"there is no key `{key}` here",
                    hint=_hint_for_key(key, kind),
                )
                continue
            name = known[key]
            values[name] = self.decode(value, _form_of(kind, name), f"`{key}`")
        for key, name in _required_keys(kind).items():
            if name not in values:
                self.report.error("missing-key", node.location, f"the key `{key}` is missing here")
                values[name] = None
        return kind(**values)


_OTHER_WORDS = {
    **dict.fromkeys(("win", "winconditions", "win-conditions", "objective", "target"), "goal"),
    **dict.fromkeys(("objects", "kinds", "piece"), "pieces"),
    **dict.fromkeys(("rules", "actions", "move"), "moves"),
    **dict.fromkeys(("late", "after", "consequences", "effects"), "then"),
    **dict.fromkeys(("map", "grid", "level", "layout", "start"), "board"),
    **dict.fromkeys(("symbols", "tiles"), "legend"),
    **dict.fromkeys(("state", "vars"), "variables"),
}
"""words that other programs, and people, use for a key of a document, with this key"""


def _hint_for_key(key: str, kind: type[msgspec.Struct]) -> str:
    """The hint for a key that does not exist in a struct."""
    known = _keys_of(kind)
    if kind is document.MoveEntry and key in _keys_of(document.ConsequenceEntry):
        return f"`{key}` is allowed only in rules under `then`"
    if kind is document.Document and key.lower() in _OTHER_WORDS:
        return f"did you mean `{_OTHER_WORDS[key.lower()]}`?"
    if kind is document.VariableEntry and key in ("names", "colours", "symbols"):
        place = "under `names`" if key == "names" else f"under `drawing`, as `{key}`"
        return f"write the {key} of values {place} at the top level of the document"
    return did_you_mean(key, known, listed("key", known, len(known)))


def _form_hint(node: TreeNode, options: tuple[Any, ...], what: str) -> str | None:
    """The hint for a value in a form that is wrong but common; None for any other value."""
    forms = {get_origin(option) or option for option in options}
    if isinstance(node, SequenceNode):
        words = [item.text for item in node.items if isinstance(item, ScalarNode)]
        if dict in forms and what in ("`moves`", "`then`", "`metrics`"):
            return "each entry needs a name, as in `NAME: {…}`"
        if dict in forms and what == "`pieces`" and len(words) == len(node.items):
            return f"write {{{', '.join(f'{word}: {{}}' for word in words)}}}"
        if what in ("`slide`", "`together`", "`pivot`", "`carries`", "`sticky`") and words:
            return f"write `{what[1:-1]}: {'|'.join(words)}`"
        return None
    if isinstance(node, ScalarNode):
        if dict in forms and what == "`set`" and (change := _assignment(node.text)):
            return f"write `set: {{{change}}}`"
        if document.PieceKind in options and re.fullmatch("[A-Za-z0-9]", node.text):
            return f"write {{letters: {node.text}}}"
        if node.is_null and (change := _assignment(what[1:-1])):
            return f"write `{change}`"
        if list in forms and what in ("`before`", "`after`") and node.text:
            return f"write the places in brackets: [{', '.join(node.text.split())}]"
    return None


def _assignment(text: str) -> str | None:
    """An assignment such as `n = 1` or `n += 1`, in the form of an entry of `set`; None for any other text."""
    found = re.fullmatch(r"\s*(\w[^=+*/<>!-]*?)\s*([-+*]?)=\s*([^=].*)", text)
    if found is None:
        return None
    name, sign, value = found.groups()
    return f"{name}: {name} {sign} {value}" if sign else f"{name}: {value}"


def _literals(option: Any) -> tuple[Any, ...]:
    # most options are types, such as text, a number, or a part of a document
    if isinstance(option, type):
        return ()
    return get_args(option) if get_origin(option) is Literal else ()


def plain_data(node: TreeNode) -> Any:
    """A node as plain lists, dicts and text; numbers also remain text. Conditions have this form when they are decoded,
    and are checked later.
    """
    if isinstance(node, ScalarNode):
        return None if node.is_null else node.text
    if isinstance(node, SequenceNode):
        return [plain_data(item) for item in node.items]
    assert isinstance(node, MappingNode)
    return {key: plain_data(value) for key, value in node.items.items()}


def describe(options: tuple[Any, ...]) -> str:
    """A description of the types, for messages."""
    words: list[str] = []
    for option in options:
        if option is str:
            words.append("text")
        elif option is int:
            words.append("a whole number")
        elif option is bool:
            words.append("true or false")
        elif option is NoneType:
            continue
        elif _literals(option):
            words.append(" or ".join(f"`{value}`" for value in _literals(option)))
        elif get_origin(option) is list:
            words.append("a list")
        elif get_origin(option) is dict:
            words.append("a map")
        else:
            words.append(f"a map with {', '.join(_keys_of(option))}")
    return ", or ".join(dict.fromkeys(words))


def in_words(node: TreeNode) -> str:
    """A description of the content of a node, for messages."""
    if isinstance(node, ScalarNode):
        if node.style in ("'", '"'):
            return f"the text {node.style}{node.text}{node.style}"
        return "nothing" if node.is_null else f"`{node.text}`"
    return "a list" if isinstance(node, SequenceNode) else "a map"
