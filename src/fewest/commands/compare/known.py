"""The known answers of a suite: a file with a table of instances, their answers, and the sources of these answers.

Each line has three columns, separated by tabs: the name of an instance as reports print it, its answer (`24`, `8+33`
for a metric of two parts, or `no plan`), and the source. Empty lines and lines that begin with `#` are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from fewest.commands.compare.entry import KnownAnswer
from fewest.errors import UsageError, did_you_mean
from fewest.model.answer import format_cost, single

NO_PLAN = "no plan"
_COST = re.compile(r"\d{1,18}(\+\d{1,18})*")


class KnownAnswers:
    """The rows of a table, keyed by the name of the instance. If `path` is None, the table has no rows.

    Raises UsageError if the file cannot be read, if a line is malformed, or if an instance occurs twice.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._rows: dict[str, _Row] = {}
        self._names: set[str] = set()
        for number, line in enumerate(_lines(path), start=1):
            if line.strip() and not line.startswith("#"):
                name, answer = self._row(number, line)
                if name in self._rows:
                    raise UsageError(f"{path}:{number}: `{name}` already has an answer")
                self._rows[name] = _Row(number, answer)

    def _row(self, number: int, line: str) -> tuple[str, KnownAnswer]:
        name, *rest = (cell.strip() for cell in line.split("\t"))
        if len(rest) != 2 or not rest[1]:
            raise UsageError(
                f"{self.path}:{number}: this line does not consist of an instance, an answer and a source",
                hint="separate the instance, the answer and the source by one tab each",
            )
        if rest[0] == NO_PLAN:
            return name, KnownAnswer(None, rest[1])
        if not _COST.fullmatch(rest[0]):
            raise UsageError(
                f"{self.path}:{number}: `{rest[0]}` is not an answer",
                hint="write a cost such as 24 or 8+33, or `no plan`",
            )
        return name, KnownAnswer(single(tuple(map(int, rest[0].split("+")))), rest[1])

    def of(self, name: str, documented: KnownAnswer | None) -> KnownAnswer | None:
        """The known answer to an instance: the answer in the table or, if the table has none, `documented`, which is
        the answer that the puzzle's document expects (None: no answer).

        Raises UsageError if the document expects another answer than the table.
        """
        row = self._rows.get(name)
        if row is None:
            return documented
        if documented is not None and documented.cost != row.answer.cost:
            raise UsageError(
                f"{self.path}:{row.number}: the answer for `{name}` is {_text(row.answer)}, but the document of the "
                f"puzzle expects {_text(documented)}"
            )
        return row.answer

    def add_names(self, names: Iterable[str]) -> None:
        """Add names of instances that rows may contain. The caller also adds the instances in metrics that the suite
        omits.
        """
        self._names.update(names)

    def check_names(self) -> None:
        """Raises UsageError if a row names an instance that was not added."""
        for name, row in self._rows.items():
            if name not in self._names:
                raise UsageError(
                    f"{self.path}:{row.number}: the suite has no instance `{name}`",
                    hint=did_you_mean(
                        name,
                        self._names,
                        "name the instance as in reports, for example hanoi (disks=3, pegs=3), moves",
                    ),
                )


class _Row(Struct, frozen=True):
    """The line number and the answer of a row."""

    number: int
    answer: KnownAnswer


def named(puzzle: str, parameters: Mapping[str, int], metric: str) -> str:
    """The name of an instance, such as `hanoi (disks=3), moves`."""
    given = ", ".join(f"{name}={value}" for name, value in parameters.items())
    return f"{puzzle}{f' ({given})' if given else ''}, {metric}"


def _lines(path: Path | None) -> list[str]:
    if path is None:
        return []
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8 text") from None


def _text(answer: KnownAnswer) -> str:
    return NO_PLAN if answer.cost is None else format_cost(answer.cost)
