"""Writes a planning task as facts for the programs in `encodings/asp`, or as one program with readable names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from fewest.analysis.invariants import num_empty_cells
from fewest.machine.resources import encoding_folder
from fewest.model.task import Cube, facts_in, union
from fewest.planning.bounds import Bounds
from fewest.planning.conditional_effects import Circuit, FactValue, circuit, effect_cubes
from fewest.planning.free_graph import free_graph
from fewest.planning.macros import Effect, MacroOperator, inverse
from fewest.planning.names import PlanningNames
from fewest.planning.potential import MAX_WASTED
from fewest.planning.task import PlanningTask

_Change: TypeAlias = tuple[Effect, tuple[int, ...]]
"""The facts that a move deletes, the facts that it adds, and its permutation (empty if it has none)."""


def program_names(planning: PlanningTask) -> list[str]:
    """The names of the programs in `encodings/asp` that a planning task needs."""
    guessed = _guessed(planning)
    names = ["plan", guessed, "invariants", "pruning"]
    names += ["conditional_effects"] if planning.rounds else ["distances"]
    # If moves are guessed, sums over interchangeable pieces cause more conflicts than they prevent.
    if guessed == "states" or all(group.count == 1 for group in planning.exactly):
        names += ["counts"] if planning.rounds else ["counts", "waste"]
    return names + (["free"] if planning.free else [])


def run_texts(manner: str) -> list[str]:
    """The texts of two programs. The first is named by `manner` and makes clingo check one horizon after another
    (`incremental`) or only one horizon (`horizon`); the second (`show`) defines the output.
    """
    folder = encoding_folder() / "asp" / "run"
    return [(folder / f"{name}.lp").read_text(encoding="utf-8") for name in (manner, "show")]


def program_texts(planning: PlanningTask) -> list[str]:
    """The texts of the programs that a planning task needs."""
    folder = encoding_folder() / "asp"
    return [(folder / f"{name}.lp").read_text(encoding="utf-8") for name in program_names(planning)]


def _guessed(planning: PlanningTask) -> str:
    """Chooses between the encodings `moves` and `states`.

    Only `moves` supports permutations, consequences, and moves that delete or add a number of facts other than one.
    `moves` is also faster if a single cell is empty. In all other cases, `states` is faster.
    """
    if planning.rounds or any(move.image for move in planning.moves):
        return "moves"
    if any(side.bit_count() != 1 for move in planning.moves for side in move.effect):
        return "moves"
    num_empty = num_empty_cells(planning.exactly, planning.at_most_one)
    return "moves" if num_empty == 1 else "states"


def facts(bounds: Bounds) -> list[str]:
    """The planning task as ASP facts; `encodings/asp/*.lp` define their meaning. If moves have consequences, the last
    lines are the rules that compute them.

    Raises UsageError if free moves lead to too many partial states, or if consequences need too many gates.
    """
    planning = bounds.planning
    cubes = _Cubes()
    out = [f"init({fact})." for fact in facts_in(planning.initial)]
    placed = free_graph(planning).mask
    cells = [sum(1 << fact for fact in cell) for cell in planning.at_most_one]
    effects: dict[_Change, int] = {}
    for index, move in enumerate(planning.moves):
        effect = effects.setdefault(_change(move), len(effects))
        negative = move.mask & ~move.value
        clear = [c for c, facts in enumerate(cells) if not facts & (~negative | placed)]
        listed = 0
        for cell in clear:
            listed |= cells[cell]
        out += [f"move({index}).", f"effect({index},{effect})."]
        out += _needs(str(index), move.mask & ~listed & ~move.flip, move.value & ~move.flip)
        out += [f"clear({index},{cell})." for cell in clear]
        out += [f"avoid({index},{cubes.id(cube)})." for cube in sorted(move.avoid)]
    for ((deleted, added), image), effect in effects.items():
        out += [f"takes({effect},{fact})." for fact in facts_in(deleted)]
        out += [f"puts({effect},{fact})." for fact in facts_in(added)]
        out += [f"brings({effect},{f},{to})." for f, to in enumerate(image) if f != to]
    out += [f"goal({cubes.id(cube)})." for cube in planning.goal]
    for number, goals in enumerate(planning.further_goals):
        out.append(f"too({number}).")
        out += [f"goal({number},{cubes.id(cube)})." for cube in goals]
    out += [f"forbid({cubes.id(cube)})." for cube in planning.forbid]
    out += _invariants(planning)
    out += _pruning(planning, effects)
    out += _waste(bounds, effects)
    for num_moves, pairs in bounds.apart().items():
        out += [f"apart({fact},{later},{num_moves})." for fact, later in pairs]
    if planning.free:
        out += _free(planning, cubes)
    conditional_effects = _consequences(planning, cubes) if planning.rounds else []
    return [*out, *cubes.facts(), *conditional_effects]


def program(bounds: Bounds, names: PlanningNames, comments: Sequence[str] = ()) -> Iterator[str]:
    """The programs and facts as one text for the clingo executable, line by line. The program makes clingo stop at the
    minimum.

    The text begins with `comments`. Later comments list the names of the task's facts; the ASP facts `name(M,"...")`
    contain the names of the moves.
    """
    planning = bounds.planning
    yield from (f"% {comment}".rstrip() for comment in comments)
    for text in [*program_texts(planning), *run_texts("incremental")]:
        yield from ("", *text.rstrip().splitlines())
    yield from instance(bounds, names)


def instance(bounds: Bounds, names: PlanningNames, comments: Sequence[str] = ()) -> Iterator[str]:
    """The lines of the program that depend on the puzzle: the output of `facts`, and the names of facts and moves.
    This text and the generic programs together form the program for the puzzle.
    """
    planning = bounds.planning
    yield from (f"% {comment}".rstrip() for comment in comments)
    yield from ("", "#program base.", "% The facts of the state:")
    yield from (f"%   {number:>4}  {text}" for number, text in enumerate(names.facts))
    for number, called in enumerate(names.moves(planning.moves)):
        yield f'name({number},"{called}").'
    if planning.free:
        for number, value in enumerate(free_graph(planning).values):
            text = ", ".join(names.facts[fact] for fact in facts_in(value))
            yield f"place_name({number},{_quoted(text)})."
    yield from facts(bounds)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


class _Cubes:
    """Numbered cubes. The program contains the facts about each cube only once."""

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
    num_empty = num_empty_cells(planning.exactly, planning.at_most_one)
    return out if num_empty is None else [*out, f"empty_cells({num_empty})."]


def _change(move: MacroOperator) -> _Change:
    return move.effect, move.image


def _pruning(planning: PlanningTask, effects: dict[_Change, int]) -> list[str]:
    """Facts about the merged move that each move continues, the merged move that can continue after it, and pairs of
    effects that undo each other.
    """
    out: list[str] = []
    if planning.has_whole_runs:
        for index, move in enumerate(planning.moves):
            out += [f"continues({index},{move.run_in})."] if move.run_in >= 0 else []
            out += [f"ends({index},{move.run_out})."] if move.run_out >= 0 else []
    if planning.free or planning.rounds:
        return out
    for ((deleted, added), image), effect in effects.items():
        back = effects.get(((added, deleted), inverse(image)))
        out += [] if back is None else [f"undoes({back},{effect})."]
    return out


def _waste(bounds: Bounds, effects: dict[_Change, int]) -> list[str]:
    planning, potential = bounds.planning, bounds.potential
    if not potential.start:
        return []
    waste = {effects[_change(m)]: w for m, w in zip(planning.moves, potential.waste, strict=True)}
    counted = MAX_WASTED + 1
    out = [f"potential({potential.start}).", f"unit({potential.unit}).", f"counted({counted})."]
    return out + [f"wastes({e},{min(units, counted)})." for e, units in waste.items() if units]


def _consequences(planning: PlanningTask, cubes: _Cubes) -> list[str]:
    """ASP facts that describe positions and endless consequences, and the rules of the circuit that computes the
    consequences of a move.
    """
    task = planning.task
    everything = (1 << len(task.facts)) - 1
    hidden = union(1 << n for n, f in enumerate(task.facts) if f.class_id < 0 and f.slot < 0)
    at_rest = [*effect_cubes(task.consequences), *((1 << f, 1 << f) for f in facts_in(hidden))]
    out = [f"rest({cubes.id(cube)})." for cube in at_rest]
    out += [f"endless({cubes.id((everything, state))})." for state in sorted(planning.endless)]
    out += ["all_rounds."] if planning.has_all_rounds else []
    out += [f"may_become({fact})." for fact in range(len(planning.facts))]
    drawn = circuit(task.consequences, len(planning.facts), planning.rounds)
    return [*out, "#program step(t).", *_rules(drawn), "#program base."]


def _rules(drawn: Circuit) -> Iterator[str]:
    """The rules that describe a circuit. Each gate has its own predicate, so that the rules are grounded only once per
    layer, in the same order as the gates.
    """

    def atom(literal: int) -> str:
        number = abs(literal)
        own = f"signal_{number}(t)" if number > drawn.num_facts else f"next({number - 1},t)"
        return own if literal > 0 else f"not {own}"

    for own, gate in enumerate(drawn.gates, drawn.num_facts + 1):
        if isinstance(gate, FactValue):
            yield from (f"{atom(own)} :- {atom(signal)}." for signal in gate.setting)
            unchanged = (gate.before, *(-signal for signal in gate.clearing))
            yield f"{atom(own)} :- {', '.join(map(atom, unchanged))}."
        else:
            yield f"{atom(own)} :- {', '.join(map(atom, gate.literals)) or '#true'}."
    yield from (f"unfinished(t) :- {atom(signal)}." for signal in drawn.left)
    for fact, signal in enumerate(drawn.outputs):
        yield f"holds({fact},t) :- {atom(signal)}, not unfinished(t)."


def _free(planning: PlanningTask, cubes: _Cubes) -> list[str]:
    graph = free_graph(planning)
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
