// Plays the current text in the player of the page; the distances arrive later.

class Playing {
  constructor(shop) {
    this.shop = shop;
    this.player = null;
    this.run = null;
    this.progress = new Progress();
    this.of = null; // the text that the player contains
    this.note = element("p", { class: "note", role: "status" });
    this.place = element("div", { class: "place" });
    this.node = element("div", { class: "playing" }, this.note, this.place);
  }

  get isCurrent() {
    return this.player !== null && this.of === this.shop.editor.text;
  }

  // Play the text, starting from the position after these operators.
  show(operators = []) {
    if (this.isCurrent && operators.length === 0) return;
    if (this.isCurrent) {
      this.player.load(operators);
      return;
    }
    this.begin(operators);
  }

  begin(operators) {
    if (this.run !== null) this.run.drop();
    this.of = this.shop.editor.text;
    this.note.textContent = "Reading the puzzle…";
    let moves = operators;
    this.run = new Run("play", { ...this.shop.given(), seconds: 30 }, {
      queued: (data) => (this.note.textContent = `${queueWords(data)}: other requests come first`),
      begun: () => (this.note.textContent = "Reading the puzzle…"),
      ready: (data) => {
        this.put(data, moves);
        this.note.textContent = "Counting how far every position is from the goal…";
      },
      answer: ({ puzzle, note }) => {
        moves = this.player.game.moves();
        const at = this.player.node.contains(document.activeElement);
        this.put(puzzle, moves);
        if (at) this.player.focus();
        this.note.textContent = note;
      },
      refused: ({ message, hint }) => {
        this.note.textContent = shownText([message, hint].filter(Boolean).join(": "));
        if (this.player === null) this.of = null;
      },
    });
    this.run.start();
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
      if (this.player === null) this.of = null;
      else this.note.textContent = "";
    }
  }
}
