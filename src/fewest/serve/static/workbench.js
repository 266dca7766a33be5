// Tools for designers: they explain a puzzle, check whether its plan is unique, and search for other boards.

const BENCH = [
  ["explain", "Why can it not be solved?", "Shows a short argument if there is one; otherwise, the smallest sets of walls, pieces and rules that prevent every plan."],
  ["hard", "Why is it hard?", "Shows moves away from the goal, positions on every plan, the minimum without each piece, and measures of difficulty."],
  ["unique", "Is the plan the only one?", "Counts all optimal plans, up to the order of independent moves, and shows the positions that all of them pass through."],
  ["vary", "All boards one change away", "Adds, removes or moves one wall or piece. Each board appears as soon as it is solved."],
  ["minimize", "A smaller puzzle with the same minimum", "Removes pieces, walls, rows and columns without changing the minimum."],
  ["generate", "The hardest boards of a spec", "The text must be a spec: a board without pieces, and `fill` with the pieces that may be placed on it."],
];

const MOST_CARDS = 120; // the server sends a further board only if its rank is higher

// The first of the cards that have the lowest rank.
function lowest(cards) {
  return cards.reduce((low, card) => (Number(card.dataset.rank) < Number(low.dataset.rank) ? card : low));
}

class Workbench extends Panel {
  constructor(shop) {
    super(shop, "workbench", "Begin", "Functions for designers: they explain why a puzzle is unsolvable or hard, count its optimal plans, and find similar boards.");
    this.function = choice("workbench-function", BENCH.map(([name, text]) => [name, text]), "explain");
    this.limits = limitFields("workbench", 60);
    this.about = element("p", { class: "note" }, BENCH[0][2]);
    this.function.addEventListener("change", () => (this.about.textContent = BENCH.find(([name]) => name === this.function.value)[2]));
    this.form.append(field("Function", this.function), field("Metric", this.metric), ...this.limits.nodes, this.button, this.about);
  }

  parameters() {
    return { function: this.function.value, ...this.limits.values() };
  }

  begin() {
    super.begin();
    this.cards = element("div", { class: "boards" });
    this.result.append(this.cards);
  }

  messageHandlers() {
    return { board: (board) => this.card(board) };
  }

  // Show a board with its caption and, if its document is known, a button that opens this document.
  card(board) {
    const picture = element("div", {});
    picture.innerHTML = board.picture;
    const caption = element("figcaption", {}, board.value ? element("b", {}, bdi(board.value)) : "", board.value ? " · " : "", bdi(board.caption));
    const node = element("figure", { class: "board-card", "data-rank": String(board.rank) }, picture, caption);
    if (board.text) node.append(element("button", { type: "button", onclick: () => this.shop.openText(`${this.shop.stem()}-board`, board.text) }, "Open"));
    this.cards.append(node);
    if (this.cards.children.length > MOST_CARDS) lowest([...this.cards.children]).remove();
  }

  answer(data) {
    const words = element("p", { class: `verdict ${data.whole ? "good" : "open"}` }, element("span", {}, bdi(data.summary)));
    const report = data.lines.length ? element("pre", { class: "report" }, data.lines.join("\n")) : "";
    this.result.prepend(words, report);
    // The cards arrived in the order in which the boards were solved; sort them so that the hardest boards come first.
    const cards = [...this.cards.children];
    this.cards.append(...cards.sort((one, other) => Number(other.dataset.rank) - Number(one.dataset.rank)));
  }
}
