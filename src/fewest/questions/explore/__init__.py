"""The whole state space of a puzzle: `explore` computes an `Exploration`.

`computation` computes, `exploration` is the result as data, `text` presents it to people.
"""

from fewest.questions.explore import notebook as _shown  # noqa: F401 - how it shows itself
from fewest.questions.explore.computation import explore
from fewest.questions.explore.exploration import Exploration, GoalDistanceSummary

__all__ = ["Exploration", "GoalDistanceSummary", "explore"]
