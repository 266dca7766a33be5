"""Where models, encodings and puzzles are: the only file that knows.

An installed wheel has them below the package, in `data/`; a checkout (and an editable install of
one) in the folders at its root.
"""

from __future__ import annotations

from functools import cache
from os.path import isfile  # unlike Path's, False for names that no file can have
from pathlib import Path

from fewest.errors import NotFoundError, suggest


@cache
def data_folder() -> Path:
    """The folder that holds `models/`, `encodings/` and `puzzles/`. Raises NotFoundError."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "data", package.parent.parent):
        if (folder / "models").is_dir():
            return folder
    raise NotFoundError("the models of this package are missing", hint="install it again")


def model_folder() -> Path:
    """The folder of the models that ship."""
    return data_folder() / "models"


def puzzle_folder() -> Path:
    """The folder of the puzzles that ship, one folder a family."""
    return data_folder() / "puzzles"


def encoding_folder() -> Path:
    """The folder of the encodings that ship."""
    return data_folder() / "encodings"


def models() -> list[tuple[str, Path]]:
    """Name and file of every model that ships."""
    return [(path.stem, path) for path in sorted(model_folder().glob("*.yaml"))]


def puzzles() -> list[tuple[str, str, Path]]:
    """Family, name and file of every puzzle that ships."""
    files = sorted(puzzle_folder().glob("*/*.yaml"))
    return [(path.parent.name, path.stem, path) for path in files]


def model_path(name: str) -> Path:
    """The file of the model of that name. Raises NotFoundError."""
    path = model_folder() / f"{name}.yaml"
    if isfile(path) and path.parent == model_folder():
        return path
    near = suggest(name, [known for known, _ in models()])
    raise NotFoundError(
        f"there is no model `{name}`", hint=f"did you mean `{near}`?" if near else ""
    )


def collections() -> list[Path]:
    """The files of many Sokoban levels that ship."""
    return sorted(puzzle_folder().glob("*/*.xsb"))


def collection_path(name: str) -> Path | None:
    """The shipped collection of that file name, if there is one."""
    return next((path for path in collections() if path.name == name), None)


def _calls_itself(path: Path, name: str) -> bool:
    text = path.read_text(encoding="utf-8")
    return any(line.split() == ["puzzle:", name] for line in text.splitlines())


def puzzle_path(name: str) -> Path:
    """The file of the puzzle NAME or FAMILY/NAME. Raises NotFoundError."""
    entries = puzzles()
    found = [path for family, stem, path in entries if name in (stem, f"{family}/{stem}")]
    if not found:  # what the document calls itself
        found = [path for _, _, path in entries if _calls_itself(path, name)]
    if len(found) == 1:
        return found[0]
    if found:
        listed = ", ".join(f"{path.parent.name}/{path.stem}" for path in found)
        raise NotFoundError(f"`{name}` is the name of several puzzles", hint=f"say which: {listed}")
    near = suggest(name, [stem for _, stem, _ in entries])
    hint = f"did you mean `{near}`?" if near else "`fewest list` shows what there is"
    raise NotFoundError(f"there is no puzzle or file `{name}`", hint=hint)
