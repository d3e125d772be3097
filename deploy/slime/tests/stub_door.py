"""A door that answers from a table and notes what it was asked."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer


class StubDoor:
    def __init__(self, answers):
        # By "METHOD path": a body, (status, body), or a list of these, one for each request, the last one for all others.
        self.answers = answers
        self.asked = []
        door = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self):
                length = int(self.headers.get("content-length") or 0)
                body = json.loads(self.rfile.read(length)) if length else None
                name = f"{self.command} {self.path}"
                door.asked.append((name, body, self.headers.get("authorization")))
                given = door.answers.get(name, (404, {"error": {"message": "no such route", "code": "not_found"}}))
                if isinstance(given, list):
                    given = given.pop(0) if len(given) > 1 else given[0]
                status, reply = given if isinstance(given, tuple) else (200, given)
                data = json.dumps(reply).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = answer

            def log_message(self, *_):
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def names(self):
        return [name for name, _, _ in self.asked]

    def close(self):
        self.server.shutdown()
        self.server.server_close()
