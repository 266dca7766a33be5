"""`fewest serve`: serves a page for puzzle authors on this machine."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(name="serve")
@click.argument("folder", type=click.Path(path_type=Path), required=False)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="N",
    help="The port to listen on. [default: 8017, or a free one]",
)
@click.option(
    "--host",
    default="127.0.0.1",
    metavar="ADDRESS",
    help="The address to listen on. [default: 127.0.0.1]",
)
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="NAME",
    help="Accept requests to this host name too; may be repeated.",
)
@click.option("--no-browser", is_flag=True, help="Print the address, but do not open a browser.")
def command(
    folder: Path | None, port: int | None, host: str, names: tuple[str, ...], no_browser: bool
) -> int:
    """Serve a page in the browser for editing, solving and playing the shipped puzzles and the puzzles in FOLDER.

    The page writes only to FOLDER; without FOLDER, you can save a puzzle only by downloading it. Ctrl-C ends the
    server. By default, only browsers on this machine can open the page. If --host is an address that other machines can
    reach, the users of those machines can run searches on this machine and write to FOLDER. The command needs the extra
    `web`.

    \b
    Examples:
      fewest serve
      fewest serve my-puzzles --no-browser --port 9000
    """
    from contextlib import suppress
    from importlib.util import find_spec

    from fewest.errors import NotFoundError, UsageError

    missing = [name for name in ("starlette", "uvicorn") if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"the server needs {' and '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} not installed",
            hint="install the extra `web` (in a clone of the repository: pip install '.[web]'), or create a page: "
            "fewest page PUZZLE -o FILE.html",
        )
    if folder is not None and not folder.is_dir():
        raise NotFoundError(
            f"there is no folder {folder}", hint="create the folder, or leave out FOLDER"
        )
    from fewest.serve.start import serve

    with suppress(KeyboardInterrupt):  # Ctrl-C ends the server
        serve(
            None if folder is None else folder.resolve(),
            host,
            8017 if port is None else port,
            names,
            is_chosen=port is not None,
            opens=not no_browser,
            tell=lambda address: click.echo(f"{address}  (Ctrl-C ends it)"),
        )
    return 0
