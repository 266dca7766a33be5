"""Planning tasks for bounded horizons, in which every move takes one layer, and lower bounds on the lengths of
plans.
"""
