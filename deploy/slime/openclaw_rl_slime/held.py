"""Which lease belongs to which rollout: known to the rollout's process, needed by the train loop's.

Both see the folder of slime's checkpoints (`--save`), so that is where it is written down.
"""

import json
import os
from pathlib import Path


def path_of(args, rollout_id):
    return Path(args.save) / "openclaw_rl" / f"rollout-{rollout_id}.json"


def hold(args, rollout_id, lease_id):
    path = path_of(args, rollout_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps({"lease_id": lease_id}))
    os.replace(part, path)


def held(args, rollout_id):
    """The lease of a rollout. Raises FileNotFoundError where the rollout held none."""
    return json.loads(path_of(args, rollout_id).read_text())["lease_id"]


def forget(args, rollout_id):
    path_of(args, rollout_id).unlink(missing_ok=True)
