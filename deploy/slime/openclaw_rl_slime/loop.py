"""Rollout, training, weight update, again: with the gate closed around the update alone.

slime calls `update_weights()` after the next rollout has returned and has no hook around it, so this loop calls it itself.
"""

from .door import DoorError, KeptAlive
from .held import forget, held


class WeightsUnknown(Exception):
    """Raised when the engines do not agree on what they serve after an update."""


def put_weights_in(door, actor, lease_ids, lease_s, metrics):
    """One weight update: the gate closes, slime changes the engines, the gate opens with the next version.

    The leases are acknowledged by the commit; if anything fails before it their samples wait again.
    """
    token = door.begin_update(lease_ids, lease_s)
    try:
        with KeptAlive(lambda: door.extend_update(token, lease_s), lease_s):
            actor.update_weights()
            return door.commit_update(token, agreed_version(door.policy()), metrics)
    except BaseException as error:
        try:
            door.abort_update(token, f"{type(error).__name__}: {error}")
        except DoorError:
            # Its lease ends by itself.
            pass
        raise


def agreed_version(policy):
    """The engines' own name of the weights that all of them serve."""
    names = {engine["version"] for engine in policy["engines"] if engine["reachable"]}
    if len(names) != 1 or None in names:
        raise WeightsUnknown(f"the engines serve {sorted(str(name) for name in names)}")
    return names.pop()


def train(args, door, rollouts, actor):
    """Trains from `start_rollout_id` to `num_rollout`.

    `rollouts.generate(id)` and `actor.train(id, data)`, `actor.save(id)`, `actor.update_weights()` wait for their ends.
    """
    lease_s = args.openclaw_rl_lease_s
    # slime puts its own copy of the weights in first: from here on the engines' version is slime's count.
    put_weights_in(door, actor, [], lease_s, {})
    for rollout_id in range(args.start_rollout_id, args.num_rollout):
        data = rollouts.generate(rollout_id)
        lease_id = held(args, rollout_id)
        try:
            with KeptAlive(lambda: door.extend_lease(lease_id, lease_s), lease_s):
                actor.train(rollout_id, data)
                put_weights_in(door, actor, [lease_id], lease_s, {"rollout_id": rollout_id})
        except BaseException:
            try:
                door.give_back(lease_id)
            except DoorError:
                # It ends by itself, or it was acknowledged with the commit.
                pass
            raise
        forget(args, rollout_id)
        if args.save_interval and (rollout_id + 1) % args.save_interval == 0:
            actor.save(rollout_id)
