// Requests to the server: quick requests, and long requests with progress.

class Refusal extends Error {
  constructor({ message, hint, changed }) {
    super(message || "the server does not answer");
    this.hint = hint || "";
    this.isChanged = Boolean(changed);
  }
}

async function posted(path, parameters, signal) {
  let answer;
  try {
    answer = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(parameters),
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal({ message: "the server does not answer", hint: "is `fewest serve` still running?" });
  }
  const isJson = (answer.headers.get("content-type") || "").startsWith("application/json");
  if (answer.ok && !isJson) return answer;
  const content = isJson ? await answer.json() : { message: `refused (${answer.status})` };
  if (!answer.ok) throw new Refusal(content);
  if (content !== null && content.declined) throw new Refusal(content.declined);
  return content;
}

async function query(request, parameters, signal) {
  return posted(`api/query/${request}`, parameters, signal);
}

// A long request. `handlers` has a function for each kind of message: queued, begun, progress, answer, refused, …;
// `ended()` is called when the request ends, unless it was dropped.
class Run {
  constructor(request, parameters, handlers) {
    this.request = request;
    this.parameters = parameters;
    this.handlers = handlers;
    this.control = new AbortController();
    this.id = null;
    this.isOver = false;
  }

  async start() {
    let last = "";
    try {
      const answer = await posted(`api/run/${this.request}`, this.parameters, this.control.signal);
      for await (const [kind, data] of eventsOf(answer.body)) {
        last = kind;
        if (kind === "begun" || kind === "queued") this.id = data.id;
        if (this.handlers[kind]) this.handlers[kind](data);
      }
      if (last !== "answer" && last !== "refused") throw new Refusal({ message: "the connection ended before the answer" });
    } catch (error) {
      if (error.name !== "AbortError") this.handlers.refused({ message: error.message, hint: error.hint || "" });
      else this.handlers.refused({ message: "cancelled", hint: "" });
    } finally {
      this.isOver = true;
      if (this.handlers.ended) this.handlers.ended();
    }
  }

  // The solver has a short time to report the bounds that it has proved; then its process is terminated.
  cancel() {
    if (this.isOver) return;
    if (this.id === null) {
      this.control.abort();
      return;
    }
    posted("api/stop", { id: this.id }).catch(() => this.control.abort());
    setTimeout(() => this.control.abort(), 950);
  }

  // End the request because its result is no longer needed.
  drop() {
    this.handlers = { refused: () => {} };
    this.isOver = true;
    this.control.abort();
  }
}

async function* eventsOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  const parts = []; // an event can be large and arrive in many parts, so they are joined only at the end of a line
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    parts.push(value);
    if (!value.includes("\n")) continue;
    rest += parts.splice(0).join("");
    let end;
    while ((end = rest.indexOf("\n\n")) >= 0) {
      const lines = rest.slice(0, end).split("\n");
      rest = rest.slice(end + 2);
      const part = (name) => lines.find((line) => line.startsWith(name + ": ")).slice(name.length + 2);
      yield [part("event"), JSON.parse(part("data"))];
    }
  }
}

// The text for a place in the queue.
function queueWords({ place }) {
  const teens = place % 100 >= 11 && place % 100 <= 13;
  const ending = teens ? "th" : { 1: "st", 2: "nd", 3: "rd" }[place % 10] || "th";
  return `${place}${ending} in the queue`;
}

// The text for the progress of a search.
function progressWords(found) {
  const number = (n) => n.toLocaleString("en-US");
  if (found.kind === "grounding") return `compiling: ${number(found.num_operators)} moves`;
  if (found.kind === "horizon") return `at most ${number(found.horizon)} moves: ${found.verdict}`;
  if (found.kind === "trial") return `${found.what}: ${number(found.number)} of ${number(found.total)}`;
  const size = found.bytes > 2 ** 20 ? `, ${number(Math.round(found.bytes / 2 ** 20))} MiB` : "";
  return `depth ${number(found.cost)}, ${number(found.num_states)} positions${size}`;
}

function secondsWords(seconds) {
  if (seconds === null || seconds === undefined) return "";
  if (seconds < 0.001) return `${(seconds * 1e6).toFixed(0)} µs`;
  if (seconds < 1) return `${(seconds * 1000).toFixed(seconds < 0.01 ? 1 : 0)} ms`;
  return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
}
