// The board beside the text, for painting: painting a cell changes only the text of this cell.

// The text that puts a character or token into a cell, as YAML in the notation of the board; null if a cell of this board
// cannot contain it.
function written(mark, notation) {
  const isSafe = /^[\p{L}\p{N}_.]+$/u.test(mark) && mark.toLowerCase() !== "null";
  if (notation === "tokens") return isSafe ? mark : JSON.stringify(mark);
  if ([...mark].length !== 1) return null;
  if (notation === "single quotes") return mark === "'" ? "''" : mark;
  if (notation === "double quotes") return JSON.stringify(mark).slice(1, -1);
  return notation === "block" || isSafe ? mark : null;
}

class Painter {
  // `act` has the functions replace(from, to, text) and point(span or null).
  constructor(act) {
    this.act = act;
    this.brush = null;
    this.cells = [];
    this.offered = [];
    this.cursor = 0;
    this.isDown = false;
    this.brushes = element("div", { class: "brushes", role: "radiogroup", "aria-label": "what to paint" });
    this.picture = element("div", { class: "drawn" });
    this.note = element("p", { class: "note" });
    this.node = element("div", { class: "painter" }, this.picture, this.brushes, this.note);
    window.addEventListener("pointerup", () => (this.isDown = false));
  }

  // Show the server's analysis of the text: the picture, the locations of the cells, and the characters that a cell can
  // have.
  show({ picture, origin, painting, brushes, puzzle }) {
    if (picture === null) {
      this.node.classList.add("stale");
      this.take(painting);
      return;
    }
    this.node.classList.remove("stale");
    const hadFocus = this.layer !== undefined && this.layer === document.activeElement;
    this.picture.innerHTML = picture;
    this.take(painting);
    this.isSketch = puzzle === null;
    const svg = this.picture.querySelector("svg");
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    if (painting !== null) this.drawOutline(svg, origin, painting.outline);
    const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
    svg.style.maxWidth = `${Math.max(240, width * 1.5)}px`;
    svg.style.aspectRatio = `${width} / ${height}`;
    if (hadFocus && this.layer.isConnected) {
      this.layer.focus({ preventScroll: true });
      this.point(this.cursor);
    }
    this.offer(brushes);
    this.note.textContent =
      painting === null
        ? "This text does not contain the drawing of the board, so you cannot paint it here."
        : "Paint on the board, and the text changes with it. The arrow keys choose a cell, and Space paints it.";
  }

  take(painting) {
    this.cells = painting === null ? [] : painting.cells;
    this.notation = painting === null ? null : painting.notation;
  }

  drawOutline(svg, [left, top], outline) {
    const points = (x, y) => outline.map(([a, b]) => `${a + x + left},${b + y + top}`).join(" ");
    const layer = svgElement("g", { class: "cells", tabindex: "0", role: "application", "aria-label": "cells of the board", "aria-roledescription": "board to paint on" });
    this.nodes = this.cells.map(([row, column, x, y], i) => svgElement("polygon", { points: points(x, y), "data-cell": `${row},${column}`, "data-i": i }));
    layer.append(...this.nodes);
    const at = (event) => {
      const found = document.elementFromPoint(event.clientX, event.clientY);
      return found && found.dataset && found.dataset.i !== undefined && layer.contains(found) ? Number(found.dataset.i) : -1;
    };
    layer.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      layer.focus({ preventScroll: true });
      this.isDown = true;
      this.paint(at(event));
    });
    layer.addEventListener("pointermove", (event) => {
      const i = at(event);
      if (this.isDown) this.paint(i);
      else this.point(i);
    });
    layer.addEventListener("pointerleave", () => this.point(-1));
    layer.addEventListener("blur", () => this.point(-1));
    layer.addEventListener("keydown", (event) => this.press(event));
    svg.append(layer);
    const box = svg.getAttribute("viewBox").split(" ").map(Number);
    const xs = this.cells.flatMap((cell) => outline.map(([a]) => a + cell[2] + left));
    const ys = this.cells.flatMap((cell) => outline.map(([, b]) => b + cell[3] + top));
    const [x, y] = [Math.min(box[0], ...xs), Math.min(box[1], ...ys)];
    const [right, bottom] = [Math.max(box[0] + box[2], ...xs), Math.max(box[1] + box[3], ...ys)];
    svg.setAttribute("viewBox", [x, y, right - x, bottom - y].map((n) => Math.round(n * 10) / 10).join(" "));
    this.layer = layer;
  }

  // Discard the brush, the brushes on offer and the keyboard cursor of the previous document.
  leave() {
    this.cursor = 0;
    this.brush = null;
    this.offered = [];
  }

  offer(brushes) {
    const here = new Set(brushes.map(([mark]) => mark));
    // while the text is not a puzzle, the previous characters remain, so that the user can repair the text with them
    if (this.isSketch) brushes = brushes.concat(this.offered.filter(([mark]) => !here.has(mark)));
    this.offered = brushes;
    const known = brushes.map(([mark]) => mark);
    if (!known.includes(this.brush)) this.brush = known.length ? known[0] : null;
    const shown = JSON.stringify([brushes, this.brush, this.cells.length > 0]);
    if (shown === this.shown) return; // new buttons would take the focus from the old ones
    this.shown = shown;
    const other = element("input", { type: "text", maxlength: "8", "aria-label": "another character", placeholder: "…", class: "other" });
    other.addEventListener("input", () => other.value && this.choose(other.value));
    this.brushes.replaceChildren(
      ...brushes.map(([mark, meaning]) =>
        element(
          "button",
          { type: "button", role: "radio", class: "brush", "data-brush": mark, "aria-checked": String(mark === this.brush), title: meaning || mark, onclick: () => this.choose(mark) },
          element("code", {}, mark === " " ? "␣" : mark),
          meaning ? element("span", {}, meaning) : "",
        ),
      ),
      ...(this.cells.length ? [other] : []),
    );
  }

  choose(mark) {
    this.brush = mark;
    this.shown = "";
    for (const node of this.brushes.querySelectorAll("[data-brush]")) node.setAttribute("aria-checked", String(node.dataset.brush === mark));
  }

  point(i) {
    if (this.nodes) for (const node of this.layer.querySelectorAll(".here")) node.classList.remove("here");
    if (i < 0 || !this.cells[i]) {
      this.act.point(null);
      return;
    }
    this.cursor = i;
    this.nodes[i].classList.add("here");
    this.act.point([this.cells[i][4], this.cells[i][5]]);
  }

  paint(i) {
    const cell = this.cells[i];
    if (cell === undefined || this.brush === null) return;
    this.point(i);
    const [row, column, , , from, to, mark] = cell;
    if (mark === this.brush) return;
    if (this.brush === " " && column === 0 && row === 0) {
      this.note.textContent = "A first row that begins with a space would change the indentation of the drawing.";
      return;
    }
    const text = written(this.brush, this.notation);
    if (text === null) {
      this.note.textContent = "This drawing has one character per cell. For other cells, write the board as a list of lists.";
      return;
    }
    cell[6] = this.brush;
    this.nodes[i].classList.add("fresh");
    this.act.replace(from, to, text);
  }

  // Update the locations of the cells after a change of the text.
  moved(changes) {
    for (const cell of this.cells) {
      cell[4] = changes.mapPos(cell[4], -1);
      cell[5] = changes.mapPos(cell[5], 1);
    }
  }

  press(event) {
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const [row, column] = this.cells[this.cursor] || [0, 0];
    if (steps[event.key]) {
      event.preventDefault();
      const [down, right] = steps[event.key];
      const next = this.cells.findIndex((cell) => cell[0] === row + down && cell[1] === column + right);
      if (next >= 0) this.point(next);
    } else if (event.key === " " || event.key === "Enter") {
      event.preventDefault();
      this.paint(this.cursor);
    } else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      this.choose(event.key);
      this.paint(this.cursor);
    }
  }
}
