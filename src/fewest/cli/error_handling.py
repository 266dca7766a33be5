"""Reports the errors that end a command, as text or (`--json`) as JSON, and determines their exit codes."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click
from msgspec.structs import asdict

from fewest.cli.console import MANNER, say
from fewest.cli.output import print_json
from fewest.errors import (
    DocumentError,
    Exit,
    FewestError,
    InternalError,
    NotFoundError,
    TimeLimitError,
    UsageError,
)

_NO_ROOM = {errno.ENOSPC, errno.EFBIG, errno.EIO, getattr(errno, "EDQUOT", errno.ENOSPC)}
_KIND = {
    Exit.USAGE: "usage",
    Exit.BAD_INPUT: "input",
    Exit.LIMIT: "memory",
    Exit.BUG: "bug",
    Exit.OUTPUT: "output",
    Exit.INTERRUPTED: "interrupted",
}


def fail(error: BaseException) -> int:
    """Report an error. Returns the exit code."""
    if isinstance(error, click.ClickException):
        return _usage(error)
    if isinstance(error, (click.exceptions.Abort, KeyboardInterrupt)):
        return _fail(Exit.INTERRUPTED, "interrupted", text="interrupted")
    if isinstance(error, InternalError):
        return _bug(error)
    if isinstance(error, DocumentError):  # each mistake begins with its own location
        mistakes = [asdict(mistake) for mistake in error.diagnostics]
        message, text = error.message, str(error)
        return _fail(error.exit_code, message, mistakes=mistakes, text=text)
    if isinstance(error, FewestError):
        kind = _kind_of(error)
        return _fail(error.exit_code, error.message, hint=error.hint, kind=kind)
    if isinstance(error, OSError):
        name = f"{error.filename}: " if error.filename else ""
        code = Exit.OUTPUT if error.errno in _NO_ROOM else Exit.BAD_INPUT
        return _fail(code, f"{name}{error.strerror or error}")
    if isinstance(error, MemoryError) or _is_unmapped(error):
        return _fail(Exit.LIMIT, "out of memory")
    return _bug(error)


def unwritten(error: OSError) -> int:
    """Report on stderr that stdout cannot be written; returns the exit code."""
    why = "stdout is closed" if error.errno == errno.EBADF else error.strerror
    say(f"error: cannot write the output: {why}")
    return Exit.OUTPUT


def _fail(
    code: int,
    message: str,
    *,
    hint: str = "",
    kind: str = "",
    text: str = "",
    mistakes: Sequence[Mapping[str, Any]] = (),
    details: Mapping[str, Any] | None = None,
) -> int:
    if MANNER.as_json:
        data = {
            "error": {
                "kind": kind or _KIND[Exit(code)],
                "message": message,
                "hint": hint or None,
                "exit_code": int(code),
                "mistakes": list(mistakes),
                **({} if details is None else {"disagreement": dict(details)}),
            }
        }
        print_json(data, is_line=MANNER.is_line)
    else:
        say(text or f"error: {message}" + (f"\n  hint: {hint}" if hint else ""))
    return code


def _kind_of(error: FewestError) -> str:
    if isinstance(error, NotFoundError):
        return "not-found"
    if isinstance(error, TimeLimitError):
        return "time"
    return "usage" if isinstance(error, UsageError) else ""


def _usage(error: click.ClickException) -> int:
    if MANNER.as_json:
        return _fail(error.exit_code, error.format_message())
    error.show()
    return error.exit_code


def _is_unmapped(error: BaseException) -> bool:
    """Whether the system could not load a library because too little memory was free."""
    return isinstance(error, ImportError) and "failed to map" in str(error)


def _bug(error: BaseException) -> int:
    if os.environ.get("FEWEST_DEBUG"):
        import traceback

        traceback.print_exception(error, file=sys.stderr)
    from fewest.commands.audit.disagreement import DisagreementError

    if isinstance(error, DisagreementError):
        report = f"fewest has a bug, sorry: {error}"
        return _fail(Exit.BUG, error.message, hint=error.hint, text=report, details=error.to_json())
    description = f"{type(error).__name__}: {error}"
    return _fail(
        Exit.BUG,
        description,
        text=f"fewest has a bug, sorry: {description}\n"
        "No answer above this line is affected. FEWEST_DEBUG=1 shows where it happened.",
    )
