"""The engines: each in its own file, all listed in one registry, and imported on first use. Other packages can add
engines.
"""

from fewest.engines.registry import DEFAULT_ENGINE, ENGINES, Engine, engine_of, solve

__all__ = ["DEFAULT_ENGINE", "ENGINES", "Engine", "engine_of", "solve"]
