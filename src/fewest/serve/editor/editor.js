// The parts of CodeMirror that the page uses, under one global name: `Editor`.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, startCompletion } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory } from "@codemirror/commands";
import { yamlLanguage } from "@codemirror/lang-yaml";
import { HighlightStyle, LanguageSupport, bracketMatching, foldGutter, foldKeymap, foldService, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { diagnosticCount, forEachDiagnostic, lintGutter, lintKeymap, openLintPanel, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Annotation, Compartment, EditorSelection, EditorState, Prec, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  EditorView,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

export {
  Annotation, Compartment, Decoration, EditorSelection, EditorState, EditorView, HighlightStyle, LanguageSupport, Prec,
  StateEffect, StateField, autocompletion, bracketMatching, closeBrackets, closeBracketsKeymap, completionKeymap,
  defaultKeymap, diagnosticCount, drawSelection, foldGutter, foldKeymap, foldService, forEachDiagnostic, highlightActiveLine,
  highlightActiveLineGutter, highlightSelectionMatches, highlightSpecialChars, history, historyKeymap, indentUnit,
  indentWithTab, isolateHistory, keymap, lineNumbers, lintGutter, lintKeymap, openLintPanel, search, searchKeymap,
  setDiagnostics, startCompletion, syntaxHighlighting, tags, yamlLanguage,
};
