"""A search of all boards counts pieces and cells only where the spec limits them."""

from __future__ import annotations

from pathlib import Path

from tests.helpers.command_line import run

SPEC = """puzzle: wide
model: rush-hour
board: |
{rows}
stuck_lines: false
fill:
  X: {{shape: "##", number: 1, rows: [1], columns: [9, 10]}}
  A: {{shape: "##", number: [0, 1], rows: [0]}}
{more}
"""


def spec(folder: Path, rows: int, columns: int, more: str = "") -> str:
    path = folder / "wide.yaml"
    drawing = "\n".join("  " + "." * columns for _ in range(rows))
    path.write_text(SPEC.format(rows=drawing, more=more), encoding="utf-8")
    return str(path)


def test_lines_along_which_no_piece_moves_need_no_counter(tmp_path: Path) -> None:
    # Each car has 27 places, and the second car may be absent.
    found = run("generate", spec(tmp_path, 2, 28), "--exhaustive", "--json")
    assert found.returncode == 0, found.stderr
    assert '"positions": 756' in found.stdout


def test_a_spec_with_too_many_limits_is_refused(tmp_path: Path) -> None:
    more = '  B: {shape: "#\\n#"}\n  C: {shape: "###"}'
    found = run("generate", spec(tmp_path, 4, 16, more), "--exhaustive", "--time", "9")
    assert found.returncode == 2, found.stderr
    assert "the limits on lines need 68 bits" in found.stderr
    assert "stuck_lines" in found.stderr
