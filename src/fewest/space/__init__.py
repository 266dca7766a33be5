"""The whole state space of a task as arrays: states and edges, distances, plan counts."""
