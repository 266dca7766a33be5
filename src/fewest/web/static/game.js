// One game of a puzzle: the position, the costs in each metric, and the undo history.

class Game {
  constructor(puzzle) {
    this.puzzle = puzzle;
    this.task = puzzle.task;
    this.costs = this.task.data.metrics.map((metric) => new Costs(this.task, metric));
    this.undone = []; // the moves that can be redone, the next one last
    this.done = [this.first()];
  }

  // The position: the state, the pieces and, for each metric, the merged moves in progress and the total.
  get now() {
    return this.done[this.done.length - 1];
  }

  first() {
    const pieces = this.puzzle.scene.pieces.map(([classId, cell, label, name], id) => ({ id, classId, cell, label, name }));
    return {
      op: -1,
      state: this.task.initial(),
      pieces,
      runs: this.costs.map((c) => c.fresh),
      totals: this.costs.map((c) => c.zero),
    };
  }

  restart() {
    this.undone.push(...this.moves().reverse());
    this.done = [this.first()];
  }

  moves() {
    return this.done.slice(1).map((entry) => entry.op);
  }

  get isSolved() {
    return this.task.isGoal(this.now.state);
  }

  get isStarted() {
    return this.done.length > 1;
  }

  // Play a legal operator.
  play(op) {
    if (!this.task.isLegal(this.now.state, op)) throw new Error(`operator ${op} is not legal here`);
    if (this.undone[this.undone.length - 1] === op) this.undone.pop();
    else this.undone = [];
    this.push(op);
  }

  push(op) {
    const now = this.now;
    const steps = this.costs.map((costs, i) => costs.step(now.runs[i], op));
    this.done.push({
      op,
      state: this.task.apply(now.state, op),
      pieces: moved(this.puzzle, now, op),
      runs: steps.map((step) => step.after),
      totals: steps.map((step, i) => added(now.totals[i], step.paid)),
    });
  }

  undo() {
    if (!this.isStarted) return false;
    this.undone.push(this.done.pop().op);
    return true;
  }

  redo() {
    if (this.undone.length === 0) return false;
    this.push(this.undone.pop());
    return true;
  }

  // Go to the position after these operators. If an operator is not legal, return false and change nothing.
  load(operators) {
    const before = this.done;
    this.done = [this.first()];
    for (const op of operators) {
      if (!(op >= 0 && op < this.task.size) || !this.task.isLegal(this.now.state, op)) {
        this.done = before;
        return false;
      }
      this.push(op);
    }
    this.undone = [];
    return true;
  }

  // The total so far in a metric.
  total(name) {
    return this.now.totals[this.task.data.metrics.findIndex((metric) => metric.name === name)];
  }

  runsOf(name) {
    return this.now.runs[this.task.data.metrics.findIndex((metric) => metric.name === name)];
  }

  // The operators among which the user must choose: the cheapest one for each resulting position.
  different(operators) {
    const { task, now } = this;
    const byState = new Map();
    for (const op of operators) {
      const key = task.key(task.apply(now.state, op));
      if (!byState.has(key) || this.isCheaper(op, byState.get(key))) byState.set(key, op);
    }
    return [...byState.values()];
  }

  // Whether one operator costs less than another in the current position, in the page's metric.
  isCheaper(op, other) {
    const { task } = this;
    const costs = this.costs[task.data.metrics.findIndex((metric) => metric.name === task.data.metric)];
    const runs = this.runsOf(task.data.metric);
    return compared(costs.step(runs, op).paid, costs.step(runs, other).paid) < 0;
  }

  // The value of every variable.
  values() {
    const values = this.puzzle.scene.variables.map((variable) => variable.values[0]);
    const { slot, value } = this.task.data.facts;
    for (const fact of this.task.factsOf(this.now.state)) if (slot[fact] >= 0) values[slot[fact]] = value[fact];
    return values;
  }
}

// The pieces that an operator and its consequences move, as facts: [[from, to], …]; -1 means that a piece appears (from)
// or vanishes (to).
function transfers(task, state, op) {
  const ops = task.data.operators;
  const { class: classes, cell } = task.data.facts;
  const gone = [];
  const come = [];
  for (const fact of task.changes(state, op)) if (classes[fact] >= 0) (task.has(state, fact) ? gone : come).push(fact);
  const pairs = [];
  const take = (from, to) => {
    pairs.push([from, to]);
    gone.splice(gone.indexOf(from), 1);
    come.splice(come.indexOf(to), 1);
  };
  const [from, to] = [ops.from[op], ops.to[op]];
  if (gone.includes(from) && come.includes(to)) {
    take(from, to);
  } else if (gone.includes(from) && to >= 0 && task.has(state, to)) {
    // the piece captures a piece of the same kind, so only one piece remains
    pairs.push([from, to], [to, -1]);
    gone.splice(gone.indexOf(from), 1);
  }
  for (const rest of gone.slice()) {
    // each remaining piece is paired with the new fact of its class with the closest cell number
    const near = come.filter((fact) => classes[fact] === classes[rest]);
    near.sort((a, b) => Math.abs(cell[a] - cell[rest]) - Math.abs(cell[b] - cell[rest]));
    if (near.length) take(rest, near[0]);
  }
  return [...pairs, ...gone.map((fact) => [fact, -1]), ...come.map((fact) => [-1, fact])];
}

// The pieces after an operator; each keeps its id and its name.
function moved(puzzle, now, op) {
  const { class: classes, cell } = puzzle.task.data.facts;
  const pairs = transfers(puzzle.task, now.state, op);
  const goes = new Map(pairs.filter(([from]) => from >= 0).map(([from, to]) => [`${classes[from]}:${cell[from]}`, to]));
  const pieces = [];
  for (const piece of now.pieces) {
    const to = goes.get(`${piece.classId}:${piece.cell}`);
    if (to === undefined) pieces.push(piece);
    else if (to >= 0) pieces.push({ ...piece, classId: classes[to], cell: cell[to] });
  }
  let id = Math.max(-1, ...now.pieces.map((piece) => piece.id), puzzle.scene.pieces.length);
  for (const [from, to] of pairs) {
    if (from >= 0) continue;
    const { kind, label } = puzzle.scene.classes[classes[to]];
    const tag = label || kind;
    id += 1;
    pieces.push({ id, classId: classes[to], cell: cell[to], label: tag, name: ownValue(puzzle.scene.names, tag) || tag });
  }
  return pieces;
}

// Converts operators to text for a link, and back: the numbers are in base 128, and the bytes in base64 for URLs.
function linkOf(operators) {
  const bytes = [];
  for (let op of operators) {
    while (op > 127) {
      bytes.push((op & 127) | 128);
      op >>= 7;
    }
    bytes.push(op);
  }
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

function operatorsOf(link) {
  let bytes;
  try {
    bytes = bytesOf(link.replace(/-/g, "+").replace(/_/g, "/"));
  } catch {
    return null;
  }
  const operators = [];
  let value = 0;
  let shift = 0;
  for (const byte of bytes) {
    value |= (byte & 127) << shift;
    shift += 7;
    if (byte < 128) {
      operators.push(value);
      value = shift = 0;
    } else if (shift > 21) return null;
  }
  return operators;
}
