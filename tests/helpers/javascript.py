"""Runs the scripts of the page in Node.js, or in Chromium if Node.js is missing."""

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
_MUST = "FEWEST_TEST_BROWSER"  # if this variable is set, a missing browser is a failure; CI sets it


def call_script(name: str, **arguments: Any) -> Any:
    """The result of a function in `tests/web/driver.js`. Skips the test if neither node nor Chromium is available."""
    source = f"{scripts()}\n{DRIVER.read_text(encoding='utf-8')}\n"
    node = shutil.which("node")
    if node is None:
        with browser() as page:
            call = (
                f"(text) => {{ {source} return functions[{json.dumps(name)}](JSON.parse(text)); }}"
            )
            return page.evaluate(call, json.dumps(arguments))
    return _answer(_node(node, source), name, arguments)


# Each line of input is a call, and each line of output its result or its exception.
LOOP = """
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const [name, given] = JSON.parse(line);
  let answer;
  try {
    answer = [null, functions[name](given)];
  } catch (error) {
    answer = [String(error.stack), null];
  }
  process.stdout.write(JSON.stringify(answer) + "\\n");
});
"""

_asking: list[subprocess.Popen[str]] = []  # the process of Node.js, after the first call


def _node(node: str, source: str) -> subprocess.Popen[str]:
    """The process of Node.js, which is shared by all calls."""
    if not _asking:
        process = subprocess.Popen(
            [node, "-e", source + LOOP],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        _asking.append(process)
    return _asking[0]


def _answer(process: subprocess.Popen[str], name: str, arguments: dict[str, Any]) -> Any:
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(json.dumps([name, arguments]) + "\n")
    process.stdin.flush()
    error, answer = json.loads(process.stdout.readline())
    assert error is None, error
    return answer


def chromium() -> str:
    """The path of the browser. Skips the test, with a message, if no browser is found."""
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


_started: list[Any] = []  # playwright and its browser, after the first use


def _chrome() -> Any:
    """The browser, which is shared by all tests."""
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
    """End the browser and Node.js, if they were started."""
    while _asking:
        _asking.pop().communicate()
    while _started:
        play, chrome = _started
        _started.clear()
        chrome.close()
        play.stop()


@contextmanager
def browser(
    width: int = 1000, height: int = 760, *, touch: bool = False, offline: bool = True
) -> Iterator[Any]:
    """A page of Chromium without network; the test fails if the page prints to the console.

    This also applies to further pages that `page.context.new_page()` opens.
    """
    messages: list[str] = []
    context = _chrome().new_context(
        viewport={"width": width, "height": height}, has_touch=touch, offline=offline
    )
    context.on("console", lambda message: messages.append(message.text))
    context.on("weberror", lambda error: messages.append(str(error.error)))
    page = context.new_page()
    try:
        yield page
    finally:
        context.close()
    assert messages == []
