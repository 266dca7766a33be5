// Controls a puzzle with the keyboard: letters choose pieces, arrows move pieces, and most buttons have a key.

class Keys {
  constructor(player) {
    this.player = player;
  }

  press(event) {
    const isTyping = event.target.matches("input");
    const isButton = event.target.matches("button, summary");
    const name = event.key;
    if (event.ctrlKey || event.metaKey) {
      if (name.toLowerCase() === "z") this.take(event, () => (event.shiftKey ? this.player.redo() : this.player.undo()));
      else if (name.toLowerCase() === "y") this.take(event, () => this.player.redo());
      return;
    }
    if (event.altKey || isTyping) return;
    if (!this.player.choices.hidden && (name === "Escape" || /^[1-9]$/.test(name))) {
      const button = this.player.choices.children[Number(name) - 1];
      if (name === "Escape") this.take(event, () => this.player.chosen(null));
      else if (button) this.take(event, () => button.click());
      return;
    }
    const plan = this.player.puzzle.plan;
    const acts = {
      Backspace: () => (event.shiftKey ? this.player.redo() : this.player.undo()),
      Home: () => this.player.restart(),
      "?": () => this.player.hint(),
      PageDown: plan && (() => this.player.show(Math.min(plan.length, this.player.step() + 1))),
      PageUp: plan && (() => this.player.show(Math.max(0, this.player.step() - 1))),
      Escape: () => (this.player.replay !== null ? this.player.show(null) : this.player.board && this.player.board.choose(null)),
    };
    if (plan && !isButton) acts[" "] = () => this.player.run();
    if (acts[name]) this.take(event, acts[name]);
    else if (ARROWS[name] && this.player.board !== null) this.take(event, () => this.arrow(ARROWS[name]));
    else if (name.length === 1 && !isButton && this.player.board !== null) this.letter(event, name);
  }

  take(event, act) {
    event.preventDefault();
    act();
  }

  letter(event, name) {
    const fits = this.player.game.now.pieces.filter((p) => p.label === name || p.label.toLowerCase() === name.toLowerCase());
    if (fits.length === 0) return;
    const exact = fits.filter((p) => p.label === name);
    const among = exact.length ? exact : fits;
    const at = among.findIndex((p) => p.id === this.player.board.chosen);
    const piece = among[(at + 1) % among.length];
    this.take(event, () => {
      this.player.board.choose(piece.id);
      this.player.live.textContent = `${isolated(piece.name)} ${placeOf(this.player.puzzle.scene, piece.cell)}`;
    });
  }

  arrow(offset) {
    this.player.resume();
    const piece = this.player.board.piece() || this.agent();
    if (piece === undefined) {
      this.player.live.textContent = "Choose a piece first: click it, or press its letter.";
      return;
    }
    const operators = this.player.board.along(piece, offset);
    if (operators.length === 0) this.player.live.textContent = `${isolated(piece.name)} cannot move there.`;
    else this.player.board.send(operators);
  }

  // The default piece: the piece that every move needs, or the only piece on the board.
  agent() {
    const { pieces } = this.player.game.now;
    if (this.player.puzzle.agent === undefined) {
      const { task } = this.player.game;
      const { class: classes } = task.data.facts;
      const needed = task.data.operators.true.map((facts) => new Set(facts.map((fact) => classes[fact])));
      const alone = pieces.filter((p) => pieces.filter((q) => q.classId === p.classId).length === 1);
      const found = alone.filter((p) => needed.every((set) => set.has(p.classId)));
      this.player.puzzle.agent = found.length ? found[0].classId : pieces.length === 1 ? pieces[0].classId : -1;
    }
    return pieces.find((piece) => piece.classId === this.player.puzzle.agent);
  }
}
