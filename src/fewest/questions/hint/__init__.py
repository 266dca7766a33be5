"""Hints: `give_hint` computes, as a `Hint`, the distance of a position to the goal and the best next moves.

`evaluation` finds the moves and the loss of each move, by which the move increases the cost of the best plan. The
distances come from a search (`search_oracle`) or from an oracle file (`questions.oracle`). `hint` presents the result
in the words of the puzzle.
"""

from fewest.questions.hint.hint import Hint, HintedMove, give_hint

__all__ = ["Hint", "HintedMove", "give_hint"]
