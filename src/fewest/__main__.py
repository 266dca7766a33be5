"""`python -m fewest`, and `fewest`."""

import gc
from typing import NoReturn

from fewest.machine.process_exit import enable_fast_exit


def main() -> NoReturn:
    """The command line, see `fewest.cli`, imported with the search for garbage held back.

    Start-up makes many objects and no garbage; the default threshold takes 10 ms to find that out.
    """
    enable_fast_exit()
    gc.set_threshold(100_000, 20, 20)
    try:
        from fewest import cli
    except KeyboardInterrupt:  # before there is anything to say
        raise SystemExit(130) from None

    cli.main()


if __name__ == "__main__":  # processes that a command starts may import this file again
    main()
