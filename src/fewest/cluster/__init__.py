"""On Ray (the extra `cluster`): the native shards of one machine, each owned by an actor; items answered by tasks."""
