"""Divides certificates into parts, which tests change and join again with the right checksum."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from unittest.mock import patch

import msgspec

import fewest
from fewest.certificates import grounded_task
from fewest.certificates.container import (
    Budget,
    Certificate,
    Header,
    encode_certificate,
    encode_head,
    encode_number,
    open_certificate,
)
from fewest.certificates.embedded_puzzle import embedded_puzzle, fingerprint
from fewest.certificates.rules_checker import LayersHead, Verdict
from fewest.commands import verify
from fewest.commands.verify import CheckOptions, Expected, check_certificate
from fewest.model.metric import Metric
from fewest.model.puzzle import Puzzle


def certificate_of(data: bytes) -> Certificate:
    """The certificate in some bytes. Raises the same exceptions as `open_certificate`."""
    return open_certificate("the certificate", BytesIO(data))


def made(compiled: fewest.CompiledPuzzle, folder: Path, metric: str, *kinds: str) -> bytes:
    """The certificate that `prove` writes."""
    path = folder / "it.proof"
    proof = compiled.prove(path, metric, kinds=kinds)
    assert proof.reason is None
    return path.read_bytes()


_read: dict[tuple[object, bytes], tuple[Puzzle, Metric]] = {}
_compared: dict[tuple[int, str], str] = {}


def _embedded_puzzle(header: Header, name: str) -> tuple[Puzzle, Metric]:
    """`embedded_puzzle`, but the puzzle of a header is read only once, because most tests change only sections.

    The checkers compile a puzzle only once. A test that replaces the grounder therefore gets another puzzle.
    """
    key = grounded_task.ground, msgspec.json.encode(msgspec.structs.replace(header, sections=()))
    if key not in _read:
        if len(_read) > 20:
            _read.clear()
            _compared.clear()
        _read[key] = embedded_puzzle(header, name)
    return _read[key]


def _compare(self: Expected, puzzle: Puzzle, metric: str) -> str:
    """`Expected.compare` with nothing expected, but the same puzzle is compared only once."""
    key = id(puzzle), metric
    if key not in _compared:
        _compared[key] = compare(self, puzzle, metric)
    return _compared[key]


compare = Expected.compare


def checked(
    data: bytes, by: str = "rules", share: float = 0.0, audit: str = "off"
) -> tuple[Verdict, ...]:
    """The verdicts about a certificate. Raises the errors of the checkers."""
    with (
        patch.object(verify, "embedded_puzzle", _embedded_puzzle),
        patch.object(Expected, "compare", _compare),
    ):
        return check_certificate(
            certificate_of(data), None, Budget(), CheckOptions(by, share, audit=audit)
        )


def apart(data: bytes) -> tuple[Header, list[bytes]]:
    """The header, and the unpacked content of each section."""
    certificate = certificate_of(data)
    count = len(certificate.header.sections)
    return certificate.header, [b"".join(certificate.section(n).rest()) for n in range(count)]


def together(header: Header, sections: Sequence[bytes]) -> bytes:
    """A certificate with this header and these sections, with the right checksum."""
    return b"".join(encode_certificate(header, [[section] for section in sections]))


def of_section(
    compiled: fewest.CompiledPuzzle, kind: str, section: Iterable[bytes], name: str | None = None
) -> bytes:
    """A certificate with only this section, in the given metric or the first one."""
    puzzle = compiled.puzzle
    metric = next(iter(puzzle.metrics.values())) if name is None else puzzle.metrics[name]
    assert compiled.document is not None
    header = Header(
        puzzle.name,
        puzzle.title,
        "a test",
        compiled.document.texts,
        dict(puzzle.parameters),
        fingerprint(puzzle, metric),
        metric.name,
        (kind,),
    )
    return together(header, [b"".join(section)])


@dataclass
class Layers:
    """A section of layers: for each layer its positions by number, and the runs of each position."""

    head: LayersHead
    rows: list[dict[int, list[list[int]]]]

    @classmethod
    def of(cls, data: bytes, number: int) -> Layers:
        """The layers of one section of a certificate."""
        stream = certificate_of(data).section(number)
        head = stream.head(LayersHead)
        most = 1 << 4096
        rows = []
        for _, count in head.layers:
            at, numbers = -1, []
            for _ in range(count):
                at += 1 + stream.number(most)
                numbers.append(at)
            layer = {}
            for position in numbers:
                size = 1 + stream.number(most) if any(head.runs) else 0
                layer[position] = [
                    [stream.number(most) if part else 0 for part in head.runs] for _ in range(size)
                ]
            rows.append(layer)
        stream.end()
        return cls(head, rows)

    def encode(self) -> bytes:
        """The section, with the current number of positions in each layer."""
        counts = tuple(
            (cost, len(row)) for (cost, _), row in zip(self.head.layers, self.rows, strict=True)
        )
        out = [encode_head(msgspec.structs.replace(self.head, layers=counts))]
        for row in self.rows:
            last = -1
            for number in sorted(row):
                out.append(encode_number(number - last - 1))
                last = number
            for _, runs in sorted(row.items()) if any(self.head.runs) else []:
                out.append(encode_number(len(runs) - 1))
                for keys in runs:
                    out += [
                        encode_number(key)
                        for key, part in zip(keys, self.head.runs, strict=True)
                        if part
                    ]
        return b"".join(out)
