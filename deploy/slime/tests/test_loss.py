import json
import math
import unittest
from pathlib import Path
from types import SimpleNamespace

try:
    import torch
except ImportError:
    torch = None

GOLDEN = Path(__file__).parents[3] / "libs" / "advantage" / "src" / "fixtures" / "objective.json"


def cases():
    """Golden cases without entropy, per-token reduction, dual clip or another KL than slime's: what this loss is for."""
    return [
        case
        for case in json.loads(GOLDEN.read_text())
        if case["entropyCoefficient"] == 0
        and case["reduction"] == "sample_mean"
        and case["klKind"] == "low_var_kl"
        and case["clip"]["dual"] is None
    ]


@unittest.skipIf(torch is None, "PyTorch is not installed")
class Loss(unittest.TestCase):
    def tensors(self, lists):
        return [torch.tensor(values, dtype=torch.float64) for values in lists]

    def batch_of(self, case):
        return {
            "rewards": case["rewards"],
            "log_probs": self.tensors(case["oldLogProbs"]),
            "rollout_log_probs": self.tensors(case["oldLogProbs"]),
            **({} if case["baseLogProbs"] is None else {"ref_log_probs": self.tensors(case["baseLogProbs"])}),
            **({} if case["teacherLogProbs"] is None else {"teacher_log_probs": self.tensors(case["teacherLogProbs"])}),
        }

    def args_of(self, case):
        is_hybrid = case["name"].startswith("hybrid")
        return SimpleNamespace(
            openclaw_rl_method="hybrid" if is_hybrid else "binary",
            openclaw_rl_w_rl=case["binaryWeight"],
            openclaw_rl_w_opd=case["opdWeight"],
            use_rollout_logprobs=True,
            eps_clip=case["clip"]["low"],
            eps_clip_high=case["clip"]["high"],
            kl_loss_coef=case["klCoefficient"],
        )

    def sample_mean(self, case):
        masks = self.tensors(case["masks"])

        def reduce(values):
            parts = values.split([len(mask) for mask in masks])
            return sum((part * mask).sum() / max(1.0, mask.sum().item()) for part, mask in zip(parts, masks))

        return reduce

    def test_is_what_the_golden_numbers_say(self):
        from openclaw_rl_slime.loss import objective

        chosen = cases()
        self.assertGreater(len(chosen), 8)
        for case in chosen:
            with self.subTest(case["name"]):
                new = self.tensors(case["newLogProbs"])
                loss, numbers = objective(self.args_of(case), self.batch_of(case), new, self.sample_mean(case))
                close = math.isclose(loss.item(), case["loss"], rel_tol=2e-5, abs_tol=2e-6)
                self.assertTrue(close, f"{loss.item()} is not {case['loss']}")
                self.assertEqual(numbers["loss"], loss)

    def test_advantages_are_the_golden_ones_by_token(self):
        from openclaw_rl_slime.loss import token_advantages, weights_of

        for case in cases():
            with self.subTest(case["name"]):
                old = self.tensors(case["oldLogProbs"])
                teacher = case["teacherLogProbs"]
                none = [torch.full_like(each, float("nan")) for each in old]
                given = none if teacher is None else self.tensors(teacher)
                found = token_advantages(case["rewards"], old, given, *weights_of(self.args_of(case)))
                for mine, golden in zip(found, self.tensors(case["advantages"])):
                    self.assertTrue(torch.allclose(mine, golden, rtol=2e-5, atol=2e-6))

    def test_a_sample_without_teacher_has_no_teacher_term_beside_one_that_has(self):
        from openclaw_rl_slime.loss import token_advantages

        old = self.tensors([[-1.0, -2.0], [-1.0]])
        teacher = self.tensors([[float("nan")] * 2, [-0.25]])
        with_both = token_advantages([1.0, -1.0], old, teacher, 1.0, 2.0)
        self.assertEqual([each.tolist() for each in with_both], [[1.0, 1.0], [0.5]])

    def test_the_gradient_of_a_token_without_teacher_is_a_number(self):
        from openclaw_rl_slime.loss import policy_loss, token_advantages

        new = torch.tensor([-1.0], dtype=torch.float64, requires_grad=True)
        old, teacher = self.tensors([[-1.0], [float("nan")]])
        (advantage,) = token_advantages([1.0], [old], [teacher], 1.0, 1.0)
        policy_loss(new, old, advantage, 0.2, 0.28)[0].sum().backward()
        self.assertEqual(new.grad.tolist(), [-1.0])

    def test_methods_weigh_their_terms(self):
        from openclaw_rl_slime.loss import weights_of

        args = SimpleNamespace(openclaw_rl_w_rl=0.5, openclaw_rl_w_opd=2.0)
        for name, weights in (("binary", (0.5, 0.0)), ("opd", (0.0, 2.0)), ("hybrid", (0.5, 2.0))):
            args.openclaw_rl_method = name
            self.assertEqual(weights_of(args), weights)
