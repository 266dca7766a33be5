"""Pictures of positions; pure functions, imported when used."""
