"""The time limits of the requests that run searches."""

MOST_SECONDS = 24 * 3600.0
# the time limit of a request that runs several searches, as a multiple of the time limit of each of them
MOST_TIMES = 4
# in a comparison, the number of seconds that each engine may take in addition to its time limit: its process starts,
# compiles the puzzle, and may exceed its limit before it is ended (`commands.compare.process`)
ENGINE_SECONDS = 15.0
