"""Hints: `give_hint` computes the distance of a position to the goal and the best next moves, as a `Hint`.

`evaluation` finds the moves and the loss of each. The distances come from a search (`search_oracle`) or from an oracle
file (`questions.oracle`). `hint` presents the result in the words of the puzzle.
"""

from fewest.questions.hint.hint import Hint, HintedMove, give_hint

__all__ = ["Hint", "HintedMove", "give_hint"]
