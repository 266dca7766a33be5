"""The search of all boards of a spec at once, and the hardest of these boards."""

from fewest.questions.generate.exhaustive import generate
from fewest.questions.generate.report import BoardsOfMetric, Generation, HardestBoard

__all__ = ["BoardsOfMetric", "Generation", "HardestBoard", "generate"]
