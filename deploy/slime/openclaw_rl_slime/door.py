"""The trainer's door, as docs/openapi.json describes it."""

import json
import os
import threading
import urllib.error
import urllib.request
import uuid

PATIENCE_S = 30.0
EXTENDS_PER_LEASE = 3


class DoorError(Exception):
    """Raised when the door refuses a request (`status`, `code`), or does not answer (`status` is None)."""

    def __init__(self, message, status=None, code=None):
        super().__init__(message)
        self.status = status
        self.code = code


class Door:
    """One trainer at the door. Every method raises DoorError."""

    def __init__(self, url, key=None, trainer="slime"):
        self.url = url.rstrip("/")
        self.key = key
        self.trainer = trainer

    @classmethod
    def from_environment(cls, env=os.environ):
        """OPENCLAW_RL_DOOR_URL, OPENCLAW_RL_DOOR_KEY and OPENCLAW_RL_TRAINER_NAME, each with a default."""
        return cls(
            env.get("OPENCLAW_RL_DOOR_URL", "http://127.0.0.1:30100"),
            env.get("OPENCLAW_RL_DOOR_KEY"),
            env.get("OPENCLAW_RL_TRAINER_NAME", "slime"),
        )

    def lease(self, count, wait_s, lease_s):
        """A batch of `count` samples as (lease id, samples), or None if so many have not come in `wait_s`."""
        body = {"max": count, "min": count, "wait_ms": int(wait_s * 1000), "lease_ms": int(lease_s * 1000)}
        reply = self._ask("/v1/samples/lease", {**body, "trainer": self.trainer}, wait_s + PATIENCE_S)
        return None if reply["lease_id"] is None else (reply["lease_id"], reply["samples"])

    def give_back(self, lease_id):
        self._ask(f"/v1/samples/leases/{lease_id}/nack", {})

    def extend_lease(self, lease_id, lease_s):
        self._ask(f"/v1/samples/leases/{lease_id}/extend", {"lease_ms": int(lease_s * 1000)})

    def policy(self):
        """Version, gate and engines as they are now."""
        return self._send("GET", "/v1/policy", None, PATIENCE_S)

    def begin_update(self, lease_ids, lease_s):
        """Closes the gate. Returns the token once the engines may be changed."""
        body = {"lease_ids": list(lease_ids), "lease_ms": int(lease_s * 1000), "trainer": self.trainer}
        return self._ask("/v1/policy/updates", body, lease_s + PATIENCE_S)["token"]

    def extend_update(self, token, lease_s):
        self._send("POST", f"/v1/policy/updates/{token}/extend", {"lease_ms": int(lease_s * 1000)}, PATIENCE_S)

    def commit_update(self, token, engine_version, metrics):
        body = {"engine_version": engine_version, "metrics": dict(metrics)}
        return self._send("POST", f"/v1/policy/updates/{token}/commit", body, PATIENCE_S)

    def abort_update(self, token, reason):
        self._send("POST", f"/v1/policy/updates/{token}/abort", {"reason": reason[:200]}, PATIENCE_S)

    def _ask(self, path, body, patience_s=PATIENCE_S):
        return self._send("POST", path, {"request_id": uuid.uuid4().hex, **body}, patience_s)

    def _send(self, method, path, body, patience_s):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, method=method)
        request.add_header("content-type", "application/json")
        if self.key:
            request.add_header("authorization", f"Bearer {self.key}")
        try:
            with urllib.request.urlopen(request, timeout=patience_s) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise refusal(path, error) from error
        except OSError as error:
            raise DoorError(f"the trainer's door at {self.url} does not answer: {error}") from error


def refusal(path, error):
    try:
        told = json.loads(error.read())["error"]
        return DoorError(f"{path}: {told['message']}", error.code, told["code"])
    except (ValueError, KeyError, TypeError):
        return DoorError(f"{path}: status {error.code}", error.code)


class KeptAlive:
    """Calls `extend` again and again while the block runs, so that a lease of `lease_s` seconds does not end in it."""

    def __init__(self, extend, lease_s):
        self.extend = extend
        self.pause_s = lease_s / EXTENDS_PER_LEASE
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()

    def _run(self):
        while not self.ended.wait(self.pause_s):
            try:
                self.extend()
            except DoorError:
                # What this means is found out when the work is done.
                continue
