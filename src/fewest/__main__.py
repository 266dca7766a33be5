"""The entry point of `python -m fewest` and of the command `fewest`."""

import gc
import sys
from collections.abc import Mapping
from typing import Any, NoReturn

from fewest.machine.deferred_imports import deferred_imports
from fewest.machine.process_exit import enable_fast_exit


def main() -> NoReturn:
    """Run the command-line interface (`fewest.cli`).

    Two settings make the start faster. The thresholds of the garbage collector are raised, because the start creates
    many objects but no garbage; with the default thresholds, unnecessary collections would take 10 ms. Modules that
    click and msgspec import but that few commands use are imported only when they are used.
    """
    enable_fast_exit()
    gc.set_threshold(100_000, 20, 20)
    try:
        with deferred_imports(_DEFERRED):
            import click  # noqa: F401
            import msgspec  # noqa: F401
        from fewest import cli
    except KeyboardInterrupt:  # there is no result yet
        raise SystemExit(130) from None

    cli.main()


def _cleandoc(text: str) -> str:
    """The result of `inspect.cleandoc`, which changes only indented text, tabs and texts of several lines."""
    if text[:1].isspace() or "\n" in text or "\t" in text:
        import inspect

        return inspect.cleandoc(text)
    return text


def _ngettext(one: str, several: str, number: int) -> str:
    return one if number == 1 else several


def _system() -> str:
    return "Linux"


_DEFERRED: Mapping[str, Mapping[str, Any]] = {
    # click calls `cleandoc` for the help text of every option
    "inspect": {"cleandoc": _cleandoc},
    # click has no translations, so it need not look for them
    "gettext": {"gettext": str, "ngettext": _ngettext},
    "msgspec.inspect": {},
    "msgspec.json": {},
    "msgspec.toml": {},
    "msgspec.yaml": {},
    # on Linux, both packages import a module that needs only the name of the system
    **({"platform": {"system": _system}} if sys.platform == "linux" else {}),
}


if __name__ == "__main__":  # the processes that a command starts may import this file again
    main()
