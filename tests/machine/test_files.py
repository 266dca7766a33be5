"""Files are written completely or not at all; links, permissions, devices and pipes remain unchanged."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from fewest.machine.files import check_writable, write_whole

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX files")


def test_a_new_file_has_the_rights_of_new_files_and_nothing_is_left_beside_it(
    tmp_path: Path,
) -> None:
    other = tmp_path / "other"
    other.touch()
    assert write_whole(tmp_path / "new", [b"ab", b"c"]) == 3
    assert (tmp_path / "new").read_bytes() == b"abc"
    assert (tmp_path / "new").stat().st_mode == other.stat().st_mode
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "other"]


def test_an_overwritten_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "old"
    path.write_bytes(b"before")
    path.chmod(0o640)
    write_whole(path, [b"after"])
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"after", 0o640)


@pytest.mark.parametrize("is_dangling", [False, True])
def test_a_link_remains_and_its_target_is_written(is_dangling: bool, tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "file", tmp_path / "link"
    if not is_dangling:
        target.write_bytes(b"before")
    link.symlink_to("far/file")
    check_writable(link)
    write_whole(link, [b"after"])
    assert link.is_symlink() and target.read_bytes() == b"after"
    assert not target.is_symlink()


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="files without names, as Linux has them")
def test_a_killed_writer_leaves_no_temporary_file(tmp_path: Path) -> None:
    code = (
        "import os, signal; from pathlib import Path; from fewest.machine.files import write_whole\n"
        "def parts():\n"
        "    yield bytes(1 << 20)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        f"write_whole(Path({str(tmp_path / 'file')!r}), parts())"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False)
    assert done.returncode == -signal.SIGKILL
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    def parts() -> Iterator[bytes]:
        yield b"half"
        raise KeyboardInterrupt

    path = tmp_path / "file"
    path.write_bytes(b"before")
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, parts())
    assert path.read_bytes() == b"before"
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_a_named_pipe_is_written_to_and_remains_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read: list[bytes] = []
    reader = Thread(target=lambda: read.append(path.read_bytes()))
    reader.start()
    check_writable(path)
    write_whole(path, [b"through ", b"the pipe"])
    reader.join(timeout=10)
    assert read == [b"through the pipe"] and stat.S_ISFIFO(path.stat().st_mode)


def test_a_device_remains_a_device() -> None:
    before = os.stat(os.devnull)
    write_whole(Path(os.devnull), [b"away"])
    assert os.path.samestat(before, os.stat(os.devnull))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_device_is_an_error_with_its_name() -> None:
    with pytest.raises(OSError, match="No space left") as raised:
        write_whole(Path("/dev/full"), [b"too much"])
    assert raised.value.filename == "/dev/full"


@pytest.mark.parametrize("name", ["", "nowhere/file", "."])
def test_an_output_folder_that_cannot_exist_is_refused_before_the_work(
    name: str, tmp_path: Path
) -> None:
    with pytest.raises(OSError, match=r"No such file|Is a directory"):
        check_writable(tmp_path / name if name else Path(""))


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write to everything")
def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"before")
    path.chmod(0o444)
    with pytest.raises(PermissionError):
        check_writable(path)
    with pytest.raises(PermissionError):
        write_whole(path, [b"after"])
    assert path.read_bytes() == b"before"
