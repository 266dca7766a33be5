"""The `--json` output of every command as types: `fewest schema --output NAME` shows them as JSON Schema.

The tests parse real outputs strictly as these types: an additional or missing key is an error.
"""

from __future__ import annotations

from typing import Any

import msgspec

from fewest.commands.compare.record import RunRecord
from fewest.commands.outputs.answers import (
    ExplainDeadlock,
    Explore,
    Hint,
    Level,
    Solutions,
    Solve,
    Sweep,
)
from fewest.commands.outputs.explanations import ExplainHard, ExplainPuzzle, Minimize, Vary
from fewest.commands.outputs.reports import (
    CheckedDocument,
    Compare,
    Diff,
    Error,
    Export,
    Generate,
    GenerateBest,
    GenerateIndexed,
    Listed,
    OracleBuild,
    OracleInfo,
    Prove,
    Show,
    ShowModel,
    VerifyCertificate,
    VerifyPlan,
)
from fewest.errors import UsageError, did_you_mean, listed

OUTPUTS: dict[str, Any] = {
    "solve": Solve,
    "solve-level": Level,
    "explore": Explore,
    "solutions": Solutions,
    "hint": Hint,
    "explain-deadlock": ExplainDeadlock,
    "explain": ExplainPuzzle,
    "explain-hard": ExplainHard,
    "generate": Generate,
    "minimize": Minimize,
    "vary": Vary,
    "generate-best": GenerateBest,
    "generate-index": GenerateIndexed,
    "sweep": Sweep,
    "compare": Compare,
    "compare-run": RunRecord,
    "diff": list[Diff],
    "check": list[CheckedDocument],
    "prove": Prove,
    "verify": VerifyCertificate,
    "verify-plan": VerifyPlan,
    "oracle-build": OracleBuild,
    "oracle-info": OracleInfo,
    "show": Show,
    "show-model": ShowModel,
    "list": list[Listed],
    "export": Export,
    "error": Error,
}


def output_schema(name: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a command's output. Raises UsageError for an unknown output."""
    if name not in OUTPUTS:
        hint = did_you_mean(name, OUTPUTS, listed("output", OUTPUTS, len(OUTPUTS)))
        raise UsageError(f"there is no output `{name}`", hint=hint)
    (root,), components = msgspec.json.schema_components(
        [OUTPUTS[name]], ref_template="#/$defs/{name}"
    )
    draft = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": draft, "title": f"fewest {name} --json", **root, "$defs": components}
