"""The distance of a position and the best next moves: `give_hint` computes a `Hint`.

`evaluation` finds the moves and the loss of each. `search_oracle` finds distances by searching, an oracle file
(`questions.oracle`) by lookup. `hint` presents the result in the words of the puzzle.
"""

from fewest.questions.hint.hint import Hint, HintedMove, give_hint

__all__ = ["Hint", "HintedMove", "give_hint"]
