from fewest.core.interface import CostTable, Outcome, Problem, Progress
from fewest.core.pure import StateSet, expand, search
NATIVE = False
