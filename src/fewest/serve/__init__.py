"""The editor in the browser: a page that this machine serves to authors of puzzles. The extra `web`.

The server's own process reads, draws and solves no document: `worker_pool` sends requests to processes with
limits (`worker`), `guard` decides which requests are allowed, and `folder` which files may be read and written.
"""
