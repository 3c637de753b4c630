#include "serve/page.h"

namespace agentnet {
namespace {

// One file without anything from elsewhere. What comes from the server becomes text, never markup; the viewer's page is
// shown in a frame that may run its own script and nothing else.
constexpr std::string_view kPage = R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>agentnet</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
  textarea { width: 100%; box-sizing: border-box; font: 14px/1.4 ui-monospace, monospace; }
  fieldset { border: 0; padding: 0; margin: .5rem 0; display: flex; flex-wrap: wrap; gap: 1rem; align-items: end; }
  label { display: grid; gap: .2rem; font-size: .9rem; }
  input[type=number] { width: 6rem; }
  button { font: inherit; padding: .3rem 1rem; }
  table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
  th, td { border: 1px solid #8886; padding: .2rem .6rem; text-align: left; }
  td.number { text-align: right; font-variant-numeric: tabular-nums; }
  #problem { color: #c22; white-space: pre-wrap; }
  iframe { width: 100%; height: 80vh; border: 1px solid #8886; }
</style>
</head>
<body>
<h1>agentnet</h1>
<form id="form">
  <label for="rows">Molecules as SMILES strings, one per line, or graphs in JSON, one per line</label>
  <textarea id="rows" rows="6" spellcheck="false" required
    placeholder='CC(=O)Oc1ccccc1C(=O)O&#10;or {"edge_index": [[0, 1], [1, 0]], "node_feat": [[6], [8]]}'></textarea>
  <fieldset>
    <label>Model <select id="model"></select></label>
    <label>Rollouts <input id="rollouts" type="number" min="1" value="8"></label>
    <label id="token-label" hidden>Token <input id="token" type="password" autocomplete="off"></label>
    <button id="ask">Predict</button>
    <button id="look" type="button">Predict and show the walks</button>
  </fieldset>
</form>
<p id="problem" role="alert"></p>
<div id="answer" aria-live="polite"></div>
<iframe id="viewer" title="walks" sandbox="allow-scripts" hidden></iframe>
<script>
'use strict';
const by = id => document.getElementById(id);
const headers = () => by('token').value ? {Authorization: 'Bearer ' + by('token').value} : {};

async function ask(path, options) {
  const answer = await fetch(path, {...options, headers: {...headers(), ...(options && options.headers)}});
  if (answer.status === 401) by('token-label').hidden = false;
  const text = await answer.text();
  if (answer.ok) return text;
  let told = text;
  try {
    const problem = JSON.parse(text);
    told = problem.error + (problem.hint ? '\n' + problem.hint : '');
  } catch {}
  throw new Error(told || 'the server answers ' + answer.status);
}

async function list() {
  const models = JSON.parse(await ask('models')).models;
  by('model').replaceChildren(...models.map(model => new Option(model.name)));
  by('problem').textContent = '';
}

// SMILES strings become a list, so that a line is a row whatever stands in it; graphs stay lines.
function body() {
  const text = by('rows').value.trim();
  if (text.startsWith('{') || text.startsWith('[')) return {type: 'application/json', text};
  const smiles = text.split('\n').map(line => line.trim()).filter(line => line);
  return {type: 'application/json', text: JSON.stringify({smiles})};
}

function cell(text, kind = 'td') {
  const cell = document.createElement(kind);
  cell.textContent = text;
  if (kind === 'td' && text !== '' && !isNaN(text)) cell.className = 'number';
  return cell;
}

function show(rows) {
  const columns = new Set();
  const flat = rows.map(row => {
    const cells = {};
    for (const [name, value] of Object.entries(row)) {
      if (value !== null && typeof value === 'object') {
        for (const [part, number] of Object.entries(value)) {
          cells[name + ' ' + part] = typeof number === 'number' ? Number(number.toPrecision(4)) : '';
        }
      } else {
        cells[name] = typeof value === 'number' ? Number(value.toPrecision(4)) : value;
      }
    }
    Object.keys(cells).forEach(name => columns.add(name));
    return cells;
  });
  const line = (values, kind) => {
    const row = document.createElement('tr');
    row.append(...values.map(value => cell(String(value ?? ''), kind)));
    return row;
  };
  const table = document.createElement('table');
  table.append(line([...columns], 'th'), ...flat.map(cells => line([...columns].map(name => cells[name]), 'td')));
  by('answer').replaceChildren(table);
}

async function run(walks) {
  by('problem').textContent = '';
  by('viewer').hidden = true;
  const query = '?' + new URLSearchParams({model: by('model').value, rollouts: by('rollouts').value});
  const {type, text} = body();
  const options = {method: 'POST', body: text, headers: {'Content-Type': type}};
  try {
    if (by('model').options.length === 0) await list();
    show(JSON.parse(await ask('predict' + query, options)).rows);
    if (!walks) return;
    by('viewer').srcdoc = await ask('view' + query, options);
    by('viewer').hidden = false;
  } catch (error) {
    by('problem').textContent = error.message;
  }
}

by('form').addEventListener('submit', event => { event.preventDefault(); run(false); });
by('look').addEventListener('click', () => { if (by('form').reportValidity()) run(true); });
by('token').addEventListener('change', () => list().catch(error => { by('problem').textContent = error.message; }));
list().catch(error => { by('problem').textContent = error.message; });
</script>
</body>
</html>
)html";

}  // namespace

std::string_view serve_page() { return kPage; }

}  // namespace agentnet
