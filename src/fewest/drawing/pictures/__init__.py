"""Pictures of positions. SVG needs only the standard library; PNG and GIF need an extra."""
