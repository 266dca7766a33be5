"""Replays the operators of a task by the rules, and names the pieces that move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from fewest.errors import InternalError
from fewest.model.position import Position, start
from fewest.model.puzzle import Puzzle, Spot
from fewest.model.states import encode
from fewest.model.task import Operator, PermutationOperator, Task
from fewest.playing.move import Move
from fewest.playing.move_text import mover
from fewest.playing.rules import legal_moves
from fewest.playing.step import Step, plain_words


def play(puzzle: Puzzle, task: Task, operators: Sequence[int]) -> Iterator[Step]:
    """The steps of these operators from the start, as the reference interpreter plays them.

    Raises InternalError if a move is illegal.
    """
    position = start(puzzle)
    labels = puzzle.labels
    names = dict(puzzle.piece_names)
    subjects = Subjects(puzzle)
    state = encode(task, position)
    for number, index in enumerate(operators, 1):
        operator = task.moves[index]
        if not operator.is_applicable(state):
            raise InternalError(f"step {number}: `{operator.rule}` is not applicable")
        after = task.after(index, state)
        move = None if after is None else _legal_move(task, position, index, after)
        if after is None or move is None:
            raise InternalError(
                f"step {number}: the reference interpreter finds no such move of `{operator.rule}`"
            )
        state = after
        step = named_step(subjects, move, labels, names, position)
        yield step
        labels = step.labels
        follow(move, names)
        position = move.target


def named_step(
    subjects: Subjects,
    move: Move,
    labels: Mapping[Spot, str],
    names: Mapping[Spot, str],
    position: Position,
) -> Step:
    """A move from a position as a step of a plan; `labels` and `names` contain the letters and names of the pieces in
    this position.
    """
    step = _step(subjects, move, labels, names, position)
    if not step.move_label:
        return step
    # a move with another label cannot be confused with this move
    known = ("", step.move_label)
    like_this = legal_moves(
        position, bindings=lambda *of: subjects.label_of(*of) in known, but=move
    )
    others = [_step(subjects, each, labels, names, position) for each in like_this]
    (found,) = _clear([step], [step, *others])
    return found


def steps_from(
    subjects: Subjects, position: Position, labels: Mapping[Spot, str], names: Mapping[Spot, str]
) -> Iterator[Step]:
    """Every legal move as a step of a plan."""
    steps = (_step(subjects, move, labels, names, position) for move in legal_moves(position))
    if subjects.labels:
        known = list(steps)
        return _clear(known, known)
    return steps


def _clear(steps: Sequence[Step], known: Sequence[Step]) -> Iterator[Step]:
    """The steps with `is_clear` set: it is false for a step with a label if a known step has the same label or text but
    a different result.
    """
    targets: dict[str, set[Position]] = {}
    for step in known:
        targets.setdefault(step.move_label or plain_words(step), set()).add(step.position)
    for step in steps:
        yield replace(step, is_clear=not step.move_label or len(targets[step.move_label]) == 1)


def _step(
    subjects: Subjects,
    move: Move,
    labels: Mapping[Spot, str],
    names: Mapping[Spot, str],
    position: Position,
) -> Step:
    subject, is_unique = subjects.of(move, names)
    after = dict(labels)
    follow(move, after)
    return Step(
        move,
        subject,
        is_unique,
        after,
        labels,
        position,
        subjects.label_of(move.rule, move.binding),
    )


def _legal_move(task: Task, position: Position, index: int, target: int) -> Move | None:
    """The legal move of the interpreter that has the operator's effect; a move by the same piece takes precedence."""
    operator = task.moves[index]
    # the moves of the operator's piece are tried first, because listing all moves takes longer
    if operator.from_fact >= 0:
        fact = task.facts[operator.from_fact]
        spot = (fact.class_id, fact.cell)
        named = legal_moves(position, operator.rule, spot, operator.direction)
        move = _matching(task, named, operator, target)
        if move is not None:
            return move
    # Likewise, try the moves of the operator's own direction and binding first, because playing the consequences of all
    # other moves takes longer.
    own = legal_moves(
        position,
        operator.rule,
        in_direction=operator.direction,
        bindings=lambda _, binding: binding == operator.binding,
    )
    return _matching(task, own, operator, target) or _matching(
        task, legal_moves(position, operator.rule), operator, target
    )


def _is_like(move: Move, operator: Operator | PermutationOperator) -> bool:
    """Whether a move has the operator's ring, direction and binding."""
    ring = -1 if move.ring is None else move.ring
    return (ring, move.direction, move.binding) == (
        operator.ring,
        operator.direction,
        operator.binding,
    )


def _matching(
    task: Task, moves: Iterator[Move], operator: Operator | PermutationOperator, target: int
) -> Move | None:
    """The move to the target that has the operator's piece, ring, direction and binding; if there is no such move, any
    move to the target.
    """
    fallback: Move | None = None
    for move in moves:
        if _state_of(task, move.target) != target:
            continue
        # if consequences are not part of the operator, it contains the piece and its place before the consequences
        carrier = move.alone.carrier if task.consequences else move.carrier
        spots = (-1, -1)
        if carrier is not None:
            spots = (task.fact_of_spot.get(carrier[0], -1), task.fact_of_spot.get(carrier[1], -1))
        if spots == (operator.from_fact, operator.to_fact) and _is_like(move, operator):
            return move
        fallback = fallback or move
    return fallback


def _state_of(task: Task, position: Position) -> int | None:
    """The state of a position; None if the task is wrong and has no such state."""
    try:
        return encode(task, position)
    except KeyError:
        return None


def follow(move: Move, tags: dict[Spot, str]) -> None:
    """Update the keys of `tags` after a move, so that each tag stays with its piece. The tag of a new piece is its
    letter or kind.
    """
    carried = {target: tags.pop(source) for source, target in move.moved if source in tags}
    for spot in move.removed:
        tags.pop(spot, None)
    tags.update(carried)
    for class_id, anchor in move.created:
        classes = move.target.puzzle.classes
        tags[class_id, anchor] = classes[class_id].label or classes[class_id].kind


class Subjects:
    """The subject of each move in a plan: the piece, preceded by the rule if there are several rules; only the rule if
    no piece moves.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self.says_rule = len(puzzle.rules) > 1
        names = [piece.name for piece in puzzle.pieces]
        self.is_unique = {name: names.count(name) == 1 for name in names}
        self.labels = {rule.name: rule.guard.labels for rule in puzzle.rules if rule.guard.labels}

    def label_of(self, rule: str, binding: int) -> str:
        """The label of a rule's moves of a binding; empty if the rule has no labels."""
        labels = self.labels.get(rule)
        return labels[binding] if labels else ""

    def of(self, move: Move, names: Mapping[Spot, str]) -> tuple[str, bool]:
        """The subject of a move, and whether it is unique: no other piece has the same name."""
        moving = mover(move)
        if moving is None:
            return move.rule, True
        piece = names.get(moving[0], "")
        rule = move.rule if self.says_rule else ""
        subject = f"{rule} {piece}" if rule and piece else rule or piece
        is_unique = self.is_unique.get(piece, False)
        # the names are counted, because rules may create pieces
        return subject, is_unique and list(names.values()).count(piece) == 1
