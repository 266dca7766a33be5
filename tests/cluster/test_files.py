"""Tests of the files for clusters in `docs/how-to/clusters.md`. One machine can test only a part of these files."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from fewest.cli.explore import command as explore
from fewest.cli.resume import command as resume

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "clusters.md"
BLOCKS = re.findall(r"```text\n(.*?)```", PAGE.read_text(), re.DOTALL)
SLURM, KUBERNETES, CLOUD, CLOUD_COMMANDS = BLOCKS[:4]  # commands for object stores follow
COMMANDS = {"explore": explore, "resume": resume}


def options_of(text: str) -> set[tuple[str, str]]:
    found = re.findall(r"fewest (explore|resume) ([^>\n']*)", text)
    return {(name, option) for name, rest in found for option in re.findall(r"--[a-z-]+", rest)}


@pytest.mark.parametrize("text", [SLURM, KUBERNETES, CLOUD_COMMANDS, PAGE.read_text()])
def test_the_commands_have_these_options(text: str) -> None:
    found = options_of(text)
    assert {option for _, option in found} >= {"--cluster", "--memory"}
    for name, option in found:
        assert any(option in parameter.opts for parameter in COMMANDS[name].params), (name, option)


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_the_job_for_slurm_is_a_script() -> None:
    done = subprocess.run(["bash", "-n"], input=SLURM, text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert SLURM.startswith("#!/bin/bash\n#SBATCH")
    # Otherwise, srun would confine each node to one processor.
    assert SLURM.index("export SRUN_CPUS_PER_TASK=") < SLURM.index("srun ")


def test_the_files_for_kubernetes_and_clouds_have_the_keys_of_ray() -> None:
    cluster = yaml.safe_load(KUBERNETES)["spec"]["rayClusterSpec"]
    # The operator also gives the token to the pod that submits the command; variables of the pods would not reach it.
    assert cluster["authOptions"] == {"mode": "token"}
    pods = [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]
    for pod in pods:
        assert "env" not in pod["template"]["spec"]["containers"][0]
    cloud = yaml.safe_load(CLOUD)
    assert cloud["head_node_type"] in cloud["available_node_types"]
    assert sum(one.get("max_workers", 0) for one in cloud["available_node_types"].values()) == 16


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_head_and_a_node_start_with_these_commands(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="the extra `cluster` is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert "ray start --head" in SLURM and "ray start --address" in SLURM
    temporary = f"/tmp/fewest-ray-{os.getpid()}"
    env = {**os.environ, "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "a-token-0123456789abcdef"}
    ray = [str(Path(sys.executable).with_name("ray")), "start", "--block", "--num-cpus=1"]
    head = ["--head", "--node-ip-address=127.0.0.1", f"--port={port}", f"--temp-dir={temporary}"]
    nodes: list[subprocess.Popen[Any]] = []
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": env}
    try:
        nodes.append(subprocess.Popen([*ray, *head, "--include-dashboard=false"], **quiet))
        call = ["explore", "tiles-2x3", "--cluster", f"127.0.0.1:{port}", "--json"]
        call += ["--checkpoint", str(tmp_path / "saved"), "--memory", "1G"]
        for _ in range(10):
            done = subprocess.run(
                [sys.executable, "-P", "-m", "fewest", *call],
                capture_output=True,
                text=True,
                env=env,
                timeout=300,
                check=False,
            )
            if done.returncode == 0:
                break
        found = json.loads(done.stdout)
        assert (found["states"], found["store"]["owners"]) == (360, 1)
    finally:
        for node in nodes:
            node.terminate()
        for node in nodes:
            node.wait(timeout=60)
        shutil.rmtree(temporary, ignore_errors=True)
