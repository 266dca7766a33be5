"""In the process: reads, draws and solves what people write. `serve` is all it runs.

Over a connection `Question`s come in, one after the other; `Said`s go out, the last of each an answer or a refusal.
"""

from __future__ import annotations

import signal
import time
import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from msgspec import Struct

from fewest.errors import DocumentError, FewestError
from fewest.shown import shown_in

Say = Callable[[str, Any], None]

ANSWERS: Mapping[str, str] = {
    "library": "fewest.serve.answers.library",
    "picture": "fewest.serve.answers.library",
    "opened": "fewest.serve.answers.library",
    "alone": "fewest.serve.answers.library",
    "check": "fewest.serve.answers.check",
    "play": "fewest.serve.answers.play",
    "solve": "fewest.serve.answers.solve",
    "compare": "fewest.serve.answers.compare",
    "explore": "fewest.serve.answers.explore",
    "download": "fewest.serve.answers.download",
    "page": "fewest.serve.answers.download",
    "animation": "fewest.serve.answers.download",
}
"""Which file answers what; each has a function of that name."""


_SHOWN = (
    "play",
    "solve",
    "compare",
)  # the others answer with documents, to the letter, or with files


class Question(Struct, frozen=True):
    """What is asked, and with what: plain data as it came. `root` is the folder that was given, if any."""

    what: str
    given: Mapping[str, Any]
    root: Path | None


class Said(Struct, frozen=True):
    """`progress`, `answer` or `refused`, as plain data; who is not `is_well` is asked no more."""

    kind: str
    data: Any
    is_well: bool = True


def serve(connection: Connection) -> None:
    """Answer question after question, until nobody asks any more."""
    warnings.simplefilter("ignore")
    for module in ("fewest.serve.answers.check", "fewest.search", "fewest.web.page"):
        import_module(module)  # before somebody waits for it
    while True:
        question: Question = connection.recv()
        last = 0.0

        def say(kind: str, data: Any) -> None:
            nonlocal last
            now = time.monotonic()
            if kind != "progress" or now - last >= 0.1:
                last = now
                connection.send(Said(kind, data))

        said = _said(question, say)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the answer is there: let it be sent
        connection.send(said)
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _said(question: Question, say: Say) -> Said:
    try:
        answer = getattr(import_module(ANSWERS[question.what]), question.what)
        found = answer(question.given, question.root, say)
        return Said("answer", shown_in(found) if question.what in _SHOWN else found)
    except DocumentError as error:
        return _refused("there are mistakes in the text", error.diagnostics[0].message)
    except FewestError as error:
        return _refused(error.message, error.hint)
    except KeyboardInterrupt:
        return Said("refused", {"message": "cancelled", "hint": ""}, is_well=False)
    except MemoryError:
        return Said("refused", {"message": "not enough memory", "hint": ""}, is_well=False)
    except RecursionError:
        return _refused("it is nested too deeply", "")
    except Exception as error:  # a bug of ours, which must not end the page of who met it
        return Said(
            "refused",
            {"message": f"a bug of ours: {type(error).__name__}: {error}", "hint": ""},
            is_well=False,
        )


def _refused(message: str, hint: str) -> Said:
    return Said("refused", {"message": message, "hint": hint})
