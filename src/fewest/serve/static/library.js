// Shows all puzzles (from the folder and from the package) as pictures. A search field filters the pictures as the user
// types.

class Library {
  constructor(open) {
    this.open = open;
    this.groups = null;
    this.search = element("input", { type: "search", placeholder: "Search puzzles…", "aria-label": "search puzzles", class: "search", oninput: () => this.filter() });
    this.chips = element("div", { class: "chips", role: "group", "aria-label": "families" });
    this.list = element("div", { class: "groups" });
    this.none = element("p", { class: "note", hidden: true }, "No puzzle has this name.");
    this.family = null;
    this.node = element(
      "section",
      { class: "library", "aria-label": "puzzles" },
      element("div", { class: "hero" }, element("h1", {}, "What is the smallest number of moves?"), element("p", {}, "Open a puzzle, or create a new one. Then change, solve and explore it.")),
      element("div", { class: "finder" }, this.search, element("button", { type: "button", class: "primary", id: "new", onclick: () => this.open(null) }, "New puzzle")),
      this.chips,
      this.list,
      this.none,
    );
    this.seen = new IntersectionObserver((entries) => entries.forEach((entry) => entry.isIntersecting && this.draw(entry.target)), { rootMargin: "300px" });
  }

  async load() {
    this.groups = await query("library", {});
    const total = this.groups.reduce((sum, group) => sum + group.entries.length, 0);
    this.search.placeholder = `Search ${total.toLocaleString("en-US")} puzzles…`;
    this.list.replaceChildren(...this.groups.map((group) => this.group(group)));
    const names = ["all", ...this.groups.map((group) => group.name)];
    this.chips.replaceChildren(
      ...names.map((name) => element("button", { type: "button", class: "chip-button", "aria-pressed": String(name === "all"), "data-family": name, onclick: () => this.choose(name === "all" ? null : name) }, name.replace(/-/g, " "))),
    );
    this.filter();
  }

  group(group) {
    const cards = element("div", { class: "cards" });
    cards.append(...group.entries.map((entry) => this.card(entry)));
    const title = group.own ? `Folder ${group.name}` : group.name.replace(/-/g, " ");
    const empty = group.entries.length === 0 ? element("p", { class: "note" }, "Nothing is saved here yet.") : "";
    return element("section", { class: "group", "data-group": group.name, "data-own": group.own }, element("h2", {}, title, element("small", {}, String(group.entries.length))), cards, empty);
  }

  card(entry) {
    const node = element(
      "button",
      { type: "button", class: `tile${entry.broken ? " broken" : ""}`, "data-ref": entry.ref, onclick: () => this.open(entry.ref) },
      element("span", { class: "thumb", "aria-hidden": "true" }),
      element("span", { class: "name" }, bdi(entry.title)),
      element("span", { class: "facts" }, entry.broken ? "has mistakes" : [entry.known, entry.model].filter(Boolean).join(" · ") || entry.name),
    );
    node.words = `${entry.title} ${entry.name} ${entry.model} ${entry.ref}`.toLowerCase();
    this.seen.observe(node);
    return node;
  }

  draw(node) {
    this.seen.unobserve(node);
    if (node.classList.contains("broken")) return;
    const theme = isDark() ? "dark" : "light";
    const picture = element("img", { alt: "", decoding: "async", src: `api/picture?ref=${encodeURIComponent(node.dataset.ref)}&theme=${theme}` });
    picture.addEventListener("error", () => picture.remove()); // the server could not draw it now
    picture.addEventListener("load", () => {
      if (picture.naturalWidth > 16) return;
      node.classList.add("broken"); // the user can open this file, but it is not a puzzle yet
      node.querySelector(".facts").textContent = "has mistakes";
      picture.remove();
    });
    node.querySelector(".thumb").replaceChildren(picture);
  }

  // Redraw the pictures in the colours of the other theme.
  redraw() {
    for (const node of this.node.querySelectorAll(".tile")) {
      node.querySelector(".thumb").replaceChildren();
      this.seen.unobserve(node);
      this.seen.observe(node);
    }
  }

  choose(family) {
    this.family = family;
    for (const chip of this.chips.children) chip.setAttribute("aria-pressed", String(chip.dataset.family === (family || "all")));
    this.filter();
  }

  filter() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const group of this.list.children) {
      const isWanted = this.family === null || group.dataset.group === this.family;
      let here = 0;
      for (const node of group.querySelectorAll(".tile")) {
        const fits = isWanted && words.every((word) => node.words.includes(word) || group.dataset.group.includes(word));
        node.hidden = !fits;
        here += fits;
      }
      group.hidden = !isWanted || (here === 0 && words.length > 0);
      shown += here;
    }
    this.none.hidden = shown > 0 || this.groups === null;
  }
}
