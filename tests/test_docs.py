"""Every puzzle on the pages of the documentation is checked."""

from __future__ import annotations

import ast
import re
import runpy
import signal
from importlib import import_module
from pathlib import Path

import click
import pytest

from fewest.cli import COMMANDS
from fewest.commands.check import Effort, check_document
from fewest.engines.registry import ENGINES
from fewest.machine.resources import puzzle_path
from tests.helpers import engines_doc, models_doc, transcripts
from tests.helpers.cells import ROOT

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
# The tests of errors check the examples on this page as bad documents.
WITHOUT_ANSWERS = {DOCS / "errors.md"}
BLOCK = re.compile(r"^```yaml\n(.*?)^```", re.M | re.S)


def examples() -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        if page in WITHOUT_ANSWERS:
            continue
        for block in BLOCK.findall(page.read_text(encoding="utf-8")):
            name = re.search(r"^puzzle: (\S+)", block, re.M)
            if name:
                found.append((f"{page.name}-{name[1]}", block))
    return found


@pytest.mark.parametrize(("name", "text"), examples(), ids=[name for name, _ in examples()])
def test_an_example_of_the_documentation_has_the_expected_answers(
    name: str, text: str, tmp_path: Path
) -> None:
    path = tmp_path / f"{name}.yaml"
    path.write_text(text, encoding="utf-8")
    check = check_document(path, Effort(seconds=60))
    assert check.errors is None
    assert not check.warnings
    assert "bfs" in {row.engine for row in check.rows}
    assert [row for row in check.rows if row.verdict != "ok"] == []


def test_the_language_page_has_its_examples() -> None:
    assert len(examples()) >= 15


def test_the_page_of_models_has_them_all_with_a_puzzle_of_each() -> None:
    assert models_doc.all_names() == models_doc.shipped_names()
    for members in models_doc.FAMILIES.values():
        for name, (_, example) in members.items():
            text = puzzle_path(example).read_text(encoding="utf-8")
            assert re.search(rf"^model: {name}$", text, re.M), example


def test_the_page_of_engines_agrees_with_the_registry() -> None:
    text = engines_doc.ENGINES_PAGE.read_text(encoding="utf-8")
    assert text == engines_doc.page(), "run: python -m tests.helpers.engines_doc"
    sections = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", text, re.M | re.S))
    assert [name for name in sections if name in ENGINES] == list(ENGINES)
    for name, engine in ENGINES.items():
        for word in ("**Proves**", "**Refuses**", "fewest solve "):
            assert word in sections[name], (name, word)
        assert engine.is_optimal == ("no minimum" not in sections[name]), name
        refused = sections[name].partition("**Refuses**")[2]
        assert (engine.metrics == "one number") == ("lexicographic" in refused), name
        assert engine.has_all_goals == ("100,000" not in refused), name


@pytest.mark.parametrize("page", transcripts.PAGES, ids=lambda page: page.name)
def test_the_output_on_a_page_is_current(page: Path) -> None:
    shown = page.read_text(encoding="utf-8")
    assert transcripts.steady(shown) == transcripts.steady(transcripts.page(page)), (
        "run: python -m tests.helpers.transcripts"
    )


def test_the_tutorial_and_the_mistakes_are_executed() -> None:
    for name, least in (
        ("tutorial.md", 9),
        ("how-to/mistakes.md", 6),
        ("how-to/change-rules.md", 4),
    ):
        text = (DOCS / name).read_text(encoding="utf-8")
        assert len(re.findall(r"^```text\n\$ fewest ", text, re.M)) >= least, name
    wrong = re.findall(r"error\[([a-z-]+)\]", (DOCS / "how-to" / "mistakes.md").read_text("utf-8"))
    assert len(wrong) >= 6


# -- links --------------------------------------------------------------------------------------------

LINK = re.compile(r"\[[^\]]*\]\(([^)\s#:]*)(?:#([^)\s]*))?\)")
TEXTS = [
    *PAGES,
    *(ROOT / name for name in ("CONTRIBUTING.md", "CHANGELOG.md", "encodings/README.md")),
]


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, in the form of GitHub and of the site generator."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    titles = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.name)
def test_links_lead_to_pages_and_headings(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target, anchor in LINK.findall(re.sub(r"`[^`\n]*`", "", text)):
        file = page if not target else (page.parent / target).resolve()
        assert file.exists(), f"{page.name}: {target}"
        if anchor:
            assert anchor in anchors(file), f"{page.name}: {target}#{anchor}"


def test_the_changelog_has_sentences_and_no_entry_twice() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    entries = re.findall(r"^- (.*)$", text, re.M)
    assert len(entries) > 50
    assert [entry for entry in entries if not re.match(r"[A-Z`].*\.$|\d.*\.$", entry)] == []
    words = [set(re.findall(r"[a-z]{4,}", entry.lower())) for entry in entries]
    twice = [
        (entries[i], entries[j])
        for j in range(len(entries))
        for i in range(j)
        if len(words[i] & words[j]) > 0.6 * len(words[i] | words[j])
    ]
    assert twice == []


@pytest.mark.parametrize("page", TEXTS[1:], ids=lambda page: page.name)
def test_a_page_starts_with_its_purpose(page: Path) -> None:
    title, purpose = page.read_text(encoding="utf-8").split("\n\n")[:2]
    assert title.startswith("# ")
    assert re.match(r"This (?:page|tutorial) |Changes for users", purpose), purpose


def test_the_site_has_every_page() -> None:
    listed = set(re.findall(r"[\w/.-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    hooks = (DOCS / "site.py").read_text(encoding="utf-8")
    made = dict(re.findall(r'^    "(\S+)": "(\S+)",$', hooks, re.M))
    assert all((ROOT / place).is_file() for place in made)
    pages = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    assert listed == pages | set(made.values()) | {"commands.md", "course.md", "notebook.md"}


def test_the_site_shows_no_escapes_in_the_code_of_tables() -> None:
    pytest.importorskip("mkdocs", reason="the extra `docs` is not installed")
    without_escapes = runpy.run_path(str(DOCS / "site.py"))["without_escapes"]
    table = "| a | b |\n| --- | --- |\n| `[ A \\| B ]` | c \\| d |\n\n`x \\| y`\n"
    assert without_escapes(table) == table.replace("[ A \\| B ]", "[ A | B ]")


def test_the_site_breaks_no_line_within_an_option() -> None:
    pytest.importorskip("mkdocs", reason="the extra `docs` is not installed")
    with_whole_words = runpy.run_path(str(DOCS / "site.py"))["with_whole_words"]
    html = "<p>a-b <code>x --ends both -j</code></p><pre><code>solve --time 5\n</code></pre>"
    whole = '<span class="whole-word">{}</span>'.format
    assert with_whole_words(html) == html.replace("--ends", whole("--ends"))
    assert with_whole_words("<code>a|up-left</code>") == f"<code>a|{whole('up-left')}</code>"
    long = f"<code>{'very-' * 8}long</code>"
    assert with_whole_words(long) == long


def test_the_guide_and_the_page_of_commands_have_them_all() -> None:
    guide = (DOCS / "guide.md").read_text(encoding="utf-8")
    made = runpy.run_path(str(DOCS / "commands.py"))["page"]()
    for name in COMMANDS:
        assert re.search(rf"\bfewest {name}\b", guide), name
        section = made.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        command = import_module(f"fewest.cli.{name}").command
        for inner in (command, *getattr(command, "commands", {}).values()):
            options = [p for p in inner.params if isinstance(p, click.Option)]
            assert all(f"| `{option.opts[0]}" in section for option in options), name


PYTHON = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
# Ray starts a cluster, and causes warnings.
ON_RAY = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
WITH_PYTHON = [
    pytest.param(page, id=page.name, marks=ON_RAY if "fewest.cluster" in text else [])
    for page, text in ((page, page.read_text(encoding="utf-8")) for page in PAGES)
    if PYTHON.search(text)
]


@pytest.mark.parametrize("page", WITH_PYTHON)
def test_the_python_of_a_page_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    claims = 0
    text = page.read_text(encoding="utf-8")
    if "fewest.cluster" in text:
        pytest.importorskip("ray", reason="the extra `cluster` is not installed")
    for block in PYTHON.findall(text):
        exec(compile(block, page.name, "exec"), names)
        # A solver of python-sat may replace the handler of SIGINT below Python and not restore it; the next SIGINT in
        # this process would be a crash.
        signal.signal(signal.SIGINT, signal.getsignal(signal.SIGINT))
        for expression, expected in re.findall(r"^(\S[^=#]*?)  # (.+)$", block, re.M):
            try:
                value = ast.literal_eval(f"({expected})")
            except (SyntaxError, ValueError):
                continue  # the comment is not a value
            assert eval(expression, names) == value, expression
            claims += 1
    assert claims or page.name not in {
        "python.md",
        "sweep.md",
        "compare.md",
        "facts.md",
    }
