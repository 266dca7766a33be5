"""Planning tasks with bounded horizons, in which every move takes one layer, and bounds on their plans."""
