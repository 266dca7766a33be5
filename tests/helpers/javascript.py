"""The scripts of the page, run in node, or in Chromium where there is no node."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from fewest.web.page import scripts

DRIVER = Path(__file__).parents[1] / "web" / "driver.js"
_MUST = "FEWEST_TEST_BROWSER"  # set where a missing browser is a failure, as in CI


def ask(question: str, **arguments: Any) -> Any:
    """The answer of a function of `tests/web/driver.js`. Skips the test where nothing runs JavaScript."""
    source = f"{scripts()}\n{DRIVER.read_text(encoding='utf-8')}\n"
    node = shutil.which("node")
    if node is None:
        with browser() as page:
            call = (
                f"(text) => {{ {source} return asked[{json.dumps(question)}](JSON.parse(text)); }}"
            )
            return page.evaluate(call, json.dumps(arguments))
    source += (
        f'const given = JSON.parse(require("fs").readFileSync(0, "utf8"));\n'
        f"process.stdout.write(JSON.stringify(asked[{json.dumps(question)}](given)));\n"
    )
    done = subprocess.run(
        [node, "-e", source],
        input=json.dumps(arguments),
        capture_output=True,
        text=True,
        timeout=120,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def chromium() -> str:
    """The browser on this machine. Skips the test, loudly, where there is none."""
    found = next(
        (p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None
    )
    if found is None:
        _missing("there is no Chromium here: the page is not played")
    return str(found)


def _missing(reason: str) -> None:
    if os.environ.get(_MUST):
        pytest.fail(reason)
    pytest.skip(reason)


_started: list[Any] = []  # playwright and its browser, once they are asked for


def _chrome() -> Any:
    """The one browser of all tests."""
    if not _started:
        path = chromium()
        try:
            from playwright.sync_api import sync_playwright
        except ImportError:
            _missing("playwright is not installed: the page is not played")
        play = sync_playwright().start()
        _started.extend((play, play.chromium.launch(executable_path=path, args=["--no-sandbox"])))
    return _started[1]


def stop_browser() -> None:
    """End the browser, if it was started."""
    while _started:
        play, chrome = _started
        _started.clear()
        chrome.close()
        play.stop()


@contextmanager
def browser(
    width: int = 1000, height: int = 760, *, touch: bool = False, offline: bool = True
) -> Iterator[Any]:
    """A page of Chromium that must not say anything on its console, with no network.

    Pages that it opens, `page.context.new_page()`, must not, either.
    """
    said: list[str] = []
    context = _chrome().new_context(
        viewport={"width": width, "height": height}, has_touch=touch, offline=offline
    )
    context.on("console", lambda message: said.append(message.text))
    context.on("weberror", lambda error: said.append(str(error.error)))
    page = context.new_page()
    try:
        yield page
    finally:
        context.close()
    assert said == []
