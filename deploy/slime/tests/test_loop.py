import tempfile
import threading
import unittest
from types import SimpleNamespace

from openclaw_rl_slime.door import Door, KeptAlive
from openclaw_rl_slime.held import held, hold
from openclaw_rl_slime.loop import WeightsUnknown, put_weights_in, train

from .stub_door import StubDoor

BEGIN = "POST /v1/policy/updates"
COMMIT = "POST /v1/policy/updates/tok/commit"
ABORT = "POST /v1/policy/updates/tok/abort"
NACK = "POST /v1/samples/leases/l0/nack"


def engines(*versions):
    return {"engines": [{"url": "u", "reachable": version != "gone", "version": version} for version in versions]}


class Trainer:
    """slime's side, noting the order of what it is asked for."""

    def __init__(self, args, door, failing=None):
        self.args, self.door, self.failing = args, door, failing
        self.did = []

    def generate(self, rollout_id):
        hold(self.args, rollout_id, f"l{rollout_id}")
        self.note("generate")
        return "data"

    def train(self, rollout_id, data):
        self.note("train")

    def save(self, rollout_id):
        self.note("save")

    def update_weights(self):
        self.note("update")

    def note(self, what):
        self.did.append((what, len(self.door.asked)))
        if what == self.failing and len(self.did) > 1:
            raise RuntimeError(f"{what} failed")


class Loop(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.args = SimpleNamespace(
            save=self.folder.name, openclaw_rl_lease_s=60, start_rollout_id=0, num_rollout=1, save_interval=1
        )
        self.door = StubDoor(
            {BEGIN: {"token": "tok"}, COMMIT: {}, ABORT: {}, NACK: {}, "GET /v1/policy": engines("3", "3", "gone")}
        )

    def tearDown(self):
        self.door.close()
        self.folder.cleanup()

    def run_loop(self, failing=None):
        trainer = Trainer(self.args, self.door, failing)
        train(self.args, Door(self.door.url), trainer, trainer)
        return trainer

    def test_the_gate_is_closed_around_the_update_alone(self):
        trainer = self.run_loop()
        update = [BEGIN, "GET /v1/policy", COMMIT]
        self.assertEqual(self.door.names(), update * 2)
        self.assertEqual(trainer.did, [("update", 1), ("generate", 3), ("train", 3), ("update", 4), ("save", 6)])
        begin, commit = self.door.asked[3][1], self.door.asked[5][1]
        self.assertEqual((begin["lease_ids"], begin["trainer"]), (["l0"], "slime"))
        self.assertEqual(commit, {"engine_version": "3", "metrics": {"rollout_id": 0}})
        with self.assertRaises(FileNotFoundError):
            held(self.args, 0)

    def test_a_batch_goes_back_when_the_training_fails(self):
        with self.assertRaisesRegex(RuntimeError, "train failed"):
            self.run_loop("train")
        self.assertEqual(self.door.names()[3:], [NACK])

    def test_an_update_that_fails_is_given_up(self):
        with self.assertRaisesRegex(RuntimeError, "update failed"):
            self.run_loop("update")
        self.assertEqual(self.door.names()[3:], [BEGIN, ABORT, NACK])
        self.assertEqual(self.door.asked[4][1], {"reason": "RuntimeError: update failed"})

    def test_engines_that_differ_are_not_committed(self):
        for versions in (("3", "4"), (None,), ("gone",)):
            self.door.answers["GET /v1/policy"] = engines(*versions)
            with self.assertRaises(WeightsUnknown):
                put_weights_in(Door(self.door.url), SimpleNamespace(update_weights=lambda: None), [], 60, {})
        self.assertNotIn(COMMIT, self.door.names())

    def test_a_lease_is_extended_while_the_work_lasts(self):
        extended = threading.Event()
        with KeptAlive(extended.set, 0.03) as kept:
            self.assertTrue(extended.wait(5))
        self.assertFalse(kept.thread.is_alive())
