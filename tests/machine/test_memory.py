"""The free memory is that of the machine, limited by the control groups of the process."""

from __future__ import annotations

from pathlib import Path

import pytest

from fewest.machine import memory

GIB = 1 << 30


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "proc" / "self").mkdir(parents=True)
    (tmp_path / "groups" / "a" / "b").mkdir(parents=True)
    (tmp_path / "proc" / "meminfo").write_text(f"MemTotal: 1 kB\nMemAvailable: {10 << 20} kB\n")
    (tmp_path / "proc" / "self" / "cgroup").write_text("3:cpu:/x\n0::/a/b\n")
    monkeypatch.setattr(memory, "_PROC", str(tmp_path / "proc"))
    monkeypatch.setattr(memory, "_GROUPS", str(tmp_path / "groups"))
    return tmp_path / "groups"


def limit(group: Path, most: str, used: int) -> None:
    (group / "memory.max").write_text(most + "\n")
    (group / "memory.current").write_text(f"{used}\n")


def test_the_default_memory_is_four_fifths_of_the_free_memory(machine: Path) -> None:
    limit(machine / "a" / "b", "max", 5 * GIB)
    assert memory.memory_to_use() == 8 * GIB


def test_the_nearest_limit_of_all_groups_around_counts(machine: Path) -> None:
    limit(machine / "a" / "b", str(9 * GIB), 1 * GIB)
    limit(machine / "a", str(6 * GIB), 1 * GIB)
    assert memory.memory_to_use() == 4 * GIB


def test_groups_of_version_1_as_containers_have_them(machine: Path) -> None:
    (machine / "memory").mkdir()
    (machine / "memory" / "memory.limit_in_bytes").write_text(str(3 * GIB))
    (machine / "memory" / "memory.usage_in_bytes").write_text(str(GIB // 2))
    assert memory.memory_to_use() == 2 * GIB


def test_a_full_machine_still_allows_64_megabytes(machine: Path) -> None:
    limit(machine / "a", str(GIB), 2 * GIB)
    assert memory.memory_to_use() == 64 << 20


def test_a_system_without_figures_counts_as_having_all_its_memory_free(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "_PROC", str(machine / "nowhere"))
    monkeypatch.setattr(memory.os, "sysconf", {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": GIB}.get)
    assert memory.memory_to_use() == int(4096 * GIB * 0.8)
