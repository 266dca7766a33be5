"""The file format of certificates. A file consists of a magic number, a version, a JSON header, packed sections, and a
checksum.

Certificates are untrusted input: their content is never executed or unpickled, and every length has a limit. Sections
are decompressed chunk by chunk as they are read, so that a decompression bomb cannot fill the memory.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import chain
from typing import Annotated, BinaryIO, TypeVar

import msgspec

from fewest.errors import Exit, FewestError, UsageError

MAGIC = b"\x93fewest proof\r\n"
VERSION = 1
DIGEST = 32  # the number of bytes of the checksum
MAX_HEADER = 1 << 23  # the maximum number of bytes of the JSON header
MAX_BLOCK = 1 << 20  # the maximum number of bytes of a packed block
PIECE = 1 << 16  # the maximum number of bytes that are decompressed at a time
_PREFIX = len(MAGIC) + 8
# the number of bytes of a long section that are compressed to choose its compressor
_SAMPLE = 1 << 20
_LONG = 1 << 22  # a section with at least this number of bytes is compressed quickly

Text = Annotated[str, msgspec.Meta(max_length=1000)]
DocumentText = Annotated[str, msgspec.Meta(max_length=1_000_000)]
Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]
HeadT = TypeVar("HeadT")


class CertificateError(FewestError):
    """Raised if the file is not a certificate, is damaged or truncated, or has an unknown version."""


class RejectedError(FewestError):
    """Raised if the certificate can be read but proves nothing. The message gives the reason."""

    exit_code = Exit.FAILED


class TooLargeError(FewestError):
    """Raised if making or checking a certificate reached a limit. `reason` is "time" or "memory"."""

    exit_code = Exit.LIMIT

    def __init__(self, message: str, *, reason: str = "memory", hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.reason = reason


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The subject of a certificate.

    `documents`: the puzzle, the model that it extends, the model that this model extends, and so on. `rules`: the
    fingerprint of the meaning of these documents. `sections`: the kind of each section, in order.
    """

    puzzle: Text
    title: Text
    made_by: Text
    documents: Annotated[tuple[DocumentText, ...], msgspec.Meta(min_length=1, max_length=21)]
    parameters: dict[Text, int]
    rules: Text
    metric: Text
    sections: Annotated[tuple[Text, ...], msgspec.Meta(min_length=1, max_length=8)]


@dataclass(frozen=True)
class Budget:
    """The limits of a check: a deadline on the clock `perf_counter`, and a number of bytes for its data."""

    deadline: float = float("inf")
    memory: int = 1 << 32

    def left(self) -> float:
        """The number of seconds before the deadline; negative after it."""
        return self.deadline - time.perf_counter()

    def spend(self, num_bytes: int = 0) -> None:
        """Raises TooLargeError if a limit is exceeded."""
        if num_bytes > self.memory:
            raise TooLargeError(
                "the check stopped at the memory limit", hint="set a higher limit with --memory"
            )
        if time.perf_counter() > self.deadline:
            raise TooLargeError(
                "the check stopped at the time limit",
                reason="time",
                hint="set a longer limit with --time",
            )


@dataclass(frozen=True)
class Certificate:
    """An open certificate. Its checksum and its header are valid; the contents of the sections have not been checked
    yet.
    """

    name: str
    header: Header
    num_bytes: int
    _file: BinaryIO = field(repr=False)
    _begins: tuple[int, ...] = field(repr=False)

    def section(self, index: int) -> Stream:
        """The content of a section, to be read from its beginning."""
        return Stream(self.name, self._file, self._begins[index])


class Stream:
    """The bytes of a section, decompressed as they are read. Raises CertificateError if the file is damaged."""

    def __init__(self, name: str, file: BinaryIO, begin: int) -> None:
        self._name, self._file, self._next = name, file, begin
        self._begin, self._behind_head = begin, 0
        self._inflate = zlib.decompressobj()
        self._buffer = b""
        self._at = 0

    def read(self, size: int) -> bytes:
        """The next `size` bytes."""
        parts: list[bytes] = []
        while size:
            if self._at == len(self._buffer) and not self._more():
                raise damaged(self._name, "a section ends too early")
            part = self._buffer[self._at : self._at + size]
            self._at += len(part)
            size -= len(part)
            parts.append(part)
        return b"".join(parts)

    def rest(self) -> Iterator[bytes]:
        """The remaining bytes, in chunks of at most `PIECE` bytes."""
        while self._at < len(self._buffer) or self._more():
            part = self._buffer[self._at :]
            self._at = len(self._buffer)
            yield part

    def again(self) -> Iterator[bytes]:
        """All bytes after the head, read again from their beginning."""
        other = Stream(self._name, self._file, self._begin)
        other.read(self._behind_head)
        return other.rest()

    def head(self, type_: type[HeadT]) -> HeadT:
        """The JSON at the beginning of a section. The JSON is stored as its length in 4 bytes, followed by the text."""
        size = int.from_bytes(self.read(4), "little")
        if size > MAX_HEADER:
            raise damaged(
                self._name, f"a section header has {size:,} bytes, but the limit is {MAX_HEADER:,}"
            )
        self._behind_head = 4 + size
        return _decoded(self._name, self.read(size), type_)

    def number(self, most: int) -> int:
        """A number from 0 to `most`. The number is stored with seven bits per byte, low bits first; the top bit means
        that more bytes follow.
        """
        value = shift = 0
        bits = most.bit_length()
        while True:
            if self._at == len(self._buffer) and not self._more():
                raise damaged(self._name, "a section ends too early")
            byte = self._buffer[self._at]
            self._at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
            if shift >= max(bits, 1):
                raise damaged(self._name, "a number is too long")
        if value > most or (byte == 0 and shift > 7):
            raise damaged(self._name, "a number is too large, or not in its shortest form")
        return value

    def end(self) -> None:
        """Raises CertificateError unless the whole section has been read."""
        if self._at < len(self._buffer) or self._more():
            raise damaged(self._name, "a section continues after its end")

    def _more(self) -> bool:
        """Decompress the next chunk. Returns False at the end of the section."""
        while True:
            packed = self._inflate.unconsumed_tail
            if not packed:
                packed = self._file.read(_block_size(self._name, self._file, self._next))
                self._next += 4 + len(packed)
                if not packed:
                    if not self._inflate.eof or self._inflate.unused_data:
                        raise damaged(self._name, "the compression of a section is invalid")
                    self._next -= 4  # so that another call finds the end of the section again
                    return False
                if self._inflate.eof:
                    raise damaged(self._name, "the compression of a section is invalid")
            try:
                self._buffer = self._inflate.decompress(packed, PIECE)
            except zlib.error:
                raise damaged(self._name, "a section cannot be decompressed") from None
            self._at = 0
            if self._inflate.unused_data:
                raise damaged(self._name, "the compression of a section is invalid")
            if self._buffer:
                return True


def open_certificate(name: str, file: BinaryIO) -> Certificate:
    """The certificate in a file, which must stay open. The function reads the file once, at about a second per
    gigabyte.

    Raises CertificateError if the file is not a certificate, is damaged or has an unknown version.
    """
    prefix = file.read(_PREFIX)
    if not is_certificate(prefix):
        raise CertificateError(
            f"{name} is not a certificate", hint="to create a certificate, use `fewest prove`"
        )
    version = int.from_bytes(prefix[len(MAGIC) : len(MAGIC) + 4], "little")
    if len(prefix) == _PREFIX and version != VERSION:
        raise CertificateError(
            f"{name} is a certificate of version {version}; this release of fewest reads version {VERSION}",
            hint="use a newer release of fewest" if version > VERSION else "",
        )
    size = int.from_bytes(prefix[-4:], "little")
    end = file.seek(0, 2) - DIGEST
    if len(prefix) < _PREFIX or _PREFIX + size > end:
        raise damaged(name, "the file is incomplete")
    if size > MAX_HEADER:
        raise damaged(name, f"the header has {size:,} bytes, but the limit is {MAX_HEADER:,}")
    file.seek(0)
    digest = blake2b(digest_size=DIGEST)
    left = end
    while left:
        part = file.read(min(left, MAX_BLOCK))
        if not part:
            raise damaged(name, "the file is incomplete")
        digest.update(part)
        left -= len(part)
    if file.read(DIGEST) != digest.digest():
        raise damaged(name, "the checksum is wrong, because the file is incomplete or was changed")
    file.seek(_PREFIX)
    header = _decoded(name, file.read(size), Header)
    begins: list[int] = []
    at = _PREFIX + size
    for _ in header.sections:
        begins.append(at)
        while True:
            size = _block_size(name, file, at) if at + 4 <= end else 0
            at += 4 + size
            if at > end:
                raise damaged(name, "a section is incomplete")
            if not size:
                break
    if at != end:
        raise damaged(name, "the file continues after the last section")
    return Certificate(name, header, end + DIGEST, file, tuple(begins))


def is_certificate(head: bytes) -> bool:
    """Whether a file that begins with these bytes is marked as a certificate."""
    return head[: len(MAGIC)] == MAGIC


def _block_size(name: str, file: BinaryIO, at: int) -> int:
    """The length of the packed block at an offset; 0 ends a section."""
    file.seek(at)
    size = int.from_bytes(file.read(4), "little")
    if size > MAX_BLOCK:
        raise damaged(name, f"a block has {size:,} bytes, but the limit is {MAX_BLOCK:,}")
    return size


def _decoded(name: str, text: bytes, type_: type[HeadT]) -> HeadT:
    try:
        return msgspec.json.decode(text, type=type_)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        reason = " ".join(str(error).split())[:200]
        raise damaged(name, f"a header cannot be read: {reason}") from None


def damaged(name: str, why: str) -> CertificateError:
    """The error for a file that is inconsistent."""
    return CertificateError(
        f"{name} is damaged: {why}", hint="to create a new certificate, use `fewest prove`"
    )


def encode_certificate(header: Header, sections: Iterable[Iterable[bytes]]) -> Iterator[bytes]:
    """The bytes of a certificate, in chunks. `sections` contains the content of each section, in chunks of any size.
    Raises UsageError if the header exceeds the limits of the format.
    """
    digest = blake2b(digest_size=DIGEST)
    for part in _parts(header, sections):
        digest.update(part)
        yield part
    yield digest.digest()


def _packer(first: bytes) -> zlib._Compress:
    """The compressor for a section that begins with these bytes. Short sections get the strongest compression. A long
    section is compressed quickly; if the sample shows few repetitions, the compressor does not look for repetitions.
    """
    if len(first) < _LONG:
        return zlib.compressobj(9)
    strategies = (zlib.Z_DEFAULT_STRATEGY, zlib.Z_HUFFMAN_ONLY)
    packers = [zlib.compressobj(1, strategy=strategy) for strategy in strategies]
    with_repeats, without = (len(p.compress(first[-_SAMPLE:])) + len(p.flush()) for p in packers)
    is_plain = without < 1.08 * with_repeats
    return zlib.compressobj(1, strategy=strategies[is_plain])


def _parts(header: Header, sections: Iterable[Iterable[bytes]]) -> Iterator[bytes]:
    text = _encoded(header)
    yield MAGIC + VERSION.to_bytes(4, "little") + len(text).to_bytes(4, "little") + text
    for _, section in zip(header.sections, sections, strict=True):
        pieces = iter(section)
        first, size = list[bytes](), 0
        for piece in pieces:
            first.append(piece)
            size += len(piece)
            if size >= _LONG:
                break
        deflate = _packer(b"".join(first))
        for piece in chain(first, pieces):
            yield from _blocks(deflate.compress(piece))
        yield from _blocks(deflate.flush())
        yield bytes(4)


def _blocks(packed: bytes) -> Iterator[bytes]:
    for begin in range(0, len(packed), MAX_BLOCK):
        block = packed[begin : begin + MAX_BLOCK]
        yield len(block).to_bytes(4, "little") + block


def encode_head(head: msgspec.Struct) -> bytes:
    """The JSON at the beginning of a section, preceded by its length. Raises UsageError if the text exceeds the limits
    of the format.
    """
    text = _encoded(head)
    return len(text).to_bytes(4, "little") + text


def _encoded(head: msgspec.Struct) -> bytes:
    """The JSON text of a section's head, or of the file's header. Raises UsageError if the text exceeds the limits of
    the format.
    """
    text = msgspec.json.encode(head)
    if len(text) > MAX_HEADER:
        raise UsageError(
            f"a header of the certificate would have {len(text):,} bytes, but the limit is {MAX_HEADER:,}"
        )
    try:
        msgspec.json.decode(text, type=type(head))
    except msgspec.ValidationError as error:
        raise UsageError(f"a header of the certificate would be invalid: {error}") from None
    return text


def encode_number(value: int) -> bytes:
    """A number in the format of `Stream.number`."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)
