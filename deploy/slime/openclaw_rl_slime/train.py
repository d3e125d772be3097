"""`python -m openclaw_rl_slime.train <slime's arguments>`: slime's own pieces around `loop.train`."""

import ray
from slime.ray.placement_group import create_placement_groups, create_rollout_manager, create_training_models
from slime.utils.arguments import parse_args

from .door import Door
from .loop import train


class Rollouts:
    def __init__(self, manager):
        self.manager = manager

    def generate(self, rollout_id):
        return ray.get(self.manager.generate.remote(rollout_id))


class Actor:
    def __init__(self, model):
        self.model = model

    def train(self, rollout_id, data):
        ray.get(self.model.async_train(rollout_id, data))

    def save(self, rollout_id):
        self.model.save_model(rollout_id)

    def update_weights(self):
        self.model.update_weights()


def add_arguments(parser):
    group = parser.add_argument_group("openclaw-rl")
    group.add_argument("--openclaw-rl-lease-s", type=float, default=600.0)
    group.add_argument("--openclaw-rl-w-rl", type=float, default=1.0)
    group.add_argument("--openclaw-rl-w-opd", type=float, default=1.0)
    group.add_argument("--openclaw-rl-method", choices=["binary", "opd", "hybrid"], default="binary")
    return parser


def main():
    args = parse_args(add_arguments)
    groups = create_placement_groups(args)
    manager, _ = create_rollout_manager(args, groups["rollout"])
    model, _ = create_training_models(args, groups, manager)
    train(args, Door.from_environment(), Rollouts(manager), Actor(model))


if __name__ == "__main__":
    main()
