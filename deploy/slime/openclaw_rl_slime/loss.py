"""The loss of the three methods: `--loss-type custom_loss --custom-loss-function-path openclaw_rl_slime.loss.loss_function`.

The mathematics are those of libs/advantage, held against the same golden numbers.
"""

import torch


def token_advantages(rewards, old_log_probs, teacher_log_probs, w_rl, w_opd):
    """A_t = w_rl * r + w_opd * (log p_teacher - log p_old), per sample. A token whose teacher log-prob is NaN has no second
    term: it is selected away, since NaN times 0 would be NaN."""
    advantages = []
    for reward, old, teacher in zip(rewards, old_log_probs, teacher_log_probs):
        difference = torch.where(torch.isnan(teacher), torch.zeros_like(old), teacher - old)
        advantages.append(w_rl * reward + w_opd * difference)
    return advantages


def policy_loss(new_log_probs, old_log_probs, advantages, eps_low, eps_high):
    """PPO's clipped loss per token, and which tokens the clip changed."""
    ratio = torch.exp(new_log_probs - old_log_probs)
    plain = -ratio * advantages
    clipped = -torch.clamp(ratio, 1 - eps_low, 1 + eps_high) * advantages
    return torch.maximum(plain, clipped), (clipped > plain).float()


def low_var_kl(log_probs, base_log_probs):
    """k3, clamped to [-10, 10]."""
    difference = log_probs - base_log_probs
    return torch.clamp(torch.exp(-difference) - 1 + difference, -10, 10)


def weights_of(args):
    """Weights of the reward and of the teacher's term by method."""
    return {
        "binary": (args.openclaw_rl_w_rl, 0.0),
        "opd": (0.0, args.openclaw_rl_w_opd),
        "hybrid": (args.openclaw_rl_w_rl, args.openclaw_rl_w_opd),
    }[args.openclaw_rl_method]


def objective(args, batch, log_probs, sum_of_sample_mean):
    """The loss of a batch from the new log-probs of its response tokens, one tensor a sample."""
    old = batch["rollout_log_probs"] if args.use_rollout_logprobs else batch["log_probs"]
    teacher = batch.get("teacher_log_probs")
    if teacher is None:
        teacher = [torch.full_like(each, float("nan")) for each in old]
    w_rl, w_opd = weights_of(args)
    advantages = torch.cat(token_advantages(batch["rewards"], old, teacher, w_rl, w_opd))
    new = torch.cat(log_probs)
    per_token, clipped = policy_loss(new, torch.cat(old), advantages, args.eps_clip, args.eps_clip_high)
    loss = sum_of_sample_mean(per_token)
    numbers = {"pg_loss": loss.clone().detach(), "pg_clipfrac": sum_of_sample_mean(clipped).clone().detach()}
    if args.kl_loss_coef != 0:
        kl = sum_of_sample_mean(low_var_kl(new, torch.cat(batch["ref_log_probs"])))
        loss = loss + args.kl_loss_coef * kl
        numbers["kl_loss"] = kl.clone().detach()
    # A rank without a token of its own still takes part in the backward pass.
    if new.numel() == 0:
        loss = loss + 0 * new.sum()
    return loss, {"loss": loss.clone().detach(), **numbers}


def loss_function(args, batch, logits, sum_of_sample_mean):
    """slime's signature for a custom loss."""
    from slime.backends.megatron_utils.loss import get_log_probs_and_entropy

    _, computed = get_log_probs_and_entropy(
        logits,
        args=args,
        unconcat_tokens=batch["unconcat_tokens"],
        total_lengths=batch["total_lengths"],
        response_lengths=batch["response_lengths"],
        with_entropy=False,
    )
    return objective(args, batch, computed["log_probs"], sum_of_sample_mean)
