// Charts as SVG, with bars side by side or one below another.

// A text for use between tags: a document chooses the names of its metrics freely.
function escaped(text) {
  return shownText(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

// A chart of the number of positions at each distance. `rows`: [[distance, number], …]; `marked` is the highlighted
// distance.
function histogram(rows, { unit, marked = null, label }) {
  const width = 640;
  const height = 190;
  const top = rows.reduce((most, [, count]) => Math.max(most, count), 1);
  const step = width / Math.max(rows.length, 1);
  const key = (value) => [].concat(value).join("+");
  const bars = rows.map(([distance, count], i) => {
    const tall = Math.max(1.5, (count / top) * (height - 12));
    const name = escaped(`${counted(distance, unit)}: ${count.toLocaleString("en-US")}`);
    const kind = marked !== null && key(distance) === key(marked) ? "bar marked" : "bar";
    return `<rect class="${kind}" x="${(i * step).toFixed(2)}" y="${(height - tall).toFixed(2)}" width="${Math.max(step - (step > 4 ? 1.5 : 0.2), 0.6).toFixed(2)}" height="${tall.toFixed(2)}" rx="${step > 6 ? 2 : 0}"><title>${name}</title></rect>`;
  });
  const every = Math.max(1, Math.ceil(rows.length / 10));
  const ticks = rows
    .map(([distance], i) => (i % every === 0 ? `<text x="${((i + 0.5) * step).toFixed(1)}" y="${height + 16}">${key(distance)}</text>` : ""))
    .join("");
  const inner = `${bars.join("")}<line x1="0" x2="${width}" y1="${height}" y2="${height}" class="axis"/>${ticks}`;
  return svgElement("svg", { viewBox: `0 0 ${width} ${height + 22}`, class: "chart", role: "img", "aria-label": label }, inner);
}

// The times of engines on a logarithmic scale: each grid line represents ten times the value of the line before it.
function timeChart(rows) {
  const timed = rows.filter((row) => row.seconds !== null && row.seconds > 0);
  if (timed.length === 0) return element("div");
  const low = Math.floor(Math.log10(Math.min(...timed.map((row) => row.seconds))));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...timed.map((row) => row.seconds)))));
  const [left, width, tall] = [120, 640, 30];
  const x = (seconds) => left + ((Math.log10(seconds) - low) / (high - low)) * (width - left - 76);
  const height = timed.length * tall;
  let inner = "";
  for (let power = low; power <= high; power++) {
    const at = x(10 ** power).toFixed(1);
    inner += `<line class="grid" x1="${at}" x2="${at}" y1="0" y2="${height}"/><text x="${at}" y="${height + 16}">${power < 0 ? secondsWords(10 ** power).replace(".0", "") : `${10 ** power} s`}</text>`;
  }
  timed.forEach((row, i) => {
    const y = i * tall + 5;
    const kind = row.status === "optimal" || row.status === "unsolvable" ? "bar" : "bar open";
    const end = Math.max(x(row.seconds), left + 3);
    inner += `<text class="name" x="${left - 10}" y="${y + 15}">${row.engine}</text><rect class="${kind}" x="${left}" y="${y}" width="${(end - left).toFixed(1)}" height="${tall - 10}" rx="4"/><text class="value" x="${(end + 8).toFixed(1)}" y="${y + 15}">${secondsWords(row.seconds)}</text>`;
  });
  return svgElement("svg", { viewBox: `0 0 ${width} ${height + 22}`, class: "chart times", role: "img", "aria-label": "time of each engine" }, inner);
}
