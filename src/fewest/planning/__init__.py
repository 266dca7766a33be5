"""Every move one layer: planning tasks with bounded horizons, and what is known of their plans."""
