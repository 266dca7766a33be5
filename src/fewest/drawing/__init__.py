"""Pictures of positions. All functions are pure, and modules are imported when used."""
