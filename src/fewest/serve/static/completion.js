// Completions at a location in a document, based on the JSON Schema of documents.

// The path to a location (the keys from the top level down, with "[]" for an item of a list), whether a key or a value
// is expected there, and the word before the location; null if neither is expected, as in a comment.
function wantedAt(text, at) {
  const begin = text.lastIndexOf("\n", at - 1) + 1;
  const line = text.slice(begin, at);
  const word = line.match(/[\w-]*$/)[0];
  const indent = line.length - line.trimStart().length;
  const path = blockPath(text.slice(0, begin).split("\n"), indent);
  if (path === null) return null;
  const flow = flowPath(line.slice(0, line.length - word.length));
  if (flow === null) return null;
  return { path: path.concat(flow.path), expects: flow.expects, word, from: at - word.length };
}

// The keys that enclose a line with this indentation; null if the line is in a block of text.
function blockPath(lines, indent) {
  const path = [];
  let limit = indent;
  for (let i = lines.length - 1; i >= 0 && limit > 0; i--) {
    const line = lines[i];
    if (line.trim() === "" || line.trimStart().startsWith("#")) continue;
    const own = line.length - line.trimStart().length;
    if (own >= limit) continue;
    const found = line.match(/^\s*((?:- )*)("[^"]*"|'[^']*'|[^\s#:{}[\],][^:#]*):(\s|$)(.*)$/);
    const isItem = line.trimStart().startsWith("- ");
    if (found !== null && own + found[1].length < limit) {
      if (path.length === 0 && /^[|>][\d+-]*\s*(#.*)?$/.test(found[4])) return null;
      path.unshift(found[2].replace(/^["']|["']$/g, ""));
    }
    if (isItem) path.unshift("[]");
    limit = own;
  }
  return path;
}

// The path within one line, given by the key before a colon, and by maps and lists in brackets, and whether a key or a
// value is expected after it. The result is null within quotes, in a comment, and after other text.
function flowPath(line) {
  const stack = [{ kind: "map", key: null, text: "" }];
  let quote = null;
  let isItem = false;
  for (const [i, c] of [...line].entries()) {
    const top = stack[stack.length - 1];
    if (quote !== null) {
      if (c === quote) quote = null;
      top.text += c;
    } else if ((c === '"' || c === "'") && top.text.trim() === "") {
      quote = c;
      top.text += c;
    } else if (c === "#" && (i === 0 || line[i - 1] === " ")) return null;
    else if (c === "{" && top.text.trim() === "") stack.push({ kind: "map", key: null, text: "" });
    else if (c === "[" && top.text.trim() === "") stack.push({ kind: "list", key: "[]", text: "" });
    else if ((c === "}" || c === "]") && stack.length > 1) {
      stack.pop();
      stack[stack.length - 1].text = "x";
    } else if (c === "," && stack.length > 1) {
      top.text = "";
      if (top.kind === "map") top.key = null;
    } else if (c === "-" && stack.length === 1 && top.key === null && top.text.trim() === "" && line[i + 1] === " ") isItem = true;
    else if (c === ":" && top.kind === "map" && top.key === null && (line[i + 1] === " " || line[i + 1] === undefined)) {
      top.key = top.text.trim().replace(/^["']|["']$/g, "");
      top.text = "";
    } else top.text += c;
  }
  const top = stack[stack.length - 1];
  if (quote !== null || top.text.trim() !== "") return null;
  const path = stack.map((part) => part.key).filter((key) => key !== null);
  return { path: isItem ? ["[]", ...path] : path, expects: top.kind === "map" && top.key === null ? "key" : "value" };
}

class Completion {
  constructor(schema, models) {
    this.schema = schema;
    this.models = models;
    this.names = () => []; // the names of the metrics, as soon as they are known
  }

  // A schema, and all schemas to which it refers.
  open(schema, seen = new Set()) {
    if (schema === undefined || schema === null || typeof schema !== "object" || seen.has(schema)) return [];
    seen.add(schema);
    const found = [schema];
    if (schema.$ref) found.push(...this.open(this.schema.$defs[schema.$ref.split("/").pop()], seen));
    for (const part of schema.anyOf || []) found.push(...this.open(part, seen));
    return found;
  }

  at(path) {
    let schemas = this.open(this.schema);
    for (const key of path) {
      const next = [];
      for (const schema of schemas) {
        if (key === "[]") next.push(schema.items);
        else if (schema.properties && schema.properties[key]) next.push(schema.properties[key]);
        else if (typeof schema.additionalProperties === "object") next.push(schema.additionalProperties);
      }
      schemas = next.flatMap((schema) => this.open(schema));
    }
    return schemas;
  }

  options(path, expects) {
    const schemas = this.at(path);
    const found = new Map();
    if (expects === "key") {
      for (const schema of schemas) {
        for (const [key, value] of Object.entries(schema.properties || {})) {
          if (!found.has(key)) found.set(key, { label: key, type: "property", info: this.help(value), apply: `${key}: ` });
        }
      }
    } else {
      for (const schema of schemas) {
        const values = schema.enum || (schema.const !== undefined ? [schema.const] : []);
        for (const value of values) if (value !== null) found.set(String(value), { label: String(value), type: "enum" });
        if (schema.type === "boolean") for (const word of ["true", "false"]) found.set(word, { label: word, type: "enum" });
      }
      if (path.length === 1 && path[0] === "model") for (const name of this.models) found.set(name, { label: name, type: "class" });
      if (path.length === 1 && path[0] === "metric") for (const name of this.names()) found.set(name, { label: name, type: "variable" });
    }
    return [...found.values()];
  }

  help(schema) {
    const parts = this.open(schema).map((part) => part.description).filter(Boolean);
    return parts.length ? parts[0] : undefined;
  }

  // The completion source for CodeMirror.
  complete(context) {
    const place = wantedAt(context.state.doc.toString(), context.pos);
    if (place === null || (!context.explicit && place.word === "" && place.expects === "key")) return null;
    const options = this.options(place.path, place.expects);
    if (options.length === 0) return null;
    return { from: place.from, options, validFor: /^[\w-]*$/ };
  }
}
