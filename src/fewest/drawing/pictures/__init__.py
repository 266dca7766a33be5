"""Pictures of positions as SVG, by the standard library alone; PNG and GIF of them with an extra."""
