// Shows several puzzles side by side, and marks the solved puzzles; the browser stores the best costs of the user.

class Progress {
  constructor() {
    this.place = "fewest:" + document.title;
    this.known = {};
    try {
      this.known = JSON.parse(localStorage.getItem(this.place)) || {};
    } catch {
      this.known = {}; // the browser has no storage, or the stored text is damaged
    }
  }

  best(name, metric) {
    const costs = ownValue(this.known, name);
    const cost = costs ? ownValue(costs, metric) : null;
    return Array.isArray(cost) ? cost : null;
  }

  keep(name, metric, total) {
    const before = this.best(name, metric);
    if (before !== null && compared(before, total) <= 0) return;
    this.known[name] = { ...ownValue(this.known, name), [metric]: total };
    try {
      localStorage.setItem(this.place, JSON.stringify(this.known));
    } catch {
      // without storage, the record lasts only until the page is closed
    }
  }
}

class Gallery {
  constructor(index, progress, open) {
    this.index = index;
    this.progress = progress;
    this.node = element("section", { class: "gallery", "aria-label": "puzzles" });
    this.cards = index.map((entry, number) => this.card(entry, number, open));
    this.node.append(...this.cards);
    this.show();
  }

  card(entry, number, open) {
    const picture = element("div", { class: "picture", "aria-hidden": "true" });
    picture.innerHTML = entry.picture;
    const facts = [];
    if (entry.minimum !== undefined && entry.minimum !== null) facts.push(counted(entry.minimum, entry.metric));
    if (entry.positions) facts.push(counted(entry.positions, "positions"));
    const state = element("p", { class: "state" });
    return element(
      "button",
      { type: "button", class: "card", "data-name": entry.name, onclick: () => open(number) },
      picture,
      element("h2", {}, bdi(entry.title)),
      element("p", {}, facts.join(", ")),
      state,
    );
  }

  show() {
    this.index.forEach((entry, number) => {
      const best = this.progress.best(entry.name, entry.metric);
      const minimum = entry.minimum === null || entry.minimum === undefined ? null : [].concat(entry.minimum);
      const isFewest = best !== null && minimum !== null && !isBelow(minimum, best);
      // a lower cost than the minimum was stored for another puzzle of the same name
      const isOther = best !== null && minimum !== null && isBelow(best, minimum);
      const words = best === null || isOther ? "" : isFewest ? "★ solved in the fewest" : `✓ solved in ${counted(best, entry.metric)}`;
      this.cards[number].querySelector(".state").textContent = words;
    });
  }
}
