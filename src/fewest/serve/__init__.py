"""The editor in the browser: a page for authors of puzzles, served by this machine. It requires the extra `web`.

The server's own process does not read, draw or solve documents: `worker_pool` sends requests to processes that have
limits (`worker`). `guard` checks which requests are allowed, and `folder` checks which files may be read and written.
"""
