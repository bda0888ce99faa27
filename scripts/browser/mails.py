"""A mail server for browser tests that keeps what it takes. Loopback only."""

import email
import email.policy
import socket
import socketserver
import threading


class Mailbox:
    """A mail server that keeps what it takes."""

    def __init__(self):
        self.letters, self.arrival = [], threading.Condition()
        mailbox = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                self.say("220 correo.example")
                while line := self.rfile.readline():
                    verb = line[:4].upper()
                    if verb == b"DATA":
                        self.say("354 adelante")
                        lines = iter(self.rfile.readline, b".\r\n")
                        mailbox.keep(b"".join(line.removeprefix(b".") for line in lines))
                        self.say("250 guardado")
                    elif verb == b"QUIT":
                        return self.say("221 adiós")
                    else:
                        self.say("250 vale")

            def say(self, text):
                self.wfile.write(f"{text}\r\n".encode())

        class Threads(socketserver.ThreadingTCPServer):
            daemon_threads = True

        self.server = Threads(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def keep(self, raw):
        with self.arrival:
            self.letters.append(email.message_from_bytes(raw, policy=email.policy.default))
            self.arrival.notify_all()

    def wait(self, to, subject, how_many=1):
        """The last of so many letters to somebody whose subjects begin so."""
        found = lambda: [l for l in self.letters if l["to"] == to and l["subject"].startswith(subject)]
        with self.arrival:
            assert self.arrival.wait_for(lambda: len(found()) >= how_many, timeout=30), [(l["to"], l["subject"]) for l in self.letters]
            return found()[-1]

    def settings(self, sender):
        """What makes a server send its mails here. Their links lead to its own address, so it is chosen beforehand."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        return {
            "BIND": address,
            "PUBLIC_URL": f"http://{address}",
            "SMTP_HOST": "127.0.0.1",
            "SMTP_PORT": str(self.port),
            "SMTP_TLS": "none",
            "EMAIL_FROM": sender,
        }
