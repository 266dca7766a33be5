"""What a position is worth and what to do next: `give_hint` asks, a `Hint` is the answer.

`worth` finds the moves and what each of them loses; `searcher` knows distances by searching, an
oracle file (`questions.oracle`) by looking them up; `hint` says it in the puzzle's own words.
"""

from fewest.questions.hint.hint import Hint, HintedMove, give_hint

__all__ = ["Hint", "HintedMove", "give_hint"]
