"""A certificate file is either complete or refused, whatever bytes it contains."""

from __future__ import annotations

import random
import zlib
from hashlib import blake2b
from pathlib import Path

import pytest
from msgspec import defstruct
from msgspec.structs import replace

import fewest
from fewest.certificates.container import (
    DIGEST,
    MAGIC,
    MAX_BLOCK,
    Budget,
    CertificateError,
    Header,
    RejectedError,
    TooLargeError,
    encode_certificate,
    encode_head,
    encode_number,
)
from fewest.certificates.embedded_puzzle import fingerprint
from fewest.certificates.rules_checker import LayersHead
from fewest.commands.verify import CheckOptions, check_certificate
from tests.helpers.certificates import apart, certificate_of, checked, made, together

HEADER = Header("it", "It", "a test", ("puzzle: it",), {}, "0" * 64, "moves", ("plan", "layers"))


def sealed(body: bytes) -> bytes:
    """These bytes with their correct checksum."""
    return body + blake2b(body, digest_size=DIGEST).digest()


@pytest.mark.parametrize("sizes", [(0, 0), (1, 5), (3_000_000, 100), (MAX_BLOCK, 70_000)])
def test_sections_survive_a_round_trip(sizes: tuple[int, int]) -> None:
    chance = random.Random(1)
    sections = [chance.randbytes(size) for size in sizes]
    data = together(HEADER, sections)
    assert apart(data) == (HEADER, sections)


def test_numbers_survive_a_round_trip_and_take_as_few_bytes_as_possible() -> None:
    numbers = [0, 1, 127, 128, 16_383, 16_384, 10**30]
    raw = b"".join(map(encode_number, numbers))
    stream = certificate_of(together(HEADER, [raw, b""])).section(0)
    assert [stream.number(10**30) for _ in numbers] == numbers
    stream.end()
    for bad, most in ((b"\x80\x00", 500), (encode_number(11), 10), (b"\xff" * 50, 10**6)):
        stream = certificate_of(together(HEADER, [bad, b""])).section(0)
        with pytest.raises(CertificateError, match="number"):
            stream.number(most)


@pytest.mark.parametrize("at", range(0, 400, 7))
def test_a_certificate_cut_short_is_refused(at: int) -> None:
    data = together(HEADER, [b"one", b"two"])
    with pytest.raises(CertificateError):
        certificate_of(data[: at % len(data)])
    with pytest.raises(CertificateError, match=r"checksum|incomplete"):
        certificate_of(data[: len(MAGIC) + 8 + at % (len(data) - len(MAGIC) - 8)])


def test_every_changed_byte_is_noticed() -> None:
    data = together(HEADER, [b"one", b"two"])
    for at in range(len(data)):
        for flip in (1, 128):
            changed = data[:at] + bytes([data[at] ^ flip]) + data[at + 1 :]
            with pytest.raises(CertificateError):
                certificate_of(changed)


def test_a_later_version_is_refused_by_its_number() -> None:
    data = together(HEADER, [b"", b""])
    later = data[: len(MAGIC)] + (2).to_bytes(4, "little") + data[len(MAGIC) + 4 : -DIGEST]
    with pytest.raises(CertificateError, match="version 2; this release of fewest reads version 1"):
        certificate_of(sealed(later))


def test_missing_and_surplus_bytes_of_sections_are_refused() -> None:
    data = together(HEADER, [b"one", b"two"])
    with pytest.raises(CertificateError, match="continues after the last section"):
        certificate_of(sealed(data[:-DIGEST] + bytes(4)))
    with pytest.raises(CertificateError, match="a section is incomplete"):
        certificate_of(sealed(data[: -DIGEST - 4]))
    stream = certificate_of(data).section(0)
    assert stream.read(2) == b"on"
    with pytest.raises(CertificateError, match="continues after its end"):
        stream.end()
    with pytest.raises(CertificateError, match="ends too early"):
        stream.read(2)


def test_invalid_packed_streams_are_refused() -> None:
    data = together(HEADER, [b"one", b"two"])
    packed = zlib.compress(b"one", 9)
    at, behind = certificate_of(data)._begins
    for bad in (packed + b"x", packed[:-1], b"nothing", b"", packed + packed):
        framed = (len(bad).to_bytes(4, "little") + bad if bad else b"") + bytes(4)
        stream = certificate_of(sealed(data[:at] + framed + data[behind:-DIGEST])).section(0)
        with pytest.raises(CertificateError, match="compress"):
            b"".join(stream.rest())


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{}",
        b"[" * 200_000,
        b'{"puzzle":' * 10_000,
        b'{"puzzle":"\xff"}',
        b'{"puzzle":"it","title":"It","made_by":"","documents":[],"parameters":{},'
        b'"rules":"","metric":"","sections":["plan"]}',
        b'{"puzzle":"it","title":"It","made_by":"","documents":["a"],"parameters":{"n":1.5},'
        b'"rules":"","metric":"","sections":["plan"]}',
        b'{"puzzle":"it","title":"It","made_by":"","documents":["a"],"parameters":{},'
        b'"rules":"","metric":"","sections":["plan"],"more":1}',
    ],
)
def test_a_header_that_cannot_be_one_is_refused(text: bytes) -> None:
    body = MAGIC + (1).to_bytes(4, "little") + len(text).to_bytes(4, "little") + text + bytes(4)
    with pytest.raises(CertificateError, match="header cannot be read"):
        certificate_of(sealed(body))


def test_a_bomb_ends_at_the_limit_of_memory(tmp_path: Path) -> None:
    data = made(fewest.load("machinarium"), tmp_path, "moves", "layers")
    header, _ = apart(data)
    original = certificate_of(data).section(0).head(LayersHead)
    groups = tuple(group for group in original.groups)
    many = LayersHead(original.bound, groups, ((),), (((0,), 1 << 40),))
    bomb = b"".join(encode_certificate(header, [[encode_head(many), *[bytes(1 << 20)] * 64]]))
    assert len(bomb) < 400_000
    with pytest.raises((RejectedError, TooLargeError)):
        check_certificate(certificate_of(bomb), None, Budget(memory=1 << 20), CheckOptions())


def test_the_packing_of_long_sections_depends_on_their_content(tmp_path: Path) -> None:
    """The compressor looks for repeats only in data with many repeats, because this search takes most of the
    compression time."""
    header = apart(made(fewest.load("machinarium"), tmp_path, "moves", "layers"))[0]
    noise = bytes(byte & 63 for byte in random.Random(1).randbytes(5 << 20))
    repeats = noise[:1000] * (5 << 10)
    for section, most in ((noise, 0.8), (repeats, 0.02)):
        data = together(header, [section])
        assert apart(data)[1] == [section]
        assert len(data) < most * len(section)


def test_a_check_stops_at_its_time(tmp_path: Path) -> None:
    data = made(fewest.load("machinarium"), tmp_path, "moves")
    with pytest.raises(TooLargeError, match="time") as stopped:
        check_certificate(certificate_of(data), None, Budget(deadline=0), CheckOptions())
    assert stopped.value.reason == "time"
    with pytest.raises(TooLargeError, match="memory") as stopped:
        check_certificate(certificate_of(data), None, Budget(memory=1), CheckOptions())
    assert stopped.value.reason == "memory"


def test_a_certificate_that_takes_too_long_is_not_written_and_the_limit_is_named(
    tmp_path: Path,
) -> None:
    compiled, path = fewest.load("machinarium"), tmp_path / "proof"
    result = compiled.solve("moves")
    for kind in ("layers", "bound", "clauses"):
        proof = compiled.prove(path, "moves", kinds=[kind], result=result, seconds=0)
        assert (proof.reason, path.exists()) == ("time", False), kind


def test_the_puzzle_is_read_from_the_certificate_alone(tmp_path: Path) -> None:
    header, sections = apart(made(fewest.load("machinarium"), tmp_path, "moves"))
    for documents in (header.documents[:1], (*header.documents, "model: more")):
        changed = Header(
            **{f: getattr(header, f) for f in header.__struct_fields__} | {"documents": documents}
        )
        with pytest.raises(RejectedError, match="cannot be read"):
            checked(together(changed, sections))


def test_new_keys_with_default_values_leave_the_fingerprint_unchanged() -> None:
    """A new field with its default value is not part of the fingerprint; any other value is."""
    puzzle = fewest.load("bird").puzzle
    metric = next(iter(puzzle.metrics.values()))
    board = puzzle.board
    later = defstruct("Board", [("rivers", int, 0)], bases=(type(board),), frozen=True)
    plain = {name: getattr(board, name) for name in board.__struct_fields__}
    found = [
        fingerprint(replace(puzzle, board=other), metric)
        for other in (board, later(**plain), later(**plain, rivers=1))
    ]
    assert found[0] == found[1] != found[2]
