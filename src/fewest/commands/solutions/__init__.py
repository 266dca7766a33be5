"""All optimal plans of a puzzle, up to the order of independent moves."""

from fewest.commands.solutions.report import Bottleneck, PlansOfCost, Solutions
from fewest.commands.solutions.search import Request, find_solutions

__all__ = ["Bottleneck", "PlansOfCost", "Request", "Solutions", "find_solutions"]
