"""Finds hard boards of a spec, by an exhaustive search of all its boards or by a random search."""

from fewest.commands.generate.best_of_all import find_best_of_all
from fewest.commands.generate.exhaustive import generate
from fewest.commands.generate.found import FoundBoard, FoundBoards
from fewest.commands.generate.indexed import IndexedGeneration, LayersOfMetric, generate_in_index
from fewest.commands.generate.report import BoardsOfMetric, Generation, HardestBoard
from fewest.commands.generate.seeded import find_boards

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
