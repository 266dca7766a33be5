"""Replays a given plan (in words or as JSON) by the rules."""

from __future__ import annotations

from fewest.errors import UsageError
from fewest.model.puzzle import Puzzle
from fewest.playing.plan_parser import ambiguity_message, labelled_start, matching_moves, parse_plan
from fewest.playing.price import cost_of
from fewest.playing.replay_result import ReplayResult
from fewest.playing.rules import is_goal


def replay_plan(puzzle: Puzzle, text: str) -> ReplayResult:
    """Replay the moves of a text (see `playing.plan_parser.parse_plan`) from the start.

    Raises UsageError if the text is not a plan.
    """
    try:
        given = parse_plan(text)
    except ValueError as error:
        hint = "give the lines of a plan, or the output of `fewest solve --json`"
        raise UsageError(f"this is not a plan: {error}", hint=hint) from error
    labelled = labelled_start(puzzle)
    moves_made = []
    problem, number = "", 0
    for number, move in enumerate(given, 1):
        text = move if isinstance(move, str) else ", ".join(str(s.get("text")) for s in move)
        matches = matching_moves(puzzle, labelled, move)
        if len(matches) != 1:
            problem = f"move {number}, `{text}`, is not allowed here"
            if matches:
                problem = f"move {number}: {ambiguity_message(text, matches)}"
            number -= 1
            break
        steps, labelled = matches[0]
        moves_made += [step.move for step in steps]
    if not problem and not is_goal(labelled.position):
        problem = "all moves were played, but the final position is not a goal position"
    costs = {name: cost_of(metric, moves_made) for name, metric in puzzle.metrics.items()}
    return ReplayResult(moves=number, position=labelled.position, problem=problem, costs=costs)
