"""Pictures of positions: as SVG by the standard library alone, as PNG and GIF with an extra."""
