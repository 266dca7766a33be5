"""The parts of the independent player, each with a type of rule or condition."""
