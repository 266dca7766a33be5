"""The engines: one file each, listed in one registry, imported on first use; other packages can add some."""

from fewest.engines.registry import DEFAULT_ENGINE, ENGINES, Engine, engine_of, solve

__all__ = ["DEFAULT_ENGINE", "ENGINES", "Engine", "engine_of", "solve"]
