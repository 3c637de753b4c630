#!/usr/bin/env python3
"""How long the first answer takes: `agentnet predict` of one molecule (or graph) in a fresh process.

    bench/first_answer.py build/release/bin/agentnet
    bench/first_answer.py build/release/portable/agentnet --model FILE --data FILE

Cold: before each run the system was told to forget the program, its libraries, the model and the data, which it does
but for what other programs have in use, such as the C library. Warm: the files are in its cache. Without --model, one
is trained on the molecules of the examples, with the sizes that the program chooses for them. Prints the size of the
program and, of --runs runs, the median, the least and the most.
"""
import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

EXAMPLE = pathlib.Path(__file__).resolve().parent.parent / 'examples/python/molecules.csv'


def forget(files):
    for file in files:
        descriptor = os.open(file, os.O_RDONLY)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def needed(program):
    """The shared libraries that the program loads."""
    listed = subprocess.run(['ldd', program], capture_output=True, text=True, check=True).stdout
    return sorted({os.path.realpath(word) for line in listed.splitlines() for word in line.split()
                   if word.startswith('/')})


def answer(command):
    """Seconds of the clock, seconds of the processor, and bytes that came from the disk."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0 or ',ok' not in done.stdout:
        sys.exit(f'error: no answer from {command}:\n{done.stderr}')
    return (seconds, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime,
            512 * (after.ru_inblock - before.ru_inblock))


def show(what, runs):
    clock, work, read = zip(*runs)
    print(f'{what}: {1e3 * statistics.median(clock):.0f} ms ({1e3 * min(clock):.0f} to {1e3 * max(clock):.0f}), '
          f'of the processor {1e3 * statistics.median(work):.0f} ms, {statistics.median(read) / 1e6:.1f} MB read')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('program')
    parser.add_argument('--model', help='a model file; else one is trained on examples/python/molecules.csv')
    parser.add_argument('--data', default='CC(=O)Oc1ccccc1C(=O)O', help='a file, or a SMILES string')
    parser.add_argument('--runs', type=int, default=11)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = arguments.model
        if model is None:
            run = os.path.join(folder, 'run')
            subprocess.run([arguments.program, 'train', str(EXAMPLE), '-o', run, '--target', 'acid', '--epochs', '1'],
                           capture_output=True, check=True)
            model = os.path.join(run, 'model.safetensors')
        libraries = needed(arguments.program)
        print(f'program: {os.stat(arguments.program).st_size / 1e6:.1f} MB, and '
              f'{sum(os.stat(file).st_size for file in libraries) / 1e6:.1f} MB of {len(libraries)} shared libraries')
        print(f'model: {os.stat(model).st_size / 1e6:.1f} MB')
        command = [arguments.program, 'predict', model, arguments.data]
        files = [arguments.program, model, *libraries] + [arguments.data] * os.path.isfile(arguments.data)
        cold = []
        for _ in range(arguments.runs):
            forget(files)
            cold.append(answer(command))
        show('cold', cold)
        answer(command)
        show('warm', [answer(command) for _ in range(arguments.runs)])


if __name__ == '__main__':
    main()
