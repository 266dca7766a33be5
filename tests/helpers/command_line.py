"""The program as its users start it."""

from __future__ import annotations

import os
import subprocess
import sys


def run(*args: str, **options: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "COLUMNS": "80"}
    return subprocess.run(
        [sys.executable, "-m", "fewest", *args],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
        encoding="utf-8",
        **options,  # type: ignore[call-overload]
    )
