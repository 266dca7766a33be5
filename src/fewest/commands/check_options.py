"""Options for checking certificates: the checker of each section, and the extent of the audit of the grounder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from fewest.certificates.container import Budget, Certificate, RejectedError, Stream
from fewest.certificates.layer_check_input import MOST_TABLE_NUMBERS
from fewest.certificates.native import has_native_checkers
from fewest.certificates.positions import num_positions
from fewest.certificates.rules_checker import LayersHead, Verdict, check_layers, check_plan

if TYPE_CHECKING:
    from fewest.model.metric import Metric
    from fewest.model.puzzle import Puzzle

Checker = Callable[["Puzzle", "Metric", Stream, Budget], Verdict]
# if layers contain at most this many positions, the check plays all of them, at about 0.2 ms each
_PLAYED = 50_000
# if there are more positions, about this number of them are compared with the rules
_COMPARED = 10_000


@dataclass(frozen=True)
class CheckOptions:
    """The options of a check.

    `by`: the checker of `layers` and `bound` sections: the `rules`, or the operators of the grounded `task`. If `by` is
    `auto`, the rules check layers with up to 50,000 positions in total, and the task checks larger layers and all
    bounds. If the native checkers are missing or the puzzle is too large for them, the rules check everything.

    `share`: if the task checks a section, the probability with which each position is chosen for a comparison of the
    task with the rules. A share of 0 means about 10,000 positions if `by` is `auto` and the section is `layers`, and no
    comparison otherwise. `seed` seeds the random choice.
    """

    by: str = "auto"
    share: float = 0.0
    seed: int = 0
    export: Path | None = None
    """the folder to which a formula and its proof are written as text"""
    uses_external_checkers: bool = False
    """whether to also run those proof checkers by other authors that are on the PATH"""
    audit: str | int | None = None
    """the number of positions on which the task is compared with the rules if a verdict depends on the grounder:
    `auto`, `all`, `off` or a number; None: the value of FEWEST_AUDIT (`commands.audit`)
    """

    def checker(self, kind: str) -> Checker:
        """The checker for a kind of section. Raises RejectedError for an unknown kind."""
        if kind == "plan":
            return check_plan
        if kind == "invariant":
            from fewest.certificates.invariant_checker import check_invariant

            return check_invariant
        if kind == "clauses":
            return self._check_clauses
        if kind not in ("layers", "bound"):
            raise RejectedError(f"this release of fewest has no checker for the kind `{kind}`")
        if self.by == "rules" and kind == "layers":
            return check_layers
        if self.by == "rules":
            from fewest.certificates.bound_checker import check_bound_by_rules

            return check_bound_by_rules
        from fewest.certificates.task_checker import Share, check_bound, check_layers_on_task

        share = Share(self.share, self.seed) if self.share else None
        return partial(check_bound if kind == "bound" else check_layers_on_task, share=share)

    def for_section(self, certificate: Certificate, number: int, puzzle: Puzzle) -> CheckOptions:
        """The options for a section. If `by` is "auto", the checker depends on the kind of the section, on the sizes in
        its head, and on whether the native checkers are installed.

        These sizes may be wrong, but they only select the checker; no checker relies on them.
        """
        kind = certificate.header.sections[number]
        if self.by != "auto" or kind not in ("layers", "bound"):
            return self
        if not has_native_checkers():
            return replace(self, by="rules")
        stream = certificate.section(number)
        if kind == "bound":
            from fewest.certificates.potential import BoundHead

            head = stream.head(BoundHead).layers
        else:
            head = stream.head(LayersHead)
        size = sum(count for _, count in head.layers)
        if num_positions(puzzle, head.groups) > MOST_TABLE_NUMBERS:
            return replace(self, by="rules")  # the puzzle is too large for the native checkers
        if kind == "bound":
            return replace(self, by="task")
        if size <= _PLAYED:
            return replace(self, by="rules")
        return replace(self, by="task", share=self.share or _COMPARED / size)

    def _check_clauses(
        self, puzzle: Puzzle, metric: Metric, stream: Stream, budget: Budget
    ) -> Verdict:
        from fewest.certificates.clauses_checker import check_clauses

        if not self.uses_external_checkers:
            return check_clauses(puzzle, metric, stream, budget, self.export)
        from fewest.commands.external_checkers import installed, run_checker

        names = installed()
        with TemporaryDirectory() as folder:
            place = self.export or Path(folder)
            verdict = check_clauses(puzzle, metric, stream, budget, place)
            for name in names:
                run_checker(name, place, budget)
        return replace(verdict, trusts=f"{verdict.trusts} (with {' and '.join(names)})")
