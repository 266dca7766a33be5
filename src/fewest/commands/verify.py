"""Checks a certificate without trusting the program that made it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, BinaryIO

from fewest.certificates.container import (
    Budget,
    Certificate,
    CertificateError,
    RejectedError,
    TooLargeError,
    open_certificate,
)
from fewest.certificates.embedded_puzzle import embedded_puzzle
from fewest.certificates.rules_checker import Verdict
from fewest.commands.audit_result import audit_verdicts
from fewest.commands.check_options import CheckOptions
from fewest.commands.comparison import Expected
from fewest.commands.verification import Verification, VerificationReport
from fewest.errors import FewestError, InternalError, TimeLimitError, UsageError
from fewest.machine.input import STDIN
from fewest.reading.clock import reading_within

if TYPE_CHECKING:
    from fewest.model.metric import Metric
    from fewest.model.puzzle import Puzzle

__all__ = ["CheckOptions", "Expected", "Verification", "check_certificate", "verify_file"]


def verify_file(
    path: str | Path,
    *,
    expected: str | Puzzle | Expected | None = None,
    budget: Budget | None = None,
    manner: CheckOptions | None = None,
) -> Verification:
    """Check the certificate in a file; the path `-` means standard input.

    The certificate must belong to the puzzle `expected`; by default, this is the shipped puzzle with the same name, if
    there is one. Raises CertificateError if the file is not a certificate or is damaged, TooLargeError at a limit,
    UsageError if `manner` requires a formula that the certificate does not contain, OSError, and any errors from
    loading `expected`. If the certificate proves nothing, the result states the reason, and no error is raised.
    """
    began = time.perf_counter()
    budget, manner = budget or Budget(), manner or CheckOptions()
    name = "stdin" if str(path) == STDIN else str(path)
    try:
        with _opened(path, budget) as file:
            certificate = open_certificate(name, file)
            report = examine(certificate, expected, budget, manner)
    except MemoryError:
        raise TooLargeError(
            f"the check of {name} stopped at the memory limit",
            hint="set a higher limit with --memory",
        ) from None
    seconds = time.perf_counter() - began
    return Verification(str(path), certificate.header, report, seconds, manner.by)


@contextmanager
def _opened(path: str | Path, budget: Budget) -> Iterator[BinaryIO]:
    """A seekable file; stream input is first copied to an unnamed temporary file."""
    with open(0 if str(path) == STDIN else path, "rb", closefd=str(path) != STDIN) as source:
        if source.seekable():
            yield source
            return
        with TemporaryFile() as file:
            while piece := source.read(1 << 20):
                budget.spend()
                if file.tell() + len(piece) > budget.memory:
                    raise TooLargeError("the input exceeds the memory limit")
                file.write(piece)
            file.seek(0)
            yield file


def check_certificate(
    certificate: Certificate,
    expected: str | Puzzle | Expected | None,
    budget: Budget,
    manner: CheckOptions,
) -> tuple[Verdict, ...]:
    """The verdict about each section of a certificate. Raises RejectedError if the certificate proves nothing."""
    report = examine(certificate, expected, budget, manner)
    if report.rejected is not None:
        raise RejectedError(report.rejected)
    return report.verdicts


def examine(
    certificate: Certificate,
    expected: str | Puzzle | Expected | None,
    budget: Budget,
    manner: CheckOptions,
) -> VerificationReport:
    """The results of checking a certificate. A rejection ends the check and becomes part of the results. Raises the
    errors of `verify_file` for all other failures.
    """
    needs_formula = manner.uses_external_checkers or manner.export is not None
    if needs_formula and "clauses" not in certificate.header.sections:
        raise UsageError(
            "the certificate contains no refuted formula",
            hint="--export and --second-opinion need a certificate of --kind clauses",
        )
    report = VerificationReport()
    left = None if budget.deadline == float("inf") else budget.left()
    try:
        with reading_within(left):
            puzzle, metric = embedded_puzzle(certificate.header, certificate.name)
        report = replace(report, puzzle=puzzle)
        wanted = expected if isinstance(expected, Expected) else Expected(expected)
        report = replace(report, compared_with=wanted.compare(puzzle, metric.name))
        verdicts = tuple(
            _check_section(certificate, number, puzzle, metric, budget, manner)
            for number in range(len(certificate.header.sections))
        )
        _check_agreement(verdicts)
        with _played("the audit"):
            audit = audit_verdicts(puzzle, metric, verdicts, manner.audit, budget)
    except RejectedError as error:
        return replace(report, rejected=error.message)
    return replace(report, verdicts=verdicts, audit=audit)


def _check_agreement(verdicts: tuple[Verdict, ...]) -> None:
    """Raise RejectedError if the claims of two sections contradict each other."""
    costs = [v.value for v in verdicts if v.proves == "cost"]
    bounds = [v.value for v in verdicts if v.proves == "bound"]
    is_refuted = any(v.proves == "unsolvable" for v in verdicts)
    if costs and (
        is_refuted or any(bound > cost for bound in bounds for cost in costs if bound and cost)
    ):
        raise RejectedError(
            "the sections of the certificate contradict each other, so one of the checkers has a bug"
        )


def _check_section(
    certificate: Certificate,
    number: int,
    puzzle: Puzzle,
    metric: Metric,
    budget: Budget,
    manner: CheckOptions,
) -> Verdict:
    kind = certificate.header.sections[number]
    with _played(kind):
        checker = manner.for_section(certificate, number, puzzle).checker(kind)
        return checker(puzzle, metric, certificate.section(number), budget)


@contextmanager
def _played(noun: str) -> Iterator[None]:
    """Raises RejectedError for a section that proves nothing, or for a puzzle that cannot be played.

    If the embedded puzzle causes an error during play, the fault lies in the certificate and not in one of the user's
    files.
    """
    try:
        yield
    except RejectedError as error:
        raise RejectedError(f"{noun}: {error.message}") from None
    except RecursionError:
        raise RejectedError(f"{noun}: the data is nested too deeply") from None
    except (CertificateError, TooLargeError, TimeLimitError, UsageError, InternalError):
        raise
    except FewestError as error:
        raise RejectedError(f"{noun}: the embedded puzzle cannot be played:\n{error}") from None
