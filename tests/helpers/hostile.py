"""Provides documents with control sequences for the terminal, and finds such characters in output."""

from __future__ import annotations

import unicodedata

HOSTILE = (
    "\x1b]0;owned\x07\x1b[2J\x1b[31m\x9b2J\x00\x08\r\x7f\u200f\u202e\u2066\u2028\ufeff\U000e0041"
)
_ESCAPES = "".join(f"\\U{ord(character):08x}" for character in HOSTILE)

PUZZLE = f"""\
puzzle: "hostile{_ESCAPES.replace(chr(92) + "U0000000d", "").replace(chr(92) + "U00002028", "")}"
title: "Title{_ESCAPES} 曹操 عربي\\nfake: 0 moves (proven)"
source: "Source{_ESCAPES}"
notes: "Notes{_ESCAPES}"
names: {{A: "曹{_ESCAPES}操", B: "عربي"}}
legend: {{".": floor, "x\\e": wall, "=": "ga\\u202ete"}}
terrain: {{"ga\\u202ete": {{enters: ["block\\u202e"]}}}}
pieces: {{"block\\u202e": {{letters: A-Z}}}}
moves: {{"sl\\u202eide\\e[2J": {{slide: any}}}}
variables: {{v: {{values: ["lo\\u202e\\e[2Jw", high], initial: high}}}}
metrics: {{steps: {{count: 1}}, "mo\\u202eves\\e[2J": {{count: 1}}}}
metric: "mo\\u202eves\\e[2J"
board: |
  A.B
  ...
goal: {{A: {{at: [0, 1]}}}}
"""


def obeyed(text: str) -> set[str]:
    """The characters of a text that control a terminal: control and format characters, line separators, lone
    surrogates."""
    return {
        character
        for character in text
        if character not in "\n\t\u200c\u200d"
        and unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp", "Cs")
    }
