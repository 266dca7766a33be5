"""PDDL (McDermott and others 1998; action costs as in IPC 2008): a ground domain and a ground problem.

No action has parameters. Facts are written with constants, as in `(at x c2-3)`, because this form lets planners derive
invariants.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from fewest.formats.planners.strips import Atom, Strips
from fewest.planning.names import PlanningNames, name


def domain(strips: Strips, names: PlanningNames, comments: Sequence[str] = ()) -> Iterator[str]:
    """The domain, line by line."""
    terms = atom_terms(strips, names)
    predicates = dict.fromkeys((term[0], len(term) - 1) for term in terms)
    constants = dict.fromkeys(word for term in terms for word in term[1:])
    forbidden = [action.forbids for action in strips.actions]
    forbidden += [part.forbids for action in strips.actions for part in action.when]
    has_negative = any(forbidden) or bool(strips.goal[1])
    yield from (f"; {comment}".rstrip() for comment in comments)
    yield f"(define (domain {name(names.puzzle.name)})"
    negative = " :negative-preconditions" if has_negative else ""
    conditional = " :conditional-effects" if any(a.when for a in strips.actions) else ""
    yield f"  (:requirements :strips{negative}{conditional} :action-costs)"
    if constants:
        yield f"  (:constants {' '.join(constants)})"
    yield "  (:predicates"
    for predicate, arity in predicates:
        yield f"    ({' '.join([predicate, '?x', '?y'][: arity + 1])})"
    yield "  )"
    yield "  (:functions (total-cost) - number)"
    for action, called in zip(strips.actions, action_names(strips, names), strict=True):
        yield f"  (:action {called}"
        yield "    :parameters ()"
        yield f"    :precondition (and{_literals(terms, action.requires, action.forbids)})"
        effects = _literals(terms, action.adds, action.deletes)
        yield f"    :effect (and{effects}"
        for part in action.when:
            condition = _literals(terms, part.requires, part.forbids)
            effect = _literals(terms, part.adds, part.deletes)
            yield f"      (when (and{condition}) (and{effect}))"
        yield f"      (increase (total-cost) {action.cost})))"
    yield ")"


def problem(strips: Strips, names: PlanningNames) -> Iterator[str]:
    """The problem, line by line."""
    terms = atom_terms(strips, names)
    called = name(names.puzzle.name)
    yield f"(define (problem {called}-{name(strips.planning.metric.name)})"
    yield f"  (:domain {called})"
    yield "  (:init"
    for atom in sorted(strips.initial):
        yield f"    {_term(terms[atom])}"
    yield "    (= (total-cost) 0))"
    yield f"  (:goal (and{_literals(terms, *strips.goal)}))"
    yield "  (:metric minimize (total-cost)))"


def atom_terms(strips: Strips, names: PlanningNames) -> list[tuple[str, ...]]:
    """For each atom, its predicate and constants."""
    cells = names.covered_cells()

    def term(atom: Atom) -> tuple[str, ...]:
        if atom.kind == "empty":
            return "empty", cells[atom.index]
        if atom.kind == "reached":
            return ("goal-reached",) if atom.index == 0 else (f"condition-{atom.index}-met",)
        predicate, *constants = names.terms[atom.index]
        return (predicate if atom.kind == "fact" else f"not-{predicate}", *constants)

    return [term(atom) for atom in strips.atoms]


def action_names(strips: Strips, names: PlanningNames) -> list[str]:
    """The names of the actions, all of them distinct."""
    return names.moves(action.move for action in strips.actions)


def _literals(
    terms: Sequence[tuple[str, ...]], positive: Iterable[int], negative: Iterable[int]
) -> str:
    texts = [_term(terms[atom]) for atom in sorted(positive)]
    texts += [f"(not {_term(terms[atom])})" for atom in sorted(negative)]
    return "".join(f" {text}" for text in texts)


def _term(term: tuple[str, ...]) -> str:
    return f"({' '.join(term)})"
