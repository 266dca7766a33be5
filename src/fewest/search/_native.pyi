"""The compiled module; `fewest.search.native` checks arguments and puts costs into their units.

Costs are packed into one number: of a pair the first << 32 | the second.
"""

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fewest.model.problem import Buffer

MAX_WORDS: int

_Groups: TypeAlias = Sequence[Sequence[int]]
_Status: TypeAlias = Literal[
    "running", "goal", "exhausted", "time", "memory", "interrupted", "disk"
]

class ConditionalEffects:
    def __init__(
        self,
        mask: Buffer,
        value: Buffer,
        flip: Buffer,
        clear: Buffer,
        need_mask: Buffer,
        need_value: Buffer,
        place: Buffer,
        stage: Buffer,
        everywhere: Sequence[bool],
    ) -> None: ...

class Problem:
    def __init__(
        self,
        num_facts: int,
        initial: Buffer,
        mask: Buffer,
        value: Buffer,
        flip: Buffer,
        index_fact: Buffer,
        goal_mask: Buffer,
        goal_value: Buffer,
        forbid_mask: Buffer,
        forbid_value: Buffer,
        exactly_one: _Groups,
        at_most_one: _Groups,
        permutations: Buffer,
        conditional_effects: ConditionalEffects | None,
        pending: Buffer,
        goal_list: Buffer,
    ) -> None: ...
    @property
    def packed_words(self) -> int: ...

class CostTable:
    def __init__(
        self, parts: int, weight: Buffer, run_in: Buffer, run_out: Buffer, run_fact: _Groups
    ) -> None: ...

def check_costs(problem: Problem, costs: CostTable) -> None: ...

class Symmetry:
    def __init__(self, order: int, facts: Buffer, fixes_initial: bool) -> None: ...

class Numbering:
    def __init__(
        self,
        size: int,
        variables: _Groups,
        may_be_none: Sequence[int],
        steps: Sequence[int],
        nodes: Sequence[int],
        entries: NDArray[np.uint64],
    ) -> None: ...

class Hints:
    def __init__(
        self,
        groups: _Groups,
        numbers: Sequence[int],
        images: _Groups,
        dead: Sequence[tuple[Sequence[int], Sequence[int]]],
    ) -> None: ...

    look_from: int
    has_areas: bool
    has_corrals: bool

class Limits:
    def __init__(
        self,
        seconds: float,
        memory: int,
        progress: Callable[[int, int, int, float, int], None] | None,
    ) -> None: ...

class Outcome:
    @property
    def status(self) -> Literal["goal", "exhausted", "time", "memory", "interrupted", "disk"]: ...
    @property
    def cost(self) -> int | None: ...
    @property
    def lower_bound(self) -> int: ...
    @property
    def plan(self) -> list[int]: ...
    @property
    def layers(self) -> list[tuple[int, int]]: ...
    @property
    def num_states(self) -> int: ...
    @property
    def num_goal_states(self) -> int: ...
    @property
    def num_expanded(self) -> int: ...
    @property
    def num_generated(self) -> int: ...
    @property
    def num_resumed(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def bytes(self) -> int: ...
    @property
    def algorithm(self) -> str: ...
    @property
    def canonical_states(self) -> int: ...
    @property
    def orbit_states(self) -> int: ...
    @property
    def endless(self) -> tuple[int, list[int]] | None: ...

class IndexOutcome(Outcome):
    @property
    def has_distances(self) -> bool: ...
    @property
    def to_goal(self) -> list[tuple[int, int]]: ...
    @property
    def num_dead(self) -> int: ...
    @property
    def hardest(self) -> list[int]: ...

class Meeting(Outcome):
    @property
    def backward_plan(self) -> list[int]: ...
    @property
    def waypoints(self) -> NDArray[np.uint64]: ...
    @property
    def forward_states(self) -> int: ...
    @property
    def backward_states(self) -> int: ...
    @property
    def forward_cost(self) -> int: ...
    @property
    def backward_cost(self) -> int: ...

class GuidedOutcome(Outcome):
    @property
    def initial_bound(self) -> int: ...
    @property
    def num_abstractions(self) -> int: ...
    @property
    def abstract_bytes(self) -> int: ...

class GoalDistanceResult:
    @property
    def status(self) -> Literal["goal", "exhausted", "time", "memory", "interrupted", "disk"]: ...
    @property
    def layers(self) -> list[tuple[int, int]]: ...
    @property
    def num_states(self) -> int: ...
    @property
    def num_goal_states(self) -> int: ...
    @property
    def num_solvable(self) -> int: ...
    @property
    def from_start(self) -> int | None: ...
    @property
    def hardest(self) -> list[int]: ...
    @property
    def num_plans(self) -> list[int]: ...
    @property
    def seconds(self) -> float: ...
    @property
    def bytes(self) -> int: ...

class Iteration:
    @property
    def limit(self) -> int: ...
    @property
    def num_expanded(self) -> int: ...

class InformedOutcome(Outcome):
    @property
    def state(self) -> _Status:
        """The status, which can be "running" here."""
    @property
    def initial_bound(self) -> int: ...
    @property
    def num_dead(self) -> int: ...
    @property
    def num_corrals(self) -> int: ...
    @property
    def num_learned_deadlocks(self) -> int: ...
    @property
    def has_agent(self) -> bool: ...
    @property
    def merges_regions(self) -> bool: ...
    @property
    def num_images(self) -> int: ...
    @property
    def iterations(self) -> list[Iteration]: ...

class Samples:
    def __len__(self) -> int: ...

class LocalPdbLimits:
    def __init__(self, *, spots: int, states: int, filled: int, memory: int) -> None: ...

class InformedProblem:
    def __init__(self, problem: Problem, costs: CostTable, hints: Hints) -> None: ...
    @property
    def has_agent(self) -> bool: ...
    @property
    def can_begin_at_goals(self) -> bool: ...
    @property
    def can_have_local_pdbs(self) -> bool: ...
    @property
    def has_pattern_choice(self) -> bool: ...
    @property
    def do_patterns_pay(self) -> bool: ...
    @property
    def num_pattern_entries(self) -> int: ...
    @property
    def patterns(self) -> list[list[int]]: ...
    @property
    def pattern_bytes(self) -> int: ...
    @property
    def has_local_pdbs(self) -> bool: ...
    @property
    def num_local_pdbs(self) -> int: ...
    @property
    def local_pdb_bytes(self) -> int: ...
    def choose_patterns(self, limits: Limits) -> _Status: ...
    def build_patterns(self, limits: Limits, threads: int) -> _Status: ...
    def build_local_pdbs(
        self, limits: Limits, pdb_limits: LocalPdbLimits, samples: Samples | None
    ) -> _Status: ...
    def build_local_pdbs_from_goals(
        self, limits: Limits, pdb_limits: LocalPdbLimits
    ) -> _Status: ...

class InformedSearch:
    def __init__(
        self,
        problem: InformedProblem,
        hints: Hints,
        *,
        algorithm: str,
        memory: int,
        threads: int,
        weight: tuple[int, int],
        at_least: int,
        expanded_before: int,
        most_in_table: int,
        file: str,
        keep_every: float,
    ) -> None: ...
    def advance(self, limits: Limits, work: int, bytes: int) -> _Status: ...
    @property
    def work(self) -> int: ...
    @property
    def bound(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    def samples(self, count: int) -> Samples: ...
    def outcome(self) -> InformedOutcome: ...

class Expander:
    def __init__(self, problem: Problem) -> None: ...
    def expand(
        self, states: NDArray[np.uint64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int32]]: ...
    def find_successors(
        self, set: StateSet, states: NDArray[np.uint64]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]: ...

class StateSet:
    def __init__(self, words: int) -> None: ...
    def insert(self, states: NDArray[np.uint64]) -> NDArray[np.bool_]: ...
    def contains(self, states: NDArray[np.uint64]) -> NDArray[np.bool_]: ...
    def find(self, states: NDArray[np.uint64]) -> NDArray[np.int64]: ...
    def __len__(self) -> int: ...
    def states(self) -> NDArray[np.uint64]: ...

class Components:
    def __init__(self, size: int) -> None: ...
    def link(self, sources: NDArray[np.int32], targets: NDArray[np.int32]) -> None: ...
    def labels(self) -> NDArray[np.int32]: ...

def measure_graph(
    first: NDArray[np.int64],
    target: NDArray[np.int32],
    label: NDArray[np.int32],
    cost: NDArray[np.int8],
    is_start: NDArray[np.bool_],
) -> NDArray[np.int16]: ...

class ExhaustiveSearch:
    def advance(
        self,
        *,
        seconds: float,
        progress: Callable[[int, int, int, float, int], None] | None,
        expansions: int,
        bytes: int,
        entries: int,
    ) -> Literal["running", "goal", "exhausted", "time", "memory", "interrupted", "disk"]: ...
    @property
    def bound(self) -> int: ...
    @property
    def num_expanded(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def num_layers(self) -> int: ...
    def outcome(self) -> Outcome: ...
    def release_slots(self) -> int: ...
    def hand_over(self, shards: Shards) -> list[SpilledLayer]: ...

def make_search(
    problem: Problem,
    costs: CostTable,
    *,
    symmetry: Symmetry | None,
    exhaust: bool,
    memory: int,
    threads: int,
    file: str,
    keep_every: float,
) -> ExhaustiveSearch | None: ...

class BidirectionalSearch:
    def advance(
        self,
        *,
        seconds: float,
        progress: Callable[[int, int, int, float, int], None] | None,
        expansions: int,
        bytes: int,
        entries: int,
    ) -> Literal["running", "goal", "exhausted", "time", "memory", "interrupted", "disk"]: ...
    @property
    def bound(self) -> int: ...
    @property
    def num_expanded(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    def outcome(self) -> Meeting: ...

def make_bidirectional(
    problem: Problem,
    costs: CostTable,
    reversed: Problem,
    reversed_costs: CostTable,
    goals: Buffer,
    *,
    memory: int,
    file: str,
    keep_every: float,
) -> BidirectionalSearch: ...
def is_layered(problem: Problem, costs: CostTable) -> bool: ...
def search_index(
    problem: Problem,
    costs: CostTable,
    numbering: Numbering,
    levels: Numbering,
    limits: Limits,
    *,
    exhaust: bool,
    threads: int,
    plan: bool,
    to_goal: bool,
    depth: int | None,
    file: str,
    keep_every: float,
) -> IndexOutcome: ...
def measure(
    problem: Problem,
    costs: CostTable,
    reversed: Problem,
    reversed_costs: CostTable,
    limits: Limits,
    *,
    counts_plans: bool,
) -> GoalDistanceResult | None: ...
def guided(
    problem: Problem,
    costs: CostTable,
    abstractions: Sequence[tuple[Problem, CostTable, Problem, CostTable, Buffer]],
    limits: Limits,
) -> GuidedOutcome | None: ...

class DamageError(ValueError): ...

class LayerCounts:
    entries: int
    states: int
    goals: int
    canonical: int
    in_orbits: int
    goal: list[int]

class Shards:
    def begin(self) -> None: ...
    def search_within(self, reached: Shards) -> None: ...
    def begin_at_goals(self) -> bool: ...
    def least(self, layer: int) -> list[int]: ...
    def open(self, num_layers: int) -> None: ...
    def expand(self, worker: int) -> bool: ...
    def merge(self, worker: int) -> bool: ...
    def close_layer(self) -> LayerCounts: ...
    def keep(self) -> None: ...
    def write_to(self, folder: str) -> None: ...
    def abandon(self) -> None: ...
    def outgoing(self, owner: int, begin: int, most: int) -> tuple[NDArray[np.uint8], int]: ...
    def forget_sent(self) -> None: ...
    def receive(self, sent: NDArray[np.uint8]) -> None: ...
    def num_waiting(self, owner: int, begin: int) -> int: ...
    def has_doubts(self) -> bool: ...
    def set_doubts(self, doubts: bool) -> None: ...
    def give_away(self) -> int: ...
    def expand_other(self, file: str, shard: int) -> bool: ...
    def take_over(self, files: list[str], num_shards: int) -> None: ...
    def among(self, layer: int, states: NDArray[np.uint64]) -> NDArray[np.bool_]: ...
    def contains(self, layer: int, state: list[int]) -> bool: ...
    def plan(
        self, layer: int, goal: list[int], layer_has: Callable[[int, list[int]], bool] | None
    ) -> list[int]: ...
    def cancel(self) -> None: ...
    num_layers: int
    num_expanded: int
    num_generated: int
    num_merged: int
    bytes_in_memory: int
    bytes_spooled: int
    algorithm: str
    packing: int

class SpilledLayer:
    counts: LayerCounts
    expanded: int
    generated: int

def make_shards(
    problem: Problem,
    costs: CostTable,
    symmetry: Symmetry | None,
    *,
    folder: str,
    num_shards: int,
    owner: int,
    num_owners: int,
    workers: int,
    memory: int,
    is_undoable: bool,
    back: Problem | None,
    back_costs: CostTable | None,
) -> Shards | None: ...
