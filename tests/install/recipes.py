#!/usr/bin/env python3
"""The recipes of packaging/ for builders that are not here: what can be checked of them without podman and conda.

usage: recipes.py SOURCE_DIR VERSION        exit code 77: this Python lacks jinja2 or yaml
"""
import json
import pathlib
import re
import subprocess
import sys

try:
    import jinja2
    import yaml
except ImportError as error:
    print(error)
    sys.exit(77)

SOURCE, VERSION = pathlib.Path(sys.argv[1]), sys.argv[2]
INSTRUCTIONS = {'FROM', 'WORKDIR', 'COPY', 'RUN', 'USER', 'EXPOSE', 'ENTRYPOINT', 'CMD', 'ENV', 'ARG', 'LABEL'}


def require(condition, message):
    if not condition:
        sys.exit(f'error: {message}')


def is_shell(script, what, shell):
    checked = subprocess.run([shell, '-n'], input=script, text=True, capture_output=True, check=False)
    require(checked.returncode == 0, f'{what}: {checked.stderr}')


def check_conda(folder):
    def load_file_regex(load_file, regex_pattern, from_recipe_dir):
        require(from_recipe_dir, 'the file is named from where the recipe is')
        return re.search(regex_pattern, (folder / load_file).read_text())

    template = jinja2.Environment(undefined=jinja2.StrictUndefined).from_string((folder / 'meta.yaml').read_text())
    recipe = yaml.safe_load(template.render(load_file_regex=load_file_regex, compiler=lambda name: name + '-compiler'))
    require(set(recipe) == {'package', 'source', 'build', 'requirements', 'test', 'about'}, f'sections: {set(recipe)}')
    require(recipe['package'] == {'name': 'agentnet', 'version': VERSION}, f'package: {recipe["package"]}')
    require((folder / recipe['source']['path'] / 'CMakeLists.txt').is_file(), 'the source is not there')
    require((SOURCE / recipe['about']['license_file']).is_file(), 'the license is not there')
    for kind in ('build', 'host', 'run'):
        names = recipe['requirements'][kind]
        require(names and all(isinstance(name, str) for name in names), f'{kind}: {names}')
    for command in recipe['test']['commands']:
        is_shell(command, 'a test of the recipe', 'bash')
    is_shell((folder / 'build.sh').read_text(), 'build.sh', 'bash')
    options = set(re.findall(r'-D(AGENTNET_\w+)', (folder / 'build.sh').read_text()))
    check_options(options, 'build.sh')


def check_options(options, where):
    known = set(re.findall(r'(?:option|set)\((AGENTNET_\w+)', (SOURCE / 'CMakeLists.txt').read_text()))
    require(options and options <= known, f'{where} has options that CMakeLists.txt has not: {options - known}')


def check_container(file):
    text = re.sub(r'^\s*#.*\n', '', file.read_text(), flags=re.M).replace('\\\n', ' ')
    lines = [line.split(None, 1) for line in text.splitlines() if line.strip()]
    unknown = {line[0] for line in lines} - INSTRUCTIONS
    require(not unknown, f'instructions that are none: {unknown}')
    require(lines[0][0] == 'FROM', 'the first instruction is FROM')
    stages = [line[1] for line in lines if line[0] == 'FROM']
    require(stages == ['debian:12-slim AS build', 'debian:12-slim'], f'stages: {stages}')
    for name, rest in lines:
        if name == 'RUN':
            is_shell(re.sub(r'^--mount=\S+', '', rest), 'RUN', 'sh')
        if name == 'COPY':
            for path in rest.split()[:-1]:
                require((SOURCE / path).exists(), f'COPY: {path} is not there')
    last = {name: rest for name, rest in lines}
    require(last['USER'] == 'agentnet', 'the program does not run as root')
    require(json.loads(last['ENTRYPOINT']) == ['/usr/bin/agentnet'], last['ENTRYPOINT'])
    require(isinstance(json.loads(last['CMD']), list), last['CMD'])
    check_options(set(re.findall(r'-D(AGENTNET_\w+)', text)), 'the Containerfile')


check_conda(SOURCE / 'packaging/conda')
check_container(SOURCE / 'packaging/Containerfile')
