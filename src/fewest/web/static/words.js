// Moves and numbers in words.

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

// What a move is called: the rule where there are several, the piece, where to.
function describe(game, op) {
  const { task, scene } = game.puzzle;
  const ops = task.data.operators;
  const parts = [];
  const piece = carrier(game, op);
  if (task.data.rules.length > 1 || piece === null) parts.push(task.data.rules[ops.rule[op]]);
  if (piece !== null) {
    parts.push(piece.name);
    const others = game.now.pieces.filter((other) => other.name === piece.name);
    if (others.length > 1) parts.push(placeOf(scene, piece.cell));
  }
  const words = task.data.words[ops.words[op]];
  if (words) parts.push(words);
  const direction = ops.direction[op] < 0 ? null : task.data.directions[ops.direction[op]];
  const to = ops.to[op];
  if (direction !== null && direction.arrow !== "▦") parts.push(direction.arrow);
  else if (piece !== null && to >= 0) parts.push("→ " + placeOf(scene, task.data.facts.cell[to]));
  return parts.join(" ");
}

// The piece that counts as the one that moves; null where there is none.
function carrier(game, op) {
  const { task } = game;
  const ops = task.data.operators;
  if (ops.ring[op] >= 0 || ops.from[op] < 0) return null;
  const { class: classes, cell } = task.data.facts;
  const from = ops.from[op];
  return game.now.pieces.find((p) => p.classId === classes[from] && p.cell === cell[from]) || null;
}

function placeOf(scene, cell) {
  const columns = scene.board.columns;
  return `(${Math.floor(cell / columns)}, ${cell % columns})`;
}

// 81, or 8 + 33 for a pair.
function amount(cost) {
  const list = Array.isArray(cost) ? cost : [cost];
  return list.map((part) => part.toLocaleString("en-US")).join(" + ");
}

function isBelow(a, b) {
  return compared([].concat(a), [].concat(b)) < 0;
}

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

function svgElement(tag, attributes = {}, inner = "") {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.innerHTML = inner;
  return made;
}
