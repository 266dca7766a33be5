"""Counts plans up to the order of independent moves by brute force: all words, and the exchanges between them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from fewest.space.plan_graph import PlanGraph

Word = tuple[int, ...]


def words_of(graph: PlanGraph, num_facts: int) -> dict[Word, tuple[int, ...]]:
    """The moves of every path to an end, with the states after each counted part of each move."""
    found: dict[Word, tuple[int, ...]] = {}
    max_fact = (1 << num_facts) - 1  # higher bits are not facts of a state
    stack: list[tuple[int, Word, tuple[int, ...]]] = [(0, (), ())]
    while stack:
        node, word, states = stack.pop()
        if graph.is_end[node]:
            assert word not in found
            found[word] = states
        for edge in graph.edges[node]:
            after = list(states)
            current = graph.states[node]
            for flip, value in graph.moves[edge.move].changes:
                if flip > max_fact:
                    continue
                assert current & flip == value
                current ^= flip
                after.append(current)
            assert current == graph.states[edge.target]
            stack.append((edge.target, (*word, edge.move), tuple(after)))
    return found


def exchanges(graph: PlanGraph, word: Word) -> Iterator[Word]:
    """The words that result from exchanging two independent neighbours in a word."""
    for at, (one, other) in enumerate(pairwise(word)):
        if one != other and graph.moves[one].is_independent_of(graph.moves[other]):
            yield (*word[:at], other, one, *word[at + 2 :])


def classes(graph: PlanGraph, words: dict[Word, tuple[int, ...]]) -> int:
    """The number of equivalence classes of the words; each exchange must result in one of the words."""
    rest = set(words)
    number = 0
    while rest:
        number += 1
        waiting = [rest.pop()]
        while waiting:
            for exchanged in exchanges(graph, waiting.pop()):
                assert exchanged in words, (
                    "independent moves were exchanged to what is no optimal plan"
                )
                if exchanged in rest:
                    rest.discard(exchanged)
                    waiting.append(exchanged)
    return number
