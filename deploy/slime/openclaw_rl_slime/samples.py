"""The door's samples as slime's."""

import math

NAN = float("nan")


def to_slime(sample, sample_class):
    """One of the door's samples as slime's `Sample`, every value as it came.

    slime decides by the first sample of a batch whether a batch has teacher log-probs. A sample without them gets NaN for
    every token, which the loss selects away. Its reward has two keys: `score`, and `normalized`, which is trained on: the door
    has compared integrated rewards within the lease.
    """
    length = sample["response_length"]
    teacher = sample.get("teacher_log_probs")
    built = sample_class(
        index=sample["index"],
        group_index=sample["group_index"],
        prompt="",
        tokens=list(sample["tokens"]),
        response=sample["response"],
        response_length=length,
        reward={**sample["reward"], "normalized": sample.get("normalized_reward", sample["reward"]["score"])},
        loss_mask=list(sample["loss_mask"]),
        rollout_log_probs=list(sample["rollout_log_probs"]),
        weight_versions=list(sample["weight_versions"]),
        status=sample_class.Status(sample["status"]),
        metadata=dict(sample["metadata"]),
    )
    built.teacher_log_probs = [NAN] * length if teacher is None else list(teacher)
    for name in ("loss_mask", "rollout_log_probs", "teacher_log_probs"):
        found = len(getattr(built, name))
        if found != length:
            raise ValueError(f"sample {sample['index']}: {name} has {found} entries for {length} response tokens")
    return built


def mean_score(samples):
    """Mean of the judge's scores; None where there is none."""
    scores = [sample["reward"]["score"] for sample in samples]
    return math.fsum(scores) / len(scores) if scores else None
