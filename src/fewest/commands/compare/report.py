"""The report of a suite in a folder: an HTML page, tables in Markdown, LaTeX and CSV, data in JSON, and
plots in SVG.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Collection, Sequence
from html import escape
from pathlib import Path

from fewest.commands.compare.data import rows, to_json
from fewest.commands.compare.entry import Comparison, Entry
from fewest.commands.compare.provenance import Provenance
from fewest.commands.compare.run import Comparisons
from fewest.commands.compare.statistics import cactus
from fewest.commands.compare.suite import Suite, engines_of
from fewest.commands.compare.summary import (
    HEADER,
    EngineSummary,
    name_of,
    notable,
    plain,
    summarize,
    summary_rows,
    times_of,
)
from fewest.commands.compare.text import minimum_of
from fewest.drawing.chart import cactus_chart, scatter_chart
from fewest.machine.files import write_whole
from fewest.machine.host import Host
from fewest.model.answer import counted, limit_words

_STYLE = (
    ":root{color-scheme:light dark;--rule:#ddd;--bad:#a00}"
    "@media (prefers-color-scheme:dark){:root{--rule:#444;--bad:#f99}}"
    "body{font:15px/1.5 sans-serif;max-width:70em;margin:2em auto;padding:0 1em;overflow-wrap:anywhere}"
    "table{border-collapse:collapse}td,th{padding:.1em .7em;text-align:right;border-bottom:1px solid var(--rule)}"
    "td,th{overflow-wrap:normal}.l{text-align:left}.bad{color:var(--bad)}.wide{overflow-x:auto}"
    "figure{margin:1em 0;max-width:44em}svg{max-width:100%}"
)
_LATEX = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    | {
        "~": "\\textasciitilde{}",
        "^": "\\textasciicircum{}",
        "\\": "\\textbackslash{}",
    }
)
_CACTUS = (
    "For each engine, the number of instances that it solves within a number of CPU seconds each."
)
_SCATTER = (
    "Each mark is an instance. Above the diagonal, {first} is faster. A square is an instance that one of the two "
    "engines, or both, did not solve."
)


def write_report(folder: Path, suite: Suite, done: Comparisons) -> list[Path]:
    """Write all files of the report, and return their paths. Plots of an earlier report in the folder, which may show
    other engines, are removed. Raises OSError.
    """
    summaries = summarize(done.comparisons, suite.time, engines_of(suite))
    charts = _charts(suite, done.comparisons, summaries)
    data = {**to_json(done), "summary": plain(summaries)}
    texts = {
        "report.html": html_report(suite, done, summaries, charts),
        "summary.md": markdown(suite, done, summaries),
        "table.tex": latex(suite, summaries),
        "results.csv": _csv(done),
        "results.json": json.dumps(data, ensure_ascii=False, indent=1) + "\n",
        **charts,
    }
    for old in folder.glob("scatter-*.svg"):
        if old.name not in texts:
            old.unlink()
    for name, text in texts.items():
        write_whole(folder / name, [text.encode()])
    return [folder / name for name in texts]


def _charts(
    suite: Suite, comparisons: Sequence[Comparison], summaries: Sequence[EngineSummary]
) -> dict[str, str]:
    """The plots as SVG, keyed by file name: a cactus plot, and a scatter plot of every other engine against the first
    engine.
    """
    names = [one.engine for one in summaries]
    times = {name: times_of(comparisons, name) for name in names}
    lines = {name: cactus(times[name]) for name in names}
    title = suite.title or "comparison"
    charts = {"cactus.svg": cactus_chart(f"{title}: instances solved", lines, suite.time)}
    known = [time for line in times.values() for time in line if time is not None]
    limit = suite.time if suite.time is not None else max(known, default=1.0)
    for name in names[1:]:
        points = list(zip(times[names[0]], times[name], strict=True))
        picture = scatter_chart(f"{name} against {names[0]}", names[0], name, points, limit)
        charts[f"scatter-{re.sub(r'[^A-Za-z0-9]+', '-', name)}.svg"] = picture
    return charts


def markdown(suite: Suite, done: Comparisons, summaries: Sequence[EngineSummary]) -> str:
    """The summary in Markdown: instances that need attention, the table of engines, and the origin of the
    measurements.
    """
    lines = [f"# {suite.title or 'Comparison'}", ""]
    attention = notable(done.comparisons)
    lines += [*(f"- {line}" for line in attention[:50]), ""] if attention else []
    if len(attention) > 50:
        lines += [f"… and {len(attention) - 50:,} more in `report.html`", ""]
    lines += [f"| {' | '.join(HEADER)} |", f"| --- |{' ---: |' * (len(HEADER) - 1)}"]
    lines += [f"| {' | '.join(row)} |" for row in summary_rows(summaries)]
    lines += ["", _explanation(suite, summaries), ""]
    lines += [f"- {line}" for line in _origins(done)]
    return "\n".join(lines) + "\n"


def _explanation(suite: Suite, summaries: Sequence[EngineSummary]) -> str:
    limit = "no limit" if suite.time is None else f"a limit of {suite.time:g} s"
    first = f" to {summaries[0].engine}" if summaries else ""
    repeats = f", the median of {suite.repeats} runs" if suite.repeats > 1 else ""
    return (
        f"The times are CPU seconds of encoding and solving{repeats}, with {limit} of wall clock time for each run. "
        "PAR2 is the mean time; an unsolved instance counts as twice the limit, as do refused instances and instances "
        "that take more CPU seconds than the limit. "
        f"The ratio is the geometric mean of the ratios{first}, over the instances that both engines solved "
        "(their number in brackets), with its 95 % confidence interval."
    )


def _origins(done: Comparisons) -> list[str]:
    """The lines that describe the origin of the comparison, followed by a line for each different origin of runs with
    the number of these runs. Such a line contains the command or, if the computer or the programs differ, the versions
    and the computer.
    """
    where = done.provenance
    if where is None:
        return []
    others: dict[str, int] = {}
    num_runs = sum(len(comparison.entries) for comparison in done.comparisons)
    for comparison in done.comparisons:
        for own in comparison.origins:
            if own is not None:
                is_here = own.is_like(where)  # if this is true, an earlier command executed the run
                name = (
                    f"earlier, by `{own.command}`"
                    if is_here
                    else "; ".join([_versions(own), *_host(own.host)])
                )
                others[name] = others.get(name, 0) + 1
    return [
        _versions(where),
        *_host(where.host),
        f"`{where.command}`",
        where.date,
        *(
            f"{number:,} of the {counted(num_runs, 'runs')}: {name}"
            for name, number in others.items()
        ),
    ]


def _versions(where: Provenance) -> str:
    names = ", ".join(f"{name} {number}" for name, number in where.versions.items())
    return f"{names}, {where.core} core"


def _host(host: Host) -> list[str]:
    memory = "" if host.memory is None else f", {host.memory / 2**30:.1f} GiB"
    return [
        f"{host.cpu}, {host.usable} of {host.cores} processors{memory}",
        f"{host.system}, {host.python}",
    ]


def latex(suite: Suite, summaries: Sequence[EngineSummary]) -> str:
    """The table of engines in LaTeX, for a paper; it uses the package booktabs."""

    def row(cells: Sequence[str]) -> str:
        return " & ".join(cell.translate(_LATEX) for cell in cells) + r" \\"

    return "\n".join(
        [
            f"% {suite.title or 'comparison'}; needs \\usepackage{{booktabs}}".replace("\n", " "),
            r"\begin{tabular}{l" + "r" * (len(HEADER) - 1) + "}",
            r"\toprule",
            row(HEADER),
            r"\midrule",
            *(row(cells) for cells in summary_rows(summaries)),
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def html_report(
    suite: Suite,
    done: Comparisons,
    summaries: Sequence[EngineSummary],
    charts: dict[str, str],
) -> str:
    """The report as a self-contained HTML page."""
    title = escape(suite.title or "Comparison")
    attention = notable(done.comparisons)
    parts = [
        '<!doctype html><html lang="en"><meta charset="utf-8">',
        f'<meta name="viewport" content="width=device-width"><title>{title}</title>',
        f"<style>{_STYLE}</style><h1>{title}</h1>",
        f"<p>{escape(suite.notes)}</p>" if suite.notes else "",
    ]
    if attention:
        items = "".join(f"<li>{escape(line)}</li>" for line in attention)
        parts.append(f'<h2>Needs attention</h2><ul class="bad">{items}</ul>')
    else:
        parts.append("<p>No disagreement; every answer has a second opinion.</p>")
    parts.append("<h2>Engines</h2>" + _table(HEADER, summary_rows(summaries), left=(0,)))
    parts.append(f"<p>{escape(_explanation(suite, summaries))}</p>")
    first = escape(summaries[0].engine) if summaries else ""
    for name, picture in charts.items():
        caption = _CACTUS if name == "cactus.svg" else _SCATTER.format(first=first)
        parts.append(f"<figure>{picture}<figcaption>{caption}</figcaption></figure>")
    parts.append("<h2>Origin</h2><ul>")
    parts += [f"<li>{escape(line.replace('`', ''))}</li>" for line in _origins(done)]
    header = (
        "instance",
        "engine",
        "answer",
        "status",
        "CPU s",
        "seconds",
        "MiB",
        "certificate or error",
    )
    cells = [
        _cells(comparison, entry) for comparison in done.comparisons for entry in comparison.entries
    ]
    parts.append("</ul><h2>Runs</h2>" + _table(header, cells, left=(0, 1, 3, 7)))
    return "\n".join(part for part in parts if part) + "</html>\n"


def _cells(comparison: Comparison, entry: Entry) -> list[str]:
    status = limit_words(entry.reason) if entry.status == "limit" else entry.status
    return [
        name_of(comparison),
        entry.engine if entry.repeat == 1 else f"{entry.engine} ({entry.repeat})",
        minimum_of(entry),
        status,
        "" if entry.cpu.engine is None else f"{entry.cpu.engine:,.3f}",
        "" if entry.seconds is None else f"{entry.seconds:,.3f}",
        "" if entry.memory is None else f"{entry.memory / 2**20:,.0f}",
        entry.certified or entry.error or "",
    ]


def _table(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, left: Collection[int] = ()
) -> str:
    """A table in HTML; `left` contains the indices of the left-aligned columns; all other columns are right-aligned."""

    def line(tag: str, cells: Sequence[str]) -> str:
        marked = (
            f"<{tag}{' class=l' if number in left else ''}>{escape(cell)}</{tag}>"
            for number, cell in enumerate(cells)
        )
        return f"<tr>{''.join(marked)}</tr>"

    body = "".join(line("td", row) for row in rows)
    return f'<div class="wide"><table>{line("th", header)}{body}</table></div>'


def _csv(done: Comparisons) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for number, row in enumerate(
        row
        for comparison in done.comparisons
        for row in rows(comparison, has_profile=False, where=done.provenance)
    ):
        if number == 0:
            writer.writerow(row)
        writer.writerow(row.values())
    return text.getvalue()
