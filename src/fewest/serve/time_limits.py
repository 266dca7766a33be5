"""The time limits of the requests that run searches."""

MOST_SECONDS = 24 * 3600.0
# the time limit of a request that runs several searches, as a multiple of the time limit of each of them
MOST_TIMES = 4
