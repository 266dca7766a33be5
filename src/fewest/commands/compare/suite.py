"""A suite: the engines, puzzles, metrics and limits of a comparison, as a file or a command line gives them.

`read_suite` reads a suite from a file. `instances` lists the instances of a suite: one for each puzzle, combination of
parameter values, and metric.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import product
from os.path import isfile
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from fewest.commands.compare.entry import Comparison, KnownAnswer
from fewest.commands.compare.known import KnownAnswers, named
from fewest.commands.compare.provenance import instance_of
from fewest.commands.load import carried, load_any
from fewest.engines.registry import MAX_SEED
from fewest.errors import NotFoundError, UsageError, did_you_mean, listed, no_goal
from fewest.formats.registry import is_collection, read_collection, split_reference
from fewest.machine import resources
from fewest.machine.input import is_stream
from fewest.model.metric import metric_of
from fewest.model.puzzle import Puzzle
from fewest.reading.clock import reading_within
from fewest.reading.document import Document
from fewest.reading.puzzle import read_puzzle

ALL = "all"
DEFAULT_ENGINES = ("bfs", "sat", "asp")
_NAME = re.compile(r"[^\W\d]\w*")
_WILD = re.compile(r"[*?\[]")
_RANGE = re.compile(r"(\d{1,6})\.\.(\d{1,6})")
_KEY = re.compile(r"- at `\$\.(\w+)")
_UNKNOWN_KEY = re.compile(r"unknown field `(\w+)`")
_LONGEST = 10.0**9
_VALUES = {
    "puzzles": "a list of at least one puzzle",
    "engines": "a list of names",
    "metrics": "a list of names",
    "certify": "a list of names",
    "time": f"a number of seconds, from 0 to {_LONGEST:,.0f}",
    "memory": "a whole number of bytes, at least 0",
    "repeats": "a whole number, at least 1",
    "seed": f"a whole number, from 0 to {MAX_SEED:,}",
    "jobs": "a whole number, at least 1",
    "answers": "the name of a file",
    "title": "a text",
    "notes": "a text",
}
"""For each key of a suite, a description of the allowed values, for error messages."""

_Whole = Annotated[int, Meta(ge=0)]
_Positive = Annotated[int, Meta(ge=1)]


class PuzzleChoice(Struct, frozen=True, forbid_unknown_fields=True):
    """Puzzles of a suite: a name, a file, a pattern, a collection, or levels of a collection.

    `metrics` overrides the metrics of the suite. The value of each parameter is a number or a range such as `0..8`.
    """

    puzzle: str
    metrics: tuple[str, ...] | None = None
    parameters: dict[str, int | str] = {}


class Suite(Struct, frozen=True, forbid_unknown_fields=True):
    """The complete description of a comparison.

    - `engines`: the engines, as `parse_engine_spec` reads them; `metrics`: names of metrics, or "all"; if it is empty,
      each puzzle uses its default metric.
    - `time` (seconds of wall-clock time) and `memory` (bytes): the limits for every run.
    - `repeats`: the number of runs of every engine for every instance. `seed`: the seed for the random order of the
      runs; in repetition r, engines use the seed `seed` + r - 1. If it is None, runs have the order of the suite, and
      engines use their default seeds.
    - `jobs`: the number of simultaneous runs, each on a separate processor; None: one run, on any processor.
    - `certify`: the comparison makes and checks certificates for the answers of these engines ("all": every engine).
    - `answers`: the file with a table of known answers, relative to the folder of the suite; see `KnownAnswers`.
    """

    puzzles: Annotated[tuple[str | PuzzleChoice, ...], Meta(min_length=1)]
    engines: tuple[str, ...] = DEFAULT_ENGINES
    metrics: tuple[str, ...] = ()
    title: str = ""
    notes: str = ""
    time: Annotated[float, Meta(ge=0, le=_LONGEST)] | None = None
    memory: _Whole | None = None
    repeats: _Positive = 1
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED)] | None = None
    jobs: _Positive | None = None
    certify: tuple[str, ...] = ()
    answers: str | None = None


class Instance(Struct, frozen=True):
    """An instance: `ref` refers to the puzzle, `text` is the document if it comes from a stream (otherwise None),
    `parameters` are the values that the suite gives, and `blank` is a comparison without entries.
    """

    ref: str
    text: str | None
    parameters: Mapping[str, int]
    blank: Comparison


def suites() -> dict[str, Path]:
    """The suites of the package, keyed by name."""
    return {path.stem: path for path in sorted(resources.suite_folder().glob("*.yaml"))}


def read_suite(ref: str | Path) -> tuple[Suite, Path]:
    """Read a suite from a file, or the shipped suite with this name; return it with the folder to which its relative
    file names refer.

    Raises UsageError if the file cannot be read or is not a suite, and NotFoundError if there is no such suite.
    """
    import yaml

    known = suites()
    path = Path(ref) if isfile(ref) else known.get(str(ref))
    if path is None:
        raise NotFoundError(
            f"there is no suite `{ref}`",
            hint=did_you_mean(str(ref), known, "give the path of a file"),
        )
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        suite = msgspec.convert(data, Suite)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    except msgspec.ValidationError as error:
        raise _mistake(path, str(error)) from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8 text") from None
    except (yaml.YAMLError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise UsageError(f"{path} is not a suite: {reason}") from None
    return suite, path.parent


def _mistake(path: Path, message: str) -> UsageError:
    """The error for a YAML file that is not a suite. `message` is the error message of msgspec."""
    key, unknown = _KEY.search(message), _UNKNOWN_KEY.search(message)
    if unknown is not None:
        owner, kind = ("a puzzle", PuzzleChoice) if key is not None else ("a suite", Suite)
        fields = kind.__struct_fields__
        hint = did_you_mean(unknown[1], fields, listed("key", fields, len(fields)))
        return UsageError(f"{path}: {owner} has no key `{unknown[1]}`", hint=hint)
    if key is not None and key[1] in _VALUES:
        return UsageError(f"{path}: the value of `{key[1]}` must be {_VALUES[key[1]]}")
    return UsageError(
        f"{path} is not a suite", hint="a suite has keys such as `puzzles`, `engines` and `time`"
    )


def engines_of(suite: Suite) -> list[str]:
    """The engines of a suite, without duplicates."""
    return list(dict.fromkeys(name.strip() for name in suite.engines))


def check_numbers(suite: Suite) -> None:
    """Raises UsageError unless `repeats`, `jobs`, and the seeds of all repetitions are in their ranges."""
    for name, value, least in (
        ("repeats", suite.repeats, 1),
        ("jobs", suite.jobs, 1),
        ("seed", suite.seed, 0),
    ):
        if value is not None and value < least:
            raise UsageError(f"the value of `{name}` must be {_VALUES[name]}")
    if suite.seed is not None and suite.seed + suite.repeats - 1 > MAX_SEED:
        raise UsageError(
            f"the seed {suite.seed:,} is too large for {suite.repeats:,} repeats",
            hint=f"each repetition adds 1 to the seed, and the result must be at most {MAX_SEED:,}",
        )


def instances(suite: Suite, folder: Path | None = None) -> list[Instance]:
    """The instances of a suite in order, without duplicates.

    Raises DocumentError, NotFoundError, TimeLimitError if reading a puzzle takes longer than the time limit, and
    UsageError: for unknown metrics and parameters, for faulty ranges and patterns, for a puzzle without a goal, for a
    faulty table of known answers, and for a suite without instances.
    """
    found: dict[tuple[str, str], Instance] = {}
    path = None if suite.answers is None else (folder or Path()) / suite.answers
    answers = KnownAnswers(path)
    for choice in suite.puzzles:
        if isinstance(choice, str):
            choice = PuzzleChoice(choice)
        metrics = suite.metrics if choice.metrics is None else choice.metrics
        for ref in _references(choice.puzzle, folder):
            for parameters in _members(choice.parameters):
                for instance in _of_puzzle(ref, parameters, metrics, suite.time, answers):
                    blank = instance.blank
                    # a puzzle that is both in a file of its own and in a collection is one instance
                    key = (named(blank.puzzle, blank.parameters, blank.metric), blank.instance)
                    found.setdefault(key, instance)
    answers.check_names()
    if not found:
        raise UsageError("there is no puzzle to compare", hint="name at least one puzzle")
    return list(found.values())


def _references(pattern: str, folder: Path | None) -> Iterator[str]:
    """References to the puzzles that `pattern` describes: a single puzzle, all puzzles that match a pattern, or levels
    of a collection. Raises UsageError if no puzzle matches.
    """
    file = split_reference(pattern)[0]
    is_single = is_stream(file) or not (_WILD.search(pattern) or is_collection(file))
    if is_single or (isfile(pattern) and not is_collection(pattern)):
        beside = None if folder is None else folder / pattern
        yield str(beside) if beside is not None and beside.is_file() else pattern
        return
    if not _WILD.search(pattern):
        yield from _levels(pattern, folder)
        return
    shipped = [
        name
        for family, name, _ in resources.puzzles()
        if fnmatchcase(f"{family}/{name}", pattern) or fnmatchcase(name, pattern)
    ]
    files = sorted(str(path) for path in (folder or Path()).glob(pattern) if path.is_file())
    if not shipped and not files:
        raise UsageError(
            f"`{pattern}` matches no puzzle",
            hint="write a pattern such as rush-hour/* or mine/*.yaml",
        )
    yield from shipped or files


def _levels(ref: str, folder: Path | None) -> Iterator[str]:
    """References to the levels of a collection: the levels without mistakes, those with numbers in a range, or one
    level.
    """
    file, which = split_reference(ref)
    if folder is not None and (folder / file).is_file():
        file = str(folder / file)
    if which is None:
        numbers = [n.number for n in read_collection(file).levels if not n.mistakes]
    elif (span := _RANGE.fullmatch(which)) is not None:
        numbers = list(_range(which, span))
    else:
        yield f"{file}:{which}"
        return
    yield from (f"{file}:{number}" for number in numbers)


def _range(text: str, span: re.Match[str]) -> range:
    """The numbers of a range such as `3..5`, including both ends. Raises UsageError if the range is empty."""
    first, last = int(span[1]), int(span[2])
    if last < first:
        raise UsageError(f"the range `{text}` is empty", hint=f"write {last}..{first}")
    return range(first, last + 1)


def _members(parameters: Mapping[str, int | str]) -> Iterator[dict[str, int]]:
    """All combinations of parameter values."""
    values: list[Sequence[int]] = []
    for name, value in parameters.items():
        if isinstance(value, int):
            values.append([value])
            continue
        span = _RANGE.fullmatch(value)
        if span is None:
            raise UsageError(
                f"`{name}: {value}` is neither a number nor a range",
                hint="write a range such as 0..8",
            )
        values.append(_range(value, span))
    for chosen in product(*values):
        yield dict(zip(parameters, chosen, strict=True))


def _of_puzzle(
    ref: str,
    parameters: Mapping[str, int],
    metrics: Sequence[str],
    seconds: float | None,
    answers: KnownAnswers,
) -> Iterator[Instance]:
    with reading_within(seconds):
        loaded = load_any(ref)
        puzzle = read_puzzle(loaded, parameters)
    if puzzle.goal is None:
        raise no_goal(puzzle.name)
    answers.add_names(named(puzzle.name, puzzle.parameters, metric) for metric in puzzle.metrics)
    declared = loaded.document.parameters or {}
    changed = frozenset(
        name
        for name, value in puzzle.parameters.items()
        if getattr(declared[name], "default", declared[name]) != value
    )
    stream = carried(ref)
    name, text = stream if stream is not None else (ref, None)
    for metric in _metrics_of(puzzle, metrics):
        blank = Comparison(
            puzzle.name,
            puzzle.title,
            puzzle.file,
            dict(puzzle.parameters),
            metric,
            (),
            instance_of(puzzle, metric),
            answers.of(
                named(puzzle.name, puzzle.parameters, metric),
                _known(puzzle, metric, loaded.document, changed),
            ),
        )
        yield Instance(name, text, dict(parameters), blank)


def _metrics_of(puzzle: Puzzle, names: Sequence[str]) -> list[str]:
    if ALL in names:
        rest = [name for name in puzzle.metrics if name != puzzle.default_metric]
        return [puzzle.default_metric, *rest]
    if not names:
        return [puzzle.default_metric]
    return [metric_of(puzzle, name).name for name in dict.fromkeys(names)]


def _known(
    puzzle: Puzzle, metric: str, document: Document, changed: frozenset[str]
) -> KnownAnswer | None:
    """The answer that the document expects; None if it expects none that is valid here. `changed`: the parameters with
    values that differ from those in the document.

    A number is the answer only for the document's own parameter values. An expression is the answer for all values of
    the parameters that it contains, but only for the document's values of all other parameters: `2 ** disks - 1` is not
    an answer for four pegs.
    """
    for expected in puzzle.expectations:
        written = (document.expect or {})[expected.key]
        if changed - _names_in(getattr(written, "value", written)):
            continue
        source = expected.source or puzzle.source or "its document"
        if expected.key == "unsolvable" and expected.value is True:
            return KnownAnswer(None, source)
        if expected.key == metric and not isinstance(expected.value, bool):
            return KnownAnswer(expected.value, source)
    return None


def _names_in(written: object) -> set[str]:
    """The names in an expression or in a list of expressions."""
    if isinstance(written, list):
        return set[str]().union(*map(_names_in, written))
    return set(_NAME.findall(written)) if isinstance(written, str) else set()
