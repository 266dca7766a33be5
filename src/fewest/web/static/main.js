// The page as a whole: the open puzzle and its link.

class Page {
  constructor(index, packed) {
    this.index = index;
    this.packed = packed;
    this.opened = new Map(); // the players, by the number of their puzzle
    this.opening = 0; // counts the puzzles that were chosen, because a large puzzle takes longer to unpack
    this.current = null;
    this.progress = new Progress();
    this.main = document.querySelector("main");
    this.home = document.querySelector("#home");
    this.heading = document.querySelector("h1");
    this.title = document.title;
    this.gallery = index.length > 1 ? new Gallery(index, this.progress, (number) => this.open(number)) : null;
    this.home.addEventListener("click", () => this.close());
    document.querySelector("#theme").addEventListener("click", () => this.otherTheme());
    document.addEventListener("keydown", (event) => this.current !== null && this.current.keys.press(event));
    window.addEventListener("hashchange", () => this.follow());
  }

  async open(number, operators = null) {
    const chosen = ++this.opening;
    let player = this.opened.get(number);
    if (player === undefined) {
      const data = await unpacked(this.packed[number]);
      if (chosen !== this.opening) return;
      const puzzle = { ...data, task: new Task(data.task) };
      player = new Player(puzzle, (changed) => this.store(changed), this.progress);
      this.opened.set(number, player);
    }
    if (operators !== null && !player.load(operators)) player.live.textContent = "This link belongs to another puzzle.";
    this.current = player;
    this.main.replaceChildren(player.node);
    this.home.hidden = this.gallery === null;
    this.name(player.puzzle.title);
    this.store(player);
    player.focus();
  }

  close() {
    if (this.gallery === null) return;
    this.opening += 1;
    this.current = null;
    this.name(this.title);
    this.gallery.show();
    this.main.replaceChildren(this.gallery.node);
    this.home.hidden = true;
    history.replaceState(null, "", location.pathname + location.search);
  }

  name(title) {
    this.heading.replaceChildren(bdi(title));
    document.title = shownText(title);
  }

  // Store the position in the address of the page.
  store(player) {
    if (player !== this.current) return;
    const moves = player.game.moves();
    const link = encodeURIComponent(player.puzzle.name) + (moves.length ? "=" + linkOf(moves) : "");
    this.link = "#" + link;
    if (location.hash === this.link) return;
    clearTimeout(this.later);
    try {
      history.replaceState(null, "", this.link);
    } catch {
      this.later = setTimeout(() => this.store(player), 1000); // browsers limit the number of changes in some seconds
    }
  }

  // Open the puzzle that the address of the page names.
  async follow() {
    if (location.hash === this.link && this.current !== null) return;
    const [name, link] = location.hash.slice(1).split("=");
    let number = this.index.findIndex((entry) => encodeURIComponent(entry.name) === name);
    if (number < 0 && this.gallery === null) number = 0;
    if (number < 0) this.close();
    else await this.open(number, link === undefined ? null : operatorsOf(link));
  }

  otherTheme() {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
  }
}

// The contents of deflated JSON in base64.
async function unpacked(text) {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

async function begin() {
  const packed = [...document.querySelectorAll("script.puzzle")].map((node) => node.textContent);
  const index = await unpacked(document.querySelector("#index").textContent);
  const page = new Page(index, packed);
  await page.follow();
  document.documentElement.dataset.ready = "yes";
}

if (typeof document !== "undefined") begin();
