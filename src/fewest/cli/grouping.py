"""Help texts: every description fits on one line, and some commands group their options by purpose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click


class _OneLineFormatter(click.HelpFormatter):
    """Writes a description below its option if the option is long, so that all descriptions have about 70 columns."""

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 24, col_spacing: int = 2
    ) -> None:
        super().write_dl(rows, col_max, col_spacing)


class HelpContext(click.Context):
    """The context of all commands; it determines the layout of their help texts."""

    formatter_class = _OneLineFormatter


class GroupedCommand(click.Command):
    """A command. The help text lists options under the headings of `groups`, and all other options under "Other
    options".
    """

    def __init__(self, *args: Any, groups: Mapping[str, Sequence[str]], **more: Any) -> None:
        super().__init__(*args, **more)
        self.groups = groups

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        heading_of = {name: heading for heading, names in self.groups.items() for name in names}
        sections: dict[str, list[tuple[int, tuple[str, str]]]] = {
            heading: [] for heading in (*self.groups, "Other options")
        }
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                longest = max(parameter.opts, key=len)
                heading = heading_of.get(longest, "Other options")
                names = self.groups.get(heading, ())
                rank = names.index(longest) if longest in names else 0
                sections[heading].append((rank, record))
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(
                        [record for _, record in sorted(records, key=lambda r: r[0])]
                    )
