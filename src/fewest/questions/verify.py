"""The check of a certificate, which trusts nobody who made it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO

from fewest.certificates.carried import carried_puzzle, fingerprint
from fewest.certificates.container import (
    Budget,
    Certificate,
    RejectedError,
    Stream,
    TooLargeError,
    open_certificate,
)
from fewest.certificates.native import has_native_checkers
from fewest.certificates.rules_checker import LayersHead, Verdict, check_layers, check_plan
from fewest.errors import Exit, NotFoundError, UsageError
from fewest.machine import resources
from fewest.machine.input import STDIN
from fewest.model.answer import format_cost, single
from fewest.shown import shown

if TYPE_CHECKING:
    from fewest.model.metric import Metric
    from fewest.model.puzzle import Puzzle

Checker = Callable[["Puzzle", "Metric", Stream, Budget], Verdict]
_PLAYED = 50_000  # positions that are played, all of them: some 0.2 ms each
_COMPARED = (
    10_000  # positions on which the grounder is compared with the rules, where there are more
)


@dataclass(frozen=True)
class CheckManner:
    """How certificates are checked: layers by the `rules`, by the operators of the grounded `task`, or (`auto`)
    by the rules up to 50,000 positions, else by the task, compared with the rules on some 10,000 of them.

    `share`: the chance of each position that the grounder is compared with the rules on it, by `seed`; for `auto` 0
    means so many.
    """

    by: str = "auto"
    share: float = 0.0
    seed: int = 0
    export: Path | None = None
    """the folder to which a formula and its proof are written as text"""
    has_second_opinion: bool = False
    """whether the proof checkers of others are asked too, those on the PATH"""

    def checker(self, kind: str) -> Checker:
        """Who checks a section of a kind. Raises RejectedError for a kind that is not known."""
        if kind == "plan":
            return check_plan
        if kind == "invariant":
            from fewest.certificates.invariant_checker import check_invariant

            return check_invariant
        if kind == "clauses":
            return self._check_clauses
        if kind not in ("layers", "bound"):
            raise RejectedError(f"this fewest has no checker for the kind `{kind}`")
        if self.by == "rules" and kind == "layers":
            return check_layers
        from fewest.certificates.task_checker import Share, check_bound, check_layers_on_task

        share = Share(self.share, self.seed) if self.share else None
        return partial(check_bound if kind == "bound" else check_layers_on_task, share=share)

    def for_section(self, certificate: Certificate, number: int) -> CheckManner:
        """Who checks a section, decided by what its head says of its size: that is not believed, and
        neither checker needs to believe it."""
        if self.by != "auto" or certificate.header.sections[number] != "layers":
            return self
        head = certificate.section(number).head(LayersHead)
        size = sum(count for _, count in head.layers)
        if size <= _PLAYED or not has_native_checkers():
            return replace(self, by="rules")
        return replace(self, by="task", share=self.share or _COMPARED / size)

    def _check_clauses(
        self, puzzle: Puzzle, metric: Metric, stream: Stream, budget: Budget
    ) -> Verdict:
        from fewest.certificates.clauses_checker import check_clauses

        if not self.has_second_opinion:
            return check_clauses(puzzle, metric, stream, budget, self.export)
        from fewest.questions.opinions import ask, installed

        names = installed()
        with TemporaryDirectory() as folder:
            place = self.export or Path(folder)
            verdict = check_clauses(puzzle, metric, stream, budget, place)
            for name in names:
                ask(name, place, budget)
        return replace(verdict, trusts=f"{verdict.trusts} (with {' and '.join(names)})")


@dataclass(frozen=True)
class Verification:
    """What a certificate proves; `rejected` says why it proves nothing, if so."""

    file: str
    title: str
    puzzle: str
    metric: str
    verdicts: tuple[Verdict, ...]
    rejected: str | None
    seconds: float

    @property
    def exit_code(self) -> Exit:
        """What it means for whoever called the program."""
        return Exit.ANSWERED if self.rejected is None else Exit.FAILED

    @property
    def proven(self) -> str:
        """What follows from all sections together."""
        values = {verdict.proves: verdict.value for verdict in self.verdicts}
        if "unsolvable" in values:
            return "unsolvable"
        cost, bound = values.get("cost"), values.get("bound")
        if cost is not None and cost == bound:
            return f"{format_cost(single(cost))} {shown(self.metric)}, and no fewer"
        parts = []
        if cost is not None:
            parts.append(f"{format_cost(single(cost))} {self.metric} are enough")
        if bound is not None:
            parts.append(f"no plan of less than {format_cost(single(bound))} {self.metric}")
        return ", ".join(parts)

    def text(self) -> list[str]:
        """The lines for people, the first of them the verdict."""
        if self.rejected is not None:
            return [f"{self.file}: rejected: {self.rejected}"]
        lines = [f"{shown(self.title)}: {self.proven} (verified in {self.seconds:.1f} s)"]
        for verdict in self.verdicts:
            counts = ", ".join(_counted(number, what) for what, number in verdict.counts.items())
            lines.append(
                f"  {verdict.kind}: {counts}; checked by {verdict.by}; believed: {verdict.trusts}"
            )
        return lines

    def to_json(self) -> dict[str, Any]:
        """Plain data: the same that `--json` prints."""
        return {
            "file": self.file,
            "verified": self.rejected is None,
            "rejected": self.rejected,
            "puzzle": self.puzzle,
            "title": self.title,
            "metric": self.metric,
            "sections": [
                {
                    "kind": verdict.kind,
                    "proves": verdict.proves,
                    "value": None if verdict.value is None else single(verdict.value),
                    "counts": verdict.counts,
                    "checked_by": verdict.by,
                    "trusts": verdict.trusts,
                }
                for verdict in self.verdicts
            ],
            "seconds": self.seconds,
        }


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what.removesuffix('s') if number == 1 else what}"


def verify_file(
    path: Path,
    *,
    expected: str | Puzzle | None = None,
    budget: Budget | None = None,
    manner: CheckManner | None = None,
) -> Verification:
    """Check a certificate; `-` is stdin. It must be of the puzzle `expected`; without, of the shipped one of
    its name.

    Raises CertificateError for what is none or is damaged, TooLargeError, OSError, and what loading
    `expected` raises. That it proves nothing is a result.
    """
    began = time.perf_counter()
    verdicts: tuple[Verdict, ...] = ()
    rejected = None
    budget = budget or Budget()
    with _opened(path, budget) as file:
        certificate = open_certificate("stdin" if str(path) == STDIN else str(path), file)
        try:
            verdicts = check_certificate(certificate, expected, budget, manner or CheckManner())
        except RejectedError as error:
            rejected = error.message
    header = certificate.header
    seconds = time.perf_counter() - began
    return Verification(
        str(path), header.title, header.puzzle, header.metric, verdicts, rejected, seconds
    )


@contextmanager
def _opened(path: Path, budget: Budget) -> Iterator[BinaryIO]:
    """A file that can be read more than once: what comes over a stream is kept in one without a name."""
    with open(0 if str(path) == STDIN else path, "rb", closefd=str(path) != STDIN) as source:
        if source.seekable():
            yield source
            return
        with TemporaryFile() as file:
            while piece := source.read(1 << 20):
                budget.spend()
                if file.tell() + len(piece) > budget.memory:
                    raise TooLargeError("memory limit: what comes over the stream is too long")
                file.write(piece)
            file.seek(0)
            yield file


def check_certificate(
    certificate: Certificate, expected: str | Puzzle | None, budget: Budget, manner: CheckManner
) -> tuple[Verdict, ...]:
    """What each section of a certificate proves. Raises RejectedError."""
    asks_formula = manner.has_second_opinion or manner.export is not None
    if asks_formula and "clauses" not in certificate.header.sections:
        raise UsageError(
            "it holds no refuted formula",
            hint="--export and --second-opinion are for --kind clauses",
        )
    puzzle, metric = carried_puzzle(certificate.header)
    _check_expected(certificate, metric, expected)
    verdicts = tuple(
        _check_section(certificate, number, puzzle, metric, budget, manner)
        for number in range(len(certificate.header.sections))
    )
    costs = [v.value for v in verdicts if v.proves == "cost"]
    bounds = [v.value for v in verdicts if v.proves == "bound"]
    is_refuted = any(v.proves == "unsolvable" for v in verdicts)
    if costs and (
        is_refuted or any(bound > cost for bound in bounds for cost in costs if bound and cost)
    ):
        raise RejectedError("its sections contradict each other: one of the checkers is wrong")
    return verdicts


def _check_section(
    certificate: Certificate,
    number: int,
    puzzle: Puzzle,
    metric: Metric,
    budget: Budget,
    manner: CheckManner,
) -> Verdict:
    kind = certificate.header.sections[number]
    try:
        checker = manner.for_section(certificate, number).checker(kind)
        return checker(puzzle, metric, certificate.section(number), budget)
    except RejectedError as error:
        raise RejectedError(f"{kind}: {error.message}") from None
    except RecursionError:
        raise RejectedError(f"{kind}: it is nested too deep") from None


def _check_expected(
    certificate: Certificate, metric: Metric, expected: str | Puzzle | None
) -> None:
    """Raises RejectedError if the certificate is of another puzzle, or of what the puzzle was once."""
    from fewest.questions.load import load_puzzle

    header = certificate.header
    refs: Sequence[str | Path | Puzzle] = (
        _shipped(header.puzzle) if expected is None else [expected]
    )
    reason = "that has changed: rules, board, goal or metric differ (--of says which puzzle it must be of)"
    name = expected if isinstance(expected, str) else header.puzzle
    for ref in refs:
        try:
            known = load_puzzle(ref, header.parameters) if isinstance(ref, str | Path) else ref
        except UsageError as error:
            raise RejectedError(f"it is not of {name}: {error.message}") from None
        same = known.metrics.get(header.metric)
        if same is not None and fingerprint(known, same) == header.rules:
            return
    if refs:
        raise RejectedError(f"it is not of {name}, or {reason}")


def _shipped(name: str) -> Sequence[str | Path]:
    """What of all that ships is called so: the puzzle in a file of its own, and the level of a collection."""
    found: list[str | Path] = []
    with suppress(NotFoundError):
        found.append(resources.puzzle_path(name))
    level = re.fullmatch(r"(.+)-(\d{3,9})", name)
    if level is not None:
        from fewest.formats.registry import level_document

        for path in resources.collections(level[1]):
            with suppress(NotFoundError):
                ref = f"{path}:{int(level[2])}"
                found += [ref] if level_document(ref) is not None else []
    return found
