"""The engines: one file each, listed in one registry, imported on first use."""

from fewest.engines.registry import DEFAULT_ENGINE, ENGINES, Engine, engine_of, solve

__all__ = ["DEFAULT_ENGINE", "ENGINES", "Engine", "engine_of", "solve"]
