// The rules of a puzzle on the page: facts, cubes and flips, and the costs of moves. A state is a Uint32Array of bits:
// fact f is bit f % 32 of word f >> 5.

class Task {
  constructor(data) {
    this.data = data;
    this.facts = data.facts.class.length;
    // The number of words is even, because the program that packed the distances uses words of 64 bits.
    this.words = 2 * Math.max(1, Math.ceil(this.facts / 64));
    const ops = data.operators;
    this.size = ops.rule.length;
    this.mask = [];
    this.value = [];
    this.flip = [];
    for (let i = 0; i < this.size; i++) {
      this.value.push(this.bits(ops.true[i]));
      this.mask.push(this.bits(ops.true[i].concat(ops.false[i])));
      this.flip.push(this.bits(ops.flip[i]));
    }
    this.goals = data.goals.map((cubes) => cubes.map((cube) => this.cube(cube)));
    this.stages = data.stages.map((stage) => ({
      isEverywhere: stage.everywhere,
      places: stage.places.map((place) => place.map((effect) => this.effect(effect))),
    }));
    this.forbid = data.forbid.map((cube) => this.cube(cube));
    // The operators, grouped by the fact that their piece leaves (`from`) or, without such a fact, by the last fact that
    // they require to be true; the last group contains the operators that require no true fact.
    this.byFact = Array.from({ length: this.facts + 1 }, () => []);
    ops.true.forEach((facts, i) => {
      const from = ops.from[i] >= 0 ? ops.from[i] : facts.length ? facts[facts.length - 1] : this.facts;
      this.byFact[from].push(i);
    });
  }

  bits(facts) {
    const state = new Uint32Array(this.words);
    for (const fact of facts) state[fact >> 5] |= 1 << (fact & 31);
    return state;
  }

  cube([yes, no]) {
    return { mask: this.bits(yes.concat(no)), value: this.bits(yes) };
  }

  effect([yes, no, flip, clear, needYes, needNo]) {
    return { ...this.cube([yes, no]), flip: this.bits(flip), clear: this.bits(clear), need: this.cube([needYes, needNo]) };
  }

  initial() {
    return this.bits(this.data.initial);
  }

  has(state, fact) {
    return ((state[fact >> 5] >>> (fact & 31)) & 1) === 1;
  }

  factsOf(state) {
    const found = [];
    for (let w = 0; w < this.words; w++) {
      for (let rest = state[w]; rest !== 0; rest &= rest - 1) {
        found.push(32 * w + 31 - Math.clz32(rest & -rest));
      }
    }
    return found;
  }

  holds(state, mask, value) {
    for (let w = 0; w < this.words; w++) {
      if (((state[w] & mask[w]) ^ value[w]) !== 0) return false;
    }
    return true;
  }

  isIn(state, cubes) {
    return cubes.some((cube) => this.holds(state, cube.mask, cube.value));
  }

  isGoal(state) {
    return this.goals.every((cubes) => this.isIn(state, cubes));
  }

  // The state after an operator and its consequences; null if the consequences never end.
  apply(state, op) {
    const flip = this.flip[op];
    return this.afterConsequences(state.map((word, w) => word ^ flip[w]));
  }

  // The state in which consequences no longer apply; null if an intermediate state repeats. Each round is the first
  // stage in which an effect fits.
  afterConsequences(state) {
    if (this.stages.length === 0) return state;
    const seen = new Set();
    while (!seen.has(this.key(state))) {
      seen.add(this.key(state));
      let after = null;
      for (const stage of this.stages) {
        after = stage.isEverywhere ? this.atOnce(stage, state) : this.swept(stage, state);
        if (after !== null) break;
      }
      if (after === null) return state;
      state = after;
    }
    return null;
  }

  // The state after one sweep: at each place, the first effect that fits applies. Null if no effect fits.
  swept(stage, state) {
    let found = null;
    for (const place of stage.places) {
      const here = found ?? state;
      const effect = place.find((one) => this.holds(here, one.mask, one.value));
      if (effect !== undefined) found = this.changed(here, effect);
    }
    return found;
  }

  // The state after all effects that fit have been applied; null if no effect fits.
  atOnce(stage, state) {
    const marks = stage.places.flat().filter((one) => this.holds(state, one.mask, one.value));
    if (marks.length === 0) return null;
    for (const one of marks) if (this.holds(state, one.need.mask, one.need.value)) state = this.changed(state, one);
    return state;
  }

  changed(state, effect) {
    return state.map((word, w) => (word & ~effect.clear[w]) ^ effect.flip[w]);
  }

  // If the consequences of an operator lead back to the same state, the operator is not a move.
  isLegal(state, op) {
    if (!this.holds(state, this.mask[op], this.value[op])) return false;
    const after = this.apply(state, op);
    return after !== null && after.some((word, w) => word !== state[w]) && !this.isIn(after, this.forbid);
  }

  // The facts that a legal operator and its consequences change.
  changes(state, op) {
    if (this.stages.length === 0) return this.data.operators.flip[op];
    const after = this.apply(state, op);
    return this.factsOf(state.map((word, w) => word ^ after[w]));
  }

  // The legal operators, in ascending order.
  legal(state) {
    const found = [];
    const look = (i) => {
      if (this.isLegal(state, i)) found.push(i);
    };
    for (const fact of this.factsOf(state)) this.byFact[fact].forEach(look);
    this.byFact[this.facts].forEach(look);
    return found.sort((a, b) => a - b);
  }

  key(state) {
    return state.join(",");
  }

  metric(name) {
    return this.data.metrics.find((metric) => metric.name === name);
  }
}

// The costs of operators in sequence, part by part; a merged move continues for free.
class Costs {
  constructor(task, metric) {
    this.task = task;
    this.parts = metric.parts;
    this.zero = metric.parts.map(() => 0);
    this.fresh = metric.parts.map(() => null);
  }

  // The cost of an operator after the given merged moves in progress, and the merged moves in progress after the
  // operator.
  step(runs, op) {
    const ops = this.task.data.operators;
    const paid = [];
    const after = [];
    this.parts.forEach((part, i) => {
      const weight = this.weight(part, op);
      const run = runs[i];
      if (weight === 0) {
        const isBroken = run !== null && run.fact >= 0 && this.task.has(this.task.flip[op], run.fact);
        paid.push(0);
        after.push(isBroken ? null : run);
        return;
      }
      const continues =
        run !== null && run.weight === weight && run.direction === this.direction(part, op) && run.fact === this.from(op) &&
        run.ring === ops.ring[op];
      paid.push(continues ? 0 : weight);
      after.push(this.left(part, op, weight));
    });
    return { paid, after };
  }

  weight(part, op) {
    return Array.isArray(part.weights) ? part.weights[op] : part.weights;
  }

  direction(part, op) {
    return part.merge === "line" ? this.task.data.operators.direction[op] : -1;
  }

  from(op) {
    const ops = this.task.data.operators;
    return ops.ring[op] >= 0 ? -1 : ops.from[op];
  }

  left(part, op, weight) {
    const ops = this.task.data.operators;
    if (part.merge === "none" || (ops.ring[op] < 0 && ops.from[op] < 0)) return null;
    const fact = ops.ring[op] >= 0 ? -1 : ops.to[op];
    return { fact, ring: ops.ring[op], weight, direction: this.direction(part, op) };
  }

  isFree(op) {
    return this.parts.every((part) => this.weight(part, op) === 0);
  }

  key(runs) {
    return runs.map((r) => (r === null ? "-" : `${r.fact}/${r.ring}/${r.weight}/${r.direction}`)).join(";");
  }

  // The cost of a sequence of operators.
  total(operators) {
    let sum = this.zero;
    let runs = this.fresh;
    for (const op of operators) {
      const { paid, after } = this.step(runs, op);
      sum = added(sum, paid);
      runs = after;
    }
    return sum;
  }
}

function added(a, b) {
  return a.map((value, i) => value + b[i]);
}

function compared(a, b) {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return 0;
}
