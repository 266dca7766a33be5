"""Settings for the tests of stores, which save small files often."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.quick_stores import without_audit, without_waiting_for_the_disk  # noqa: F401

MEMORY = Path("/dev/shm")
"""On Linux, the files in this folder are in memory. In some containers it has little space."""


@pytest.fixture(scope="module")
def quick_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Temporary folders are in memory if it has enough space, for tests that create and remove hundreds of stores."""
    tmp_path_factory.getbasetemp()  # the folders of other tests stay on the disk
    if not MEMORY.is_dir() or shutil.disk_usage(MEMORY).free < 4 << 30:
        yield
        return
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", folder)
        yield
