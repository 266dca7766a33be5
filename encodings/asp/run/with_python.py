"""The clingo program, for computers that have only clingo's Python package: `python run/with_python.py FILE ...`.

`python -m clingo` is a different program: it does not support the incremental mode.
"""

import sys

from clingo.application import Application, clingo_main


class Clingo(Application):
    """The clingo program with its own options and its own main function."""

    program_name = "clingo"


if __name__ == "__main__":
    sys.exit(clingo_main(Clingo(), sys.argv[1:]))
