from dataclasses import dataclass


@dataclass
class RolloutFnTrainOutput:
    samples: list
    metrics: dict = None
