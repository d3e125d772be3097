"""slime's rollout function: `--rollout-function-path openclaw_rl_slime.rollout.generate_rollout`."""

from slime.rollout.base_types import RolloutFnTrainOutput
from slime.utils.types import Sample

from .door import Door, DoorError
from .held import hold
from .samples import mean_score, to_slime

WAIT_S = 60.0


def generate_rollout(args, rollout_id, data_source, evaluation=False):
    """Waits for `rollout_batch_size` samples at the door and leases them for this rollout.

    The lease is written down for the train loop, which runs in another process. Samples that cannot be used go back.
    """
    if evaluation:
        raise ValueError("evaluation has no samples of its own: leave out --eval-interval")
    door = Door.from_environment()
    leased = None
    while leased is None:
        leased = door.lease(args.rollout_batch_size, WAIT_S, args.openclaw_rl_lease_s)
    lease_id, samples = leased
    try:
        groups = [[to_slime(sample, Sample)] for sample in samples]
        hold(args, rollout_id, lease_id)
        return RolloutFnTrainOutput(samples=groups, metrics={"rollout/prm_eval_score": mean_score(samples)})
    except BaseException:
        try:
            door.give_back(lease_id)
        except DoorError:
            # It ends by itself.
            pass
        raise
