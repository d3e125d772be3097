import math
import os
import tempfile
import unittest
from types import SimpleNamespace

from openclaw_rl_slime.door import Door, DoorError
from openclaw_rl_slime.held import held
from openclaw_rl_slime.rollout import generate_rollout
from slime.utils.types import Sample

from .stub_door import StubDoor


def sample(index, score, **more):
    return {
        "schema_version": 1,
        "index": index,
        "group_index": index,
        "prompt": None,
        "tokens": [1, 2, 3, 4, 5],
        "response": "hi",
        "response_length": 3,
        "reward": {"score": score},
        "loss_mask": [1, 1, 1],
        "rollout_log_probs": [-0.1, -0.2, -0.3],
        "weight_versions": ["7"],
        "status": "completed",
        "metadata": {"turn_id": f"t{index}"},
        **more,
    }


LEASE = "POST /v1/samples/lease"


class Rollout(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.args = SimpleNamespace(save=self.folder.name, rollout_batch_size=2, openclaw_rl_lease_s=60)

    def tearDown(self):
        self.folder.cleanup()

    def run_at(self, answers, **options):
        door = StubDoor(answers)
        os.environ.update(OPENCLAW_RL_DOOR_URL=door.url, OPENCLAW_RL_DOOR_KEY="key", OPENCLAW_RL_TRAINER_NAME="mine")
        try:
            return door, generate_rollout(self.args, 5, None, **options)
        finally:
            door.close()

    def test_a_leased_batch_becomes_groups_of_one_with_every_value_as_it_came(self):
        teacher = sample(2, -1, teacher_log_probs=[-1, -2, -3], status="truncated")
        leased = {"lease_id": "l1", "samples": [sample(1, 1), teacher]}
        door, output = self.run_at({LEASE: [{"lease_id": None, "samples": []}, leased]})
        self.assertEqual([len(group) for group in output.samples], [1, 1])
        first, second = output.samples[0][0], output.samples[1][0]
        self.assertEqual(first.tokens, [1, 2, 3, 4, 5])
        self.assertEqual(first.rollout_log_probs, [-0.1, -0.2, -0.3])
        self.assertEqual(first.reward, {"score": 1, "normalized": 1})
        self.assertEqual(first.status, Sample.Status.COMPLETED)
        self.assertTrue(all(math.isnan(value) for value in first.teacher_log_probs))
        self.assertEqual(len(first.teacher_log_probs), 3)
        self.assertEqual((second.teacher_log_probs, second.status), ([-1, -2, -3], Sample.Status.TRUNCATED))
        self.assertEqual(output.metrics, {"rollout/prm_eval_score": 0.0})
        self.assertEqual(held(self.args, 5), "l1")
        name, body, key = door.asked[0]
        self.assertEqual((name, key, len(door.asked)), (LEASE, "Bearer key", 2))
        self.assertEqual((body["max"], body["min"], body["trainer"], body["lease_ms"]), (2, 2, "mine", 60000))
        self.assertNotEqual(body["request_id"], door.asked[1][1]["request_id"])

    def test_a_batch_that_cannot_be_used_goes_back(self):
        bad = sample(1, 1, rollout_log_probs=[-0.1])
        answers = {LEASE: {"lease_id": "l1", "samples": [bad]}, "POST /v1/samples/leases/l1/nack": {}}
        with self.assertRaisesRegex(ValueError, "rollout_log_probs has 1 entries for 3 response tokens"):
            self.run_at(answers)
        with self.assertRaises(FileNotFoundError):
            held(self.args, 5)

    def test_a_refusal_says_what_the_door_said(self):
        with self.assertRaises(DoorError) as caught:
            self.run_at({LEASE: (429, {"error": {"message": "4 trainers hold leases", "code": "too_many_trainers"}})})
        self.assertEqual((caught.exception.status, caught.exception.code), (429, "too_many_trainers"))
        with self.assertRaisesRegex(DoorError, "does not answer"):
            Door("http://127.0.0.1:1").policy()

    def test_there_is_no_evaluation(self):
        with self.assertRaisesRegex(ValueError, "evaluation"):
            generate_rollout(self.args, 5, None, evaluation=True)
