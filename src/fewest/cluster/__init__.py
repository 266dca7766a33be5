"""Shards on Ray: the same native shards as on one machine, each owned by an actor (the extra `cluster`)."""
