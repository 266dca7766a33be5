// Plays the current text in the player of the page; the distances arrive later.

const CHANGED = "The text has changed: choose Play again to play it as it is now.";

class Playing {
  constructor(shop) {
    this.shop = shop;
    this.player = null;
    this.run = null;
    this.progress = new Progress();
    this.of = null; // the text that the player contains
    this.wanted = null; // the text of the request that is running
    this.isWhole = false; // whether the player has all data, such as the distances
    this.note = element("p", { class: "note", role: "status" });
    this.place = element("div", { class: "place" });
    this.node = element("div", { class: "playing" }, this.note, this.place);
  }

  get isCurrent() {
    return this.player !== null && this.of === this.shop.editor.text;
  }

  // Play the current text; a game that is already under way continues.
  show() {
    if (this.wanted === this.shop.editor.text) return;
    if (!this.isCurrent || !this.isWhole) this.begin();
  }

  // Request the data of the current text, and play on from the position after these operators. Without operators, a
  // game of this text continues.
  begin(operators = null) {
    if (this.run !== null) this.run.drop();
    const text = (this.wanted = this.shop.editor.text);
    this.note.textContent = "Reading the puzzle…";
    this.run = new Run("play", { ...this.shop.parameters(), seconds: 30 }, {
      queued: (data) => (this.note.textContent = `${queueWords(data)}: the server is processing other requests`),
      begun: () => (this.note.textContent = "Reading the puzzle…"),
      ready: (data) => {
        if (operators !== null || this.of !== text) this.put(data, operators || []);
        this.of = text;
        this.isWhole = false;
        this.tell(text, "Computing the distance of every position to the goal…");
      },
      answer: ({ puzzle, note }) => {
        const { undone } = this.player.game;
        const at = this.player.node.contains(document.activeElement);
        this.put(puzzle, this.player.game.moves());
        this.player.game.undone = undone;
        this.player.refresh();
        if (at) this.player.focus();
        this.isWhole = true;
        this.tell(text, note);
      },
      refused: ({ message, hint }) => {
        if (this.of !== text) this.clear(); // otherwise, the player of another text would remain
        this.isWhole = true; // another request would be refused, too
        this.note.textContent = shownText([message, hint].filter(Boolean).join(": "));
      },
      ended: () => (this.wanted = null),
    });
    this.run.start();
  }

  // Show a note about a text, unless this text has changed.
  tell(text, note) {
    this.note.textContent = text === this.shop.editor.text ? note : CHANGED;
  }

  put(data, moves) {
    this.player = new Player({ ...data, task: new Task(data.task) }, () => {}, this.progress);
    if (moves.length) this.player.load(moves);
    this.place.replaceChildren(this.player.node);
  }

  press(event) {
    if (this.player !== null) this.player.keys.press(event);
  }

  leave() {
    if (this.run !== null && !this.run.isOver) {
      this.run.drop();
      this.wanted = null;
      this.note.textContent = "";
    }
  }

  // Remove the player, for example because it belongs to another text.
  clear() {
    this.player = null;
    this.of = null;
    this.place.replaceChildren();
  }
}
