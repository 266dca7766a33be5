"""Planning tasks for bounded horizons, in which every move takes one layer, and bounds on the lengths of their
plans.
"""
