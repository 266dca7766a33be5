"""Hints: `give_hint` computes, as a `Hint`, the distance of a position to the goal and its next moves, best first.

`evaluation` finds the moves and their losses: the loss of a move is the additional cost of a plan that begins with this
move. The distances come from a search (`search_oracle`) or from an oracle file (`commands.oracle`). `hint` presents
the result in the words of the puzzle.
"""

from fewest.commands.hint.hint import Hint, HintedMove, give_hint

__all__ = ["Hint", "HintedMove", "give_hint"]
