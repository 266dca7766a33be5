"""Makes consequences part of the operators that cause them.

`Grounder.split` runs rounds of consequences on a partial state. If the result depends on the state, it splits the case.
Each leaf becomes one operator: its precondition is the cube in which these consequences happen, and its effect is the
net flip. No consequence applies to a position before the move, so after the move, only places near a change need to be
visited.

The cost of a rule is the number of its operators times the number of local states near each change.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from fewest.errors import DocumentError
from fewest.grounding.commands import MIRRORS, Command
from fewest.grounding.grounder import Grounder, TooManyCasesError
from fewest.grounding.intermediate_view import (
    IntermediateView,
    RuleInstance,
    end_of_turn,
    fits,
)
from fewest.grounding.matching import Site, fits_action, fits_turn, sites_of
from fewest.grounding.parallel_consequences import residual_change
from fewest.grounding.partial import Change, Draft, PartialState, partial
from fewest.grounding.pattern import may_be
from fewest.grounding.view import PartialView, UndecidedError
from fewest.model.rules import Action, Pattern, Slide, Stage
from fewest.model.undefined import is_undefined

# Beyond this number of operators, separate effects are faster: for gravity on 10x10 cells, a search with 14,000
# operators took 17 times as long as a search with separate effects.
MAX_DIVIDED_OPERATORS = 5_000
# The first moves may exceed their share by this number of steps. If they take more, the attempt usually fails, and its
# time is wasted. It fails for half of the shipped puzzles with consequences; of the others, minotaur-one exceeds its
# share most (by 1,048 steps).
MOST_BEYOND_SHARE = 6_250
STEPS_OF_A_TURN = 10
"""the cost of testing whether a binding of a rule applies; visiting a place costs 1"""


class Effect(NamedTuple):
    """The effect of a move together with its consequences: the facts that become false, the facts that become true, and
    the `carrier`. The carrier is the old and the new fact of the piece that metrics with merged moves count.
    """

    deleted: frozenset[int]
    added: frozenset[int]
    carrier: tuple[int, int]


class Consequences:
    """The rules under `then` and the commands, instantiated once on the board."""

    def __init__(self, grounder: Grounder, true_at_start: Iterable[int] = ()) -> None:
        """`true_at_start`: the hidden facts that are true at the start."""
        self.grounder = grounder
        self.true_at_start = frozenset(true_at_start)
        puzzle = grounder.puzzle
        one_turn = {rule.name for stage in puzzle.stages if stage.is_once for rule in stage.rules}
        self.actions = [
            rule for rule in puzzle.then if isinstance(rule, Action) and rule.name not in one_turn
        ]
        # For each place (in the order of the sweeps), the numbers of the units (rule instances) at this place, in the
        # order of the rules.
        self.places: list[list[int]] = []
        # The places of each stage, and whether they change simultaneously.
        self.stages: list[tuple[range, bool]] = []
        self.units: list[RuleInstance] = []
        self.rank: list[int] = []  # For each unit, the index of its place.
        # The units that may also read variables, or cells outside their sites.
        self.always: set[int] = set()
        self.near: dict[int, list[int]] = {}  # Layer cell -> the units that read it.
        # Hidden facts of commands and `once` rules -> the units that read them.
        self.obeying: dict[int, list[int]] = {}
        for order in grounder.orders:
            self._lay_out(order)
        # the stages of commands, before the stages of consequences
        self.num_obeying = len(self.stages)
        for number, stage in enumerate(puzzle.stages):
            if stage.is_once:
                self._lay_out_turn(stage, grounder.one_turn[number])
                continue
            first = len(self.places)
            for cell in self._cells():
                here: list[int] = []
                for rule in stage.rules:
                    sites = sites_of(rule, grounder, cell)
                    if sites:
                        needs = _needs(grounder, cell, sites)
                        here.append(self._unit(RuleInstance(rule, cell, sites, needs)))
                self.places.append(here)
            self.stages.append((range(first, len(self.places)), stage.is_everywhere))
        if not grounder.may_lack_pieces:
            self._check_start()

    def _lay_out_turn(self, stage: Stage, to_come: int) -> None:
        """Add the stage of a `once` rule. The end of its sweep has its own place. If the rule applies everywhere
        simultaneously, the end also has its own stage, because it must happen even if the rule fits at no place.
        """
        grounder, (rule,) = self.grounder, stage.rules
        first = len(self.places)
        units = self.obeying.setdefault(to_come, [])
        for cell in [-1] if isinstance(rule, Action) else self._cells():
            sites = [] if isinstance(rule, Action) else sites_of(rule, grounder, cell)
            if sites or isinstance(rule, Action):
                needs = _needs(grounder, cell, sites) if sites else None
                unit = RuleInstance(rule, cell, sites, needs, to_come=to_come)
                units.append(self._unit(unit))
                self.places.append(units[-1:])
        if stage.is_everywhere:
            self.stages.append((range(first, len(self.places)), True))
            first = len(self.places)
        end = RuleInstance(rule, -1, to_come=to_come, ends_sweep=True)
        units.append(self._unit(end))
        self.places.append(units[-1:])
        self.stages.append((range(first, len(self.places)), False))

    def _lay_out(self, order: Command) -> None:
        """Add the stage in which pieces obey a command; its last place ends the command. If pieces may move again
        (`goes_on`), the end has its own stage, which applies only when no piece moves.
        """
        grounder = self.grounder
        first = len(self.places)
        units = self.obeying.setdefault(order.given, [])
        for mirror in MIRRORS:
            slide = order.slide_of(grounder.board, mirror)
            for cell, sites in self._in_turn(order, slide, mirror):
                needs = _needs(grounder, cell, sites)
                units.append(self._unit(RuleInstance(slide, cell, sites, needs, order)))
                self.places.append(units[-1:])
        if order.rule.goes_on:
            self.stages.append((range(first, len(self.places)), False))
            first = len(self.places)
        end = self._unit(RuleInstance(order.rule.slide, -1, order=order))
        self.obeying[order.moved] = [end]
        self.places.append([end])
        self.stages.append((range(first, len(self.places)), False))

    def _in_turn(
        self, order: Command, slide: Slide, mirror: str | None
    ) -> Iterator[tuple[int, list[Site]]]:
        """The sites of a command for the pieces with this mirror, in the order in which the pieces move. Pieces of
        different layers can have the same foremost cell; they move one after the other.
        """
        grounder, classes = self.grounder, self.grounder.puzzle.classes
        cells = order.cells_of(grounder.board, mirror)
        turn = {cell: number for number, cell in enumerate(cells)}
        found: dict[tuple[int, int], list[Site]] = {}
        for anchor in cells:
            for site in sites_of(slide, grounder, anchor):
                piece = classes[grounder.class_of(site.start)]
                if piece.mirror == mirror:
                    covered = grounder.board.cover(piece.shape, anchor) or ()
                    key = min(map(turn.__getitem__, covered)), piece.layer
                    found.setdefault(key, []).append(site)
        for (number, _), sites in sorted(found.items(), key=lambda item: item[0]):
            yield cells[number], sites

    def _cells(self) -> list[int]:
        """All cells in the order of a sweep."""
        board, order = self.grounder.board, self.grounder.puzzle.order
        rows, columns = range(board.rows), range(board.columns)
        if order in ("left-right", "right-left"):
            across = columns if order == "left-right" else reversed(columns)
            return [row * board.columns + column for column in across for row in rows]
        down = rows if order == "top-down" else reversed(rows)
        return [row * board.columns + column for row in down for column in columns]

    def _unit(self, unit: RuleInstance) -> int:
        number = len(self.units)
        self.units.append(unit)
        self.rank.append(len(self.places))
        guard = unit.rule.guard
        looks_far = isinstance(unit.rule, Slide) and unit.rule.has_pushing
        looks_far = looks_far or (isinstance(unit.rule, Pattern) and unit.rule.is_whole)
        looks_far = looks_far or bool(guard.assignments)
        looks_far = looks_far or (guard.when is not None and guard.when.reads_state)
        if looks_far and unit.to_come is None:  # a sweep visits all units of a `once` rule
            self.always.add(number)
        for cell in {cell for site in unit.sites for cell in site.touched}:
            self.near.setdefault(cell, []).append(number)
        return number

    def _check_start(self) -> None:
        """Raises DocumentError if a consequence applies at the start, because the start must be a position."""
        grounder = self.grounder
        facts = {*grounder.initial_facts(), *self.true_at_start}
        at = partial(facts, (f for f in range(len(grounder.facts)) if f not in facts))
        view = IntermediateView(grounder, at)
        sweep = _Rounds(self, view, range(len(self.units)))
        if sweep.run() is None or view.known:
            # The facts that answer `can(RULE)` are correct only at the start, so the outcome is unknown.
            outcome = "" if grounder.fits else self._outcome(view)
            raise self.grounder.puzzle.error_for(
                "start-consequence",
                f"the consequence `{sweep.names[0]}` applies at the start, before any move",
                f"draw the start as it is after the consequences{outcome}",
                (),
            )

    def _outcome(self, view: IntermediateView) -> str:
        """A text for the hint of an error message; it names up to three facts that the consequences make true, and up
        to three that they make false.
        """
        net, names = sorted(view.net()), [fact.name for fact in self.grounder.facts]
        came = [names[fact] for fact in net if view.known[fact]]
        gone = [names[fact] for fact in net if not view.known[fact]]
        if not came:
            return f", without {_few(gone)}" if gone else ""
        return f", with {_few(came)}" + (f" instead of {_few(gone)}" if gone else "")

    # -- operators -----------------------------------------------------------------------------------

    def follow(
        self, rule: str, at: PartialState, base: Change, carrier: tuple[int, int]
    ) -> Iterator[tuple[PartialState, Effect]]:
        """The cases of a move with the precondition `at`: each has a refined precondition, and the effect together with
        all consequences.

        Cases are omitted if the consequences would never end, if an expression has no value, if no piece obeys the
        command, or if nothing changes in the end.
        """
        base = replace(base, added=base.added.union(self.grounder.one_turn.values()))

        def decide(plain: PartialView) -> Effect | None:
            if isinstance(plain.begun, _Rounds):
                sweeps = plain.begun.refined(plain.at)
            else:
                view = IntermediateView(self.grounder, plain.at)
                view.change(base)
                sweeps = _Rounds(self, view, self._near_to([*base.deleted, *base.added]))
            view = sweeps.view
            try:
                is_at_fixpoint = sweeps.run()
            except DocumentError as error:
                if not is_undefined(error):
                    raise
                self.grounder.undefined.update(dict.fromkeys(error.diagnostics))
                return None
            if is_at_fixpoint is None:
                true = (self.grounder.facts[fact].name for fact in sorted(plain.at.positive))
                self.grounder.endless.setdefault(rule, ", ".join(true))
                return None
            if self.is_any_pending(view):
                return None
            net = view.net()
            now = {view.origin.get(f, f): f for f in view.known if view.known[f]}
            target = now.get(carrier[0], -1)
            whole = (carrier[0], target) if target not in (-1, carrier[0]) else (-1, -1)
            added = frozenset(fact for fact in net if view.known[fact])
            return Effect(net - added, added, whole)

        for effect, refined in self.grounder.split(decide, at):
            if effect is not None and (effect.deleted or effect.added):
                yield refined, effect

    def is_at_rest(self, at: PartialState) -> bool:
        """Returns False if, in every state of this partial state, a rule that only sets variables applies or has no
        value; then none of these states is a position.
        """
        view = PartialView(self.grounder, at)
        for rule in self.actions:
            try:
                if fits_action(rule, view) is not None:
                    return False
            except UndecidedError:
                pass
            except DocumentError as error:
                if not is_undefined(error):
                    raise
                # no move leads to a state in which a rule has no value, so such a state is not a position
                return False
        return True

    def is_any_pending(self, view: IntermediateView) -> bool:
        """Whether a command is still pending; after the stage of the command, this means that no piece obeyed it."""
        return any(view.truth(order.given) for order in self.grounder.orders)

    def _near_to(self, facts: Iterable[int]) -> set[int]:
        """The units that read one of these facts."""
        facts = list(facts)
        layer_cells = {
            layer_cell for fact in facts for layer_cell in self.grounder.layer_cells_of(fact)
        }
        near = {unit for layer_cell in layer_cells for unit in self.near.get(layer_cell, ())}
        return near.union(*(self.obeying.get(fact, ()) for fact in facts))


def divide(rules: Consequences, moves: list[Draft], most: int) -> None:
    """Add operators for these moves together with their consequences.

    Raises TooManyCasesError if the first moves take far more than their share of `most` steps (see MOST_BEYOND_SHARE),
    or if there are more than MAX_DIVIDED_OPERATORS operators.
    """
    grounder = rules.grounder
    grounder.budget = min(most // 4, MOST_BEYOND_SHARE)
    for move in moves:
        grounder.budget += most // len(moves)
        if len(grounder.drafts) > MAX_DIVIDED_OPERATORS:
            raise TooManyCasesError
        if not rules.is_at_rest(move.at):
            continue
        for at, effect in rules.follow(move.rule, move.at, grounder.changes[move], move.moved):
            whole = PartialState(at.positive | effect.deleted, at.negative | effect.added)
            grounder.draft(
                Draft(
                    move.rule,
                    whole,
                    effect.deleted | effect.added,
                    effect.carrier,
                    move.ring,
                    move.direction,
                    move.words,
                    move.binding,
                )
            )


class _Rounds:
    """Rounds of consequences from one intermediate state.

    The rounds stop at a test that the partial state does not decide (`UndecidedError.begun`). In each case of the
    split, the rounds resume at this test; all earlier decisions are the same and are not repeated.
    """

    def __init__(self, rules: Consequences, view: IntermediateView, dirty: Iterable[int]) -> None:
        self.rules, self.view = rules, view
        self.dirty = set(dirty)
        self.names: list[str] = []
        self.seen: set[frozenset[int]] = set()
        self.stage = -1  # The current stage; -1 between two rounds.
        # The places that the current sweep still has to visit, as a heap.
        self.waiting: list[int] | None = None
        self.has_changed = False  # Whether the current sweep has changed anything.
        self.steps = 0  # The number of steps spent so far.

    def refined(self, at: PartialState) -> _Rounds:
        """A copy that continues from a partial state with additional facts."""
        other = _Rounds(self.rules, self.view.refined(at), self.dirty)
        other.names, other.seen = list(self.names), set(self.seen)
        other.stage, other.has_changed, other.steps = self.stage, self.has_changed, self.steps
        other.waiting = None if self.waiting is None else list(self.waiting)
        # every case repeats the steps before the split, so they count for each case
        self.rules.grounder.spend(self.steps)
        return other

    def run(self) -> bool | None:
        """Run until no consequence applies, and return True; return None if the consequences never end. Afterwards, the
        view represents the resulting state.
        """
        try:
            while True:
                if self.stage < 0:
                    net = self.view.net()
                    if net in self.seen:
                        return None
                    self.seen.add(net)
                    self.stage = 0
                if not self._round():
                    return True
                self.stage = -1
        except UndecidedError as error:
            error.begun = self
            raise

    def _round(self) -> bool:
        """Sweep the stages up to the first stage that changes something. Returns whether a stage has
        changed anything.
        """
        rules = self.rules
        while True:
            if self.stage == rules.num_obeying and rules.is_any_pending(self.view):
                # a command that no piece obeyed is not a move, so it has no consequences
                return False
            if self.stage == len(rules.stages):
                return self._act()
            places, is_everywhere = rules.stages[self.stage]
            if self._at_once(places) if is_everywhere else self._sweep(places):
                return True
            self.stage += 1

    def _spend(self, steps: int = 1) -> None:
        self.rules.grounder.spend(steps)
        self.steps += steps

    def _places(self, places: range) -> list[int]:
        """The places at which a rule may fit because something near them may have changed, in the order of the sweep.

        The method removes the units that certainly do not fit from `dirty`; they become dirty again only if something
        near them changes.
        """
        rules = self.rules
        rank, units = rules.rank, rules.units
        tested = [unit for unit in self.dirty | rules.always if rank[unit] in places]
        fitting = {unit for unit in tested if units[unit].may_fit(self.view)}
        self.dirty.difference_update(unit for unit in tested if unit not in fitting)
        ranks = {rank[unit] for unit in fitting}
        self._spend(len({rank[unit] for unit in tested}) - len(ranks))
        return sorted(ranks)

    def _at_once(self, places: range) -> bool:
        """Apply the only rule of the stage at all places simultaneously. Returns whether the rule fitted anywhere."""
        before = self.view.copy(), set(self.dirty), list(self.names), self.steps
        try:
            return self._mark_and_change(places)
        except UndecidedError:
            self.view, self.dirty, self.names, self.steps = before
            raise

    def _mark_and_change(self, places: range) -> bool:
        rules = self.rules
        marks: list[Change] = []
        turn: RuleInstance | None = None  # the instance of a `once` rule that fitted
        for place in self._places(places):
            self._spend()
            for unit in rules.places[place]:
                found = list(fits(rules.units[unit], self.view))
                marks += found
                if not found:
                    self.dirty.discard(unit)
                elif rules.units[unit].to_come is not None:
                    turn = rules.units[unit]
                self.names += [rules.units[unit].rule.name] * len(found)
        for mark in marks:
            change = residual_change(mark, self.view)
            if change is not None:
                self.view.change(change)
                self.dirty |= rules._near_to([*change.deleted, *change.added])
        if turn is not None:
            self.view.change(end_of_turn(turn))
        return bool(marks)

    def _sweep(self, places: range) -> bool:
        """Make one visit to every place where something could have changed. Returns whether anything changed."""
        rules = self.rules
        if self.waiting is None:
            self.waiting, self.has_changed = self._places(places), False
        waiting = self.waiting
        queued = set(waiting)
        while waiting:
            place = waiting[0]
            found = self._visit(place)
            heapq.heappop(waiting)
            if found is None:
                continue
            self.has_changed = True
            for unit in rules._near_to([*found.deleted, *found.added]):
                self.dirty.add(unit)
                rank = rules.rank[unit]
                if rank > place and rank in places and rank not in queued:
                    queued.add(rank)
                    heapq.heappush(waiting, rank)
        self.waiting = None
        return self.has_changed

    def _visit(self, place: int) -> Change | None:
        """Apply the first rule that fits at a place, and return its change; None if no rule fits."""
        rules = self.rules
        self._spend()
        for unit in rules.places[place]:
            if unit not in self.dirty and unit not in rules.always:
                continue
            try:
                found = next(fits(rules.units[unit], self.view), None)
            except UndecidedError:
                self.steps -= 1  # the place is visited again after the split
                raise
            if found is not None:
                self.view.change(found)
                self.names.append(rules.units[unit].rule.name)
                return found
            self.dirty.discard(unit)
        return None

    def _act(self) -> bool:
        """Apply the first fitting rule among those that only set variables; returns whether a rule fitted. This method
        is called when no other consequence applies.
        """
        for rule in self.rules.actions:
            for names in rule.guard.bindings:
                self.rules.grounder.spend(STEPS_OF_A_TURN)
                found = fits_turn(rule, names, self.view)
                if found is not None:
                    self.view.change(found)
                    self.names.append(rule.name)
                    return True
        return False


def _needs(grounder: Grounder, cell: int, sites: list[Site]) -> tuple[int, ...] | None:
    """A set of facts such that, in every state in which a site fits, at least one of them is true; None if there is no
    such set.
    """
    if any(site.form is None for site in sites):
        return tuple(dict.fromkeys(site.start for site in sites))
    forms = [site.form for site in sites if site.form is not None]
    firsts = {form.elements[0] for form in forms}
    if not all(element.is_piece for element in firsts):
        return None
    classes = grounder.puzzle.classes
    return tuple(
        fact
        for element in firsts
        for fact in grounder.covering(grounder.layer_cell(cell, element.layer))
        if may_be(element, classes[grounder.class_of(fact)])
    )


def _few(names: Sequence[str]) -> str:
    """A text with the first three names."""
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
