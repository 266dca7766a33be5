"""Draws random conditions, assignments and loops of rules."""

from __future__ import annotations

from tests.helpers.matrix.boards import Entry
from tests.helpers.matrix.constructs import EXPRESSIONS, TARGETS
from tests.helpers.matrix.drawer import Drawer
from tests.helpers.matrix.expressions import number, word

TESTED = ("hop", "pull")
"""The rules that are added to a puzzle if one of its expressions tests them. `pull` may test `hop`, and both may test
`one`.
"""


class Guards(Drawer):
    """Draws the parts that every kind of rule can have."""

    is_followed = False
    """Whether the puzzle is for a pair in a rule under `then`."""

    def loops(self, row: str | None) -> Entry:
        """The loops of a rule."""
        return {
            "for: list": {"i": [0, 1]},
            "for: constant": {"i": "steps"},
            "for: words": {"w": ["a", "b"]},
            "for: two loops": {"i": "range(2)", "j": [1, 2]},
        }.get(row or "", {"i": "range(n)"})

    def guard(self, rule: Entry, section: str, kind: str, context: str) -> None:
        """Add a condition and assignments with constructs that the context lacks."""
        rng, agenda = self.rng, self.agenda
        around = self.around
        if section == "moves" and kind != "action":
            is_plain = agenda.chance(rng, 0.4 if kind == "cycle" else 0.15)
            if is_plain:  # a ring with a condition is not a permutation
                return
        around.loops = rule.setdefault("for", {})
        around.rules = ["one", *TESTED]
        if section == "then" and not self.is_followed:
            around.rules += ["one", "main"]
        assigns = (
            kind == "action"
            or agenda.chance(rng, 0.55)
            or self._only(f"{context}.set")
            or self._only(context, "set")
        )
        guards = (
            agenda.chance(rng, 0.7) or self._only(f"{context}.when") or self._only(context, "when")
        )
        parts = []
        if guards:
            parts.append(self._conditions(f"{context}.when"))
        assigned: Entry = {}
        if assigns:
            assigned = self._assignments(context)
            if self._only(f"{context}.set"):
                assigned |= self._more_assignments(assigned)
        is_free = context.endswith("/once") and agenda.chance(rng, 0.6)  # `once` rules always end
        is_counted = kind == "action" or agenda.only is not None or rng.random() < 0.85
        if section == "then" and is_counted and not is_free:
            text = " and ".join(
                f"({part})" if " or " in part or " if " in part else part for part in parts
            )
            if agenda.only is None or not self._only(f"{context}.when") or kind == "action":
                parts = [f"x > 0 and {text}" if text else "x > 0"]
            else:
                parts = [f"x > 0 and {text}"]
            assigned["x"] = "x - 1"
        if assigned:
            rule["set"] = {**assigned, **rule.get("set", {})}
        if parts:
            rule["when"] = parts[0]
        if kind == "action" and not rule["set"]:
            if rule.get("wait"):
                del rule["set"]
            else:
                rule["set"] = {"y": "(y + 1) % 3"}
        if not rule["for"]:
            del rule["for"]
        around.loops = None

    def _more_assignments(self, assigned: Entry) -> Entry:
        """An assignment for each other construct on the agenda."""
        around = self.around
        free = [target for target in ("v[0]", "v[1]", "s", "y") if target not in assigned]
        return {
            target: word(around, row)
            if target == "s"
            else number(around, row, 3 if target == "y" else 2)
            for target, row in zip(free, self.agenda.more, strict=False)
        }

    def _assignments(self, context: str) -> Entry:
        rng, agenda, around = self.rng, self.agenda, self.around
        row = agenda.choose(rng, f"{context}.set", EXPRESSIONS) or "node Constant"
        form = agenda.choose(rng, f"{context}.set", TARGETS) or rng.choice(
            ["target", "target", "target[i]"]
        )
        section = context.partition(".")[0]
        plain = "y" if section == "then" or rng.random() < 0.6 else "x"
        if form == "target[i]":
            return {rng.choice(["v[0]", "v[1]"]): number(around, row, 2)}
        if form == "target[expression]":
            index = rng.choice(["1 - 0", "n - 1"])
            if around.loops is not None and rng.random() < 0.5:
                index = f"1 - {around.loop('int')}"
            return {f"v[{index}]": number(around, row, 2)}
        if form == "target for":
            value = number(around, row, 2)
            if agenda.only is None and rng.random() < 0.4:
                value = rng.choice(["1 - v[m]", "v[1 - m]", value])
            return {"v[m] for m in range(2)": value}
        if form == "target for … if":
            return {
                f"v[m] for m in range(2) if m {rng.choice(['!=', '>', '<='])} 0": number(
                    around, row, 2
                )
            }
        if form == "targets":
            return {
                plain: number(around, row, 3),
                "s": word(around, rng.choice(["compare Eq", "and", row])),
            }
        if rng.random() < 0.25:
            return {"s": word(around, row)}
        if agenda.only is None and rng.random() < 0.4:
            other = agenda.choose(rng, f"{context}.set", EXPRESSIONS) or "and"
            return {plain: number(around, row, 3), "v[0]": number(around, other, 2)}
        return {plain: number(around, row, 3)}
