"""The whole state space of a puzzle: `explore` asks, an `Exploration` is the answer.

`stages` computes, `exploration` is what was found as data, `text` the same for people.
"""

from fewest.questions.explore import notebook as _shown  # noqa: F401 - how it shows itself
from fewest.questions.explore.computation import explore
from fewest.questions.explore.exploration import Exploration, ToGoal

__all__ = ["Exploration", "ToGoal", "explore"]
