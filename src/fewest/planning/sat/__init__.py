"""Bounded-horizon planning as propositional satisfiability.

    PlanningTask + Profile ─ encoding ─> clauses of one layer ─ shifted ─> CNF of h layers ─> solver

Every part of an encoding is one documented function that adds clauses about *this* layer and the next;
`encodings/sat/*.yaml` list the parts of each profile; `encodings/README.md` explains them.
"""
