// Saves data as files; a menu offers the formats.

function isDark() {
  const theme = document.documentElement.dataset.theme;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function saveAs(data, name, kind) {
  const link = element("a", { href: URL.createObjectURL(new Blob([data], { type: kind })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

class Downloads {
  constructor(shop) {
    this.shop = shop;
    this.run = null;
    this.menu = element("div", { class: "menu", hidden: true, role: "menu" });
    this.button = element("button", { type: "button", id: "download", "aria-haspopup": "menu", "aria-expanded": "false", onclick: () => this.toggle() }, "Download");
    this.node = element("div", { class: "with-menu" }, this.button, this.menu);
    document.addEventListener("pointerdown", (event) => this.node.contains(event.target) || this.close());
    this.node.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        this.close();
        this.button.focus();
      }
      this.moveFocus(event);
    });
  }

  // The arrow keys, Home and End move between the entries of the open menu.
  moveFocus(event) {
    const entries = [...this.menu.children];
    const here = entries.indexOf(document.activeElement);
    const last = entries.length - 1;
    const to = { ArrowDown: here === last ? 0 : here + 1, ArrowUp: here <= 0 ? last : here - 1, Home: 0, End: last }[event.key];
    if (this.menu.hidden || to === undefined) return;
    event.preventDefault();
    entries[to].focus();
  }

  kinds() {
    const { puzzle } = this.shop;
    const list = [["yaml", "YAML", "the text as it is"]];
    if (puzzle === null) return list;
    list.push(["svg", "SVG", "a picture"]);
    if (puzzle.has_goal) list.push(["gif", "GIF", this.shop.about.gif ? "a shortest plan, animated" : "needs the extra pictures: pip install '.[pictures]'"]);
    list.push(["html", "HTML", "a page that plays it, offline"]);
    if (puzzle.is_sokoban) list.push(["xsb", "XSB", "a level for Sokoban programs"]);
    return list;
  }

  toggle() {
    if (!this.menu.hidden) {
      this.close();
      return;
    }
    this.menu.replaceChildren(
      ...this.kinds().map(([kind, name, words]) =>
        element("button", { type: "button", role: "menuitem", "data-kind": kind, onclick: () => this.take(kind) }, element("b", {}, name), element("span", {}, words)),
      ),
    );
    this.menu.hidden = false;
    this.button.setAttribute("aria-expanded", "true");
    this.menu.firstChild.focus();
  }

  close() {
    this.menu.hidden = true;
    this.button.setAttribute("aria-expanded", "false");
  }

  async take(kind) {
    this.close();
    const { shop } = this;
    const stem = shop.stem();
    const parameters = { ...shop.parameters(), theme: isDark() ? "dark" : "light" };
    if (kind === "yaml") saveAs(shop.editor.text, `${stem}.yaml`, "text/yaml");
    else if (kind === "svg" || kind === "xsb") {
      try {
        const answer = await posted("api/query/download", { ...parameters, kind });
        saveAs(await answer.blob(), `${stem}.${kind}`, kind === "svg" ? "image/svg+xml" : "text/plain");
      } catch (error) {
        shop.say(error.message, { hint: error.hint, kind: "bad" });
      }
    } else this.make(kind, parameters, stem);
  }

  make(kind, parameters, stem) {
    const { shop } = this;
    if (this.run !== null) this.run.drop();
    if (this.note) this.note.remove(); // it belongs to the dropped request
    const note = (this.note = shop.say(`Creating the ${kind === "gif" ? "animation" : "page"}…`, { stays: true, act: ["Cancel", () => this.run.cancel()] }));
    this.run = new Run(kind === "gif" ? "animation" : "page", { ...parameters, seconds: 60 }, {
      queued: (data) => (note.querySelector("p").textContent = `${queueWords(data)}: the server is processing other requests`),
      answer: (data) => saveAs(bytesOf(data), `${stem}.${kind}`, kind === "gif" ? "image/gif" : "text/html"),
      refused: (error) => shop.say(error.message, { hint: error.hint, kind: "bad" }),
      ended: () => note.remove(),
    });
    this.run.start();
  }
}
