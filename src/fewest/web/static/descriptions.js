// Descriptions of moves and numbers in words.

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

// The description of a move: its label and, if another move has the same description, the default description after
// it. Without a label, this is the default description.
function describe(game, op) {
  const { task } = game.puzzle;
  const labelOf = (each) => task.data.labels[task.data.operators.label[each]];
  const label = shownText(labelOf(op));
  if (!label) return plainWords(game, op);
  const { state } = game.now;
  const target = task.key(task.apply(state, op));
  const isClear = task.legal(state).every(
    (other) => task.key(task.apply(state, other)) === target || shownText(labelOf(other) || plainWords(game, other)) !== label,
  );
  return isClear ? label : `${label} [${plainWords(game, op)}]`;
}

// The default description: the rule (if there are several rules, or no moving piece), the moving piece, the values of
// the loops, and the direction or the target.
function plainWords(game, op) {
  const { task, scene } = game.puzzle;
  const ops = task.data.operators;
  const parts = [];
  const piece = carrier(game, op);
  if (task.data.rules.length > 1 || piece === null) parts.push(task.data.rules[ops.rule[op]]);
  if (piece !== null) {
    parts.push(isolated(piece.name));
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

// The piece that counts as the moving piece of an operator; null if there is no such piece.
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

// A cost as text: 81, or 8 + 33 for a pair.
function amount(cost) {
  const list = Array.isArray(cost) ? cost : [cost];
  return list.map((part) => part.toLocaleString("en-US")).join(" + ");
}

// A cost with its unit, such as 81 turns or 1 move; `fewest.model.answer.counted` does the same.
function counted(cost, unit) {
  return `${amount(cost)} ${[].concat(cost).join() === "1" ? singular(unit) : unit}`;
}

// The singular of a metric's name: push for pushes, box-line for box-lines; a name is unchanged if its last word is not a
// plural. `fewest.model.answer.singular` does the same.
function singular(unit) {
  const word = /\p{L}*$/u.exec(unit)[0];
  if ([...word].length < 3 || !word.endsWith("s") || /(ss|us|is)$/.test(word)) return unit;
  if (word.endsWith("ies") && [...word].length > 4) return `${unit.slice(0, -3)}y`;
  return unit.slice(0, /(shes|ches|xes|sses|zzes)$/.test(word) ? -2 : -1);
}

// The value at a key of plain data; undefined if only the prototype of all objects has this key, as for `constructor`.
function ownValue(data, key) {
  return Object.hasOwn(data, key) ? data[key] : undefined;
}

function isBelow(a, b) {
  return compared([].concat(a), [].concat(b)) < 0;
}

// Invisible characters that change how a browser displays text; `fewest.sanitize` replaces these characters and some
// others. U+2068 and U+2069 are missing, because they only isolate the text between them.
const HIDDEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2067\u206a-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

function shownText(text) {
  return String(text).replace(HIDDEN, "\ufffd");
}

// A name for use within a sentence. It is isolated, so that right-to-left text does not change the order of the other
// words.
function isolated(text) {
  const name = shownText(text).replace(/[\u2068\u2069]/g, "\ufffd");
  return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(name) ? `\u2068${name}\u2069` : name;
}

// A text as an element, so that its writing direction does not change the order of the text around it.
function bdi(text) {
  return element("bdi", {}, text);
}

const _READ_ALOUD = new Set(["title", "aria-label", "alt"]);

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null) made.setAttribute(key, _READ_ALOUD.has(key) ? shownText(value) : value);
  }
  made.append(...children.map((child) => (child instanceof Node ? child : shownText(child))));
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

function svgElement(tag, attributes = {}, inner = "") {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.innerHTML = inner;
  return made;
}
