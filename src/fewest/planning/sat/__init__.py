"""Bounded-horizon planning as propositional satisfiability.

    PlanningTask + Profile ─ encoding ─> clauses of one layer ─ shifted ─> CNF of h layers ─> solver

Every part of an encoding is one documented function, which adds clauses about *this* layer and the next one. The files
`encodings/sat/*.yaml` list the parts of each profile, and `encodings/README.md` explains the parts.
"""
