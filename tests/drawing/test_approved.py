"""Every pixel of a picture equals the same pixel of the approved picture, which a person has examined."""

from __future__ import annotations

import io
from typing import Any

import pytest

from tests.helpers import approved


def test_pictures_are_the_approved_ones_pixel_by_pixel() -> None:
    pytest.importorskip("resvg_py", reason="the extra `pictures`")
    image = pytest.importorskip("PIL.Image")
    known = approved.RENDERER.read_text(encoding="utf-8").strip()
    if approved.renderer() != known:
        pytest.skip(f"approved with {known}, here is {approved.renderer()}: approve anew")
    names = set()
    for name, svg in approved.drawings():
        names.add(name)
        found = _pixels(image, approved.pixels(svg))
        wanted = _pixels(image, (approved.FOLDER / f"{name}.png").read_bytes())
        assert found.size == wanted.size, name
        assert found.tobytes() == wanted.tobytes(), (
            f"{name} differs: look at it, then run python -m tests.helpers.approved"
        )
    assert {path.stem for path in approved.FOLDER.glob("*.png")} == names


def _pixels(image: Any, data: bytes) -> Any:
    return image.open(io.BytesIO(data)).convert("RGBA")
