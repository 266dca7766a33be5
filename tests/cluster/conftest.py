"""Starts Ray nodes on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from tests.helpers.quick_stores import without_audit, without_waiting_for_the_disk  # noqa: F401

# Ray refuses processes without this token, as on a cluster that other machines can reach.
os.environ["RAY_AUTH_MODE"] = "token"
os.environ["RAY_AUTH_TOKEN"] = "of-these-tests-alone-0123456789abcdef"
# Otherwise Ray replaces 127.0.0.1 with a different address of this machine, to which the nodes are not bound.
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"


@pytest.fixture(scope="module")
def nodes() -> Iterator[object]:
    """Two nodes in addition to the head, all bound to 127.0.0.1."""
    from ray.cluster_utils import Cluster

    local = {"node_ip_address": "127.0.0.1", "object_store_memory": 100 << 20}
    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False, **local}
    )
    cluster.add_node(num_cpus=2, **local)
    cluster.add_node(num_cpus=2, **local)
    yield cluster
    cluster.shutdown()


@pytest.fixture(autouse=True)
def has_only_the_nodes_that_live(request: pytest.FixtureRequest) -> Iterator[None]:
    """After a test, wait until Ray knows which nodes the test removed; this takes up to ten seconds.

    Otherwise the next search would count a removed node, and its actors would need more processors than there are.
    """
    cluster: Any = request.getfixturevalue("nodes") if "nodes" in request.fixturenames else None
    yield
    if cluster is not None:
        cluster.wait_for_nodes(timeout=60)
