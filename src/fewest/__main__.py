"""The entry point of `python -m fewest` and of the command `fewest`."""

import gc
import gettext
from typing import NoReturn

from fewest.machine.process_exit import enable_fast_exit


def main() -> NoReturn:
    """Run the command-line interface (`fewest.cli`).

    Two settings make the start faster. The thresholds of the garbage collector are raised, because the start creates
    many objects but no garbage; with the default thresholds, unnecessary collections would take 10 ms. Click does not
    look for translations of its texts, because there are none, and looking for them would take 1 ms.
    """
    enable_fast_exit()
    gc.set_threshold(100_000, 20, 20)
    gettext.gettext = str  # type: ignore[assignment]  # before the import of click
    try:
        from fewest import cli
    except KeyboardInterrupt:  # there is no result yet
        raise SystemExit(130) from None

    cli.main()


if __name__ == "__main__":  # the processes that a command starts may import this file again
    main()
