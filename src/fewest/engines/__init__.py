"""The engines: one file each, one literal registry, imported when used."""

from fewest.engines.registry import DEFAULT_ENGINE, ENGINES, Engine, engine_of, solve

__all__ = ["DEFAULT_ENGINE", "ENGINES", "Engine", "engine_of", "solve"]
