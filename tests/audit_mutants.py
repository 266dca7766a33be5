"""Counts the wrong compilers that the audit rejects: `python -m tests.audit_mutants --sample 200 --seed 1`.

A mutant is one small change of a function in `fewest.grounding`. The command draws mutants, and looks for those that
silently change an answer about a shipped puzzle: the status or the minimum that `solve` reports, or the numbers of
positions and of goal positions that `explore` reports. For each of these mutants, it repeats the call with the audit,
which has its default budget. The audit must reject the call. The command does not use the tests of this project.

The command does not count a change that causes an exception, a refused document, or a plan that the reference
interpreter rejects.

The command saves its results in `build/audit_mutants/`, so a repeated command resumes a stopped run. If the sources
change, the command begins a new folder. A run takes about 25 CPU minutes.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import hashlib
import importlib
import json
import os
import pkgutil
import resource
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import fewest
import fewest.grounding
from fewest.commands import audit as audits
from fewest.commands.api import CompiledPuzzle
from fewest.commands.audit.budget import AuditBudgets
from fewest.commands.audit.disagreement import DisagreementError
from fewest.commands.catalogue import catalogue
from fewest.errors import DocumentError, InternalError
from tests.helpers.forks import Say, in_forks
from tests.helpers.source_mutants import Mutant, diff, install, mutants_of

ROOT = Path(__file__).parent.parent
CALLS = ("solve", "explore")
LONGEST = 2.0  # CPU seconds: puzzles with a longer call are omitted
ENOUGH = 2  # puzzles with a changed answer, after which the search for a mutant stops
BUDGET = 2.0  # CPU seconds after which this search stops
Answer = list[Any]


class HungError(Exception):
    """The call takes much longer than without the mutant."""


# -- one call ------------------------------------------------------------------------------------------


def answer(compiled: CompiledPuzzle, call: str, audit: str) -> Answer:
    """The part of an answer that users see."""
    if call == "solve":
        result = compiled.solve(threads=1, audit=audit)
        return [result.status, result.cost]
    found = compiled.explore(threads=1, plans=False, consistent=False, audit=audit)
    return [found.num_states, found.num_goal_states]


def outcome(compiled: CompiledPuzzle, call: str, audit: str, seconds: float) -> tuple[str, Any]:
    """The kind of result (an answer or a failure), and the answer or the error message."""
    try:
        with alarm(seconds):
            return "answer", answer(compiled, call, audit)
    except HungError:
        return "hung", None
    except InternalError as error:
        is_audit = (
            isinstance(error, DisagreementError) and audit != "off"
        )  # otherwise, the error is about a plan that is not legal
        return "rejected" if is_audit else "internal", f"{type(error).__name__}: {error.message}"[
            :500
        ]
    except DocumentError as error:
        return "refused", str(error)[:200]
    except Exception as error:
        return "crashed", f"{type(error).__name__}: {error}"[:200]


@contextlib.contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Raise HungError after `seconds` of CPU time."""

    def ring(*_: object) -> None:
        raise HungError

    signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


# -- answers without a mutant --------------------------------------------------------------------------


def measure(puzzle: CompiledPuzzle, say: Say) -> None:
    """Report each answer about a puzzle, and the time of the call."""
    for call in CALLS:
        fresh = CompiledPuzzle(puzzle.puzzle, puzzle.document)
        began = time.process_time()
        kind, found = outcome(fresh, call, "off", LONGEST)
        if kind == "answer" and found[0] != "limit":
            say([call, found, time.process_time() - began])


def lines_of(puzzle: CompiledPuzzle, say: Say) -> None:
    """Report the lines of the grounder that the puzzle reaches."""
    files = {getattr(sys.modules[m], "__file__", ""): m for m in modules()}
    reached: dict[str, set[int]] = defaultdict(set)

    def in_function(frame: Any, event: str, _: object) -> Any:
        module = files.get(frame.f_code.co_filename)
        if module is None:
            return None
        lines = reached[module]
        lines.add(frame.f_lineno)

        def at_line(frame: Any, event: str, _: object) -> Any:
            lines.add(frame.f_lineno)
            return at_line

        return at_line

    sys.settrace(in_function)
    with contextlib.suppress(DocumentError, AttributeError):
        puzzle.grounded  # noqa: B018 - it is computed when it is first read
    sys.settrace(None)
    say({module: sorted(lines) for module, lines in reached.items()})


def import_all() -> None:
    """Import all modules that a call needs, so that the child processes do not have to."""
    for room in (
        "grounding",
        "playing",
        "analysis",
        "deadlocks",
        "engines",
        "commands",
        "search",
        "space",
        "store",
    ):
        package = importlib.import_module(f"fewest.{room}")
        for module in pkgutil.walk_packages(package.__path__, f"fewest.{room}."):
            importlib.import_module(module.name)


def modules() -> list[str]:
    found = pkgutil.iter_modules(fewest.grounding.__path__, "fewest.grounding.")
    return sorted(module.name for module in found)


# -- a run ---------------------------------------------------------------------------------------------


class Run:
    """The puzzles, and the saved results about the puzzles and the mutants."""

    def __init__(self, jobs: int, seed: int) -> None:
        self.jobs, self.seed = jobs, seed
        sources = ("grounding", "reading", "model")
        self.folder = (
            ROOT
            / "build"
            / "audit_mutants"
            / digest(
                *(ROOT / "src" / "fewest" / room for room in sources),
                ROOT / "models",
                ROOT / "puzzles",
            )
        )
        self.folder.mkdir(parents=True, exist_ok=True)
        self.sources = digest(ROOT / "src")
        entries = catalogue()
        self.families = {entry.name: entry.family for entry in entries}
        self.puzzles = {entry.name: fewest.load(entry.name) for entry in entries}
        self.truth: dict[str, dict[str, tuple[Answer, float]]] = {}
        self.reached: dict[str, dict[str, frozenset[int]]] = {}
        self.baseline()

    def baseline(self) -> None:
        names = list(self.puzzles)
        todo = [name for name in names if self.puzzles[name].puzzle.goal is not None]
        measured = self.saved_reports(
            "answers.jsonl", todo, lambda name, say: measure(self.puzzles[name], say), 4 * LONGEST
        )
        for name, results in measured.items():
            if results:
                self.truth[name] = {call: (found, seconds) for call, found, seconds in results}
        traced = self.saved_reports(
            "lines.jsonl",
            list(self.truth),
            lambda name, say: lines_of(self.puzzles[name], say),
            100,
        )
        for name, results in traced.items():
            for lines in results:
                self.reached[name] = {module: frozenset(found) for module, found in lines.items()}

    def saved_reports(
        self, file: str, names: Iterable[str], work: Callable[[str, Say], None], seconds: float
    ) -> dict[str, list[Any]]:
        """Return the reports about each name. The file contains those of earlier runs and receives the new ones."""
        path = self.folder / file
        known = dict(map(json.loads, read_lines(path)))
        todo = [name for name in names if name not in known]
        with path.open("a", encoding="utf-8") as journal:
            for name, results in in_forks(work, todo, self.jobs, seconds):
                known[name] = results
                print(json.dumps([name, results]), file=journal, flush=True)
        return known

    def drawn(self, room: str) -> list[Mutant]:
        """All mutants in lines that some puzzle reaches, in random order."""
        lines: dict[str, set[int]] = defaultdict(set)
        for reached in self.reached.values():
            for module, found in reached.items():
                lines[module] |= found
        mutants = [m for module in modules() for m in mutants_of(module)]
        mutants = [m for m in mutants if m.line in lines[m.module] and room in m.name]
        return sorted(mutants, key=lambda mutant: mutant.rank(self.seed))

    def puzzles_for(self, mutant: Mutant) -> list[str]:
        """Puzzles that reach the line of a mutant; every family has the same probability."""
        families: dict[str, list[str]] = defaultdict(list)
        for name, reached in self.reached.items():
            if mutant.line in reached.get(mutant.module, ()):
                families[self.families[name]].append(name)

        def rank(name: str) -> bytes:
            return hashlib.sha256(f"{self.seed} {mutant.name} {name}".encode()).digest()

        rounds = [
            (number, rank(family), name)
            for family, names in families.items()
            for number, name in enumerate(sorted(names, key=rank))
        ]
        return [name for _, _, name in sorted(rounds)]

    def look(self, mutant: Mutant, say: Say) -> None:
        """Stage 1: report the answers that the mutant changes."""
        gc.disable()
        try:
            install(mutant)
        except (SyntaxError, ValueError) as error:
            say(["", "", "no Python", str(error)])
            return
        changed: set[str] = set()
        began = time.process_time()
        for name in self.puzzles_for(mutant):
            if len(changed) >= ENOUGH or time.process_time() - began > BUDGET:
                break
            for call, (truth, seconds) in self.truth[name].items():
                say([name, call, "died", None])
                kind, found = outcome(self.fresh(name), call, "off", 1 + 5 * seconds)
                if kind == "answer":
                    kind = (
                        "hung" if found[0] == "limit" else "same" if found == truth else "changed"
                    )
                say([name, call, kind, found])
                if kind == "changed":
                    changed.add(name)
                elif kind != "same":
                    break

    def fresh(self, name: str) -> CompiledPuzzle:
        known = self.puzzles[name]
        return CompiledPuzzle(known.puzzle, known.document)

    def audited(self, audit: str, startup: float) -> Callable[[tuple[Mutant, str, str], Say], None]:
        """Stage 2: repeat one of these calls with the audit, in a separate process.

        The budget is a share of the CPU time of a whole command, so its clock starts at `startup` seconds instead of 0.
        """

        def work(item: tuple[Mutant, str, str], say: Say) -> None:
            mutant, name, call = item
            install(mutant)
            _, seconds = self.truth[name][call]
            spent = time.process_time() - startup
            audits.LEDGER = AuditBudgets(clock=lambda: time.process_time() - spent)
            say(outcome(self.fresh(name), call, audit, 10 + 10 * seconds))

        return work


def digest(*places: Path) -> str:
    found = hashlib.sha256()
    for place in places:
        for path in sorted(p for p in place.rglob("*") if p.suffix in (".py", ".yaml")):
            found.update(path.read_bytes())
    return found.hexdigest()[:12]


def read_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def effects(results: list[list[Any]]) -> dict[tuple[str, str], list[Any]]:
    """The last report about each call: `died` is written before the call, and remains if the process dies."""
    return {(name, call): [name, call, kind, found] for name, call, kind, found in results}


class Found:
    """A mutant with the answers that it silently changes."""

    def __init__(self, mutant: Mutant, results: list[list[Any]]) -> None:
        self.mutant = mutant
        self.changed = [effect for effect in effects(results).values() if effect[2] == "changed"]
        self.kinds = Counter(kind for _, _, kind, _ in effects(results).values())


def find(run: Run, sample: int, room: str, *, only_known: bool) -> tuple[list[Found], Counter[str]]:
    """The first mutants in the random order that change an answer, and the counts of all results."""
    path = run.folder / f"effects-{run.seed}.jsonl"
    known = dict(map(json.loads, read_lines(path)))
    found: dict[str, Found] = {}
    kinds: Counter[str] = Counter()
    mutants = run.drawn(room)

    def todo() -> Iterator[Mutant]:
        for mutant in mutants:
            if sum(1 for one in found.values() if one.changed) >= sample:
                return
            if mutant.name in known:
                found[mutant.name] = Found(mutant, known[mutant.name])
            elif not only_known:
                yield mutant

    with path.open("a", encoding="utf-8") as journal:
        for mutant, results in in_forks(run.look, todo(), run.jobs, 3 * BUDGET):
            found[mutant.name] = Found(mutant, results)
            print(json.dumps([mutant.name, results]), file=journal, flush=True)
            number = sum(1 for one in found.values() if one.changed)
            print(
                f"\r{len(found):,} mutants tried, {number} change an answer",
                end="",
                file=sys.stderr,
            )
    print(file=sys.stderr)
    for one in found.values():
        kinds["an answer changes" if one.changed else worst(one.kinds)] += 1
    chosen = [found[m.name] for m in mutants if m.name in found and found[m.name].changed]
    return chosen[:sample], kinds


WORST = {
    "died": "the process dies", "hung": "a call does not end", "crashed": "an exception",
    "internal": "another check rejects the answer", "refused": "the document is refused",
    "no Python": "no valid Python", "same": "no answer changes",
}  # fmt: skip


def worst(kinds: Counter[str]) -> str:
    return next((text for kind, text in WORST.items() if kinds[kind]), "not tried")


Verdicts = dict[tuple[str, str, str], list[Any]]
"""The result of a call with the audit, by mutant, puzzle and call."""


def put_to(run: Run, audit: str, chosen: list[Found], *, only_known: bool) -> Verdicts:
    """The verdict of the audit about each changed answer."""
    path = run.folder / f"audited-{audit}-{run.sources}.jsonl"
    known = {tuple(key): results for key, results in map(json.loads, read_lines(path))}
    items = [
        (one.mutant, name, call)
        for one in chosen
        for name, call, *_ in one.changed
        if (one.mutant.name, name, call) not in known and not only_known
    ]
    with path.open("a", encoding="utf-8") as journal:
        for (mutant, name, call), results in in_forks(
            run.audited(audit, startup_seconds()), items, run.jobs, 300
        ):
            key = mutant.name, name, call
            known[key] = results[-1] if results else ["died", None]
            print(json.dumps([key, known[key]]), file=journal, flush=True)
    return known


def startup_seconds() -> float:
    """The CPU time of a command before it starts to solve."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "fewest", "solve", "tiles-2x2", "--audit", "off"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def table(run: Run, chosen: list[Found], verdicts: Verdicts) -> str:
    """A table with a row for each mutant, the survivors with their changed answers, and the percentages."""
    rows, survivors = [], []
    caught: list[list[bool]] = []
    by_call: dict[str, list[bool]] = {call: [] for call in CALLS}
    for one in chosen:
        mutant = one.mutant
        here: list[bool] = []
        shown: list[str] = []
        for name, call, _, wrong in one.changed:
            kind, answered = verdicts.get((mutant.name, name, call), ("not tried", None))
            truth = run.truth[name][call][0]
            # The saved result belongs to an older version of the sources.
            if kind == "not tried" or answered == truth:
                continue
            here.append(kind == "rejected")
            by_call[call].append(here[-1])
            verdict = "missed" if kind == "answer" else kind
            shown.append(f"{call} {name} {truth} -> {wrong}: {verdict}")
        if not here:
            continue
        caught.append(here)
        verdict = "rejected" if all(here) else "missed later" if here[0] else "MISSED"
        place = f"{mutant.module.rpartition('.')[2]}.py:{mutant.line}"
        rows.append(f"{verdict:<12}  {place:<22}  {mutant.operator:<18}  {mutant.name}")
        rows += [f"{'':<14}{line}" for line in shown]
        if not all(here):
            missed = "\n".join(line for line in shown if not line.endswith("rejected"))
            survivors.append(f"{mutant.name} ({place})\n{missed}\n{diff(mutant)}\n")
    shares = {
        "the first changed answer is rejected": [here[0] for here in caught],
        "every changed answer is rejected": [all(here) for here in caught],
        "some changed answer is rejected": [any(here) for here in caught],
        "changed answers that are rejected": [one for here in caught for one in here],
        **{
            f"changed answers of {call} that are rejected": found for call, found in by_call.items()
        },
    }
    lines = [
        f"{text:<46} {sum(found):>4} of {len(found):>4}  {100 * sum(found) / max(len(found), 1):5.1f} %"
        for text, found in shares.items()
    ]
    return "\n".join([*rows, "", "Survivors:", "", *survivors, *lines])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, default=200, help="so many mutants (200)")
    parser.add_argument("--seed", type=int, default=1, help="which sample (1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (all)")
    parser.add_argument("--audit", default="auto", help="auto (the default budget), all, N or off")
    parser.add_argument("--report", action="store_true", help="try nothing, say what is known")
    parser.add_argument("--room", default="", help="mutants with this in their name only")
    options = parser.parse_args()
    import_all()
    run = Run(options.jobs, options.seed)
    chosen, kinds = find(run, options.sample, options.room, only_known=options.report)
    verdicts = put_to(run, options.audit, chosen, only_known=options.report)
    print(table(run, chosen, verdicts))
    print(f"{sum(kinds.values()):,} mutants were tried:")
    for text, number in kinds.most_common():
        print(f"  {text:<34} {number:>5}")
    return 0 if len(chosen) == options.sample else 1


if __name__ == "__main__":
    sys.exit(main())
