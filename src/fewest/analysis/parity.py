"""Parities of a task: sums modulo 2 that are the same in every reachable state.

There are two kinds. Linear algebra over the two-element field finds both kinds together:

- *linear*: a set c of facts such that every operator flips an even number of facts of c (c · flip = 0). The number of
  true facts in c is therefore always even, or always odd. Examples are the classes of peg solitaire (Reiss, 1857) and
  the patterns that cannot be lit in "lights out".
- *parities of an arrangement*: if different pieces fill all cells except at most one, a state is a permutation of the
  cells, where the hole counts as a piece. An operator moves some pieces from one cell to another and leaves the others
  in place. Wherever the other pieces are, the operator therefore multiplies the state by the same permutation, so
  it either always changes the sign or never changes it. If c · flip = 1 for exactly those operators that change the
  sign, sign + c · state is the same in all reachable states. (In the 15-puzzle, c is the set of dark squares: Johnson
  and Story, 1879.)

Both kinds are proved by induction, because no operator changes the sum. Each parity halves the number of possible
states, unless other invariants already imply it.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from fewest.model.task import Group, Operator, Task, facts_in

MAX_PARITIES = 12


class Arrangement(Struct, frozen=True, eq=False):
    """Pieces on cells. All pieces are different, and at most one of the cells is empty.

    `pieces` contains the facts of each piece, and `sets` contains the same facts as bit sets. `cell_of` contains the
    cell of each fact; `inverted[f]` contains the facts with which f forms an inversion (the piece with the smaller
    number is on the cell with the larger number).
    """

    pieces: tuple[tuple[int, ...], ...]
    sets: tuple[int, ...]
    num_cells: int
    cell_of: dict[int, int]
    inverted: dict[int, int]

    @property
    def odd_facts(self) -> int:
        """A set c such that inversions + c · state is the sign of the arrangement, up to a constant.

        The hole, as the last piece, forms an inversion with every piece on a later cell. The number of these pieces is
        the number of later cells. The number of the hole's cell is the sum of the numbers of all cells minus the sum of
        the numbers of the cells with pieces.
        """
        if len(self.pieces) == self.num_cells:
            return 0
        return sum(1 << fact for fact, cell in self.cell_of.items() if cell % 2)

    def is_odd(self, operator: Operator) -> bool | None:
        """Whether the operator changes the sign. The result is None if the operator applies in no reachable state."""
        flip = operator.flip
        moved = [facts_in(flip & facts) for facts in self.sets if flip & facts]
        if any(len(facts) != 2 for facts in moved):
            return None
        go: dict[int, int] = {}
        for facts in moved:
            source, target = sorted(facts, key=lambda f: not operator.value >> f & 1)
            go[self.cell_of[source]] = self.cell_of[target]
        leaves, enters = set(go), set(go.values())
        if len(leaves) < len(moved) or len(enters) < len(moved):
            return None
        left, entered = leaves - enters, enters - leaves
        if len(left) > self.num_cells - len(self.pieces):
            return None
        go.update(zip(entered, left, strict=True))  # the hole moves in the opposite direction
        num_cycles = 0
        seen: set[int] = set()
        for cell in go:
            num_cycles += cell not in seen
            while cell not in seen:
                seen.add(cell)
                cell = go[cell]
        return (len(go) - num_cycles) % 2 == 1


class Parity(Struct, frozen=True, eq=False):
    """The number of true facts in `facts` plus the number of inversions of `arrangements`, modulo 2, is always
    `value`.
    """

    facts: int
    arrangements: tuple[Arrangement, ...]
    value: int

    def of(self, state: int) -> int:
        """The sum in a state, modulo 2. In every reachable state, the sum is `value`."""
        total = (state & self.facts).bit_count()
        for arrangement in self.arrangements:
            there = [f for f in arrangement.cell_of if state >> f & 1]
            total += sum((state & arrangement.inverted[f]).bit_count() for f in there) // 2
        return total % 2


def parities(
    task: Task, at_most_one: Sequence[tuple[int, ...]], possible: int
) -> tuple[Parity, ...]:
    """At most `MAX_PARITIES` independent parities that the exactly-k groups do not imply.

    The groups in `at_most_one` must be proved, and facts outside `possible` must be false in all reachable states. The
    task must have no permutations; if it has consequences, the result is empty. The time is that of at most (number of
    operators × number of facts) additions of fact sets.
    """
    if task.consequences:
        return ()
    found = arrangements(task.exactly, at_most_one)
    size = len(task.facts)
    rows: set[int] = set()
    for operator in task.operators:
        if operator.value & ~possible:
            continue
        signs = [arrangement.is_odd(operator) for arrangement in found]
        if None not in signs:
            signed = sum(1 << size + number for number, sign in enumerate(signs) if sign)
            rows.add(operator.flip | signed)
    moving = 0
    for row in rows:
        moving |= row & (1 << size) - 1
    known: dict[int, int] = {}
    for group in task.exactly:
        _insert(known, sum(1 << fact for fact in group.facts) & moving)
    result: list[Parity] = []
    columns = moving | ((1 << len(found)) - 1) << size
    for vector in _null_space(rows, columns):
        if len(result) == MAX_PARITIES or not _insert(known, vector):
            continue
        facts = vector & (1 << size) - 1
        of = tuple(one for number, one in enumerate(found) if vector >> size + number & 1)
        for arrangement in of:
            facts ^= arrangement.odd_facts
        result.append(Parity(facts, of, Parity(facts, of, 0).of(task.initial)))
    return tuple(result)


def arrangements(
    exactly: Sequence[Group], at_most_one: Sequence[tuple[int, ...]]
) -> list[Arrangement]:
    """All sets of distinct pieces that fill their cells, except for at most one hole."""
    cells_of: dict[int, list[int]] = {}
    for cell, facts in enumerate(at_most_one):
        for fact in facts:
            cells_of.setdefault(fact, []).append(cell)
    piece_of = {f: n for n, group in enumerate(exactly) if group.count == 1 for f in group.facts}
    result: list[Arrangement] = []
    seen: set[int] = set()
    for first in range(len(exactly)):
        pieces, cells = {first}, set[int]()
        waiting, fits = [first], exactly[first].count == 1
        while waiting and fits:
            for fact in exactly[waiting.pop()].facts:
                fits = fits and len(cells_of.get(fact, ())) == 1
                for cell in cells_of.get(fact, ()):
                    if cell in cells:
                        continue
                    cells.add(cell)
                    others = {piece_of.get(other, -1) for other in at_most_one[cell]} - pieces
                    fits = fits and -1 not in others
                    pieces |= others
                    waiting += others
        if not fits or first in seen or not 0 <= len(cells) - len(pieces) <= 1:
            continue
        seen |= pieces
        result.append(_arrangement([exactly[piece].facts for piece in sorted(pieces)], cells_of))
    return result


def _arrangement(pieces: Sequence[tuple[int, ...]], cells_of: dict[int, list[int]]) -> Arrangement:
    cell_of = {fact: cells_of[fact][0] for facts in pieces for fact in facts}
    cells = {cell: number for number, cell in enumerate(sorted(set(cell_of.values())))}
    cell_of = {fact: cells[cell] for fact, cell in cell_of.items()}
    inverted = dict.fromkeys(cell_of, 0)
    for is_forward in (True, False):
        by_cell = [0] * len(cells)  # the facts of earlier pieces on each cell
        for facts in pieces if is_forward else reversed(pieces):
            for fact in facts:
                cell = cell_of[fact]
                for mask in by_cell[cell + 1 :] if is_forward else by_cell[:cell]:
                    inverted[fact] |= mask
            for fact in facts:
                by_cell[cell_of[fact]] |= 1 << fact
    sets = tuple(sum(1 << fact for fact in facts) for facts in pieces)
    return Arrangement(tuple(pieces), sets, len(cells), cell_of, inverted)


def _insert(basis: dict[int, int], vector: int) -> bool:
    """Add a vector to a basis that is indexed by leading bit. Returns False if the vector is a sum of basis vectors."""
    while vector:
        lead = vector.bit_length()
        if lead not in basis:
            basis[lead] = vector
            return True
        vector ^= basis[lead]
    return False


def _null_space(rows: set[int], columns: int) -> list[int]:
    """A basis of the vectors within `columns` that have an even number of bits in common with every row."""
    basis: dict[int, int] = {}
    for row in sorted(rows):
        _insert(basis, row)
    leads = sorted(basis)
    for lead in leads:  # reduce the rows: afterward, no row contains the leading bit of another row
        for other in leads:
            if other > lead and basis[other] >> lead - 1 & 1:
                basis[other] ^= basis[lead]
    return [
        1 << free | sum(1 << lead - 1 for lead in leads if basis[lead] >> free & 1)
        for free in facts_in(columns)
        if free + 1 not in basis
    ]
