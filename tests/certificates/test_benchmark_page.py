"""The summary of the page of certificate benchmarks agrees with the tables of measurements."""

from pathlib import Path

from bench import certificates


def test_the_summary_agrees_with_the_tables() -> None:
    text = certificates.PAGE.read_text(encoding="utf-8")
    assert certificates.page(text) == text


def test_a_measurement_becomes_a_row_of_numbers(tmp_path: Path) -> None:
    limits = certificates.Limits(10, 10, 1.0, 10)
    store = certificates.Store(tmp_path / "rows.jsonl")
    row = "| hanoi | moves | 7 | 1,234 (bound) | 5,678 | 0.033 s |  | 10.5 s |"
    store.add("layers", "hanoi", "moves", limits, {"row": row})
    store.add("layers", "jugs", "moves", limits, {"why": "time limit"})
    records = store.records("layers", certificates.LISTED_COLUMNS)
    assert [list(record.values()) for record in records] == [
        ["hanoi", "moves", "7", "1234 (bound)", "5678", "0.033", "", "10.5", ""],
        ["jugs", "moves", "", "", "", "", "", "", "time limit"],
    ]
