// Fields and panels for long requests: a button starts and cancels a request, and a line shows its progress.

function field(label, control) {
  return element("label", { class: "field" }, element("span", {}, label), control);
}

function choice(id, options, chosen) {
  const node = element("select", { id });
  node.append(...options.map(([value, text]) => element("option", { value, selected: value === chosen }, text)));
  return node;
}

function limitFields(prefix, seconds) {
  const time = element("input", { type: "number", id: `${prefix}-seconds`, min: "1", max: "86400", value: String(seconds), inputmode: "numeric" });
  const memory = element("input", { type: "number", id: `${prefix}-memory`, min: "64", max: "1048576", value: "2048", inputmode: "numeric" });
  return { time, memory, nodes: [field("Seconds", time), field("MiB", memory)], values: () => ({ seconds: Number(time.value) || seconds, memory: Number(memory.value) || 2048 }) };
}

// The minimum as far as an answer proves it: its value, an upper bound (the cost of a plan), a lower bound, or nothing.
function boundWords({ status, cost, lower_bound: bound }) {
  if (status === "unsolvable") return "unsolvable";
  if (cost !== null) return status === "optimal" ? amount(cost) : `≤ ${amount(cost)}`;
  return bound === null || [].concat(bound).every((part) => part === 0) ? "" : `≥ ${amount(bound)}`;
}

class Panel {
  // `request` is the request to the server; subclasses fill `form` and define `parameters()` and `answer(data)`.
  constructor(shop, request, verb, note) {
    this.shop = shop;
    this.request = request;
    this.verb = verb;
    this.run = null;
    this.metric = choice(`${request}-metric`, [], "");
    this.button = element("button", { type: "submit", class: "primary", id: request }, verb);
    this.status = element("p", { class: "progress", role: "status", "aria-live": "polite" });
    this.meter = element("div", { class: "meter", hidden: true }, element("i"));
    this.form = element("form", { class: "fields" });
    this.result = element("div", { class: "result" });
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.run === null ? this.begin() : this.cancel();
    });
    this.text = null; // the text to which the result belongs
    this.outdated = element("p", { class: "note outdated-note", hidden: true }, "The text has changed since this request.");
    this.node = element("div", { class: "panel-of-work" }, this.form, this.meter, this.status, this.outdated, this.result);
    this.result.append(element("p", { class: "note" }, note));
  }

  // Offer the metrics of the text as soon as they are known.
  metrics(names) {
    const before = this.metric.value;
    const chosen = names.includes(before) ? before : names[0];
    this.metric.replaceChildren(...names.map((name) => element("option", { value: name, selected: name === chosen }, name)));
  }

  // Mark a result that belongs to another text.
  compareText() {
    const isOld = this.text !== null && this.text !== this.shop.editor.text;
    this.outdated.hidden = !isOld;
    this.result.classList.toggle("outdated", isOld);
    const from = this.result.querySelector("#play-from");
    if (from !== null) from.disabled = isOld; // the numbers of its moves belong to the old text
  }

  begin() {
    if (this.run !== null) this.run.drop(); // Ctrl+Enter begins again while a request is running
    this.shop.check.now();
    this.result.replaceChildren();
    this.text = this.shop.editor.text;
    this.compareText();
    this.began = performance.now();
    this.say("Starting…");
    this.run = new Run(this.request, { ...this.shop.parameters(), metric: this.metric.value || undefined, ...this.parameters() }, {
      queued: (data) => this.say(`${queueWords(data)}: the server is processing other requests`),
      begun: () => {
        this.began = performance.now();
        this.say("Starting…");
      },
      progress: (found) => this.progress(found),
      answer: (data) => {
        this.say("");
        this.answer(data);
        this.compareText();
      },
      refused: ({ message, hint }) => {
        this.say("");
        this.result.append(element("p", { class: "verdict bad" }, message, hint ? element("small", {}, hint) : ""));
      },
      ended: () => {
        this.run = null;
        this.working(false);
      },
      ...this.messageHandlers(),
    });
    this.working(true);
    this.run.start();
  }

  messageHandlers() {
    return {};
  }

  parameters() {
    return {};
  }

  working(is) {
    this.button.textContent = is ? "Cancel" : this.verb;
    this.button.classList.toggle("primary", !is);
    this.button.classList.toggle("danger", is);
    this.meter.hidden = !is;
  }

  cancel() {
    this.say("Cancelling…");
    this.run.cancel();
  }

  leave() {
    if (this.run === null) return;
    this.run.drop();
    this.run = null;
    this.say("");
    this.working(false);
  }

  progress(found) {
    this.last = progressWords(found);
    this.say(`${this.last} · ${((performance.now() - this.began) / 1000).toFixed(0)} s`);
  }

  say(words) {
    this.status.textContent = shownText(words);
  }
}

class Solving extends Panel {
  constructor(shop) {
    super(shop, "solve", "Solve", "Finds and proves the minimum, and plays the plan as an animation. Ctrl+Enter in the text also starts the search.");
    const engines = Object.keys(shop.about.engines);
    this.engine = choice("solve-engine", engines.map((name) => [name, name]), "auto");
    this.limits = limitFields("solve", 60);
    this.about = element("p", { class: "note" }, shop.about.engines.auto);
    this.engine.addEventListener("change", () => (this.about.textContent = shop.about.engines[this.engine.value]));
    this.form.append(field("Engine", this.engine), field("Metric", this.metric), ...this.limits.nodes, this.button, this.about);
  }

  parameters() {
    return { engine: this.engine.value, ...this.limits.values() };
  }

  answer(data) {
    const isProven = data.status === "optimal" || data.status === "unsolvable";
    const unit = data.cost === 1 ? singular(data.metric) : data.metric;
    const words = element("p", { class: `verdict ${isProven ? "good" : "open"}` }, element("strong", {}, boundWords(data) || "?"), element("span", {}, data.cost === null ? "" : ` ${unit}`), element("small", {}, data.summary));
    this.result.replaceChildren(words);
    this.found = data;
    if (data.puzzle === null) return;
    const puzzle = { ...data.puzzle, task: new Task(data.puzzle.task) };
    this.player = new Player(puzzle, () => this.stepped(), this.shop.playing.progress);
    const refresh = this.player.refresh.bind(this.player);
    this.player.refresh = (words_ = null) => {
      refresh(words_);
      this.stepped();
    };
    const details = this.player.node.querySelector("details.plan");
    if (details) details.open = true;
    this.moves = element("ol", { class: "plan-moves", "aria-label": "moves of the plan" });
    this.moves.append(
      ...data.moves.map(([text, step]) => element("li", {}, element("button", { type: "button", "data-step": step, onclick: () => this.player.show(step) }, text))),
    );
    const from = element("button", { type: "button", id: "play-from", onclick: () => this.playFrom() }, "Continue playing from here");
    this.result.append(this.player.node, element("div", { class: "row" }, from), element("details", { class: "list", open: data.moves.length <= 40 }, element("summary", {}, `All ${data.moves.length} moves`), this.moves));
    if (data.moves.length) this.player.show(0);
    if (data.moves.length && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.player.run();
  }

  stepped() {
    if (!this.moves) return;
    const at = this.player.step();
    const steps = this.found.moves.map(([, step]) => step);
    const now = steps.findIndex((step) => step >= at);
    [...this.moves.children].forEach((node, i) => node.firstChild.setAttribute("aria-current", String(at > 0 && i === now)));
  }

  playFrom() {
    const done = this.player.replay === null ? this.player.game.moves() : this.player.replay.game.moves();
    this.player.stop();
    this.shop.choose("play");
    this.shop.playing.begin(done);
  }

  press(event) {
    if (this.player && this.player.node.isConnected && !event.target.matches("select, input")) this.player.keys.press(event);
  }

  leave() {
    super.leave();
    if (this.player) this.player.stop();
  }
}
