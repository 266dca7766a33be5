"""Modules that are loaded when something in them is first used."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
from threading import Thread
from fewest.machine.importing import import_when_used

before = set(sys.modules)
import_when_used("textwrap", "tokenize", "sys")
import textwrap, tokenize
assert set(sys.modules) - before <= {"textwrap", "tokenize"}
assert "dedent" not in vars(textwrap), "nothing has used it"
assert sys.argv, "what was there stays"
found = []
threads = [Thread(target=lambda: found.append(textwrap.dedent("  a"))) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert found == ["a"] * 4
from tokenize import NAME, generate_tokens
assert NAME == 1 and tokenize.__spec__.name == "tokenize"
try:
    textwrap.nothing
except AttributeError as error:
    print(error)
"""


def test_a_module_is_loaded_when_it_is_first_used() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "module 'textwrap' has no attribute 'nothing'\n"
