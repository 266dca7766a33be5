"""Every output of --json matches its schema: no key is missing, and no key is unknown."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
import pytest

from fewest.commands.outputs import OUTPUTS
from tests.helpers.cells import BAD, ROOT
from tests.helpers.command_line import run
from tests.helpers.engines_here import engines_run_here

COMMANDS = [
    ("solve", "solve bird"),
    ("solve", "solve hardest-6x6 -m slides -e sat --at-most 5"),
    ("solve", "solve microban.xsb:1 -m moves-then-pushes"),
    ("solve", "solve conveyors"),
    ("solve", "solve rolling-block"),
    ("solve", "solve keys-and-doors"),
    ("solve", "solve zou-tou-wu-lu"),
    ("solve", "solve machinarium-arrows --time 0"),
    ("solve-level", "solve LEVELS"),
    ("solve-level", "solve LEVELS --time 0"),
    ("explore", "explore bird"),
    ("explore", "explore bird --time 0"),
    ("explore", "explore microban-001 -m moves-then-pushes"),
    ("explore", "explore tiles-2x3 --store index"),
    ("solutions", "solutions guarini --list 2 --up-to-symmetry"),
    ("solutions", "solutions tiles-2x3 --at-most 23"),
    ("solutions", "solutions microban-001 -m moves-then-pushes"),
    ("solutions", "solutions bird --time 0"),
    ("hint", "hint bird"),
    ("hint", "hint microban-001 -m pushes-then-moves"),
    ("explain", "explain bird"),
    ("explain", "explain zou-tou-wu-lu --sets 1"),
    ("explain", "explain puzzle tiles-2x3-swapped"),
    ("explain-hard", "explain bird --hard"),
    ("explain-hard", "explain jugs --hard"),
    ("explain-deadlock", "explain deadlock bird"),
    ("explain-deadlock", "explain deadlock zou-tou-wu-lu --time 5"),
    ("generate", "generate SPEC --exhaustive -m slides -m turns"),
    ("generate", "generate SPEC --exhaustive --time 0"),
    ("generate-index", "generate OPEN --exhaustive --store index -m slides -m turns"),
    ("generate-index", "generate OPEN --exhaustive --store index --time 0"),
    ("minimize", "minimize microban-001"),
    ("vary", "vary bird --change remove-piece"),
    ("vary", "vary microban-001 --time 0"),
    ("generate-best", "generate SPEC --boards 40"),
    ("generate-best", "generate SPEC --time 0"),
    ("generate-best", "generate WANTED --exhaustive"),
    ("generate-best", "generate WANTED --exhaustive --time 0"),
    ("sweep", "sweep hanoi disks=1..8"),
    ("sweep", "sweep machinarium n=0..4"),
    ("compare", "compare guarini -e bfs,sat"),
    ("compare-run", "compare jugs -e bfs,sat --checkpoint TMP/compared"),
    ("diff", "diff sokoban sokoban-double-push --on microban-001"),
    ("diff", "diff jugs jugs"),
    ("check", "check BAD"),
    ("check", "check GOOD"),
    ("prove", "prove jugs -o TMP/jugs.proof"),
    ("verify", "verify TMP/jugs.proof"),
    ("verify-plan", "verify microban-001 --lurd R"),
    ("verify-plan", "verify bird --plan PLAN"),
    ("oracle-build", "oracle build bird -o TMP/bird.oracle"),
    ("oracle-info", "oracle info TMP/bird.oracle"),
    ("show", "show bird"),
    ("show", "show hanoi"),
    ("show-model", "show sokoban"),
    ("show-model", "show sliding-blocks"),
    ("show-model", "show tiles"),
    ("list", "list"),
    ("list", "list models"),
    ("export", "export bird --to asp"),
    ("export", "export bird --to pddl -o TMP/pddl"),
    ("error", "solve nobody"),
    ("error", "solve BAD"),
    ("error", "solve"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("outputs")
    (path / "levels.xsb").write_text("#####\n#@$.#\n#####\n\n######\n#@ $.#\n######\n")
    (path / "plan.txt").write_text(run("solve", "bird").stdout, encoding="utf-8")
    page = (ROOT / "docs" / "generate.md").read_text(encoding="utf-8")
    (path / "spec.yaml").write_text(page.split("```text\n")[1].partition("```")[0])
    text = (path / "spec.yaml").read_text().replace("stuck_lines: false\n", "")
    (path / "open.yaml").write_text(text)
    (path / "wanted.yaml").write_text(text + "want: {minimum: 6}\n")
    run("prove", "jugs", "-o", str(path / "jugs.proof"))
    run("oracle", "build", "bird", "-o", str(path / "bird.oracle"))
    return path


@pytest.mark.parametrize(("name", "command"), COMMANDS, ids=[command for _, command in COMMANDS])
def test_every_output_conforms_to_its_schema(name: str, command: str, folder: Path) -> None:
    meant = {
        "LEVELS": str(folder / "levels.xsb"),
        "BAD": str(BAD / "board-ragged.yaml"),
        "PLAN": str(folder / "plan.txt"),
        "WANTED": str(folder / "wanted.yaml"),
        "OPEN": str(folder / "open.yaml"),
        "SPEC": str(folder / "spec.yaml"),
        "GOOD": str(ROOT / "puzzles" / "rush-hour" / "bird.yaml"),
    }
    words = [meant.get(word, word).replace("TMP", str(folder)) for word in command.split()]
    with engines_run_here():
        done = run(*words, "--json")
    text = done.stdout.splitlines()[0] if name == "solve-level" else done.stdout
    if name == "compare-run":
        text = (folder / "compared" / "runs.jsonl").read_text(encoding="utf-8").splitlines()[1]
    msgspec.json.decode(text, type=OUTPUTS[name])


def test_every_output_is_tested_and_has_a_schema() -> None:
    assert {name for name, _ in COMMANDS} == set(OUTPUTS)
    page = (ROOT / "docs" / "output.md").read_text(encoding="utf-8")
    listed = page.partition("NAME is one of ")[2].partition("\n\n")[0]
    assert {
        name for name in OUTPUTS if not re.search(rf"(?<![\w-]){name}(?![\w-])", listed)
    } == set()
    for name in OUTPUTS:
        schema = json.loads(run("schema", "--output", name).stdout)
        assert schema["$schema"].startswith("https://json-schema.org/")
        assert schema["title"] == f"fewest {name} --json"
    done = run("schema", "--output", "slove")
    assert done.returncode == 2 and "did you mean `solve`" in done.stderr


@pytest.mark.parametrize("change", ["more", "less", "type"])
def test_a_schema_refuses_wrong_outputs(change: str) -> None:
    data = json.loads(run("solve", "bird", "--json").stdout)
    if change == "more":
        data["more"] = 1
    elif change == "less":
        del data["cost"]
    else:
        data["status"] = "perhaps"
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(data, OUTPUTS["solve"])
