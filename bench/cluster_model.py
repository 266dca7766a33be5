"""Models a cluster: `python -m bench.cluster_model [--ray] [--day] [--slow] [--predict] [--owners N ...]`.

The model uses the real driver (`fewest.cluster.actors`, `fewest.store.driver`). The owners are simulated: the cost
model determines the simulated time at which a call to an owner ends. The model includes the network, the disks and lost
nodes.

By default, the program prints the cost of the driver and of the barriers for each number of owners. `--ray` sends the
calls through Ray to two processes that reply immediately, so that the driver's CPU time includes the time that Ray
takes. `--day` removes a node every ten minutes for a day. `--slow` makes one of 64 owners slower than the others, and
prints how much time is lost with equal and with measured ranges of shards (`fewest.cluster.balance`). `--predict`
prints the cost of searching 10^12 and 10^13 positions, and names the resource that is the bottleneck.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from math import inf, log2
from types import SimpleNamespace
from typing import Any

import click
from msgspec import Struct
from msgspec.structs import replace

import fewest
from fewest.cluster.actors import Actors
from fewest.cluster.balance import MOVING, RESTART, Balance
from fewest.cluster.owner import PIECE, Closed, Exchanged, OwnCounts, WorkTimes
from fewest.cluster.recovery import ActorEndedError
from fewest.model.costs import cost_table
from fewest.search.cost_packing import CostPacking
from fewest.store.driver import Driver
from fewest.store.search import NUM_SHARDS
from fewest.store.shard_division import SHARDS_PER_OWNER, ShardDivision, shards_for
from fewest.store.workers import WorkerProgress, WorkOrder

_GB = 1e9


class Machine(Struct, frozen=True):
    """A node: its number of cores, and its data rates in bytes per second."""

    cores: int = 16
    network: float = 1 * _GB
    disk: float = 1 * _GB
    memory: float = 64 * _GB


class Costs(Struct, frozen=True):
    """The terms of `docs/scale-benchmarks.md`, measured on two slow and busy cores with `python -m bench.cluster`,
    `python -m bench.cluster_messages`, `python -m bench.early_merging` and `python -m bench.cluster_model --ray`.
    """

    seconds: float = 0.178e-6  # CPU seconds for each position, with one owner
    seconds_doubling: float = 0.0124e-6  # and for each doubling of the number of owners
    seconds_layer: float = 8.3e-3  # CPU seconds for each owner and layer, with Ray
    seconds_exchanged: float = 3e-9  # CPU seconds for each byte sent and received
    seconds_merged_early: float = 18e-9  # CPU seconds for each byte received that is merged twice
    bytes_sent: float = 2.35  # for each position, if all its successors belong to other owners
    bytes_head: float = 14  # for each layer, shard and other owner
    bytes_stored: float = 3.1  # for each position, on disk
    seconds_message: float = 3.35e-3  # CPU seconds for each message, at both owners together
    seconds_driver: float = 0.1  # CPU seconds that the driver takes for each layer
    seconds_call: float = 1.1e-3  # and for each owner
    latency: float = 0.5e-3  # seconds for each message

    def layer(self, positions: float, owners: int, machine: Machine) -> dict[str, float]:
        """The seconds that a layer of this many positions takes, by resource, if each owner is a whole machine."""
        mine = positions / owners
        sent = self.sent(owners) * mine + self.bytes_head * SHARDS_PER_OWNER * (owners - 1)
        messages = (owners - 1) + sent / PIECE
        # Each owner sends at least one run for each shard, and a merge joins at most 32 runs.
        twice = sent if owners > 32 else 0.0
        seconds = self.seconds + self.seconds_doubling * log2(owners)
        work = seconds * mine + self.seconds_layer + self.seconds_exchanged * sent
        # Both owners write what they exchange into temporary files, and read it; an early merge does this three times.
        temporary = 2 * sent + 3 * twice
        return {
            "cores": (work + self.seconds_merged_early * twice) / machine.cores,
            "messages": messages * (self.seconds_message + self.latency / 4),
            "network": sent / machine.network,
            "disk": (self.bytes_stored * 3 * mine + 2 * temporary) / machine.disk,
            "driver": self.seconds_driver + self.seconds_call * owners,
        }

    def sent(self, owners: int) -> float:
        """The number of bytes sent for each position."""
        return self.bytes_sent * (owners - 1) / owners


class _Call(Struct, eq=False):
    """A call in progress: the time at which it ends, and its result."""

    ends: float
    make: Callable[[], Any]


class SimulatedFleet:
    """A fleet of owners in simulated time; see `fewest.cluster.recovery.Fleet`.

    `positions`: the number of positions in each layer. `loss_every` is the mean time, in seconds, between losses of
    nodes; after a loss, some time passes until the loss is noticed and the node is replaced. `spent` is the CPU time of
    this class, which is not part of the driver's time. `tick` is the minimum number of simulated seconds of a wait.
    """

    def __init__(
        self,
        positions: list[float],
        owners: int,
        machine: Machine,
        costs: Costs,
        loss_every: float = inf,
        seed: int = 1,
        tick: float = 0.0,
    ) -> None:
        self._tick = tick
        self.positions, self.owners, self.machine, self.costs = positions, owners, machine, costs
        self.clock = self.spent = 0.0
        self.num_calls = 0
        self._chance = random.Random(seed)
        self._loss_every, self._next_loss = loss_every, self._after(loss_every)
        self._is_back = [0.0] * owners  # the time from which an owner's process can reply
        self._num_layers = 0
        self.num_dead_nodes = 0
        self._is_dead = [False] * owners  # lost, but the driver does not know it yet
        self._working: dict[int, _Call] = {}

    def call(self, owner: int, method: str, *arguments: Any, beside: bool = False) -> Any:
        began = time.process_time()
        self.num_calls += 1
        ends = self.clock + self.costs.latency
        value: Any = None
        if method == "work":
            ends += self._chance.uniform(0.97, 1.03) * self._seconds_of_layer()
            value = self._closed(owner, self._num_layers)
        elif method == "is_at":
            value = not self._is_dead[owner]
        elif method == "begin":
            value = self._closed(owner, 0)
        elif method == "go_back":
            ends = max(ends, self._is_back[owner])
            self._is_dead[owner] = False
            self._num_layers = arguments[0]
        elif method == "figures":
            value = WorkerProgress(0, 0, 0, 0)
        elif method == "packing":
            value = 1
        call = _Call(ends, lambda: value)
        if method == "work":
            self._working[owner] = call
        if method == "cancel" and owner in self._working:
            self._working[owner].ends = min(self._working[owner].ends, ends)
        self.spent += time.process_time() - began
        return call

    def wait(self, calls: list[Any], seconds: float) -> tuple[list[Any], list[Any]]:
        began = time.process_time()
        latest = max((one.ends for one in calls), default=self.clock)
        until = min(self.clock + max(seconds, self._tick), latest)
        while self._next_loss <= until:
            self._lose(self._next_loss)
            self._next_loss += self._after(self._loss_every)
        self.clock = max(self.clock, until)
        done = [one for one in calls if one.ends <= self.clock]
        left = [one for one in calls if one.ends > self.clock]
        self.spent += time.process_time() - began
        return done, left

    def get(self, calls: list[Any], seconds: float | None = None) -> list[Any]:
        began = time.process_time()
        ends = max((one.ends for one in calls), default=self.clock)
        if seconds is not None and ends > self.clock + seconds:
            self.clock += seconds
            raise TimeoutError
        self.clock = max(self.clock, ends)
        answers = [one.make() for one in calls]
        self.spent += time.process_time() - began
        return answers

    def introduce(self, owners: Sequence[int]) -> None:
        self.num_calls += len(owners)

    def now(self) -> float:
        return self.clock

    def pause(self, seconds: float) -> None:
        self.clock += seconds

    def num_nodes(self) -> int:
        return self.owners

    def end(self, *, has_started: bool) -> None:
        self._working.clear()

    def next_layer(self) -> None:
        """The driver calls this method after each layer."""
        self._num_layers += 1

    def _after(self, mean: float) -> float:
        return inf if mean == inf else self._chance.expovariate(1 / mean)

    def _lose(self, when: float) -> None:
        """Remove a node. It takes ten seconds to notice the loss, and two minutes to replace the node.

        Owners that have not finished must wait for the states that the new process expands.
        """
        self.num_dead_nodes += 1
        owner = self._chance.randrange(self.owners)
        self._is_back[owner] = when + 120
        unfinished = [call for call in self._working.values() if call.ends > when]
        if not unfinished:
            return
        self._is_dead[owner] = True
        again = when + 120 + self._seconds_of_layer()
        for number, call in self._working.items():
            if call.ends > when:
                call.ends = max(call.ends, again)
            if number == owner and call.ends > when:
                call.ends, call.make = when + 10, _raise_ended

    def _seconds_of_layer(self) -> float:
        positions = self.positions[self._num_layers]
        parts = self.costs.layer(positions, self.owners, self.machine)
        return max(parts["cores"] + parts["messages"], parts["network"], parts["disk"])

    def _closed(self, owner: int, layer: int) -> Closed:
        mine = int(self.positions[layer] / self.owners)
        counts = OwnCounts(mine, mine, 0, 0, 0, [])
        sent = int(self.costs.sent(self.owners) * mine)
        exchanged = Exchanged(sent, self.owners - 1 + sent // PIECE)
        return Closed(counts, WorkerProgress(mine, mine, 0, 0), None, exchanged)


def _raise_ended() -> Any:
    raise ActorEndedError


class Figures(Struct, frozen=True):
    """The cost of a search: simulated seconds, and CPU seconds of the driver."""

    seconds: float
    driver: float
    layers: int
    dead_nodes: int
    replaced: int
    calls: int
    messages: int


def work_order(owners: int, machine: Machine) -> WorkOrder:
    """A work order for simulated owners, which do not use the problem in the order."""
    compiled = fewest.load("wolf-goat-cabbage")
    task = compiled.grounded
    metric = task.metrics[compiled.puzzle.default_metric]
    return WorkOrder(
        problem=task.problem,
        cost=cost_table(task, metric),
        symmetry=None,
        folder=None,
        num_shards=shards_for(owners, NUM_SHARDS),
        owners=owners,
        workers=machine.cores,
        memory=1 << 30,
        is_reversible=True,
    )


def run(fleet: Any, owners: int, machine: Machine, num_layers: int) -> Figures:
    """Run the real driver for a number of layers."""
    work = work_order(owners, machine)
    here: Any = SimpleNamespace(algorithm="model", packing=1)
    actors = Actors(work, here, fleet)
    driver = Driver(
        actors, (), lambda _: None, CostPacking(work.cost), lambda _: None, time.perf_counter()
    )
    close = actors.close_layer

    def closed() -> OwnCounts:
        fleet.next_layer()
        return close()

    actors.close_layer = closed  # type: ignore[method-assign]
    began, spent = time.process_time(), fleet.spent
    driver.wait_for_start(inf)
    driver.run(exhaust=True, depth=num_layers - 1, deadline=inf)
    cpu = time.process_time() - began - (fleet.spent - spent)
    figures = actors.statistics()
    return Figures(
        seconds=fleet.now(),
        driver=cpu,
        layers=len(driver.layers) - 1,
        dead_nodes=fleet.num_dead_nodes,
        replaced=figures["actors_replaced"],
        calls=fleet.num_calls,
        messages=figures["messages_per_layer"],
    )


def bell(total: float, layers: int) -> list[float]:
    """Sizes of layers that grow and shrink like the layers of a sliding puzzle."""
    sizes = [2 ** (-(((i - 0.6 * layers) / (0.13 * layers)) ** 2)) for i in range(layers)]
    scale = total / sum(sizes)
    return [max(1.0, scale * size) for size in sizes]


@click.command()
@click.option("--owners", type=int, multiple=True, default=(16, 64, 256, 1024))
@click.option("--layers", type=int, default=5, show_default=True)
@click.option("--ray", "is_real", is_flag=True, help="Send the calls through Ray.")
@click.option("--day", "is_day", is_flag=True, help="Lose a node every ten minutes for a day.")
@click.option("--slow", is_flag=True, help="Make one of 64 owners slow.")
@click.option("--predict", is_flag=True, help="The cost of 10^12 and 10^13 positions.")
def main(
    owners: tuple[int, ...], layers: int, is_real: bool, is_day: bool, slow: bool, predict: bool
) -> None:
    """Print one row for each number of owners."""
    costs, machine = Costs(), Machine()
    if slow:
        _slow(costs, machine)
        return
    if predict:
        _predict(costs)
        return
    if is_day:
        _day(costs, machine)
        return
    print(f"{'owners':>7}{'driver CPU, s a layer':>24}{'messages a layer':>18}{'driver calls':>14}")
    for count in owners:
        fleet: Any
        if is_real:
            from bench.ray_fleet import IdleFleet

            fleet = IdleFleet(work_order(count, machine), count)
        else:
            fleet = SimulatedFleet([1e9] * (layers + 1), count, machine, costs)
        found = run(fleet, count, machine, layers + 1)
        fleet.end(has_started=True)
        print(
            f"{count:>7}{found.driver / found.layers:>24.3f}{found.messages:>18,}"
            f"{found.calls // found.layers:>14,}",
            flush=True,
        )


def _day(costs: Costs, machine: Machine) -> None:
    """Run 64 nodes for one day without losses, and then with a loss every ten minutes."""
    print(
        f"{'positions':>10}{'layers':>8}{'undisturbed':>13}{'with losses':>13}{'lost':>6}{'replaced':>10}"
    )
    for total, layers in ((2.5e13, 120), (6e13, 300), (9e13, 400)):
        sizes = bell(total, layers)
        row = []
        for every in (inf, 600.0):
            # the driver looks 20 times a second; a day of such waits would take minutes
            fleet = SimulatedFleet(sizes, 64, machine, costs, loss_every=every, tick=2.0)
            row.append(run(fleet, 64, machine, len(sizes)))
        hours = [f"{one.seconds / 3600:.1f} h" for one in row]
        print(
            f"{total:>10.1e}{layers:>8}{hours[0]:>13}{hours[1]:>13}{row[1].dead_nodes:>6}{row[1].replaced:>10}",
            flush=True,
        )


_MERGING = 0.28
"""The fraction of an owner's work that is merging and saving; see `docs/scale.md`."""


def _seconds_with_a_slow_owner(
    seconds: list[float], slowness: list[float], can_help: bool, moves: bool
) -> tuple[float, int]:
    """The seconds of a search with 64 owners, and the number of moves to other ranges.

    `seconds`: for each layer, the seconds that it takes if all owners are equally fast. `slowness`: for each layer, how
    much slower owner 0 is.
    """
    division = ShardDivision(64, shards_for(64, NUM_SHARDS))
    balance, total, num_moves, entries = Balance(division, can_help=can_help), 0.0, 0, 0
    per_state = 1e-6
    for layer, slow in zip(seconds, slowness, strict=True):
        states = int(64 * layer / per_state)
        entries += states
        begins = [division.first(owner) for owner in range(65)]
        shares = [(begins[i + 1] - begins[i]) / division.num_shards for i in range(64)]
        factors = [slow, *[1.0] * 63]
        expanding = [states * share * factor for share, factor in zip(shares, factors, strict=True)]
        longest = states / sum(1 / factor for factor in factors) if can_help else max(expanding)
        total += per_state * ((1 - _MERGING) * longest + _MERGING * max(expanding))
        balance.add(
            [
                WorkTimes(
                    int(states * share),
                    (1 - _MERGING) * per_state * states * share * factor,
                    int(states * share),
                    _MERGING * per_state * states * share * factor,
                )
                for share, factor in zip(shares, factors, strict=True)
            ]
        )
        ends = balance.better_ends(entries) if moves else None
        if ends is not None:
            total += RESTART + MOVING * _MERGING * per_state * entries / 64 * slow
            division, num_moves = ShardDivision(64, division.num_shards, ends), num_moves + 1
            balance = Balance(division, can_help=can_help)
    return total, num_moves


def _slow(costs: Costs, machine: Machine) -> None:
    """Print the time that 64 owners lose because one of them is slow, with equal ranges and with measured ones."""
    layers = [costs.layer(size, 64, machine)["cores"] for size in bell(1e13, 120)]
    print(f"{'owner 0 is':>26}{'layers in a':>14}{'equal ranges':>14}{'measured':>10}{'moves':>7}")
    for slow, begin, end in (
        (1.0, 0, 120),
        (1.25, 0, 120),
        (2.0, 0, 120),
        (2.0, 60, 120),
        (2.0, 70, 75),
    ):
        slowness = [slow if begin <= number < end else 1.0 for number in range(120)]
        for can_help in (True, False):
            delays = []
            for moves in (False, True):
                found, num_moves = _seconds_with_a_slow_owner(layers, slowness, can_help, moves)
                delays.append(f"{round(100 * (found / sum(layers) - 1)) or 0} %")
            what = f"{slow:g}x slower, {begin}-{end}"
            place = "folder" if can_help else "object store"
            print(f"{what:>26}{place:>14}{delays[0]:>14}{delays[1]:>10}{num_moves:>7}")


def _predict(costs: Costs) -> None:
    names = ("cores", "messages", "network", "disk", "driver")
    print(f"{'positions':>10}{'machines':>10}" + "".join(f"{name + ', h':>13}" for name in names))
    for total in (1e12, 1e13):
        for count, cores in ((64, 16), (1000, 32)):
            machine = replace(Machine(), cores=cores)
            rows = [costs.layer(size, count, machine) for size in bell(total, 120)]
            hours = [sum(row[name] for row in rows) / 3600 for name in names]
            stored = total * costs.bytes_stored / count / 1e12
            first = max(zip(hours, names, strict=True))[1]
            print(
                f"{total:>10.0e}{f'{count}x{cores}':>10}"
                + "".join(f"{hour:>13.2f}" for hour in hours)
                + f"   {stored:.2f} TB of layers on each; first: {first}"
            )


if __name__ == "__main__":
    main()
