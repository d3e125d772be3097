import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).parent.parent / "run_qwen3_4b.sh"

# Notes what it was called with; converting makes the folder that it is told to.
PYTHON = """#!/bin/sh
echo "$PYTHONPATH|$*" >>"$CALLS"
case "$*" in *convert_hf*) converts=yes ;; *) converts=no ;; esac
while [ $# -gt 0 ]; do
  if [ "$converts $1" = "yes --save" ]; then mkdir -p "$2"; fi
  shift
done
"""


class Run(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)
        for path, text in {
            "bin/python3": PYTHON,
            "slime/scripts/models/qwen3-4B.sh": "MODEL_ARGS=(--num-layers 36)",
        }.items():
            file = self.folder / path
            file.parent.mkdir(parents=True)
            file.write_text(text)
            file.chmod(0o755)

    def tearDown(self):
        self.temporary.cleanup()

    def run_script(self, *arguments, **variables):
        """Each call of python3, as (its PYTHONPATH, its words)."""
        calls = self.folder / "calls"
        env = {
            "PATH": f"{self.folder}/bin:{os.environ['PATH']}",
            "CALLS": str(calls),
            "MODEL": "/models/m",
            "REF": str(self.folder / "ref"),
            "SAVE": "/run/save",
            "SLIME": str(self.folder / "slime"),
            **variables,
        }
        subprocess.run([SCRIPT, *arguments], env=env, check=True, capture_output=True)
        return [(path, words.split()) for path, words in (line.split("|") for line in calls.read_text().splitlines())]

    def test_starts_engines_of_its_own(self):
        [(path, words)] = self.run_script("--lr", "2e-6")
        self.assertEqual(words[:4], ["-m", "openclaw_rl_slime.train", "--num-layers", "36"])
        self.assertEqual(words[-2:], ["--lr", "2e-6"])
        self.assertEqual(words[words.index("--rollout-num-gpus") + 1], "2")
        self.assertNotIn("--rollout-external-engine-addrs", words)
        self.assertTrue(path.startswith(f"{SCRIPT.parent}:{self.folder}/slime:"))

    def test_has_running_engines_read_new_weights_from_a_folder(self):
        [(_, words)] = self.run_script(ENGINES="a:8000 b:8000", UPDATES="/run/updates")
        at = words.index("--rollout-external-engine-addrs")
        self.assertEqual(words[at + 1 : at + 3], ["a:8000", "b:8000"])
        self.assertEqual(words[words.index("--update-weight-transport") + 1], "disk")
        self.assertEqual(words[words.index("--update-weight-disk-dir") + 1], "/run/updates")
        self.assertNotIn("--rollout-num-gpus", words)

    def test_demands_the_folder_of_running_engines(self):
        with self.assertRaises(subprocess.CalledProcessError) as caught:
            self.run_script(ENGINES="a:8000")
        self.assertIn(b"UPDATES: folder that the engines read new weights from", caught.exception.stderr)

    def test_converts_the_model_once(self):
        convert, train = self.run_script(MEGATRON="/megatron")
        part = f"{self.folder}/ref.part"
        self.assertEqual(convert[1][1:], ["--num-layers", "36", "--hf-checkpoint", "/models/m", "--save", part])
        self.assertTrue((self.folder / "ref").is_dir())
        self.assertIn("openclaw_rl_slime.train", train[1])
        self.assertIn(":/megatron:", train[0])
        self.assertEqual(len(self.run_script(MEGATRON="/megatron")), 3)


if __name__ == "__main__":
    unittest.main()
