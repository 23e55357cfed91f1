"""Answers in every way that a client must cope with, on a port of its own choice, until its stdin ends.

Arguments: the folder to serve, and for TLS the files of a certificate chain and its key.
"""

import os
import ssl
import sys
import threading
import time
from collections import Counter
from email.utils import formatdate
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

seen = Counter()


class Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # The server writes head and body apart; with Nagle's algorithm each answer would wait for an acknowledgement.
    disable_nagle_algorithm = True

    def log_message(self, *args):
        pass

    def any(self):
        url = urlsplit(self.path)
        self.query = {name: values[0] for name, values in parse_qs(url.query).items()}
        seen[self.path] += 1
        length = int(self.headers.get("content-length", 0))
        self.body = self.rfile.read(length)
        case = getattr(self, "case_" + url.path.strip("/").replace("-", "_"), None)
        if case:
            case()
        elif self.command == "HEAD":
            super().do_HEAD()
        else:
            super().do_GET()

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_TRACE = any

    def reply(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def case_echo(self):
        lines = [f"{self.command} {self.path}"]
        lines += [f"{name.lower()}: {value}" for name, value in self.headers.items()]
        self.reply(200, "\n".join(lines).encode() + b"\n\n" + self.body, [("X-Twice", "a"), ("X-Twice", "b")])

    def case_status(self):
        self.reply(int(self.query["code"]), b"status")

    def case_redirect(self):
        self.reply(int(self.query.get("code", 302)), b"moved", [("Location", self.query["to"])])

    def case_nowhere(self):
        self.reply(302, b"no location")

    def case_loop(self):
        self.reply(301, b"", [("Location", "/loop")])

    def case_count(self):
        left = int(self.query["left"])
        self.reply(302, b"", [("Location", f"/count?left={left - 1}" if left else "/echo")])

    def case_flaky(self):
        """Fails as often as it is told, then says how often it was asked."""
        if seen[self.path] > int(self.query["fails"]):
            return self.reply(200, str(seen[self.path]).encode())
        headers = []
        if "after" in self.query:
            headers = [("Retry-After", self.query["after"])]
        if "date" in self.query:
            headers = [("Retry-After", formatdate(time.time() + float(self.query["date"]), usegmt=True))]
        self.reply(int(self.query["code"]), b"failed", headers)

    def case_seen(self):
        self.reply(200, str(seen[self.query["path"]]).encode())

    def case_peer(self):
        self.reply(200, str(self.client_address[1]).encode())

    def case_chunked(self):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in (b"one ", b"two ", b"three"):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def case_gzip(self):
        import gzip

        self.reply(200, gzip.compress(b"plain"), [("Content-Encoding", "gzip")])

    def case_cut(self):
        """Promises more than it sends."""
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        self.wfile.write(b"x" * int(self.query["sends"]))
        self.close_connection = True

    def case_drop(self):
        self.close_connection = True

    def case_hang(self):
        threading.Event().wait()

    def case_stall(self):
        """Sends a head and part of a body, and then nothing."""
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        self.wfile.write(b"x" * 5000)
        self.wfile.flush()
        threading.Event().wait()

    def case_endless(self):
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            while True:
                self.wfile.write(b"x" * 65536)
        except OSError:
            self.close_connection = True


def end_with_parent():
    sys.stdin.buffer.read()
    os._exit(0)


def main():
    folder, *tls = sys.argv[1:]
    os.chdir(folder)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None
    scheme = "http"
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*tls)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        scheme = "https"
    threading.Thread(target=end_with_parent, daemon=True).start()
    print(f"{scheme}://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()


main()
