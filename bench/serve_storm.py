#!/usr/bin/env python3
"""A storm over agentnet serve: malformed requests by the million and a thousand slow clients, while others ask on.

    bench/serve_storm.py build/release/bin/agentnet --requests 1000000 --slow 1000

Trains a tiny model, serves it, and holds all of these at once:

  slow clients   send a byte now and then, stop in the middle of a body, or never read their answer
  malformed      requests out of a seeded generator: damaged lines, headers, lengths, chunks, bodies, JSON, options
  honest         requests whose answers are compared, byte for byte, with the first one

It fails if an honest request is lost or answered otherwise, if the server answers 500, ends, or keeps threads, files or
memory. Standard library only; ends what it started, and nothing else. The longest time that the machine let a process
sleep which wanted to sleep a tenth of a second is printed as well: what took as long may be no fault of the server.
"""
import argparse
import json
import multiprocessing
import os
import random
import resource
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

GRAPH = b'{"edge_index":[[0,1],[1,0]],"node_feat":[[1],[2]]}'


def request(method=b'POST', path=b'/predict', body=GRAPH, headers=b''):
    return (b'%s %s HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: %d\r\n\r\n%s'
            % (method, path, headers, len(body), body))


def damaged(text, dice):
    """Some bytes of a text changed, cut, doubled or taken out."""
    text = bytearray(text)
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(len(text) + 1)
        kind = dice.randrange(5)
        if kind == 0 and at < len(text):
            text[at] = dice.randrange(256)
        elif kind == 1:
            text[at:at] = bytes([dice.randrange(256)]) * dice.choice((1, 1, 1, 50))
        elif kind == 2:
            del text[at:at + dice.randint(1, 20)]
        elif kind == 3:
            text[at:at] = text[max(0, at - dice.randint(1, 30)):at]
        else:
            del text[at:]
    return bytes(text)


def infer(dice):
    shape = dice.choice(([1], [-1], [2], [10 ** 12], 'x', [[1]], None))
    data = dice.choice(([GRAPH.decode()], ['CCO'], [1], [[['{']]], None, 'x'))
    body = json.dumps({'inputs': [{'name': 'i', 'datatype': dice.choice(('BYTES', 'FP32', 3)), 'shape': shape, 'data': data}],
                       'parameters': dice.choice(({}, {'rollouts': 10 ** 9}, {'x': 1}, []))}).encode()
    head = b'Inference-Header-Content-Length: %d\r\n' % dice.choice((0, 5, len(body), 10 ** 9)) if dice.random() < .5 else b''
    tail = struct.pack('<I', dice.randrange(2 ** 32)) if dice.random() < .3 else b''
    return request(path=b'/v2/models/model/infer', body=body + tail, headers=head)


def malformed(dice):
    """One request that is wrong in some way, most of them nearly right."""
    good = [request(), request(path=b'/explain?recorded=1'), request(b'GET', b'/metrics', b''),
            request(headers=b'Content-Type: text/csv\r\n', body=b'smiles\nCCO\nC1CC(\n'), infer(dice)]
    kind = dice.randrange(12)
    if kind < 5:
        return damaged(dice.choice(good), dice)
    if kind == 5:
        return bytes(dice.randrange(256) for _ in range(dice.randint(1, 200))) + b'\r\n\r\n'
    if kind == 6:
        return request(path=dice.choice((b'/predict?rollouts=%s', b'/predict?seed=%s', b'/predict?%s', b'/%s'))
                       % dice.choice((b'-1', b'1e9', b'x', b'%zz', b'%00', b'..', b'A' * 9000)))
    if kind == 7:
        return (b'POST /predict HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n'
                + dice.choice((b'ffffffffffffffff\r\n', b'5\r\nabc\r\n', b'-3\r\n', b'1\r\na\r\n' * 50 + b'0\r\n\r\n', b'0\r\n' + b'T: x\r\n' * 900)))
    if kind == 8:
        return (b'POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: %s\r\n%s\r\n' % (
            dice.choice((b'-1', b'99999999999999999999', b'3, 3', b'', b'0x10', b'100000000')),
            dice.choice((b'', b'Content-Length: 3\r\n', b'Transfer-Encoding: chunked\r\n'))))
    if kind == 9:
        return request(body=dice.choice((b'[' * 3000, b'{"a":' * 800, b'[[[1]]]', b'{}', b'null', b'\xff\xfe', b'{"num_nodes":4000000000}',
                                         b'{"edge_index":[[0],[99999999]],"num_nodes":1}', b'{"smiles":["C"]}', b'')))
    if kind == 10:
        return infer(dice)
    return b'GET / HTTP/1.1\r\nHost: attacker.example\r\n\r\n' + request() * 2


def connect(port, source):
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    client.settimeout(30)
    client.bind((source, 0))  # several addresses of this machine have several times as many ports
    client.connect(('127.0.0.1', port))
    return client


def read_all(client):
    parts = []
    while True:
        try:
            part = client.recv(65536)
        except (ConnectionResetError, socket.timeout):
            break
        if not part:
            break
        parts.append(part)
    return b''.join(parts)


def storm(port, number, count, queue):
    """Sends `count` malformed requests and counts statuses; 0: the connection was closed without a word."""
    dice = random.Random(number)
    statuses = {}
    for i in range(count):
        bytes_ = malformed(dice)
        with connect(port, '127.0.0.%d' % (2 + (number * 7 + i) % 200)) as client:
            try:
                client.sendall(bytes_)
                client.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # the server has answered before it had heard all
            answer = read_all(client)
        status = int(answer[9:12]) if answer.startswith(b'HTTP/1.1 ') else 0
        if answer and not status:
            status = -1
        if status == 500:
            sys.stderr.write('500 for %r\n' % bytes_[:300])
        statuses[status] = statuses.get(status, 0) + 1
    queue.put(statuses)


def be_slow(port, count, stop):
    """Keeps `count` slow clients connected: they come back as soon as they are let go. How often they had to."""
    clients, returns = {}, 0
    while not stop.is_set():
        for i in range(count):
            client = clients.get(i)
            try:
                if client is None:
                    client = connect(port, '127.0.1.%d' % (1 + i % 250))
                    clients[i] = client
                    returns += 1
                    if i % 3 == 1:
                        client.sendall(b'POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n')
                    elif i % 3 == 2:  # asks again and again, and never reads
                        client.setblocking(False)
                        client.send(request(b'GET', b'/openapi.json', b'') * 100)
                        continue
                client.setblocking(False)
                if i % 3 != 2:
                    client.send(b'G')
            except (BlockingIOError, InterruptedError):
                pass
            except OSError:
                clients.pop(i, None)
                client.close()
        stop.wait(0.5)
    for client in clients.values():
        client.close()
    return returns


def watch_the_machine(longest):
    """Keeps the longest time, in seconds, that this process was not woken."""
    last = time.monotonic()
    while True:
        time.sleep(0.1)
        now = time.monotonic()
        longest.value = max(longest.value, now - last)
        last = now


def status_of_process(pid):
    with open('/proc/%d/status' % pid) as file:
        fields = dict(line.split(':', 1) for line in file)
    return {'kB': int(fields['VmRSS'].split()[0]), 'threads': int(fields['Threads']),
            'files': len(os.listdir('/proc/%d/fd' % pid))}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('program', help='agentnet')
    parser.add_argument('--requests', type=int, default=20000, help='malformed ones')
    parser.add_argument('--slow', type=int, default=1000, help='slow clients at a time')
    parser.add_argument('--workers', type=int, default=4, help='processes that send')
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # for this process; the server asks for itself
    with tempfile.TemporaryDirectory() as folder:
        lines = [json.dumps({'edge_index': [[0, 1], [1, 0]], 'node_feat': [[1], [1 + i % 2]], 'y': i % 2}) for i in range(12)]
        with open(folder + '/graphs.jsonl', 'w') as file:
            file.write('\n'.join(lines) + '\n')
        subprocess.run([options.program, 'train', folder + '/graphs.jsonl', '--hidden', '4', '--agents', '2', '--steps', '3',
                        '--epochs', '1', '--split', 'random:0.6,0.2,0.2', '-o', folder + '/run'], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        server = subprocess.Popen([options.program, 'serve', folder + '/run/model.safetensors', '--port', '0',
                                   '--max-connections', str(options.slow * 2 + 1000)], stderr=subprocess.PIPE, text=True,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (1024, hard)))
        try:
            port = next(int(line.split('http://127.0.0.1:')[1].split('/')[0]) for line in server.stderr if 'serving on' in line)
            threading.Thread(target=server.stderr.read, daemon=True).start()
            ok = run(options, server, port)
        finally:
            server.terminate()
            ended = server.wait(60)
    print('the server ended with exit code %d' % ended)
    sys.exit(0 if ok and ended == 0 else 1)


def run(options, server, port):
    def honest():
        with connect(port, '127.0.0.1') as client:
            client.settimeout(120)  # more than the server's own limit, so that what it says at last is heard
            client.sendall(request(headers=b'Content-Type: application/json\r\nConnection: close\r\n'))
            return read_all(client)

    expected = honest()
    assert expected.startswith(b'HTTP/1.1 200 '), expected
    before = status_of_process(server.pid)
    stop, slow = threading.Event(), {}
    slow_thread = threading.Thread(target=lambda: slow.update(returns=be_slow(port, options.slow, stop)))
    slow_thread.start()
    longest = multiprocessing.Value('d', 0.0, lock=False)
    watcher = multiprocessing.Process(target=watch_the_machine, args=(longest,), daemon=True)
    watcher.start()
    queue = multiprocessing.Queue()
    workers = [multiprocessing.Process(target=storm, args=(port, i, options.requests // options.workers, queue))
               for i in range(options.workers)]
    started = time.monotonic()
    for worker in workers:
        worker.start()
    asked = wrong = 0
    slowest = 0.0
    while any(worker.is_alive() for worker in workers) and queue.qsize() < len(workers):
        began = time.monotonic()
        asked += 1
        answer = honest()
        if answer != expected:
            wrong += 1
            sys.stderr.write('an honest request got %r\n' % answer[:400])
        slowest = max(slowest, time.monotonic() - began)
        time.sleep(0.02)
    statuses = {}
    for _ in workers:
        for status, count in queue.get().items():
            statuses[status] = statuses.get(status, 0) + count
    for worker in workers:
        worker.join()
    took = time.monotonic() - started
    watcher.terminate()
    watcher.join()
    during = status_of_process(server.pid)
    stop.set()
    slow_thread.join()
    for _ in range(300):  # what was open is closed again
        after = status_of_process(server.pid)
        if after['files'] <= before['files'] and after['threads'] <= before['threads']:
            break
        time.sleep(0.1)
    sent = sum(statuses.values())
    print('%d malformed requests in %.0f s (%.0f/s), %d slow clients (connected %d times)'
          % (sent, took, sent / took, options.slow, slow['returns']))
    print('answers: ' + ', '.join('%s %d' % (status or 'closed', count) for status, count in sorted(statuses.items())))
    print('honest requests meanwhile: %d, of which %d lost or answered otherwise; the slowest took %.0f ms'
          % (asked, wrong, 1000 * slowest))
    print('the longest time that the machine let a process sleep: %.0f ms' % (1000 * longest.value))
    for name, status in (('before', before), ('during', during), ('after', after)):
        print('%-7s %d kB, %d threads, %d files' % (name, status['kB'], status['threads'], status['files']))
    leaks = after['files'] > before['files'] or after['threads'] > before['threads'] or after['kB'] > before['kB'] + 128 * 1024
    return wrong == 0 and asked > 0 and not statuses.get(500) and not statuses.get(-1) and not leaks and honest() == expected


if __name__ == '__main__':
    main()
