"""A receiver of signals with every bad manner: most are answered with 200, some late, some with an error, some not at all."""

import argparse
import random
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Moody(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length", 0)))
        mood = random.random()
        if mood < 0.02:
            time.sleep(20)  # longer than anybody waits
        elif mood < 0.06:
            time.sleep(2)
        if mood < 0.08:
            self.close_connection = True
            return
        status = 200 if mood > 0.2 else random.choice([400, 429, 500, 503])
        self.send_response(status)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A sender that has hung up is no error here."""


options = argparse.ArgumentParser()
options.add_argument("--port-file", type=Path, required=True)
options.add_argument("--secs", type=float, required=True)
o = options.parse_args()
server = Server(("127.0.0.1", 0), Moody)
o.port_file.write_text(str(server.server_port))
# Nobody has to remember to end it.
end = threading.Timer(o.secs, server.shutdown)
end.daemon = True
end.start()
server.serve_forever()
