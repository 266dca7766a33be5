// Compares engines: adds a row for each engine when the engine finishes, and shows a chart of the times.

const STATUS_WORDS = { optimal: "proven", unsolvable: "proven unsolvable", solved: "a plan", limit: "stopped", refused: "cannot", invalid: "invalid", failed: "failed" };

class Comparing extends Panel {
  constructor(shop) {
    super(shop, "compare", "Compare", "Several engines solve the same puzzle, one after another. Their answers must agree; their times may differ.");
    this.boxes = Object.entries(shop.about.engines)
      .filter(([name]) => name !== "auto")
      .map(([name, text]) => {
        const box = element("input", { type: "checkbox", value: name, checked: ["bfs", "astar", "sat", "asp"].includes(name) });
        return { box, node: element("label", { class: "check", title: text }, box, name) };
      });
    this.limits = limitFields("compare", 20);
    this.form.append(
      element("fieldset", { class: "engines" }, element("legend", {}, "Engines"), ...this.boxes.map(({ node }) => node)),
      field("Metric", this.metric),
      ...this.limits.nodes,
      this.button,
    );
  }

  parameters() {
    return { engines: this.boxes.filter(({ box }) => box.checked).map(({ box }) => box.value), ...this.limits.values() };
  }

  messageHandlers() {
    return {
      engine: (name) => {
        this.engine = name;
        this.say(`${name}…`);
      },
      progress: (found) => this.say(`${found.engine}: ${progressWords(found)}`),
      rows: (rows) => this.rows(rows),
    };
  }

  rows(rows) {
    const head = ["Engine", "Answer", "", "Time", "Memory", "Positions"].map((text) => element("th", { scope: "col" }, text));
    const body = rows.map((row) =>
      element(
        "tr",
        { class: row.status },
        element("th", { scope: "row" }, row.engine),
        element("td", {}, (row.status !== "unsolvable" && boundWords(row)) || "–"),
        element("td", { class: "state", title: row.error || "" }, STATUS_WORDS[row.status] + (row.reason ? ` (${row.reason})` : "")),
        element("td", {}, secondsWords(row.seconds)),
        element("td", {}, row.memory === null ? "" : `${Math.round(row.memory / 2 ** 20)} MiB`),
        element("td", {}, row.states === null ? "" : row.states.toLocaleString("en-US")),
      ),
    );
    const table = element("table", { class: "engines-table" }, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body));
    this.result.replaceChildren(element("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": "answers of the engines" }, table), timeChart(rows));
  }

  answer(data) {
    this.rows(data.rows);
    const words = { decided: "All engines that answered agree.", disagreement: "The engines disagree, so at least one of them is wrong.", open: "No engine has proved the answer.", refused: "None of them supports this metric.", failed: "An engine failed.", invalid: "The puzzle cannot be compiled." };
    const good = data.verdict === "decided";
    this.result.prepend(element("p", { class: `verdict ${good ? "good" : data.verdict === "open" ? "open" : "bad"}` }, data.minimum !== null && good ? element("strong", {}, amount(data.minimum)) : "", data.minimum !== null && good ? element("span", {}, ` ${data.minimum === 1 ? singular(data.metric) : data.metric}`) : "", element("small", {}, words[data.verdict] || data.verdict)));
  }
}
