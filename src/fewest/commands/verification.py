"""The result of checking a certificate, as text and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fewest.certificates.container import Header
from fewest.certificates.rules_checker import Verdict
from fewest.drawing.text import draw
from fewest.errors import Exit
from fewest.model.answer import counted, single
from fewest.model.position import start
from fewest.sanitize import in_quotes, plain_word, shown

if TYPE_CHECKING:
    from fewest.commands.audit import Audit
    from fewest.model.puzzle import Puzzle

_SHORT = 12  # the number of digits of a fingerprint in the text


@dataclass(frozen=True)
class VerificationReport:
    """The results that the check had established when it ended. `puzzle` and `compared_with` are None if they were
    still unknown, `audit` is None if there was no audit, and `rejected` is None if the certificate is accepted.

    `puzzle` is read from the documents in the certificate; the check trusts no other information about the puzzle.
    """

    puzzle: Puzzle | None = None
    compared_with: str | None = None
    verdicts: tuple[Verdict, ...] = ()
    audit: Audit | None = None
    rejected: str | None = None


@dataclass(frozen=True)
class Verification:
    """The proofs of a certificate; if the certificate proves nothing, `rejected` is the reason.

    `by`: the checker that was requested (see `commands.check_options`).
    """

    file: str
    header: Header = field(repr=False)
    found: VerificationReport
    seconds: float
    by: str = "auto"

    @property
    def rejected(self) -> str | None:
        """The reason why the certificate proves nothing; None if the certificate is accepted."""
        return self.found.rejected

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdict about each section."""
        return self.found.verdicts

    @property
    def metric(self) -> str:
        """The name of the metric of the certificate."""
        return self.header.metric

    @property
    def is_by_rules(self) -> bool:
        """Whether the rules checked every claim, either directly or through a task that agrees with them on all
        positions.
        """
        audit = self.found.audit
        is_grounded = any(verdict.is_grounded for verdict in self.verdicts)
        return not is_grounded or (audit is not None and audit.is_whole)

    @property
    def has_too_few_checks(self) -> bool:
        """Whether `--by rules` was given, but the rules were not played on all positions."""
        return self.rejected is None and self.by == "rules" and not self.is_by_rules

    @property
    def exit_code(self) -> Exit:
        """The exit code of the program."""
        if self.rejected is not None:
            return Exit.FAILED
        return Exit.LIMIT if self.has_too_few_checks else Exit.ANSWERED

    @property
    def proven(self) -> str:
        """The conclusion that follows from all sections together."""
        values = {verdict.proves: verdict.value for verdict in self.verdicts}
        if "unsolvable" in values:
            return "unsolvable"
        cost, bound = values.get("cost"), values.get("bound")
        metric = plain_word(self.metric)
        if cost is not None and (cost == bound or not any(cost)):
            return f"{counted(single(cost), metric)}, and no fewer"
        parts = []
        if cost is not None:
            verb = "is" if single(cost) == 1 else "are"
            parts.append(f"{counted(single(cost), metric)} {verb} enough")
        if bound is not None:
            parts.append(f"no plan of fewer than {counted(single(bound), metric)}")
        return ", ".join(parts)

    def text(self) -> list[str]:
        """The text; its first line is the verdict."""
        if self.rejected is not None:
            first, *lines_after = self.rejected.split("\n")
            lines = [shown(f"{self.file}: rejected: {first}")]
            return lines + [f"  {shown(line)}" for line in lines_after]
        lines = [f"{self._name()}: {self.proven} ({self._checked_by()}); {self._owner()}"]
        for verdict in self.verdicts:
            counts = ", ".join(_counted(number, noun) for noun, number in verdict.counts.items())
            lines.append(
                f"  {verdict.kind}: {counts}; checked by {verdict.by}; trusts: {verdict.trusts}"
            )
        if (audit := self._audited()) is not None:
            lines.append(f"  grounder: {audit}")
        if self.has_too_few_checks:
            lines.append(
                "  --by rules requires more: not every position was played; --audit all plays all of them"
            )
        return lines

    def _name(self) -> str:
        """The name of the puzzle in its documents."""
        assert self.found.puzzle is not None, "nothing was rejected"
        return plain_word(self.found.puzzle.name)

    def _owner(self) -> str:
        """Which puzzle the certificate belongs to: the result of the comparison, and the title, the parameters and the
        fingerprint of the puzzle.
        """
        puzzle = self.found.puzzle
        assert puzzle is not None and self.found.compared_with is not None, "nothing was rejected"
        out = shown(self.found.compared_with)
        if puzzle.title not in ("", puzzle.name):
            out += f", titled {in_quotes(puzzle.title)}"
        if puzzle.parameters:
            out += ", " + _settings(puzzle.parameters)
        return f"{out}, fingerprint {self.header.rules[:_SHORT]}"

    def _checked_by(self) -> str:
        seconds = f"in {self.seconds:.1f} s"
        if not any(verdict.is_grounded for verdict in self.verdicts):
            return f"verified {seconds} by the rules"
        if self.is_by_rules:
            return f"verified {seconds} by a task that agrees with the rules on all positions"
        if self.by == "rules":
            return f"proven for the compiled task only, {seconds}"
        return f"verified {seconds} by the compiled task"

    def _audited(self) -> str | None:
        """The result of the comparison with the rules, if a verdict depends on the grounder."""
        if not any(verdict.is_grounded for verdict in self.verdicts):
            return None
        audit = self.found.audit
        if audit is None:
            return "no position was audited, so it is trusted"
        positions = _counted(audit.positions, "positions")
        if audit.is_whole:
            number = "the only position" if audit.positions == 1 else f"all {positions}"
            return f"the rules were played on {number}, and the task agrees"
        return f"the rules were played on {positions}, not on all, and the task agrees; it is trusted elsewhere"

    def drawing(self) -> list[str]:
        """The board at the start, and the values of the variables; empty if the puzzle cannot be read."""
        puzzle = self.found.puzzle
        return (
            [] if puzzle is None else [shown(line) for line in draw(start(puzzle), puzzle.labels)]
        )

    def to_json(self) -> dict[str, Any]:
        """Plain data, as `--json` prints it."""
        found, puzzle = self.found, self.found.puzzle
        audit = found.audit
        return {
            "file": self.file,
            "verified": self.rejected is None and not self.has_too_few_checks,
            "rejected": self.rejected,
            "puzzle": None if puzzle is None else puzzle.name,
            "title": None if puzzle is None else puzzle.title,
            "compared_with": found.compared_with,
            "parameters": None if puzzle is None else dict(puzzle.parameters),
            "rules": None if puzzle is None else self.header.rules,
            "documents": list(self.header.documents),
            "board": None if puzzle is None else draw(start(puzzle), puzzle.labels),
            "metric": self.metric,
            "sections": [
                {
                    "kind": verdict.kind,
                    "proves": verdict.proves,
                    "value": None if verdict.value is None else single(verdict.value),
                    "counts": verdict.counts,
                    "checked_by": verdict.by,
                    "trusts": verdict.trusts,
                    "is_grounded": verdict.is_grounded,
                }
                for verdict in self.verdicts
            ],
            "by_rules": self.rejected is None and self.is_by_rules,
            "audit": None if audit is None else audit.to_json(),
            "seconds": self.seconds,
        }


def _settings(parameters: Mapping[str, int]) -> str:
    return ", ".join(f"{shown(name)}={value}" for name, value in parameters.items())


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun.removesuffix('s') if number == 1 else noun}"
