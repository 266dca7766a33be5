"""Finds hard boards of a spec, by an exhaustive search of all its boards or by a random search."""

from fewest.questions.generate.best_of_all import find_best_of_all
from fewest.questions.generate.exhaustive import generate
from fewest.questions.generate.found import FoundBoard, FoundBoards
from fewest.questions.generate.indexed import IndexedGeneration, LayersOfMetric, generate_in_index
from fewest.questions.generate.report import BoardsOfMetric, Generation, HardestBoard
from fewest.questions.generate.seeded import find_boards

__all__ = [
    "BoardsOfMetric",
    "FoundBoard",
    "FoundBoards",
    "Generation",
    "HardestBoard",
    "IndexedGeneration",
    "LayersOfMetric",
    "find_best_of_all",
    "find_boards",
    "generate",
    "generate_in_index",
]
