"""The locations of models, encodings and puzzles. No other module defines these locations.

In an installed wheel, these files are in the folder `data/` of the package. In a checkout (and an editable install of a
checkout), they are in the folders at its root.
"""

from __future__ import annotations

from functools import cache, lru_cache
from os import listdir
from os.path import basename, dirname, isdir, isfile, join, realpath, splitext
from typing import TYPE_CHECKING

from fewest.errors import NotFoundError, did_you_mean

if TYPE_CHECKING:
    from pathlib import Path


def _path(name: str) -> Path:
    from pathlib import Path  # imported late, which saves two milliseconds when the program starts

    return Path(name)


@cache
def data_folder() -> str:
    """The name of the folder that contains `models/`, `encodings/`, `puzzles/` and `suites/`. Raises NotFoundError."""
    package = dirname(dirname(realpath(__file__)))
    for folder in (join(package, "data"), dirname(dirname(package))):
        if isdir(join(folder, "models")):
            return folder
    raise NotFoundError("the models of this package are missing", hint="reinstall fewest")


def model_folder() -> Path:
    """The folder of the shipped models."""
    return _path(data_folder()) / "models"


def puzzle_folder() -> Path:
    """The folder of the shipped puzzles, with one folder for each family."""
    return _path(data_folder()) / "puzzles"


def encoding_folder() -> Path:
    """The folder of the shipped encodings."""
    return _path(data_folder()) / "encodings"


def suite_folder() -> Path:
    """The folder of the shipped suites of comparisons."""
    return _path(data_folder()) / "suites"


def models() -> list[tuple[str, Path]]:
    """The name and the file of every shipped model."""
    return [(path.stem, path) for path in sorted(model_folder().glob("*.yaml"))]


def puzzles() -> list[tuple[str, str, Path]]:
    """The family, the name and the file of every shipped puzzle."""
    folder = puzzle_folder()
    return [
        (family, file.removesuffix(".yaml"), folder / family / file)
        for family in sorted(listdir(folder))
        if isdir(join(folder, family))
        for file in sorted(listdir(join(folder, family)))
        if file.endswith(".yaml")
    ]


def model_path(name: str) -> Path:
    """The file of a model. Raises NotFoundError."""
    return _path(model_file(name))


@cache
def model_file(name: str) -> str:
    """The name of the file that `model_path` returns. Raises NotFoundError."""
    file = join(data_folder(), "models", f"{name}.yaml")
    if isfile(file) and is_model_file(file):
        return file
    raise NotFoundError(f"there is no model `{name}`", hint=did_you_mean(name, dict(models())))


def is_model_file(file: str) -> bool:
    """Whether a file is in the folder of the shipped models."""
    return dirname(file) == join(data_folder(), "models")


def is_puzzle_file(file: str) -> bool:
    """Whether a file is in a family of the shipped puzzles."""
    return dirname(dirname(file)) == join(data_folder(), "puzzles")


def collection_path(name: str) -> Path | None:
    """The shipped collection with this file name; None if no such file exists."""
    if "/" in name or name.endswith(".yaml"):
        return None
    paths = (path / name for path in sorted(puzzle_folder().iterdir()) if path.is_dir())
    return next((path for path in paths if isfile(path)), None)


def collections(stem: str) -> list[Path]:
    """The shipped files with the name `stem` before the suffix, such as collections; documents are excluded."""
    files = (path for path in sorted(puzzle_folder().glob("*/*")) if path.stem == stem)
    return [path for path in files if path.suffix != ".yaml"]


@cache
def _called(place: str) -> dict[str, list[str]]:
    """The files of the shipped puzzles, keyed by puzzle name and by title in lower case.

    The files are read only once: they do not change while a program runs, and checking many certificates looks up many
    puzzles.
    """
    found: dict[str, list[str]] = {}
    for _, _, path in puzzles():
        called = set[str]()
        for line in path.read_text(encoding="utf-8").splitlines():
            words = line.split()
            if len(words) == 2 and words[0] == "puzzle:":
                called.add(words[1])
            if line.startswith("title:"):
                title = line.removeprefix("title:").strip()
                called |= {_TITLE + t.casefold() for t in (title, title.strip("'\""))}
        for name in called:
            found.setdefault(name, []).append(str(path))
    return found


_TITLE = "title: "  # a prefix that marks titles; no name of a puzzle begins with it


@lru_cache(256)  # a sweep looks up the same puzzle again and again
def _files_called(name: str, place: str) -> tuple[str, ...]:
    """The files of the shipped puzzles with the name NAME or FAMILY/NAME. The function reads no files."""
    folder = join(place, "puzzles")
    family, slash, stem = name.rpartition("/")
    families = [f for f in sorted(listdir(folder)) if f == family or not slash]
    files = (join(folder, f, f"{stem}.yaml") for f in families)
    return tuple([file for file in files if isfile(file)])


def puzzle_files(name: str) -> list[str]:
    """The shipped files with the name NAME or FAMILY/NAME; if there is no such file, the files of puzzles with this
    name or title.
    """
    files = [*_files_called(name, data_folder())]
    if not files:
        called, title = _called(data_folder()), _TITLE + name.strip().casefold()
        files = sorted({*called.get(name, ()), *called.get(title, ())})
    return files


def puzzle_path(name: str) -> Path:
    """The file of the puzzle NAME or FAMILY/NAME. Raises NotFoundError."""
    return _path(puzzle_file(name))


def puzzle_file(name: str) -> str:
    """The name of the file that `puzzle_path` returns. Raises NotFoundError."""
    files = puzzle_files(name)
    if len(files) == 1:
        return files[0]
    if files:
        listed = ", ".join(f"{basename(dirname(f))}/{splitext(basename(f))[0]}" for f in files)
        raise NotFoundError(
            f"`{name}` is the name of several puzzles", hint=f"the puzzles are {listed}"
        )
    names = [stem for _, stem, _ in puzzles()]
    hint = did_you_mean(name, names, "`fewest list` shows the puzzles that come with fewest")
    raise NotFoundError(f"there is no puzzle or file `{name}`", hint=hint)
