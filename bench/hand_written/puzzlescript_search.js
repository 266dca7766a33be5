// Breadth-first search in PuzzleScript's own engine: node puzzlescript_search.js FOLDER, where FOLDER is a clone of PuzzleScript.
//
// Problem: PuzzleScript has no solver; the engine only plays the game.
// Solution: load the engine without a browser, send it each key in each reached level, and compare the levels.
// Usage: the input is a game with one level. The script prints the minimum (or "none"), the number of reached states and
//   the CPU seconds of the search.
"use strict";

const fs = require("fs");
const path = require("path");
const vm = require("vm");

const FILES = [
  "storagewrapper", "bitvec", "level", "languageConstants", "globalVariables", "debug", "font", "rng", "riffwave",
  "sfxr", "codemirror/stringstream", "colorhelpers", "colors", "engine", "parser", "compiler", "soundbar",
];

// The parts of a browser that the engine uses while it loads and plays.
const element = () => ({ style: {}, innerHTML: "", textContent: "", getContext: () => null });
const ignore = () => {};
const items = new Map();
Object.assign(globalThis, {
  window: globalThis,
  localStorage: { getItem: (key) => items.get(key) ?? null, setItem: (key, value) => items.set(key, String(value)) },
  document: {
    URL: "search://",
    body: { classList: { contains: () => false }, addEventListener: ignore, removeEventListener: ignore },
    createElement: element,
    getElementById: () => null,
  },
  lastDownTarget: null,
  canvas: null,
  input: element(),
  UnitTestingThrow: (error) => { throw error; },
});
for (const name of [
  "canvasResize", "redraw", "forceRegenImages", "consolePrintFromRule", "consolePrint", "console_print_raw",
  "consoleError", "consoleCacheDump", "addToDebugTimeline", "killAudioButton", "showAudioButton",
  "regenSpriteImages", "jumpToLine", "printLevel", "playSound",
]) {
  globalThis[name] = ignore;
}

const SEARCH = `
(function (text) {
  compile(["loadLevel", 0], text, null);
  const began = process.cpuUsage();
  const key = () => level.objects.join();
  const reached = new Set([key()]);
  let layer = [backupLevel()];
  let minimum = null;
  for (let depth = 1; layer.length && minimum === null; ++depth) {
    const next = [];
    for (const before of layer) {
      for (let direction = 0; direction < 4 && minimum === null; ++direction) {
        restoreLevel(before);
        backups.length = 0;
        processInput(direction);
        while (againing) {
          againing = false;
          processInput(-1);
        }
        if (winning) minimum = depth;
        const found = key();
        if (reached.has(found)) continue;
        reached.add(found);
        next.push(backupLevel());
      }
    }
    layer = next;
  }
  const taken = process.cpuUsage(began);
  console.log(minimum ?? "none", reached.size, (taken.user + taken.system) / 1e6);
})(globalThis.gameText);
`;

globalThis.gameText = fs.readFileSync(0, "utf8");
const folder = path.join(process.argv[2], "src", "js");
const engine = FILES.map((name) => fs.readFileSync(path.join(folder, `${name}.js`), "utf8"));
vm.runInThisContext([...engine, SEARCH].join("\n;\n"), { filename: "puzzlescript" });
