// The panel that explores all positions: it shows their number and their distances, and opens the hardest start.

class Exploring extends Panel {
  constructor(shop) {
    super(shop, "explore", "Explore", "Counts all reachable positions, shows their distances to the goal, and finds the hardest start.");
    this.limits = limitFields("explore", 60);
    this.form.append(field("Metric", this.metric), ...this.limits.nodes, this.button);
  }

  parameters() {
    return this.limits.values();
  }

  answer(found) {
    const number = (n) => (n === null || n === undefined ? "?" : n.toLocaleString("en-US"));
    const facts = [
      ["positions", (found.exhausted ? "" : "≥ ") + number(found.states)],
      ["goal positions", found.has_goal ? (found.exhausted ? "" : "≥ ") + number(found.goal_states) : "no goal"],
      ["dead positions", number(found.dead)],
      ["minimum", found.minimum === null ? (found.exhausted && found.has_goal ? "unsolvable" : "?") : counted(found.minimum, found.metric)],
      ["shortest plans", found.optimal_plans === null ? "?" : largeWords(found.optimal_plans)],
      ["hardest start", found.goal_eccentricity === null ? "?" : counted(found.goal_eccentricity, found.metric)],
    ];
    const figures = element("dl", { class: "figures" }, ...facts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
    this.result.replaceChildren(figures);
    if (found.reason) this.result.prepend(element("p", { class: "verdict open" }, element("small", {}, `Stopped (${found.reason}): the figures are incomplete.`)));
    if (found.goal_distances) this.chart("Positions by their distance to the goal", found.goal_distances, found.metric, found.minimum);
    if (found.hardest !== null) {
      const open = element("button", { type: "button", class: "primary", id: "hardest", onclick: () => this.shop.openText(`${this.shop.stem()}-hardest`, found.hardest) }, `Open the hardest start: ${counted(found.goal_eccentricity, found.metric)}`);
      this.result.append(element("div", { class: "row" }, open));
    }
    this.chart("Positions by their distance from the start", found.layers, found.metric, found.minimum);
    if (found.picture) {
      const picture = element("div", { class: "graph" });
      picture.innerHTML = found.picture;
      this.result.append(picture);
    }
  }

  chart(title, rows, unit, marked) {
    this.result.append(element("figure", {}, element("figcaption", {}, title), histogram(rows, { unit, marked, label: title })));
  }
}

// A number of any size as text: all of its digits, or the first three digits and a power of ten.
function largeWords(digits) {
  if (digits.length <= 12) return Number(digits).toLocaleString("en-US");
  const raised = [...String(digits.length - 1)].map((c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]).join("");
  return `${digits[0]}.${digits.slice(1, 3)} × 10${raised}`;
}
