"""The base class of the types of options and arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click import ParamType
else:

    class ParamType(click.ParamType):
        """The class of click. Only its recent versions have a type parameter, so this class ignores it."""

        def __class_getitem__(cls, _: object) -> type[ParamType]:
            return cls


__all__ = ["ParamType"]
