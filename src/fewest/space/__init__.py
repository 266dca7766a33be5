"""Represents the state space of a task: states and edges as arrays, numberings of states, distances, and graphs of
plans.
"""
