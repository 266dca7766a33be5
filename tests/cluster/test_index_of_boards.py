"""If owners in threads share the index of all boards of a spec, the counts are those of one process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fewest import search
from fewest.cluster import index_actors
from fewest.commands.generate import IndexedGeneration, generate_in_index
from fewest.model.answer import Limits
from fewest.store import index_parts
from fewest.store.error_translation import StoreError
from tests.cluster.test_index_owners import location
from tests.commands.generate.spec_cases import SLIDING
from tests.commands.generate.test_indexed import JAMS, ONE_WAY, counts, spec_of
from tests.helpers.local_fleet import LocalFleet

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="an index needs the native core")


@pytest.fixture
def saves_every_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_parts, "SAVE_EVERY", -1)
    monkeypatch.setattr(index_parts, "_KEEPING_TIMES", 0)


def best(found: IndexedGeneration) -> list[set[Any]]:
    return [{position.pieces for position in one.best} for one in found.metrics]


@pytest.mark.parametrize("owners", [1, 3])
@pytest.mark.parametrize(
    ("text", "metrics"),
    [(JAMS, "steps slides"), (SLIDING, "slides turns"), (ONE_WAY, "moves")],
    ids=["jams", "sliding blocks", "one way"],
)
def test_owners_count_the_same_positions_as_one_process(
    text: str, metrics: str, owners: int
) -> None:
    spec = spec_of(text)
    alone = generate_in_index(spec, metrics.split())
    found = generate_in_index(spec, metrics.split(), store=location(owners))
    assert (found.num_positions, found.reason) == (alone.num_positions, None)
    assert counts(found) == counts(alone)
    # Both searches list the farthest positions with the fewest pieces. If there are many such positions, each search
    # lists only some of them.
    for one, other in zip(found.metrics, alone.metrics, strict=True):
        assert one.is_complete and len(one.best) == len(other.best)
        assert [len(position.pieces) for position in one.best] == [
            len(position.pieces) for position in other.best
        ]
    if all(len(one.best) < 10 for one in alone.metrics):
        assert best(found) == best(alone)


def test_no_goal_position_is_no_layer() -> None:
    # With three logs, the board has no room for the goal.
    spec = spec_of(ONE_WAY.replace("{X: {at: [2, 3]}}", "all(count(man) == 2 for i in range(1))"))
    for found in (generate_in_index(spec), generate_in_index(spec, store=location(2))):
        assert (counts(found), found.reason) == ([()], None)


@pytest.mark.usefixtures("saves_every_layer")
def test_an_owner_that_ends_repeats_the_layers_since_the_last_save(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[LocalFleet] = []
    left = [("begin_at_goals", 0), ("move", 1), ("fewest_facts", 2)]

    def disturbed(name: str) -> Any:
        method = getattr(index_actors.IndexActors, name)

        def disturb(self: Any, *arguments: Any, **options: Any) -> Any:
            if left and left[0][0] == name:
                seen[-1].kill(left.pop(0)[1])
            return method(self, *arguments, **options)

        return disturb

    for name in ("begin_at_goals", "move", "fewest_facts"):
        monkeypatch.setattr(index_actors.IndexActors, name, disturbed(name))
    spec = spec_of(JAMS)
    found = generate_in_index(spec, store=location(3, seen=seen), checkpoint=tmp_path / "saved")
    alone = generate_in_index(spec)
    assert not left
    assert (counts(found), best(found)) == (counts(alone), best(alone))


@pytest.mark.usefixtures("saves_every_layer")
def test_a_second_cluster_continues(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(index_parts, "_LOOK", 0.0)
    spec, folder = spec_of(SLIDING), tmp_path / "saved"
    alone = generate_in_index(spec, ["slides", "turns"])

    def interrupt(progress: search.Progress) -> None:
        if progress.cost >= 2:
            raise KeyboardInterrupt

    options: dict[str, Any] = {"checkpoint": folder, "store": location(3)}
    stopped = generate_in_index(spec, ["slides", "turns"], progress=interrupt, **options)
    assert (stopped.reason, stopped.metrics[0].best) == ("interrupted", ())
    assert list(folder.glob("parts-slides-*/part-*"))
    with pytest.raises(StoreError, match="belong to a search on a cluster"):
        generate_in_index(spec, ["slides", "turns"], checkpoint=folder)
    options["store"] = location(2)
    found = generate_in_index(spec, ["slides", "turns"], **options)
    assert (found.reason, counts(found)) == (None, counts(alone))
    assert not list(folder.glob("parts-*"))
    # A finished search is not repeated, not even without a cluster.
    known = generate_in_index(spec, ["slides", "turns"], Limits(seconds=0), checkpoint=folder)
    assert counts(known) == counts(alone)


def test_marks_of_one_process_are_not_those_of_a_cluster(tmp_path: Path) -> None:
    spec, folder = spec_of(JAMS), tmp_path / "saved"
    generate_in_index(spec, limits=Limits(seconds=0), checkpoint=folder)
    assert list(folder.glob("marks-*"))
    with pytest.raises(StoreError, match="belong to a search in one process"):
        generate_in_index(spec, checkpoint=folder, store=location(2))
