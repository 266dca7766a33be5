// Plays the rules of the page for tests/helpers/javascript.py, and prints the results.
// The scripts of the page come before this code, in the same scope.

function random(seed) {
  let a = seed >>> 0; // mulberry32, a random number generator
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

// A random walk: the operators, and for every position its facts, its successors, and whether it is a goal.
function walk({ task: data, seed, length }) {
  const task = new Task(data);
  const next = random(seed);
  const operators = [];
  const positions = [];
  let state = task.initial();
  for (let i = 0; i <= length; i++) {
    const legal = task.legal(state);
    const successors = legal.map((op) => task.factsOf(task.apply(state, op)));
    positions.push({ facts: task.factsOf(state), legal, successors, goal: task.isGoal(state) });
    if (legal.length === 0 || i === length) break;
    const op = legal[Math.floor(next() * legal.length)];
    operators.push(op);
    state = task.apply(state, op);
  }
  const totals = {};
  for (const metric of data.metrics) totals[metric.name] = new Costs(task, metric).total(operators);
  return { operators, positions, totals };
}

// The evaluation of positions by the packed distances.
function evaluations({ task: data, distances, states }) {
  const task = new Task(data);
  const known = new Distances(task, distances);
  return states.map((facts) => {
    const state = task.bits(facts);
    const { left, moves } = known.evaluation(state);
    const best = known.best(state);
    return {
      left,
      moves: moves.map((m) => ({ facts: task.factsOf(m.state), loss: m.loss })),
      best: best === null ? null : best,
      milliseconds: time(() => known.best(state)),
    };
  });
}

// The goal distance after each step of a walk, while its merged moves continue.
function stills({ task: data, distances, operators }) {
  const task = new Task(data);
  const known = new Distances(task, distances);
  let state = task.initial();
  let runs = known.costs.fresh;
  return operators.map((op) => {
    runs = known.costs.step(runs, op).after;
    state = task.apply(state, op);
    return known.still(state, runs);
  });
}

// The cost of a game that follows the hints, with the merged moves that continue.
function follows({ task: data, distances }) {
  const task = new Task(data);
  const known = new Distances(task, distances);
  let state = task.initial();
  let runs = known.costs.fresh;
  const operators = [];
  while (!task.isGoal(state) && operators.length < 1000) {
    const op = known.best(state, runs)[0];
    operators.push(op);
    runs = known.costs.step(runs, op).after;
    state = task.apply(state, op);
  }
  return known.costs.total(operators);
}

function time(act) {
  const began = performance.now();
  act();
  return performance.now() - began;
}

// The game itself: undo, redo, restart, links.
function plays({ puzzle, operators }) {
  const game = new Game({ ...puzzle, task: new Task(puzzle.task) });
  const seen = [];
  const note = () => seen.push({ moves: game.moves(), facts: game.task.factsOf(game.now.state), pieces: game.now.pieces });
  for (const op of operators) game.play(op);
  note();
  for (let i = 0; i < 3; i++) game.undo();
  note();
  for (let i = 0; i < 3; i++) game.redo();
  note();
  game.restart();
  note();
  while (game.redo());
  note();
  const link = linkOf(game.moves());
  return { seen, link, back: operatorsOf(link), bad: [operatorsOf("%%%"), game.load([0, 99999])], solved: game.isSolved };
}

// The descriptions of the legal moves at the start.
function calls({ puzzle }) {
  const game = new Game({ ...puzzle, task: new Task(puzzle.task) });
  return game.task.legal(game.now.state).map((op) => describe(game, op));
}

// Costs with their units.
function units({ costs }) {
  return costs.map(([cost, unit]) => counted(cost, unit));
}

const functions = { units, walk, evaluations, stills, follows, plays, calls };
