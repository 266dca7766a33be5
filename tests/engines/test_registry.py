"""The code of each engine supports what the engine's row in the registry declares."""

import inspect
import shutil
from functools import cache
from importlib import import_module
from itertools import combinations, product
from pathlib import Path

import pytest

import fewest
from fewest import search
from fewest.engines.registry import (
    CHOICES,
    ENGINES,
    check_metric,
    check_options,
    features_of,
    request_parts,
)
from fewest.errors import UsageError
from tests.helpers.crossing.features import compiled_of, grounded_as
from tests.helpers.shipped import shipped

engines = pytest.mark.parametrize("name", ENGINES)
FEW_GOALS = [name for name, engine in ENGINES.items() if not engine.has_all_goals]
REFUSALS = ("needs moves that", "does not support intermediate states")
NATIVE_ONLY = [name for name, engine in ENGINES.items() if engine.needs_native]


@engines
def test_an_engine_takes_the_options_of_its_row(name: str) -> None:
    takes = inspect.signature(import_module(ENGINES[name].module).solve).parameters
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in takes.values()):
        assert set(ENGINES[name].options) <= set(takes)
    assert list(takes)[:4] == ["task", "metric", "limits", "progress"]


@engines
def test_the_error_for_an_unsupported_option_names_the_engines_that_have_it(name: str) -> None:
    for other in ENGINES.values():
        for option in set(other.options) - set(ENGINES[name].options):
            with pytest.raises(UsageError, match=f"`{name}` does not support --") as error:
                shipped("jugs").solve(engine=name, **{option: 1})
            takes = [n for n, e in ENGINES.items() if option in e.options]
            *first, last = takes
            listed = f"{', '.join(first)} or {last}" if first else last
            assert error.value.hint == f"use --engine {listed}"


@pytest.mark.parametrize("option", CHOICES)
def test_a_word_that_is_no_choice_is_refused_with_those_there_are(option: str) -> None:
    takes = [name for name, engine in ENGINES.items() if option in engine.options]
    assert takes
    for name in takes:
        with pytest.raises(
            UsageError, match=f"`sideways` is not a valid value of --{option}"
        ) as error:
            check_options(name, {option: "sideways"})
        assert all(word in error.value.hint for word in CHOICES[option])
        for word in CHOICES[option]:
            check_options(name, {option: word})


@engines
def test_metrics_that_an_engine_does_not_take_are_refused(name: str) -> None:
    turns = fewest.load("heng-dao-li-ma").task.metrics["turns"]  # merges moves, also around corners
    pair = fewest.load("microban-001").task.metrics["pushes-then-moves"]
    for metric, takes in (
        (turns, ("all", "one number", "one weight")),
        (pair, ("all", "lines")),
    ):
        if ENGINES[name].metrics in takes:
            check_metric(name, metric)
        else:
            with pytest.raises(UsageError, match=f"the engine `{name}`"):
                check_metric(name, metric)


@pytest.mark.parametrize("name", NATIVE_ONLY)
def test_options_of_the_native_core_are_refused_without_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "NATIVE", False)
    with pytest.raises(UsageError, match="needs the native core"):
        fewest.load("jugs").solve(engine=name)


@pytest.mark.parametrize("name", FEW_GOALS)
def test_too_many_goals_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="at most 100,000 goal positions"):
        fewest.load("climb-12").solve(engine=name)


@cache
def with_features(chosen: tuple[str, ...]) -> fewest.CompiledPuzzle:
    with grounded_as(chosen):
        compiled = compiled_of((*chosen, "line"))
        assert compiled.grounded
    return compiled


@pytest.mark.parametrize("name", ENGINES)
def test_a_task_is_refused_exactly_where_the_table_refuses_it(name: str, tmp_path: Path) -> None:
    settings = [
        {},
        {"symmetry": "on"},
        {"store": "index"},
        {"store": f"disk:{tmp_path / 'store'}"},
        {"checkpoint": str(tmp_path / "checkpoint")},
    ]
    names = ("permutations", "at-once", "apart")
    for chosen in [(one,) for one in names] + [*combinations(names, 2)]:
        compiled = with_features(chosen)
        task = compiled.grounded
        for options, metric in product(settings, ("m", "moves")):
            if not set(options) <= set(ENGINES[name].options):
                continue
            known = compiled.puzzle.metrics[metric]
            missing = {
                feature
                for part in request_parts(name, known, options)
                for feature in features_of(task)
                # A case split removes this feature.
                if feature not in part.supported and feature != "at once"
            }
            try:
                compiled.solve(metric, engine=name, **options)
                is_refused = False
            except UsageError as error:
                is_refused = any(words in error.message for words in REFUSALS)
            assert is_refused == bool(missing), (chosen, options, metric)
            for place in tmp_path.iterdir():
                shutil.rmtree(place)
