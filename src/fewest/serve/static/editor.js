// The text editor of the page (CodeMirror). It marks the mistakes that the server reports, and suggests the keys and
// values of the schema.

const COLOURS = Editor.HighlightStyle.define([
  { tag: Editor.tags.definition(Editor.tags.propertyName), color: "var(--key)" },
  { tag: Editor.tags.propertyName, color: "var(--key)" },
  { tag: [Editor.tags.string, Editor.tags.special(Editor.tags.string)], color: "var(--string)" },
  { tag: [Editor.tags.comment, Editor.tags.lineComment], color: "var(--faint)", fontStyle: "italic" },
  { tag: [Editor.tags.keyword, Editor.tags.bool, Editor.tags.number], color: "var(--value)" },
  { tag: [Editor.tags.punctuation, Editor.tags.separator, Editor.tags.squareBracket, Editor.tags.brace], color: "var(--faint)" },
]);
const LOOK = Editor.EditorView.theme({
  "&": { height: "100%", backgroundColor: "transparent", color: "var(--ink)", fontSize: "14px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--ink)", padding: "12px 0" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--faint)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--active)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--selection)" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--ink)", border: "1px solid var(--rule)", borderRadius: "10px", overflow: "hidden", boxShadow: "var(--shadow)" },
  ".cm-tooltip-autocomplete > ul > li": { padding: "4px 10px" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "#fff" },
  ".cm-completionInfo": { padding: "8px 12px", maxWidth: "320px" },
  ".cm-diagnostic": { padding: "8px 12px", borderLeftWidth: "4px", maxWidth: "520px" },
  ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--ink)" },
  ".cm-cell": { backgroundColor: "var(--mark)", borderRadius: "3px", outline: "1.5px solid var(--accent)" },
});

// Highlights the text of the cell under the pointer or the keyboard cursor.
const pointAt = Editor.StateEffect.define();
const pointed = Editor.StateField.define({
  create: () => Editor.Decoration.none,
  update(marks, transaction) {
    marks = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(pointAt)) {
        const span = effect.value;
        marks = span === null ? Editor.Decoration.none : Editor.Decoration.set([Editor.Decoration.mark({ class: "cm-cell" }).range(span[0], span[1])]);
      }
    }
    return marks;
  },
  provide: (field) => Editor.EditorView.decorations.from(field),
});

class TextEditor {
  // `changed(changes)` is called whenever the text changes, `save()` on Ctrl+S, and `run()` on Ctrl+Enter.
  constructor(parent, completion, { changed, save, run }) {
    this.completion = completion;
    this.handlers = { changed, save, run };
    this.view = new Editor.EditorView({ parent, state: this.state("") });
  }

  state(text) {
    const act = (name) => () => (this.handlers[name](), true);
    return Editor.EditorState.create({
      doc: text,
      extensions: [
        Editor.lineNumbers(), Editor.highlightActiveLineGutter(), Editor.highlightSpecialChars(), Editor.history(),
        Editor.foldGutter(), Editor.drawSelection(), Editor.bracketMatching(), Editor.closeBrackets(),
        Editor.highlightActiveLine(), Editor.highlightSelectionMatches(), Editor.lintGutter(), Editor.search({ top: true }),
        Editor.indentUnit.of("  "),
        new Editor.LanguageSupport(Editor.yamlLanguage),
        Editor.syntaxHighlighting(COLOURS),
        Editor.autocompletion({ override: [(context) => this.completion.complete(context)], icons: false }),
        Editor.keymap.of([
          { key: "Mod-s", run: act("save"), preventDefault: true },
          { key: "Mod-Enter", run: act("run") },
          ...Editor.closeBracketsKeymap, ...Editor.defaultKeymap, ...Editor.searchKeymap, ...Editor.historyKeymap,
          ...Editor.foldKeymap, ...Editor.completionKeymap, ...Editor.lintKeymap, Editor.indentWithTab,
        ]),
        Editor.EditorView.contentAttributes.of({ "aria-label": "the puzzle as YAML" }),
        Editor.EditorView.updateListener.of((update) => update.docChanged && this.handlers.changed(update.changes)),
        pointed,
        LOOK,
      ],
    });
  }

  get text() {
    return this.view.state.doc.toString();
  }

  // Open another document; the history of the previous document is discarded.
  open(text) {
    this.view.setState(this.state(text));
  }

  // Replace the text in a single step that can be undone.
  rewrite(text) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  replace(from, to, insert) {
    this.view.dispatch({ changes: { from, to, insert }, userEvent: "input.paint" });
  }

  point(span) {
    this.view.dispatch({ effects: pointAt.of(span) });
  }

  goTo(at) {
    this.view.dispatch({ selection: { anchor: at }, effects: Editor.EditorView.scrollIntoView(at, { y: "center" }) });
    this.view.focus();
  }

  // Underline the mistakes that the server reports; a mistake without a length gets one underlined character.
  underline(mistakes) {
    const size = this.view.state.doc.length;
    const found = mistakes.map((one) => {
      const from = Math.min(one.from, size);
      let to = Math.min(Math.max(one.to, one.from === one.to ? one.from + 1 : one.to), size);
      // the editor shows this text as a symbol, which cannot be underlined
      const isHidden = /^[\p{Cc}\p{Cf}]+$/u.test(this.view.state.sliceDoc(from, to));
      if (isHidden && this.view.state.sliceDoc(to, to + 1).trim()) to += 1;
      return { from, to, severity: one.severity, source: one.code, message: one.message, renderMessage: () => explained(one) };
    });
    this.view.dispatch(Editor.setDiagnostics(this.view.state, found));
  }
}

// The message for a mistake, with the expected value, the value that was found, and a hint, if they are known.
function explained(one) {
  const rows = [["expected", one.expected], ["found", one.found], ["hint", one.hint]].filter(([, text]) => text);
  return element(
    "div",
    { class: "mistake" },
    element("p", {}, one.message),
    ...rows.map(([name, text]) => element("p", { class: "more" }, `${name}: ${text}`)),
  );
}
