"""Ray (the extra `cluster`): the same native shards, each owned by an actor; independent items, each a task."""
