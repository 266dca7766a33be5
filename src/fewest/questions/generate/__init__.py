"""All boards of a spec, searched at once, and the hardest of them."""

from fewest.questions.generate.exhaustive import generate
from fewest.questions.generate.report import BoardsOfMetric, Generation, HardestBoard

__all__ = ["BoardsOfMetric", "Generation", "HardestBoard", "generate"]
