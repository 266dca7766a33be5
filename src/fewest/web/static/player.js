// A puzzle on the page, with its board, costs, hints and the shortest plan.

class Player {
  // `onChange(player)` is called after every change of the game. `progress` stores the best costs of solved puzzles.
  constructor(puzzle, onChange, progress) {
    this.puzzle = puzzle;
    this.onChange = onChange;
    this.progress = progress;
    this.game = new Game(puzzle);
    this.metric = puzzle.task.data.metric;
    this.distances = puzzle.distances === null ? null : new Distances(puzzle.task, puzzle.distances);
    this.replay = null; // during a replay of the plan: the replayed game, and the timer of the next step (null: paused)
    this.grade = 0; // the level of the current hint (0: no hint)
    this.remark = null; // the sentence about the loss of the last move, if any
    this.keys = new Keys(this);
    this.build();
    this.refresh();
  }

  // The minimum in a metric: null if the puzzle is proven unsolvable, undefined if nothing is proven.
  minimum(name) {
    return ownValue(this.puzzle.minima, name);
  }

  // The words for the plan: a plan is a shortest plan only if its cost is the minimum.
  get planName() {
    const minimum = this.minimum(this.metric);
    return minimum === undefined || minimum === null ? "A plan, not proven to be a shortest one" : "A shortest plan";
  }

  get shown() {
    return this.replay === null ? this.game : this.replay.game;
  }

  // -- the page ----------------------------------------------------------------------------------------

  build() {
    const { scene, title, notes, source } = this.puzzle;
    this.board = scene.board === null ? null : new BoardView(this.game, this);
    this.variables = scene.variables.length === 0 ? null : new VariablesView(this.game, this);
    this.status = element("p", { class: "status" });
    this.live = element("p", { class: "live", role: "status", "aria-live": "polite" });
    this.counters = element("table", { class: "counters" });
    this.choices = element("div", { class: "choices", role: "group", "aria-label": "which move?", hidden: true });
    this.list = element("div", { class: "moves" });
    this.more = element("details", { class: "all-moves", open: scene.board === null }, element("summary", {}, "All moves"), this.list);
    this.more.addEventListener("toggle", () => this.listMoves());
    const stage = element("div", { class: "stage" });
    if (this.board !== null) stage.append(this.board.svg);
    if (this.variables !== null) stage.append(this.variables.node);
    this.stage = stage;
    this.node = element(
      "section",
      { class: "player", "aria-label": title },
      stage,
      element("div", { class: "panel" }, this.status, this.live, this.choices, this.buttons(), this.counters, this.plan(), this.goal(), this.more),
      this.help(),
      notes || source ? element("p", { class: "about" }, notes ? bdi(notes) : "", notes && source ? " — " : "", source ? bdi(source) : "") : "",
    );
  }

  button(name, label, key, act) {
    const made = element("button", { type: "button", "data-act": name, title: `${label} (${key})`, onclick: act }, label);
    this[name + "Button"] = made;
    return made;
  }

  buttons() {
    const bar = element(
      "div",
      { class: "bar", role: "toolbar", "aria-label": "play" },
      this.button("undo", "Undo", "Backspace", () => this.undo()),
      this.button("redo", "Redo", "Shift+Backspace", () => this.redo()),
      this.button("restart", "Restart", "Home", () => this.restart()),
    );
    if (this.distances !== null || this.puzzle.plan !== null) bar.append(this.button("hint", "Hint", "?", () => this.hint()));
    return bar;
  }

  plan() {
    if (this.puzzle.plan === null) return "";
    const bar = element(
      "div",
      { class: "bar", role: "toolbar", "aria-label": "plan" },
      this.button("begin", "|◀", "the start of the plan", () => this.show(0)),
      this.button("back", "◀", "PageUp: a step back", () => this.show(this.step() - 1)),
      this.button("run", "Play plan", "Space", () => this.run()),
      this.button("next", "▶", "PageDown: a step forward", () => this.show(this.step() + 1)),
      this.button("end", "▶|", "the end of the plan", () => this.show(this.puzzle.plan.length)),
    );
    this.speed = element("input", { type: "range", min: "1", max: "10", value: "4", "aria-label": "speed" });
    this.closePlan = element("button", { type: "button", "data-act": "close", onclick: () => this.show(null), hidden: true }, "Back to my game");
    return element("details", { class: "plan" }, element("summary", {}, this.planName), bar, element("label", {}, "speed ", this.speed), this.closePlan);
  }

  goal() {
    const { goal, board } = this.puzzle.scene;
    if (goal.words.length === 0 && goal.pictures.length === 0) return "";
    const node = element("div", { class: "goal" }, element("h3", {}, "Goal"));
    for (const picture of goal.pictures) {
      const svg = svgElement("svg", { viewBox: board.box.join(" "), role: "img", "aria-label": "the position to reach" }, picture);
      node.append(svg);
    }
    if (goal.words.length) node.append(element("p", {}, goal.words.join("; ")));
    return node;
  }

  help() {
    const lines = [
      "Drag a piece, or choose a piece and then one of the marked places. The arrow keys move the chosen piece, or the only piece that can move.",
      "A letter chooses a piece. Backspace: undo, Shift+Backspace: redo, Home: restart, ?: hint, Space: play the plan, PageUp and PageDown: its steps, Esc: back.",
    ];
    return element("details", { class: "help" }, element("summary", {}, "Keys"), ...lines.map((line) => element("p", {}, line)));
  }

  // -- playing -----------------------------------------------------------------------------------------

  // End the replay of the plan, if there is one: the moves that the user sees in a replay are not moves of the game.
  resume() {
    if (this.replay === null) return false;
    this.show(null);
    return true;
  }

  play(op) {
    if (this.resume() || this.game.isSolved) return;
    const words = describe(this.game, op);
    const before = this.expected();
    this.game.play(op);
    const after = this.expected();
    this.remark = null;
    if (before !== null) {
      if (after === null) this.remark = "The puzzle cannot be solved from here.";
      else if (compared(after, before) > 0) this.remark = `That move lost ${counted(after.map((part, i) => part - before[i]), this.metric)}.`;
    }
    this.grade = 0;
    this.refresh(words);
    if (this.game.isSolved) this.won();
  }

  undo() {
    if (!this.resume() && this.game.undo()) this.changed("Undone.");
  }

  redo() {
    if (this.replay === null && this.game.redo()) this.changed("Redone.");
  }

  restart() {
    if (!this.resume() && this.game.isStarted) {
      this.game.restart();
      this.changed("At the start.");
    }
  }

  changed(words) {
    this.remark = null;
    this.grade = 0;
    this.refresh(words);
  }

  load(operators) {
    if (!this.game.load(operators)) return false;
    this.changed("");
    return true;
  }

  // The cost of the whole game if all further moves are optimal; null if the position is dead or the cost is unknown.
  expected() {
    if (this.distances === null) return null;
    const left = this.distances.still(this.game.now.state, this.game.runsOf(this.metric));
    return left === null ? null : added(this.game.total(this.metric), left);
  }

  won() {
    const total = this.game.total(this.metric);
    this.progress.keep(this.puzzle.name, this.metric, total);
    this.onChange(this);
  }

  // Let the user choose one of several moves.
  choose(operators) {
    this.choices.replaceChildren(
      ...operators.map((op, i) =>
        element("button", { type: "button", onclick: () => this.chosen(op) }, `${i + 1}. ${describe(this.game, op)}`),
      ),
    );
    this.choices.hidden = false;
    this.choices.firstChild.focus();
  }

  chosen(op) {
    this.choices.hidden = true;
    if (op !== null) this.play(op);
    this.focus();
  }

  focus() {
    (this.board === null ? this.node.querySelector("button:not([disabled])") : this.board.svg).focus({ preventScroll: true });
  }

  // -- hints -------------------------------------------------------------------------------------------

  // Give a hint in three steps: the first call shows the piece, the second shows the direction, and the third makes the
  // move.
  hint() {
    if (this.replay !== null || this.game.isSolved) return;
    const path = this.bestPath();
    if (path === null) {
      this.live.textContent = this.distances === null ? "Without the distances, the page can show only a plan from the start." : "The puzzle cannot be solved from here.";
      return;
    }
    const op = path[0];
    const piece = carrier(this.game, op);
    this.grade = Math.min(3, this.grade + 1);
    if (this.grade === 1 && piece !== null) {
      if (this.board !== null) this.board.choose(piece.id);
      this.live.textContent = `Look at ${isolated(piece.name)}.`;
    } else if (this.grade <= 2) {
      this.grade = 2;
      this.live.textContent = `Try: ${describe(this.game, op)}.`;
    } else {
      this.play(op);
    }
  }

  bestPath() {
    const { state } = this.game.now;
    if (this.distances !== null) return this.distances.best(state, this.game.runsOf(this.metric));
    const moves = this.game.moves();
    const { plan } = this.puzzle;
    const isOnPlan = plan !== null && moves.length < plan.length && moves.every((op, i) => op === plan[i]);
    return isOnPlan ? [plan[moves.length]] : null;
  }

  // -- the plan ----------------------------------------------------------------------------------------

  step() {
    return this.replay === null ? 0 : this.replay.game.moves().length;
  }

  // Show the plan after `step` steps; if `step` is null, show the game again.
  show(step) {
    if (step === null || this.replay === null || step < 0 || step > this.puzzle.plan.length) this.stop();
    if (step === null) {
      this.replay = null;
    } else {
      const game = this.replay === null ? new Game(this.puzzle) : this.replay.game;
      const timer = this.replay === null ? null : this.replay.timer;
      this.replay = { game, timer };
      const wanted = Math.max(0, Math.min(this.puzzle.plan.length, step));
      while (this.step() > wanted) game.undo();
      let words = "";
      while (this.step() < wanted) {
        const op = this.puzzle.plan[this.step()];
        words = describe(game, op);
        game.push(op);
      }
      this.planWords = words;
    }
    this.refresh(step === null ? "Your game." : `Plan, step ${this.step()} of ${this.puzzle.plan.length}. ${this.planWords}`);
  }

  run() {
    if (this.puzzle.plan === null) return;
    if (this.replay !== null && this.replay.timer !== null) {
      this.stop();
      this.refresh("Paused.");
      return;
    }
    if (this.replay === null || this.step() === this.puzzle.plan.length) this.show(0);
    this.replay.timer = setTimeout(() => this.tick(), 300);
    this.refresh();
  }

  tick() {
    if (this.replay === null || this.replay.timer === null) return;
    this.show(this.step() + 1);
    if (this.replay === null || this.step() >= this.puzzle.plan.length) this.stop();
    else this.replay.timer = setTimeout(() => this.tick(), 1600 / Number(this.speed.value));
    this.refresh();
  }

  stop() {
    if (this.replay === null) return;
    clearTimeout(this.replay.timer);
    this.replay.timer = null;
  }

  // -- output -------------------------------------------------------------------------------------------

  refresh(words = null) {
    const game = this.shown;
    for (const view of [this.board, this.variables]) {
      if (view === null) continue;
      view.game = game;
      view.show();
    }
    this.choices.hidden = true;
    this.count();
    this.listMoves();
    const solved = game.isSolved && this.replay === null;
    this.node.classList.toggle("solved", solved);
    this.status.textContent = this.sentence();
    if (words !== null) this.live.textContent = [words, this.remark].filter(Boolean).join(" ");
    this.undoButton.disabled = this.replay === null && !this.game.isStarted;
    this.redoButton.disabled = this.replay !== null || this.game.undone.length === 0;
    this.restartButton.disabled = this.undoButton.disabled;
    if (this.hintButton) this.hintButton.disabled = this.replay !== null || this.game.isSolved;
    if (this.closePlan) {
      this.closePlan.hidden = this.replay === null;
      this.runButton.textContent = this.replay !== null && this.replay.timer !== null ? "Pause" : "Play plan";
    }
    if (this.board !== null) this.board.svg.setAttribute("aria-label", this.description());
    if (this.replay === null) this.onChange(this);
  }

  sentence() {
    const game = this.shown;
    const minimum = this.minimum(this.metric);
    const total = game.total(this.metric);
    if (this.replay !== null) return `${this.planName}: step ${this.step()} of ${this.puzzle.plan.length}.`;
    if (game.isSolved) {
      const best = minimum !== undefined && minimum !== null && !isBelow([].concat(minimum), total);
      return `Solved in ${counted(total, this.metric)}${best ? ", the proven minimum" : ""}.`;
    }
    if (minimum === null) return "This puzzle is proven unsolvable.";
    if (this.distances === null) return "";
    const left = this.distances.still(game.now.state, game.runsOf(this.metric));
    return left === null ? "The puzzle cannot be solved from here: undo." : `${counted(left, this.metric)} left.`;
  }

  count() {
    const rows = this.puzzle.task.data.metrics.map((metric) => {
      const minimum = this.minimum(metric.name);
      const known = minimum === undefined ? "?" : minimum === null ? "unsolvable" : amount(minimum);
      return element(
        "tr",
        { class: metric.name === this.metric ? "main" : "" },
        element("th", { scope: "row" }, metric.name),
        element("td", { "data-metric": metric.name }, amount(this.shown.total(metric.name))),
        element("td", {}, known),
      );
    });
    this.counters.replaceChildren(
      element("tr", {}, element("td"), element("th", { scope: "col" }, "so far"), element("th", { scope: "col" }, "minimum")),
      ...rows,
    );
  }

  // Every legal move as a button, for puzzles without a board and for screen readers.
  listMoves() {
    const game = this.shown;
    if (!this.more.open || this.replay !== null || game.isSolved) {
      this.list.replaceChildren();
      return;
    }
    const at = [...this.list.children].indexOf(document.activeElement);
    this.list.replaceChildren(
      ...game.task.legal(game.now.state).map((op) =>
        element("button", { type: "button", "data-op": op, onclick: () => this.play(op) }, describe(game, op)),
      ),
    );
    if (at >= 0 && this.list.children.length) this.list.children[Math.min(at, this.list.children.length - 1)].focus();
  }

  // The board row by row, for screen readers.
  description() {
    const { rows, columns, walls } = this.puzzle.scene.board;
    const names = new Map();
    for (const piece of this.shown.now.pieces) for (const cell of this.board.covers(piece)) names.set(cell, piece.name);
    const lines = [];
    for (let row = 0; row < rows; row++) {
      const cells = [];
      for (let column = 0; column < columns; column++) {
        const cell = row * columns + column;
        cells.push(names.get(cell) || (walls.includes(cell) ? "wall" : "empty"));
      }
      lines.push(`row ${row}: ${cells.join(", ")}`);
    }
    return `${this.puzzle.title}. ${lines.join("; ")}`;
  }
}
