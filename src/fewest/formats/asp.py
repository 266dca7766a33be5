"""A planning task as facts for the programs in `encodings/asp`."""

from __future__ import annotations

from fewest.analysis.composites import Composite
from fewest.analysis.places import places
from fewest.analysis.planning import PlanningTask
from fewest.resources import encoding_folder
from fewest.task import Cube, facts_in


def program_texts(planning: PlanningTask) -> list[str]:
    """The programs that a planning task needs."""
    names = ["plan", "invariants", "pruning"] + (["free"] if planning.free else [])
    folder = encoding_folder() / "asp"
    return [(folder / f"{name}.lp").read_text(encoding="utf-8") for name in names]


def facts(planning: PlanningTask) -> list[str]:
    """The facts; `encodings/asp/*.lp` say what they mean."""
    cubes = _Cubes()
    out = [f"init({fact})." for fact in facts_in(planning.initial)]
    for index, move in enumerate(planning.moves):
        out += [f"move({index}).", *_needs(str(index), move.mask, move.value)]
        out += [f"deletes({index},{fact})." for fact in facts_in(move.flip & move.value)]
        out += [f"adds({index},{fact})." for fact in facts_in(move.flip & ~move.value)]
        out += [f"avoid({index},{cubes.id(cube)})." for cube in sorted(move.avoid)]
    out += [f"goal({cubes.id(cube)})." for cube in planning.goal]
    out += [f"forbid({cubes.id(cube)})." for cube in planning.forbid]
    out += _invariants(planning)
    out += _pruning(planning)
    if planning.free:
        out += _free(planning, cubes)
    return [*out, *cubes.facts()]


class _Cubes:
    """Cubes by number, each said once."""

    def __init__(self) -> None:
        self.known: dict[Cube, int] = {}

    def id(self, cube: Cube) -> int:
        return self.known.setdefault(cube, len(self.known))

    def facts(self) -> list[str]:
        return [
            f"cube({number},{fact},{value >> fact & 1})."
            for (mask, value), number in self.known.items()
            for fact in facts_in(mask)
        ]


def _needs(name: str, mask: int, value: int) -> list[str]:
    needs = [f"needs({name},{fact})." for fact in facts_in(value)]
    return needs + [f"without({name},{fact})." for fact in facts_in(mask & ~value)]


def _invariants(planning: PlanningTask) -> list[str]:
    out: list[str] = []
    for index, group in enumerate(planning.exactly):
        out.append(f"exactly({index},{group.count}).")
        out += [f"member({index},{fact})." for fact in group.facts]
    for index, cell in enumerate(planning.at_most_one):
        out += [f"cell({index},{fact})." for fact in cell]
    return out


def _pruning(planning: PlanningTask) -> list[str]:
    """Runs that no move continues, and moves that undo each other."""
    out: list[str] = []
    if planning.has_whole_runs:
        for index, move in enumerate(planning.moves):
            out += [f"continues({index},{move.run_in})."] if move.run_in >= 0 else []
            out += [f"leaves({index},{move.run_out})."] if move.run_out >= 0 else []
    if planning.free:
        return out
    of_flip: dict[int, list[tuple[int, Composite]]] = {}
    for index, move in enumerate(planning.moves):
        of_flip.setdefault(move.flip, []).append((index, move))
    for group in of_flip.values():
        for index, move in group:
            for other, back in group:
                if (move.value ^ move.flip ^ back.value) & move.flip == 0:
                    out.append(f"undoes({index},{other}).")
    return out


def _free(planning: PlanningTask, cubes: _Cubes) -> list[str]:
    graph = places(planning)
    out = [f"placed({fact})." for fact in facts_in(graph.mask)]
    for number, value in enumerate(graph.values):
        out.append(f"place({number}).")
        out += [f"at({number},{fact})." for fact in facts_in(value)]
    for number, (source, target, move) in enumerate(graph.edges):
        name = f"free({number})"
        out.append(f"edge({name},{source},{target}).")
        out += _needs(name, move.mask & ~graph.mask, move.value & ~graph.mask)
        for mask, value in planning.forbid:
            if (graph.values[target] ^ value) & mask & graph.mask == 0:
                out.append(f"closed({name},{cubes.id((mask & ~graph.mask, value & ~graph.mask))}).")
    return out
