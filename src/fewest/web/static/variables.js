// The variables of a position: single variables side by side; indexed variables as tables or, if they have places, as a
// picture. Pressing a variable plays the move that changes it, or lets the user choose if there are several such moves.

class VariablesView {
  constructor(game, act) {
    this.game = game;
    this.act = act;
    this.node = element("div", { class: "variables" });
    this.cells = [];
    this.build();
  }

  build() {
    const { variables, names } = this.game.puzzle.scene;
    const groups = new Map();
    const placed = variables.map((variable, slot) => ({ slot, place: variable.place })).filter((v) => v.place);
    if (placed.length) this.node.append(this.picture(placed));
    variables.forEach((variable, slot) => {
      if (variable.place) return;
      const [, name, rest] = variable.name.match(/^([^[]*)(?:\[(.*)\])?$/);
      const indices = rest === undefined ? [] : rest.split(",").map(Number);
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name).push({ slot, indices });
    });
    for (const [name, members] of groups) {
      const title = ownValue(names, name) || name;
      this.node.append(members[0].indices.length ? this.table(title, members) : this.chip(title, members[0].slot));
    }
  }

  cell(slot, tag) {
    const cell = element(tag, { class: "value", "data-slot": slot, onclick: () => this.press(slot) });
    this.cells[slot] = cell;
    return cell;
  }

  // The variables that have a place, each drawn at its place.
  picture(placed) {
    const node = element("div", { class: "placed", role: "group" });
    for (const { slot, place } of placed) {
      const cell = this.cell(slot, "output");
      cell.style.gridArea = `${place[0] + 1} / ${place[1] + 1}`;
      cell.setAttribute("aria-label", this.game.puzzle.scene.variables[slot].name);
      node.append(cell);
    }
    return node;
  }

  chip(title, slot) {
    return element("div", { class: "chip" }, element("span", {}, title), this.cell(slot, "output"));
  }

  table(title, members) {
    const columns = [...new Set(members.map((m) => m.indices[m.indices.length - 1]))].sort((a, b) => a - b);
    const rows = new Map();
    for (const { slot, indices } of members) {
      const row = indices.slice(0, -1).join(", ");
      if (!rows.has(row)) rows.set(row, new Map());
      rows.get(row).set(indices[indices.length - 1], slot);
    }
    const head = element("tr", {}, element("td"), ...columns.map((c) => element("th", { scope: "col" }, String(c))));
    const body = [...rows].map(([row, slots]) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, row),
        ...columns.map((c) => (slots.has(c) ? this.cell(slots.get(c), "td") : element("td"))),
      ),
    );
    return element("table", {}, element("caption", {}, title), head, ...body);
  }

  // Play the move that changes a variable; if there are several, let the user choose. If exactly one of these moves has
  // the variable's indices as the values of its loops, only this move counts.
  press(slot) {
    if (this.act.resume()) return;
    const { task, now } = this.game;
    const { slot: slots } = task.data.facts;
    const ops = task.data.operators;
    const changing = task.legal(now.state).filter((op) => task.changes(now.state, op).some((fact) => slots[fact] === slot));
    const own = numbersIn(this.game.puzzle.scene.variables[slot].name);
    const named = this.game.different(changing.filter((op) => own !== "" && numbersIn(task.data.words[ops.words[op]]) === own));
    const matching = named.length === 1 ? named : this.game.different(changing);
    if (matching.length === 1) this.act.play(matching[0]);
    else if (matching.length > 1) this.act.choose(matching);
  }

  show() {
    const { variables, symbols, names, colours } = this.game.puzzle.scene;
    this.game.values().forEach((value, slot) => {
      const order = variables[slot].values.indexOf(value);
      const cell = this.cells[slot];
      const { characters } = variables[slot];
      cell.textContent = ownValue(symbols, value) ?? ownValue(names, value) ?? (characters ? characters[order] : String(value));
      cell.dataset.order = order === 0 ? 0 : ((order - 1) % 6) + 1;
      const colour = ownValue(colours, value);
      cell.style.background = colour && colour !== "none" ? colour : "";
    });
  }
}

// The numbers in a text, such as the indices in `lit[0, 2]` or `r=0, c=2`.
function numbersIn(text) {
  return (text.match(/-?\d+/g) || []).join(" ");
}
