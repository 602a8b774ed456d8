#!/usr/bin/env python3
"""Serves git repositories on a port of 127.0.0.1 that the kernel chooses, and prints it on the first line. Ends
when its standard input does.

    git_server.py git DIR               git's own protocol (git daemon)
    git_server.py http DIR              smart http (git http-backend)
    git_server.py https DIR PEM         the same with TLS; PEM holds key and certificate
    git_server.py dumb DIR              dumb http: only files
    git_server.py silent                takes connections and says nothing
    git_server.py cut PORT TIMES BYTES  passes on to PORT; the first TIMES connections end after BYTES of the answer
    git_server.py end PORT TIMES BYTES  the same, but with an orderly end in place of a reset
    git_server.py hold PORT BYTES       passes on to PORT; after BYTES of the answer comes no more
    git_server.py status CODE           http that answers every request with a status
"""
import functools
import http.server
import os
import re
import select
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time


def announce(port):
    print(port, flush=True)


def connections():
    listener = socket.create_server(("127.0.0.1", 0), backlog=16)
    announce(listener.getsockname()[1])
    while True:
        yield listener.accept()[0]


def serve_git(directory):
    for connection in connections():
        command = ["git", "daemon", "--inetd", "--export-all", "--base-path=" + directory]
        with connection:
            subprocess.Popen(command, stdin=connection, stdout=connection, stderr=subprocess.DEVNULL)


def keep_silent():
    held = []
    for connection in connections():
        held.append(connection)


def relay(client, server, limit, kind):
    """Both ways, until either side ends or the server has said `limit` bytes."""
    with client, server:
        while limit != 0:
            for source in select.select([client, server], [], [])[0]:
                data = source.recv(65536 if source is client or limit is None else min(65536, limit))
                if not data:
                    return
                if source is client:
                    server.sendall(data)
                    continue
                client.sendall(data)
                if limit is not None:
                    limit -= len(data)
        if kind == "hold":
            time.sleep(3600)
        if kind == "cut":  # a reset, as of a machine that went
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def pass_on(kind, port, times, limit):
    for number, client in enumerate(connections()):
        server = socket.create_connection(("127.0.0.1", port))
        here = limit if number < times else None
        threading.Thread(target=relay, args=(client, server, here, kind), daemon=True).start()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


class Smart(Quiet):
    root = None

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = []
        while size := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def run(self):
        path, _, query = self.path.partition("?")
        path = re.sub("^http://[^/]*", "", path)  # as a proxy is asked
        environment = dict(os.environ, GIT_PROJECT_ROOT=self.root, GIT_HTTP_EXPORT_ALL="1", PATH_INFO=path,
                           QUERY_STRING=query, REQUEST_METHOD=self.command, REMOTE_ADDR="127.0.0.1",
                           CONTENT_TYPE=self.headers.get("Content-Type", ""),
                           HTTP_CONTENT_ENCODING=self.headers.get("Content-Encoding", ""))
        done = subprocess.run(["git", "http-backend"], input=self.body(), env=environment, capture_output=True)
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        self.send_response(int(fields.pop("Status", "200").split()[0]))
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = run
    do_POST = run


class Refusing(Quiet):
    status = 0

    def do_GET(self):
        self.send_response(self.status)
        if self.status == 401:
            self.send_header("WWW-Authenticate", 'Basic realm="private"')
        self.send_header("Content-Length", "0")
        self.end_headers()


def serve_http(handler, pem=None):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    if pem:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    announce(server.server_address[1])
    server.serve_forever()


def end_with_parent():
    sys.stdin.buffer.read()
    os._exit(0)


def main(kind, *rest):
    os.environ.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1")  # no test's hostile ones
    threading.Thread(target=end_with_parent, daemon=True).start()
    if kind == "git":
        serve_git(*rest)
    elif kind in ("http", "https"):
        Smart.root = rest[0]
        serve_http(Smart, *rest[1:])
    elif kind == "dumb":
        serve_http(functools.partial(Quiet, directory=rest[0]))
    elif kind == "status":
        Refusing.status = int(rest[0])
        serve_http(Refusing)
    elif kind == "silent":
        keep_silent()
    elif kind in ("cut", "end"):
        pass_on(kind, *map(int, rest))
    elif kind == "hold":
        pass_on(kind, int(rest[0]), sys.maxsize, int(rest[1]))
    else:
        sys.exit(__doc__)


main(*sys.argv[1:])
