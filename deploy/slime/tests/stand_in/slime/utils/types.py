"""The fields of slime's Sample that are used here, with its names and defaults."""

from dataclasses import dataclass, field
from enum import Enum


@dataclass
class Sample:
    class Status(Enum):
        PENDING = "pending"
        COMPLETED = "completed"
        TRUNCATED = "truncated"
        ABORTED = "aborted"
        FAILED = "failed"

    group_index: int = None
    index: int = None
    prompt: str = ""
    tokens: list = field(default_factory=list)
    response: str = ""
    response_length: int = 0
    label: str = None
    reward: object = None
    loss_mask: list = None
    weight_versions: list = field(default_factory=list)
    rollout_log_probs: list = None
    remove_sample: bool = False
    teacher_log_probs: list = None
    status: Status = Status.PENDING
    metadata: dict = field(default_factory=dict)
