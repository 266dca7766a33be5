// The packed distances of all positions, and the evaluation of a position: its distance, the best moves, and the
// additional cost of each other move. `packing.py` explains the table.

const MOST_KNOWN = 100000;

class Distances {
  constructor(task, data) {
    this.task = task;
    this.data = data;
    this.costs = new Costs(task, task.metric(data.metric));
    this.table = bytesOf(data.table);
    this.known = new Map(); // results that have already been computed
  }

  // The code of a position; 0 if the position is dead.
  code(state) {
    const { seed, segment, bits } = this.data;
    let value = 0;
    for (let i = 0; i < 3; i++) {
      value ^= this.at((murmur(state, 3 * seed + i) % segment) + i * segment, bits);
    }
    return value;
  }

  at(place, bits) {
    let value = 0;
    for (let b = 0; b < bits; b++) {
      const bit = place * bits + b;
      value |= ((this.table[bit >> 3] >> (bit & 7)) & 1) << b;
    }
    return value;
  }

  // The cost from a position to the goal if no merged move is in progress; null if the position is dead.
  left(state) {
    const code = this.code(state);
    if (code === 0) return null;
    if (this.data.kind === "levels") return this.data.costs[code - 1];
    // the positions that have been visited; their distances are known only after the loop
    const path = [];
    let here = state;
    let count = 0;
    while (!this.task.isGoal(here)) {
      const key = this.task.key(here);
      if (this.known.has(key)) {
        count = this.known.get(key);
        break;
      }
      if (path.length > this.data.farthest) throw new Error("these distances belong to another puzzle");
      path.push(key);
      const want = ((this.code(here) + 1) % 3) + 1;
      const next = this.moves(here).find((move) => this.code(move.state) === want);
      if (next === undefined) throw new Error("these distances belong to another puzzle");
      here = next.state;
    }
    if (this.known.size > MOST_KNOWN) this.known.clear();
    while (path.length) this.known.set(path.pop(), ++count);
    return [count];
  }

  // The distance if merged moves are in progress. Continuing them is free and may bring the position closer to the
  // goal.
  still(state, runs) {
    return this.onward(state, runs).left;
  }

  // The remaining cost if the merged moves in progress continue as long as this decreases the cost; also the operators
  // that continue them.
  onward(state, runs) {
    const found = { left: this.left(state), path: [] };
    if (this.task.isGoal(state) || runs.every((run) => run === null)) return found;
    const closed = new Set();
    const queue = [{ state, runs, path: [] }];
    for (const node of queue) {
      const key = this.task.key(node.state) + "|" + this.costs.key(node.runs);
      if (closed.has(key)) continue;
      closed.add(key);
      const left = this.left(node.state);
      if (left !== null && (found.left === null || compared(left, found.left) < 0)) {
        found.left = left;
        found.path = node.path;
      }
      for (const op of this.task.legal(node.state)) {
        const { paid, after } = this.costs.step(node.runs, op);
        if (paid.some((p) => p > 0)) continue;
        queue.push({ state: this.task.apply(node.state, op), runs: after, path: [...node.path, op] });
      }
    }
    return found;
  }

  // Every counted move from a position. A move consists of any number of free operators, one operator with a cost,
  // and the operators that continue the move.
  moves(state) {
    const { task, costs } = this;
    const ends = new Map();
    for (const start of this.prepared(state).values()) {
      if (task.isGoal(start.state)) continue;
      for (const op of task.legal(start.state)) {
        const { paid, after } = costs.step(costs.fresh, op);
        if (paid.every((p) => p === 0)) continue;
        this.run({ state: task.apply(start.state, op), runs: after, path: [...start.path, op] }, paid, ends);
      }
    }
    ends.delete(task.key(state));
    return [...ends.values()];
  }

  prepared(state) {
    const { task, costs } = this;
    const found = new Map([[task.key(state), { state, path: [] }]]);
    for (const here of found.values()) {
      if (task.isGoal(here.state)) continue;
      for (const op of task.legal(here.state)) {
        if (!costs.isFree(op)) continue;
        const target = task.apply(here.state, op);
        const key = task.key(target);
        if (!found.has(key)) found.set(key, { state: target, path: [...here.path, op] });
      }
    }
    return found;
  }

  run(first, cost, ends) {
    const { task, costs } = this;
    const closed = new Set();
    const queue = [first];
    for (let i = 0; i < queue.length; i++) {
      const node = queue[i];
      const key = task.key(node.state);
      const known = ends.get(key);
      const isShorter = known === undefined || compared(cost, known.cost) < 0 ||
        (compared(cost, known.cost) === 0 && node.path.length < known.path.length);
      if (isShorter && !node.isFree) ends.set(key, { state: node.state, cost, path: node.path });
      const full = key + "|" + costs.key(node.runs);
      if (closed.has(full)) continue;
      closed.add(full);
      if (task.isGoal(node.state) || node.runs.every((r) => r === null)) continue;
      for (const op of task.legal(node.state)) {
        const { paid, after } = costs.step(node.runs, op);
        if (paid.some((p) => p > 0)) continue;
        queue.push({
          state: task.apply(node.state, op),
          runs: after,
          path: [...node.path, op],
          isFree: costs.isFree(op),
        });
      }
    }
  }

  // The cost from a position to the goal, and every counted move with its additional cost (null if the move leads to a
  // dead position); the best moves come first.
  evaluation(state) {
    const here = this.left(state);
    const found = this.moves(state).map((move) => {
      const left = this.left(move.state);
      const total = left === null ? null : added(move.cost, left);
      const loss = total === null || here === null ? null : total.map((t, i) => t - here[i]);
      return { ...move, left, loss };
    });
    const order = (m) => (m.loss === null ? here.map(() => Infinity) : m.loss);
    if (here !== null) found.sort((a, b) => compared(order(a), order(b)) || a.path.length - b.path.length);
    return { left: here, moves: found };
  }

  // The operators that continue the merged moves in progress, if this decreases the cost; otherwise, the free operators
  // that reach a goal position or, if there are none, the operators of a best next move. The result is null in a dead
  // position and in a goal position.
  best(state, runs = this.costs.fresh) {
    const onward = this.onward(state, runs).path;
    if (onward.length) return onward;
    const here = this.left(state);
    if (here === null || this.task.isGoal(state)) return null;
    const free = [...this.prepared(state).values()].filter((node) => this.task.isGoal(node.state));
    if (free.length) return free.reduce((a, b) => (b.path.length < a.path.length ? b : a)).path;
    if (this.data.kind === "levels") {
      const move = this.evaluation(state).moves[0];
      return move === undefined ? null : move.path;
    }
    const want = ((this.code(state) + 1) % 3) + 1;
    const best = this.moves(state).filter((move) => this.code(move.state) === want);
    return best.reduce((a, b) => (b.path.length < a.path.length ? b : a)).path;
  }
}

function bytesOf(text) {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

// MurmurHash3 of the words of a state, as in `packing.py`.
function murmur(words, seed) {
  let h = seed;
  for (const word of words) {
    let k = Math.imul(word, 0xcc9e2d51);
    k = (k << 15) | (k >>> 17);
    h ^= Math.imul(k, 0x1b873593);
    h = (h << 13) | (h >>> 19);
    h = (Math.imul(h, 5) + 0xe6546b64) | 0;
  }
  h ^= 4 * words.length;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
