// The page as a whole: either the library, or one document, with its text on the left and its views on the right.

const FIRST = `puzzle: my-puzzle
title: My puzzle
model: sliding-blocks   # the rules; others: rush-hour, sokoban, peg-solitaire, tiles …
board: |
  #######
  #AA.BB#
  #AA.C.#
  #D..CE#
  #######
goal:
  A: {touches: right}
`;
const NEW_FILE = { ref: null, saved: null, digest: null, broken: [] }; // a document without a file
const TABS = [["text", "Text"], ["board", "Board"], ["play", "Play"], ["solve", "Solve"], ["compare", "Compare"], ["explore", "Explore"], ["workbench", "Workbench"]];

// Sends the latest text to the server shortly after each change.
class Check {
  constructor(shop) {
    this.shop = shop;
    this.timer = null;
    this.control = null;
    this.done = null; // the text that was last analysed completely
  }

  soon(pause = 90) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.run(false), pause);
  }

  now() {
    if (this.done !== this.shop.editor.text) this.soon(0);
  }

  stop() {
    clearTimeout(this.timer);
    if (this.control !== null) this.control.abort();
  }

  async run(deep) {
    clearTimeout(this.timer);
    if (this.control !== null) this.control.abort();
    const control = (this.control = new AbortController());
    const text = this.shop.editor.text;
    try {
      const answer = await query("check", { ...this.shop.parameters(), deep }, control.signal);
      if (this.shop.editor.text !== text || control !== this.control) return;
      this.shop.checked(answer, deep);
      if (deep || answer.puzzle === null) this.done = text;
      else this.timer = setTimeout(() => this.run(true), 250);
    } catch (error) {
      if (error.name !== "AbortError") this.shop.unchecked(error);
    }
  }
}

class Workshop {
  constructor(about) {
    this.about = about;
    this.file = null; // { ref, name, saved, digest, windows, broken }
    this.opening = 0; // counts the documents that were requested, because an older answer can arrive later
    this.puzzle = null;
    this.tab = "board";
    this.main = document.querySelector("#main");
    this.persistence = new Persistence(this);
    this.library = new Library((ref) => (ref === null ? this.openText("my-puzzle", FIRST) : this.openRef(ref)));
    this.build();
    document.querySelector("#theme").addEventListener("click", () => this.otherTheme());
    document.querySelector("#home").addEventListener("click", (event) => {
      event.preventDefault();
      this.close();
    });
    window.addEventListener("hashchange", () => this.follow());
    window.addEventListener("pagehide", () => this.persistence.now());
    document.addEventListener("keydown", (event) => this.press(event));
  }

  build() {
    const completion = new Completion(this.about.schema, this.about.models);
    completion.names = () => (this.puzzle === null ? [] : this.puzzle.metrics);
    const text = element("div", { class: "text" });
    this.editor = new TextEditor(text, completion, {
      changed: (changes) => this.changed(changes),
      save: () => this.persistence.save(),
      run: () => {
        this.choose("solve");
        this.panels.solve.begin();
      },
    });
    this.check = new Check(this);
    this.painter = new Painter(this.editor);
    this.playing = new Playing(this);
    this.panels = { board: this.painter, play: this.playing, solve: new Solving(this), compare: new Comparing(this), explore: new Exploring(this), workbench: new Workbench(this) };
    this.problems = element("ul", { class: "problems", "aria-label": "mistakes" });
    this.facts = element("p", { class: "facts-line" });
    this.tabs = element("div", { class: "tabs", role: "tablist" });
    this.tabs.append(
      ...TABS.map(([name, label]) => element("button", { type: "button", role: "tab", id: `tab-${name}`, "data-tab": name, "aria-controls": `panel-${name}`, onclick: () => this.choose(name) }, label)),
    );
    this.tabs.addEventListener("keydown", (event) => this.pressTab(event));
    this.views = Object.entries(this.panels).map(([name, panel]) =>
      element("div", { class: "view", role: "tabpanel", id: `panel-${name}`, "aria-labelledby": `tab-${name}`, "data-view": name }, panel.node),
    );
    this.bench = element(
      "section",
      { class: "bench" },
      element("div", { class: "left", id: "panel-text" }, text, element("div", { class: "below-text" }, this.facts, this.problems)),
      element("div", { class: "right" }, this.tabs, element("div", { class: "views" }, ...this.views)),
    );
    this.downloads = new Downloads(this);
    const acts = document.querySelector("#acts");
    this.saveButton = element("button", { type: "button", id: "save", class: "primary", title: "Ctrl+S", onclick: () => this.persistence.save() }, "Save");
    acts.append(element("button", { type: "button", id: "share", onclick: () => this.persistence.share() }, "Share"), this.downloads.node, this.saveButton);
    document.addEventListener("keydown", (event) => {
      if ((event.ctrlKey || event.metaKey) && event.key === "s" && !event.defaultPrevented && this.file !== null) {
        event.preventDefault();
        this.persistence.save();
      }
    });
  }

  // -- the document ------------------------------------------------------------------------------------

  get isOwn() {
    return this.file !== null && this.file.ref !== null && this.file.ref.startsWith("own/") && this.file.digest !== null; // a level has no digest
  }

  get isChanged() {
    return this.file !== null && this.editor.text !== this.file.saved;
  }

  stem() {
    const name = this.puzzle !== null ? this.puzzle.name : this.file.name.split("/").pop().replace(/\.[^.]*$/, "");
    return name.replace(/[^\p{L}\p{N}_-]+/gu, "-") || "puzzle";
  }

  // The text and the name of its file, as data for requests about this text.
  parameters() {
    return { text: this.editor.text, name: this.isOwn ? this.file.name : "puzzle.yaml" };
  }

  address() {
    return this.file === null || this.file.ref === null ? "#new" : "#" + encodeURI(this.file.ref);
  }

  async openRef(ref) {
    const number = ++this.opening;
    try {
      const found = await query("opened", { ref });
      if (number !== this.opening) return;
      this.open({ ...found, saved: found.text });
      history.pushState(null, "", this.address());
    } catch (error) {
      if (number !== this.opening) return;
      this.say(error.message, { hint: error.hint, kind: "bad" });
    }
  }

  // Open a text that has no file.
  openText(name, text) {
    this.open({ ...NEW_FILE, name: `${name}.yaml`, text }, { isNew: true });
    history.pushState(null, "", "#new");
  }

  open({ text, ...file }, { tab = "board", isNew = false, keeps = null } = {}) {
    this.opening += 1;
    this.persistence.now();
    this.leave();
    this.file = file;
    const draft = isNew || keeps !== null ? null : this.persistence.draft(file.ref);
    if (isNew) this.offerDraft(text);
    let shown = keeps === null ? text : keeps;
    if (draft !== null && draft.text !== text && typeof draft.text === "string") {
      shown = draft.text;
      const words = draft.of === file.saved ? "Your unsaved text was restored." : "Your unsaved text was restored, but the file has changed since then.";
      this.say(words, { act: ["Use the saved text", () => this.editor.rewrite(text)], isPersistent: draft.of !== file.saved, of: file });
    }
    this.puzzle = null;
    this.check.done = null;
    this.bench.dataset.checked = "";
    for (const name of ["solve", "compare", "explore", "workbench"]) {
      this.panels[name].result.replaceChildren();
      this.panels[name].text = null;
      this.panels[name].compareText();
      this.panels[name].metric.replaceChildren(); // another puzzle has other metrics and another default
    }
    this.main.replaceChildren(this.bench);
    document.body.classList.add("open");
    this.editor.open(shown);
    this.choose(tab);
    this.title();
    this.check.soon(0);
    this.persistence.soon();
  }

  // All unsaved documents without a file share one draft. If another text replaces the draft, offer to open it again.
  offerDraft(text) {
    const draft = this.persistence.draft(null);
    if (draft === null || typeof draft.text !== "string" || draft.text === text || draft.text === FIRST) return;
    const again = () => this.openText("my-puzzle", draft.text);
    this.say("Your last unsaved puzzle has no file.", { act: ["Open it again", again], isPersistent: true, of: this.file });
  }

  // Leave the current document: its requests and questions end.
  leave() {
    this.check.stop();
    for (const panel of Object.values(this.panels)) if (panel.leave) panel.leave();
    this.playing.clear();
    for (const toast of document.querySelectorAll("#toasts .toast")) if (toast.of !== null) toast.remove();
  }

  close() {
    this.opening += 1;
    this.persistence.now();
    this.persistence.forget();
    this.leave();
    this.file = null;
    document.body.classList.remove("open");
    document.title = "fewest";
    document.querySelector("#where").replaceChildren();
    this.main.replaceChildren(this.library.node);
    if (location.hash) history.pushState(null, "", location.pathname);
    if (this.library.groups === null) this.library.load().catch((error) => this.say(error.message, { hint: error.hint, kind: "bad" }));
    this.library.search.focus({ preventScroll: true });
  }

  // Open the document that the address of the page names; without one, show the library.
  async follow() {
    const hash = location.hash.slice(1);
    if (hash.startsWith("p=")) {
      try {
        const { name, text } = await this.persistence.shared(hash.slice(2));
        this.open({ ...NEW_FILE, name: `${name}.yaml`, text }, { isNew: true });
      } catch {
        this.close();
        this.say("This link contains no puzzle.", { kind: "bad" });
      }
    } else if (hash.startsWith("shipped/") || hash.startsWith("own/")) {
      const ref = decoded(hash);
      if (this.file !== null && this.file.ref === ref) return;
      const number = ++this.opening;
      const found = await query("opened", { ref }).catch((error) => error);
      if (number !== this.opening) return;
      if (found instanceof Error) {
        this.close();
        this.say(found.message, { hint: found.hint, kind: "bad" });
      } else this.open({ ...found, saved: found.text });
    } else if (hash === "new") {
      if (this.file === null || this.file.ref !== null) {
        const draft = this.persistence.draft(null);
        this.open({ ...NEW_FILE, name: "my-puzzle.yaml", text: draft ? draft.text : FIRST }, { isNew: true });
      }
    } else this.close();
  }

  // After a reload, show what this tab showed before; otherwise, show the document that the address of the page names.
  async begin() {
    const last = this.persistence.last();
    const address = last !== null && last.file ? (last.file.ref === null ? "#new" : "#" + encodeURI(last.file.ref)) : "";
    if (address !== "" && location.hash === address && typeof last.text === "string") {
      this.open({ ...last.file, text: last.text }, { tab: last.tab, keeps: last.text });
      history.replaceState(null, "", this.address());
    } else await this.follow();
    document.documentElement.dataset.ready = "yes";
  }

  // -- changes -----------------------------------------------------------------------------------------

  changed(changes) {
    this.painter.moved(changes);
    this.bench.dataset.checked = "";
    for (const name of ["solve", "compare", "explore", "workbench"]) this.panels[name].compareText();
    // the address is a link that still contains the old text
    if (location.hash.startsWith("#p=")) history.replaceState(null, "", this.address());
    this.check.soon();
    this.persistence.soon();
    this.title();
    if (this.tab === "play") this.playing.note.textContent = CHANGED;
  }

  checked(answer, deep) {
    const mistakes = [...this.file.broken, ...answer.mistakes];
    this.editor.underline(mistakes);
    this.painter.show(answer);
    this.puzzle = answer.puzzle;
    const about = answer.puzzle ?? answer.spec;
    const names = about === null ? [] : about.metrics;
    if (names.length) for (const name of ["solve", "compare", "explore", "workbench"]) this.panels[name].metrics(names);
    this.list(mistakes);
    this.say_(answer, mistakes);
    this.title();
    this.bench.dataset.checked = deep || answer.puzzle === null ? "all" : "first";
    if (this.tab === "play" && this.playing.player === null && answer.puzzle !== null) this.playing.show();
  }

  unchecked(error) {
    this.facts.textContent = shownText([error.message, error.hint].filter(Boolean).join(": "));
    this.facts.className = "facts-line bad";
    this.bench.dataset.checked = "all";
  }

  list(mistakes) {
    this.problems.replaceChildren(
      ...mistakes.slice(0, 50).map((one) =>
        element("li", {}, element("button", { type: "button", class: one.severity, onclick: () => this.showMistake(one) }, element("span", { class: "at" }, `${one.line}:${one.column}`), element("span", {}, bdi(one.message)), element("code", {}, one.code))),
      ),
    );
  }

  showMistake(one) {
    if (matchMedia("(max-width: 860px)").matches) this.choose("text");
    this.editor.goTo(one.from);
  }

  say_(answer, mistakes) {
    const errors = mistakes.filter((one) => one.severity === "error").length;
    const { puzzle, spec } = answer;
    const number = (n, word) => `${n.toLocaleString("en-US")} ${word}${n === 1 ? "" : "s"}`;
    this.facts.className = `facts-line ${errors ? "bad" : "good"}`;
    if (errors || puzzle === null) {
      this.facts.textContent = errors || spec === null ? number(errors, "mistake") : `a spec of boards · ${number(spec.letters, "letter")} in fill`;
      return;
    }
    const parts = [puzzle.pieces ? number(puzzle.pieces, "piece") : "", puzzle.variables ? number(puzzle.variables, "variable") : "", number(puzzle.rules.length, "rule")];
    if (puzzle.sizes) parts.push(number(puzzle.sizes.facts, "fact"), number(puzzle.sizes.operators, "move"));
    if (!puzzle.has_goal) parts.push("no goal yet");
    this.facts.textContent = parts.filter(Boolean).join(" · ");
  }

  title() {
    if (this.file === null) return;
    const name = this.puzzle !== null ? this.puzzle.title : this.file.name;
    const changed = this.isChanged;
    document.title = `${changed ? "● " : ""}${isolated(name)} – fewest`;
    const file = this.file.ref === null ? "not saved" : this.file.ref.startsWith("shipped/") ? (changed ? "a changed copy" : "ships with fewest") : this.file.name;
    document.querySelector("#where").replaceChildren(element("b", {}, bdi(name)), element("small", { class: changed ? "changed" : "" }, file));
    this.saveButton.classList.toggle("primary", changed);
  }

  // -- tabs, themes, keys ------------------------------------------------------------------------------

  choose(name) {
    if (this.panels[this.tab] && this.tab !== name && name !== "text") {
      const leaving = this.panels[this.tab];
      if (leaving instanceof Playing) leaving.leave();
    }
    this.tab = name;
    document.body.dataset.tab = name;
    for (const tab of this.tabs.children) {
      const is = tab.dataset.tab === name;
      tab.setAttribute("aria-selected", String(is));
      tab.tabIndex = is ? 0 : -1;
      if (is) tab.scrollIntoView({ block: "nearest", inline: "nearest" }); // on a small screen, the tabs scroll
    }
    for (const view of this.views) view.hidden = view.dataset.view !== name && !(name === "text" && view.dataset.view === "board");
    if (name === "play") this.playing.show();
    if (name === "text") this.editor.view.requestMeasure();
    this.persistence.soon();
  }

  pressTab(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const shown = [...this.tabs.children].filter((tab) => tab.offsetParent !== null);
    const next = shown[(shown.findIndex((tab) => tab.dataset.tab === this.tab) + step + shown.length) % shown.length];
    this.choose(next.dataset.tab);
    next.focus();
  }

  press(event) {
    const typing = event.target.closest("input, select, textarea, .cm-editor, .cells, dialog");
    if (this.file === null) {
      if (event.key === "/" && !typing) {
        event.preventDefault();
        this.library.search.focus();
      }
      return;
    }
    if (typing || event.defaultPrevented) return;
    const panel = this.panels[this.tab];
    if (panel && panel !== this.painter && panel.press && event.target.closest(".tabs") === null) panel.press(event);
  }

  otherTheme() {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem("fewest:theme", document.documentElement.dataset.theme);
    } catch {
      // without storage, the choice lasts only until the page is closed
    }
    this.library.redraw();
  }

  // -- words -------------------------------------------------------------------------------------------

  // `of`: the document to which the message belongs, if its button must not act on another document.
  say(words, { hint = "", kind = "", isPersistent = false, act = null, of = null } = {}) {
    const toast = element("div", { class: `toast ${kind}` }, element("p", {}, words, hint ? element("small", {}, hint) : ""));
    if (act !== null) {
      toast.append(
        element("button", { type: "button", onclick: () => (toast.remove(), act[1]()) }, act[0]),
      );
    }
    toast.append(element("button", { type: "button", class: "plain", "aria-label": "close", onclick: () => toast.remove() }, "✕"));
    toast.of = of;
    document.querySelector("#toasts").append(toast);
    if (!isPersistent) setTimeout(() => toast.remove(), act === null ? 5000 : 12000);
    return toast;
  }

  showLink(link) {
    const box = element("input", { type: "text", readonly: true, value: link, "aria-label": "link", id: "link" });
    const dialog = element("dialog", {}, element("p", {}, "Everyone who runs ", element("code", {}, "fewest serve"), " can open this link: it contains the whole puzzle."), box, element("div", { class: "row end" }, element("button", { type: "button", class: "primary", onclick: () => dialog.close() }, "Done")));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    box.select();
  }
}

// The text of an address; unchanged if its escape sequences are not valid.
function decoded(address) {
  try {
    return decodeURI(address);
  } catch {
    return address;
  }
}

let workshop = null;

async function beginWorkshop() {
  try {
    const theme = localStorage.getItem("fewest:theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // without storage, use the theme of the system
  }
  const about = await (await fetch("api/about")).json();
  workshop = new Workshop(about);
  await workshop.begin();
}

beginWorkshop();
