"""Sweeps as text: the table of minima, row by row, followed by the formulas; for levels, one line per level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from fewest.commands.sweep.batch import Batch, Member
from fewest.commands.sweep.fits import Fit
from fewest.commands.sweep.levels import Levels
from fewest.commands.sweep.run import Sweep
from fewest.model.answer import counted, format_cost, limit_words
from fewest.sanitize import shown

_STATUSES = {
    "optimal": "proven minimal",
    "solved": "with a plan",
    "unsolvable": "unsolvable",
    "limit": "open",
    "invalid": "invalid",
}


def described_member(member: Member) -> tuple[str, str]:
    """The entry in the column of minima, and the note at the end of the row."""
    if member.status == "invalid":
        return "invalid", f"{member.reason}: {member.error}"
    if member.status == "unsolvable":
        return "unsolvable", "" if member.argument is None else f"why: {shown(member.argument)}"
    cost = None if member.cost is None else format_cost(member.cost)
    if member.status == "optimal":
        return str(cost), ""
    if member.status == "solved":
        return f"≤ {cost}", "not proven minimal"
    stop = limit_words(member.reason)
    if member.lower_bound is None:
        return "open", stop
    least = format_cost(member.lower_bound)
    if cost is not None:
        return f"{least} – {cost}", f"{stop}: between {least} and {cost}"
    return f"≥ {least}", stop


def settings(names: Sequence[str], parameters: Mapping[str, int]) -> str:
    """The values of the parameters as text, such as `m=2, n=5`."""
    return ", ".join(f"{name}={parameters[name]}" for name in names)


class Table:
    """A table with aligned columns; the column widths are determined before the first row is printed."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.widths = [
            max(len(name), *(len(f"{p[name]:,}") for p in batch.members)) for name in batch.names
        ]
        self.width = max(len(batch.metric), 10)

    @property
    def heading(self) -> str:
        """The title of the family, and the metric."""
        return f"{self.batch.title}: {self.batch.metric}"

    @property
    def header(self) -> str:
        """The names of the columns."""
        return self._line(self.batch.names, self.batch.metric, "states", "seconds", "")

    def row(self, member: Member) -> str:
        """The line of a member."""
        numbers = [f"{member.parameters[name]:,}" for name in self.batch.names]
        states = "" if member.states is None else f"{member.states:,}"
        minimum, note = described_member(member)
        return self._line(numbers, minimum, states, f"{member.seconds:.3f}", note)

    def _line(
        self, numbers: Sequence[str], minimum: str, states: str, seconds: str, note: str
    ) -> str:
        first = "  ".join(f"{n:>{w}}" for n, w in zip(numbers, self.widths, strict=True))
        line = f"{first}  {minimum:>{self.width}}  {states:>14}  {seconds:>10}  {note}"
        return line.rstrip()


def conclusion(done: Sweep) -> list[str]:
    """The formulas, or the reason why no formula fits."""
    proven = [member for member in done.members if member.status == "optimal"]
    if not proven:
        return ["there is no proven minimum, so there is no formula"]
    if done.fits:
        return [*(_formula(done, fit) for fit in done.fits), "A fit is not a proof."]
    if len(proven) < 3:
        why = "too few for a formula"
    else:
        why = "no polynomial, nor a·bⁿ + polynomial, fits all of them with two coefficients fewer than minima"
    minima = "minimum" if len(proven) == 1 else "minima"
    return [f"{len(proven)} proven {minima}: {why}"]


def _formula(done: Sweep, fit: Fit) -> str:
    where = settings(list(fit.fixed), fit.fixed)
    part = "" if fit.part is None else f", part {fit.part + 1}"
    matching = [
        all(member.parameters[name] == number for name, number in fit.fixed.items())
        for member in done.members
    ]
    left = sum(matching) - fit.form.num_values
    others = (
        ""
        if not left
        else f"; {left} {'member has' if left == 1 else 'members have'} no proven minimum"
    )
    return (
        f"{done.batch.metric}{part}{' for ' + where if where else ''} = {fit.form.text} "
        f"fits all {fit.form.num_values} proven minima, "
        f"{fit.form.num_degrees_of_freedom} more than its coefficients{others}"
    )


def interruption(done: Sweep, noun: str, file: Path | str | None) -> str:
    """The message after Ctrl-C or a full disk; `noun` names the members, with a leading space, or is empty."""
    finished = sum(member.is_finished for member in done.members)
    saved = f"; they are in {file}" if file is not None and finished else ""
    return f"{limit_words(done.stopped)}: {finished} of {len(done.batch.members)}{noun} finished{saved}"


# -- levels -------------------------------------------------------------------------------------------


class LevelLines:
    """The lines of the levels as text: one for each level, with aligned columns."""

    def __init__(self, batch: Levels) -> None:
        self.batch = batch
        self.width = max(len(self._title(member)) for member in batch.members)
        self.digits = len(str(len(batch.members)))

    def row(self, member: Member) -> str:
        """The line of a level."""
        answer, note = described_member(member)
        states = "" if member.states is None else counted(member.states, "states")
        number = f"{member.parameters['level']:>{self.digits}}"
        title = f"{self._title(member.parameters):<{self.width}}"
        numbers = f"{answer:>10}  {states:>20}  {member.seconds:>9.3f} s"
        return f"{number}  {title}  {numbers}  {note}".rstrip()

    def _title(self, parameters: Mapping[str, int]) -> str:
        return self.batch.level(parameters).title[:30]


def level_summary(done: Sweep) -> str:
    """The number of levels for each result, and the totals of their seconds and of their audited positions."""
    statuses = [member.status for member in done.members]
    parts = [f"{statuses.count(s)} {word}" for s, word in _STATUSES.items() if s in statuses]
    seconds = sum(member.seconds for member in done.members)
    num_audited = sum(member.audit["positions"] for member in done.members)
    audited = f"; {counted(num_audited, 'positions')} audited" if num_audited else ""
    answers = f"{counted(len(statuses), 'levels')}: {', '.join(parts) or 'none solved'}"
    return f"{answers}; {seconds:,.1f} s in all{audited}"
