"""Pictures of positions. All functions are pure, and each module is imported when it is first used."""
