"""Stand-ins replace modules that a package imports and does not use."""

import inspect
import subprocess
import sys
from importlib.util import find_spec

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewest.__main__ import _cleandoc
from fewest.machine.deferred_imports import deferred_imports


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """The module `colorsys` of the standard library counts as not imported."""
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)


def test_a_stand_in_knows_the_given_attributes_and_imports_the_module_for_all_others() -> None:
    with deferred_imports({"colorsys": {"rgb_to_yiq": str}}):
        import colorsys
        from colorsys import rgb_to_yiq

    assert rgb_to_yiq is str  # type: ignore[comparison-overlap]
    assert "colorsys" not in sys.modules
    assert colorsys.rgb_to_hsv(1, 1, 1) == (0, 0, 1)
    assert sys.modules["colorsys"].rgb_to_hsv is colorsys.rgb_to_hsv
    assert sys.modules["colorsys"] is not colorsys


def test_an_attribute_that_is_needed_at_once_imports_the_module_at_once() -> None:
    with deferred_imports({"colorsys": {}}):
        from colorsys import rgb_to_hsv

        assert sys.modules["colorsys"].rgb_to_hsv is rgb_to_hsv
    assert sys.modules["colorsys"].rgb_to_hsv is rgb_to_hsv


def test_a_missing_attribute_is_an_attribute_error_of_the_module() -> None:
    with deferred_imports({"colorsys": {}}):
        import colorsys
    with pytest.raises(AttributeError, match="module 'colorsys' has no attribute 'purple'"):
        _ = colorsys.purple  # type: ignore[attr-defined]


def test_a_module_that_is_already_imported_has_no_stand_in() -> None:
    with deferred_imports({"inspect": {}}):
        assert sys.modules["inspect"] is inspect
    assert sys.modules["inspect"] is inspect


@given(st.text(st.sampled_from("ab \t\n\f\u2003"), max_size=12))
def test_the_program_cleans_help_texts_like_the_standard_library(text: str) -> None:
    assert _cleandoc(text) == inspect.cleandoc(text)


def test_a_command_does_not_import_what_only_click_and_msgspec_mention() -> None:
    code = (
        "import atexit, sys\n"
        "from fewest.__main__ import main\n"
        "atexit.register(lambda: print(*sys.modules))\n"
        "main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "solve", "tiles-2x2"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    unwanted = {"gettext", "msgspec.inspect", "msgspec.json", "textwrap"}
    if find_spec("typing_extensions") is None:  # msgspec imports this package if it is installed
        unwanted |= {"inspect"}
    modules = {*done.stdout.splitlines()[-1].split()}
    assert "click" in modules
    assert not modules & unwanted
