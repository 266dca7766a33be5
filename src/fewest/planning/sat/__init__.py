"""Bounded-horizon planning as propositional satisfiability.

    PlanningTask + Profile ─ encoding ─> clauses of one layer ─ shifted ─> CNF of h layers ─> solver

Most parts of an encoding are functions that add clauses about a layer and the layers after it. The files
`encodings/sat/*.yaml` list the parts of each profile, and `encodings/README.md` explains the parts.
"""
