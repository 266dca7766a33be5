"""Explores the whole state space of a puzzle: `explore` computes an `Exploration`.

`computation` computes the result; `exploration` represents it as data, and `text` prints it.
"""

from fewest.commands.explore import notebook as _shown  # noqa: F401 - registers its display
from fewest.commands.explore.computation import explore
from fewest.commands.explore.exploration import Exploration, GoalDistanceSummary

__all__ = ["Exploration", "GoalDistanceSummary", "explore"]
