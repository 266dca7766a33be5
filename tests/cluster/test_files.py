"""Tests of the files for clusters in `docs/how-to/clusters.md`. One machine can test only a part of these files."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import yaml

from fewest.cli.explore import command as explore
from fewest.cli.resume import command as resume
from tests.helpers.served import seconds_until_gone

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


@pytest.mark.filterwarnings("ignore")
def test_ray_accepts_the_file_for_clouds() -> None:
    pytest.importorskip("ray", reason="the extra `cluster` is not installed")
    from ray.autoscaler._private.util import prepare_config, validate_config

    validate_config(prepare_config(yaml.safe_load(CLOUD)))
    with pytest.raises(Exception, match="workers_max"):
        validate_config(prepare_config({**yaml.safe_load(CLOUD), "workers_max": 16}))


# These programs stand in for those of Slurm. All nodes of the job are on this machine.
STAND_INS = {
    "scontrol": 'echo "$3" | tr , "\\n"',
    "srun": f"""
while [[ $1 == --* ]]; do shift; done
[ "$1" = hostname ] && exec {sys.executable} -c "from ray import util; print(util.get_node_ip_address())"
echo $$ >> "$STARTED"
exec "$@" > "$STARTED.$$" 2>&1
""",
    "fewest": f'exec {sys.executable} -P -m fewest "$@"',
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_the_job_for_slurm_searches_on_its_nodes_and_resumes_on_another_number_of_nodes(
    tmp_path: Path,
) -> None:
    pytest.importorskip("ray", reason="the extra `cluster` is not installed")
    job, programs, home = (tmp_path / name for name in ("job", "programs", "home"))
    for folder in (job, programs, home):
        folder.mkdir()
    for name, text in STAND_INS.items():
        (programs / name).write_text(f"#!/bin/bash\n{text}\n")
        (programs / name).chmod(0o755)
    found = []
    for nodes in (["one", "two"], ["one"]):
        done = run_job(nodes, job, programs, home)
        assert done.returncode == 0, done.stderr
        found.append(json.loads((job / "tiles-2x3.json").read_text()))
    assert [answer["states"] for answer in found] == [360, 360]
    assert [answer["store"]["owners"] for answer in found] == [2, 1]
    token = home / ".ray" / "auth_token"
    assert token.stat().st_mode & 0o077 == 0, "only the user can read the token"


def run_job(
    nodes: list[str], folder: Path, programs: Path, home: Path
) -> subprocess.CompletedProcess[str]:
    """Run the job, with a free port, and end its nodes, as Slurm does."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        script = SLURM.replace("6379", str(free.getsockname()[1])).replace("* 48", "* 1")
    temporary = f"/tmp/fewest-ray-{os.getpid()}"  # paths of sockets must be short
    env = {
        **os.environ,
        "PATH": os.pathsep.join(
            [str(programs), str(Path(sys.executable).parent), os.environ["PATH"]]
        ),
        "HOME": str(home),
        "RAY_TMPDIR": temporary,
        "STARTED": str(folder / "started"),
        "SLURM_SUBMIT_DIR": str(folder),
        "SLURM_CPUS_PER_TASK": "1",
        "SLURM_JOB_NUM_NODES": str(len(nodes)),
        "SLURM_JOB_NODELIST": ",".join(nodes),
    }
    for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"):
        env.pop(name, None)
    try:
        return subprocess.run(
            ["bash", "-c", script, "fewest.sbatch", "tiles-2x3"],
            capture_output=True,
            text=True,
            env=env,
            cwd=folder,
            timeout=300,
            check=False,
        )
    finally:
        (started := folder / "started").touch()
        end_processes([int(line) for line in started.read_text().split()])
        started.unlink()
        shutil.rmtree(temporary, ignore_errors=True)


def end_processes(processes: list[int]) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGTERM)
    for process in processes:
        seconds_until_gone(process, most=60)
