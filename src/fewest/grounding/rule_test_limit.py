"""The limit on the tests `can(RULE)` and on the case splits by `count(...)` in rules, and an estimate of the number of
cases that a condition will have.

On a partial state, `can(RULE)` tests the cases of the rule one by one. If they do not decide the answer, the partial
state is split, and each part needs the tests again. The number of parts can grow exponentially with the size of the
board. A random descent through this decision tree estimates its size (Knuth 1975, "Estimating the efficiency of
backtrack programs"), so a condition that is far too large is refused before most of its cases have been computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

_DESCENTS = 50


TESTS_OF_A_COUNT = 400
"""a case split by `count(...)` takes as long as this number of tests of cases of a rule"""


class ManyRuleTestsError(Exception):
    """Raised if `can(RULE)` or `count(...)` in rules takes too many tests."""


class RuleTestLimit:
    """Counts the tests of cases of rules, up to a limit. `has_tests`: whether rules were tested; `has_counts`: whether
    numbers of pieces caused case splits.
    """

    def __init__(self, most: float) -> None:
        self.most, self.used = most, 0
        self.has_tests = self.has_counts = False

    def count(self, tests: int) -> None:
        """Count tests. Raises ManyRuleTestsError beyond the limit."""
        self.has_tests = True
        self._use(tests)

    def split_by_count(self) -> None:
        """Count a case split by the number of some pieces. Raises ManyRuleTestsError beyond the limit."""
        self.has_counts = True
        self._use(TESTS_OF_A_COUNT)

    def _use(self, tests: int) -> None:
        self.used += tests
        if self.used > self.most:
            raise ManyRuleTestsError

    def renewed(self) -> RuleTestLimit:
        """The same limit, with no tests used."""
        return RuleTestLimit(self.most)


def estimated_size(root: T, children: Callable[[T], Sequence[T]]) -> tuple[int, float]:
    """The number of nodes that random descents through a tree visit, and the estimated number of nodes of the tree.

    The estimate is the mean over all descents. In one descent, a node at depth d represents as many nodes as the
    product of the numbers of children of its d ancestors. The result is always the same for the same tree.
    """
    from random import Random

    random = Random(0)
    visited, total = 0, 0
    for _ in range(_DESCENTS):
        node, width = root, 1
        while True:
            visited += 1
            total += width
            found = children(node)
            if not found:
                break
            width *= len(found)
            node = random.choice(found)
    return visited, total / _DESCENTS
