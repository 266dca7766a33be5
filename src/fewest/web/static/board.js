// The board: the user drags a piece along its moves, or chooses a piece and then one of its possible places.

class BoardView {
  // `act` has the functions play(op), undo() and choose(operators), which are called when the user acts, and resume(),
  // which ends a replay and returns whether there was one.
  constructor(game, act) {
    this.game = game;
    this.act = act;
    this.scene = game.puzzle.scene;
    this.geometry = this.scene.board;
    this.chosen = null; // the id of the chosen piece
    this.dragged = null;
    this.nodes = new Map();
    this.build();
  }

  build() {
    const { box, inner, below, above, wraps } = this.geometry;
    this.svg = svgElement("svg", {
      viewBox: box.join(" "),
      class: "board",
      role: "application",
      "aria-roledescription": "board",
      tabindex: "0",
    });
    this.svg.style.maxWidth = `${Math.max(220, box[2] * 1.6)}px`;
    this.svg.append(svgElement("g", {}, below));
    const [left, top, right, bottom] = inner;
    const clip = { x: left, y: top, width: right - left, height: bottom - top };
    clip.viewBox = `${left} ${top} ${right - left} ${bottom - top}`;
    this.layer = svgElement(wraps[0] || wraps[1] ? "svg" : "g", wraps[0] || wraps[1] ? clip : {});
    this.marks = svgElement("g", { class: "marks" });
    this.svg.append(this.layer, svgElement("g", { class: "above" }, above), this.marks);
    this.svg.addEventListener("pointerdown", (event) => this.down(event));
    this.svg.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) this.svg.addEventListener(name, (event) => this.up(event));
  }

  // -- geometry ----------------------------------------------------------------------------------------

  // The coordinates of a cell's corner, relative to the first cell.
  shift(row, column) {
    const { unit, hex } = this.geometry;
    return hex ? [unit * (column + row / 2), unit * row * Math.sqrt(3) / 2] : [unit * column, unit * row];
  }

  shiftOf(cell) {
    const { columns, middles } = this.geometry;
    if (middles) return [middles[cell][0] - middles[0][0], middles[cell][1] - middles[0][1]];
    return this.shift(Math.floor(cell / columns), cell % columns);
  }

  middleOf(cell) {
    const { unit, middles } = this.geometry;
    if (middles) return middles[cell];
    const [left, top] = this.shiftOf(cell);
    return [left + unit / 2, top + unit / 2];
  }

  // The offset from one cell to another; on a closed board, the shortest such offset.
  offsetTo(from, to) {
    const { rows, columns, wraps, middles } = this.geometry;
    if (middles) return [middles[to][0] - middles[from][0], middles[to][1] - middles[from][1]];
    let row = Math.floor(to / columns) - Math.floor(from / columns);
    let column = (to % columns) - (from % columns);
    if (wraps[1] && Math.abs(row) > rows / 2) row -= Math.sign(row) * rows;
    if (wraps[0] && Math.abs(column) > columns / 2) column -= Math.sign(column) * columns;
    return this.shift(row, column);
  }

  point(event) {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [at.x, at.y];
  }

  // The cell under a point; -1 if no cell is there, or only a wall.
  cellAt([x, y]) {
    const { rows, columns, unit, hex, walls } = this.geometry;
    let best = -1;
    let nearest = (hex ? 0.36 : 0.5) * unit * unit;
    for (let cell = 0; cell < rows * columns; cell++) {
      const [middle, centre] = this.middleOf(cell);
      const distance = (middle - x) ** 2 + (centre - y) ** 2;
      if (distance < nearest && !walls.includes(cell)) [best, nearest] = [cell, distance];
    }
    return best;
  }

  covers(piece) {
    const { rows, columns } = this.geometry;
    const [row, column] = [Math.floor(piece.cell / columns), piece.cell % columns];
    return this.scene.classes[piece.classId].shape.map(
      ([down, right]) => ((row + down) % rows) * columns + ((column + right) % columns),
    );
  }

  pieceOn(cell) {
    const here = this.game.now.pieces.filter((piece) => this.covers(piece).includes(cell));
    return here.reduce((top, piece) => (top && this.height(top) > this.height(piece) ? top : piece), undefined);
  }

  // The layer of a piece; pieces in higher layers are drawn over those in lower layers.
  height(piece) {
    return this.scene.classes[piece.classId].layer;
  }

  // -- drawing -----------------------------------------------------------------------------------------

  show() {
    const seen = new Set();
    for (const piece of this.game.now.pieces) {
      seen.add(piece.id);
      let node = this.nodes.get(piece.id);
      if (node === undefined) {
        const height = this.height(piece);
        node = svgElement("g", { class: "piece", "data-height": height });
        this.nodes.set(piece.id, node);
        const above = [...this.layer.children].find((other) => Number(other.dataset.height) > height);
        this.layer.insertBefore(node, above ?? null);
      }
      this.place(node, piece);
    }
    for (const [id, node] of this.nodes) {
      if (seen.has(id)) continue;
      node.remove();
      this.nodes.delete(id);
    }
    if (this.piece() === undefined) this.chosen = null;
    this.showMarks();
  }

  place(node, piece) {
    const drawn = this.geometry.drawn[`${piece.classId}:${piece.label}`] || "";
    const copies = this.copies(piece).map((shift) => `<g transform="translate(${shift.join(" ")})">${drawn}</g>`);
    const inner = copies.join("");
    if (node.dataset.drawn !== inner) {
      node.innerHTML = inner;
      node.dataset.drawn = inner;
    }
    const [x, y] = this.shiftOf(piece.cell);
    node.style.transform = `translate(${x}px, ${y}px)`;
    node.dataset.piece = piece.id;
    node.classList.toggle("chosen", piece.id === this.chosen);
  }

  // The offsets at which a piece is drawn: if it extends across the edge of a closed board, on both sides of the board.
  copies(piece) {
    const { rows, columns, wraps } = this.geometry;
    const shape = this.scene.classes[piece.classId].shape;
    const [row, column] = [Math.floor(piece.cell / columns), piece.cell % columns];
    const downs = wraps[1] && shape.some(([down]) => row + down >= rows) ? [0, -rows] : [0];
    const rights = wraps[0] && shape.some(([, right]) => column + right >= columns) ? [0, -columns] : [0];
    return downs.flatMap((down) => rights.map((right) => this.shift(down, right)));
  }

  // Show the places to which the chosen piece can move.
  showMarks() {
    const piece = this.piece();
    const { unit } = this.geometry;
    const targets = piece === undefined || this.dragged !== null ? [] : [...this.targets(piece).keys()];
    const shape = piece === undefined ? [] : this.scene.classes[piece.classId].shape;
    const high = Math.max(0, ...shape.map(([down]) => down)) / 2;
    const wide = Math.max(0, ...shape.map(([, right]) => right)) / 2;
    this.marks.innerHTML = targets
      .map((cell) => {
        const [x, y] = this.middleOf(cell);
        const [dx, dy] = this.shift(high, wide);
        return `<circle cx="${x + dx}" cy="${y + dy}" r="${unit * 0.15}" data-cell="${cell}"/>`;
      })
      .join("");
  }

  piece() {
    return this.game.now.pieces.find((piece) => piece.id === this.chosen);
  }

  choose(id) {
    this.chosen = id;
    for (const [other, node] of this.nodes) node.classList.toggle("chosen", other === id);
    this.showMarks();
  }

  // -- moves of a piece --------------------------------------------------------------------------------

  // The legal operators that move a piece, by their target cell. If consequences move the piece further, the cell to
  // which the operator itself moves it is a target too.
  targets(piece) {
    const { task, now } = this.game;
    const { class: classes, cell } = task.data.facts;
    const ops = task.data.operators;
    const found = new Map();
    for (const op of task.legal(now.state)) {
      const ends = new Set();
      for (const [from, to] of [...transfers(task, now.state, op), [ops.from[op], ops.to[op]]]) {
        if (from < 0 || to < 0 || classes[from] !== piece.classId || cell[from] !== piece.cell) continue;
        ends.add(cell[to]);
      }
      for (const end of ends) {
        if (!found.has(end)) found.set(end, []);
        found.get(end).push(op);
      }
    }
    return found;
  }

  send(operators) {
    const choices = this.game.different(operators);
    if (choices.length === 1) this.act.play(choices[0]);
    else if (choices.length > 1) this.act.choose(choices);
    return choices.length === 1;
  }

  // The operators that move a piece in the direction of an arrow key or, if there are none, in the nearest direction, if
  // it differs by less than 45 degrees.
  along(piece, [down, right]) {
    const { task, now } = this.game;
    const [x, y] = this.shift(down, right);
    const found = new Map();
    for (const [cell, operators] of this.targets(piece)) {
      const [dx, dy] = this.offsetTo(piece.cell, cell);
      const straight = (dx * x + dy * y) / (Math.hypot(dx, dy) * Math.hypot(x, y) || 1);
      for (const op of operators) {
        const direction = task.data.operators.direction[op];
        const own = direction >= 0 && task.isLegal(now.state, op) ? task.data.directions[direction].offset : [0, 0];
        const fits = own[0] === down && own[1] === right ? 2 : Math.round(straight * 100) / 100;
        if (fits > 0.7) found.set(op, fits);
      }
    }
    const most = Math.max(...found.values());
    return [...found.keys()].filter((op) => found.get(op) === most);
  }

  // -- pointers ----------------------------------------------------------------------------------------

  down(event) {
    if (this.dragged !== null || (event.pointerType === "mouse" && event.button !== 0)) return;
    this.svg.focus({ preventScroll: true });
    if (this.act.resume()) return;
    const cell = this.cellAt(this.point(event));
    const mark = event.target.closest("[data-cell]");
    const current = this.piece();
    const piece = cell < 0 ? undefined : this.pieceOn(cell);
    let click; // the action to take if a press does not become a drag
    if (current !== undefined && piece !== current && (mark !== null || cell >= 0)) {
      click = this.targets(current).get(mark !== null ? Number(mark.dataset.cell) : cell);
      if (click !== undefined && piece === undefined) {
        event.preventDefault();
        this.send(click);
        return;
      }
    }
    if (piece === undefined) {
      this.choose(null);
      return;
    }
    event.preventDefault();
    const before = this.chosen;
    this.choose(piece.id);
    this.svg.setPointerCapture(event.pointerId);
    this.dragged = { pointer: event.pointerId, at: this.point(event), offset: [0, 0], steps: [], hasChoice: false, click, before };
    this.showMarks();
  }

  move(event) {
    const drag = this.dragged;
    const piece = this.piece();
    if (drag === null || event.pointerId !== drag.pointer || drag.hasChoice || piece === undefined) return;
    const [x, y] = this.point(event);
    const wanted = [x - drag.at[0], y - drag.at[1]];
    for (let i = 0; i < 64 && this.follow(drag, wanted); i++);
  }

  // Move the dragged piece one step towards the pointer. Return false if no step brings it nearer, if the user must
  // choose between several moves, or if the puzzle is solved.
  follow(drag, wanted) {
    const piece = this.piece();
    if (piece === undefined || this.game.isSolved) return false;
    const far = (offset) => Math.hypot(offset[0] - wanted[0], offset[1] - wanted[1]);
    const here = far(drag.offset);
    const last = drag.steps[drag.steps.length - 1];
    if (last !== undefined && far(last) < here - 1) {
      drag.offset = drag.steps.pop();
      this.act.undo();
      return true;
    }
    let best = null;
    for (const [cell, operators] of this.targets(piece)) {
      const step = this.offsetTo(piece.cell, cell);
      const offset = [drag.offset[0] + step[0], drag.offset[1] + step[1]];
      if (far(offset) < here - 1 && (best === null || far(offset) < far(best.offset))) best = { offset, operators };
    }
    if (best === null) return false;
    const before = drag.offset;
    if (!this.send(best.operators)) {
      drag.hasChoice = true; // several moves are possible, so the user must choose
      return false;
    }
    drag.steps.push(before);
    drag.offset = best.offset;
    return true;
  }

  up(event) {
    if (this.dragged === null || event.pointerId !== this.dragged.pointer) return;
    const { click, before, at } = this.dragged;
    this.dragged = null;
    const [x, y] = this.point(event);
    const isClick = event.type === "pointerup" && Math.hypot(x - at[0], y - at[1]) < this.geometry.unit / 6;
    if (isClick && click !== undefined) {
      this.choose(before);
      this.send(click);
    } else {
      this.showMarks();
    }
  }
}
