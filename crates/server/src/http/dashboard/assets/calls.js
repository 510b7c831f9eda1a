// The log of calls, newest first.
import { $, badge, bytes, clock, count, debounce, duration, emptyState, h, many, read, show, table, whileVisible } from './core.js';

const KEPT = 1000;
let calls = [];
let paused = false;

function draw() {
  const words = $('filter').value.toLowerCase().trim();
  const [surface, outcome] = [$('surface').value, $('outcome').value];
  const fits = (row) => (!surface || row.surface === surface)
    && (!words || `${row.tool ?? 'unknown tool'} ${row.caller ?? ''}`.toLowerCase().includes(words))
    && (!outcome || (outcome === 'ok' ? !row.code : outcome === 'denied' ? row.isDenied : Boolean(row.code)));
  const found = calls.filter(fits);
  show('summary', `${count(found.length)} of ${many(calls.length, 'call')}${paused ? ' · paused' : ''}`);
  show('table', found.length
    ? table('Calls', [{ name: 'Time' }, { name: 'Tool' }, { name: 'Surface' }, { name: 'Caller' }, { name: 'Outcome' }, { name: 'Took', number: true }, { name: 'Answer', number: true }],
      found.slice(0, 200).map((row) => [
        h('time', { datetime: row.at, title: row.at }, clock(row.at)),
        row.tool ? h('a', { class: 'oods-link', href: `/dashboard/tools?tool=${encodeURIComponent(row.tool)}` }, row.tool) : 'unknown tool',
        row.surface,
        row.caller ?? '–',
        row.code ? badge(row.code, row.isDenied ? 'warning' : 'critical') : badge('ok', 'success'),
        duration(row.micros),
        row.answerBytes ? bytes(row.answerBytes) : '–',
      ]))
    : emptyState(calls.length ? 'No call fits the filters' : 'No calls yet', calls.length ? 'Remove one of them.' : 'Connect a client, or try a tool on the Tools page.'));
}

function offerSurfaces() {
  const select = $('surface');
  const offered = new Set([...select.options].map((option) => option.value));
  for (const name of new Set(calls.map((row) => row.surface))) if (!offered.has(name)) select.append(h('option', { value: name }, name));
}

async function refresh() {
  if (paused) return;
  const { calls: newer } = await read(`/dashboard/data/calls?after=${calls[0]?.number ?? 0}`);
  if (newer.length === 0 && calls.length > 0) return;
  calls = [...newer, ...calls].slice(0, KEPT);
  offerSurfaces();
  draw();
}

$('pause').addEventListener('click', () => {
  paused = !paused;
  $('pause').setAttribute('aria-pressed', String(paused));
  $('pause').textContent = paused ? 'Go on' : 'Pause';
  draw();
});
$('filter').addEventListener('input', debounce(draw, 120));
for (const id of ['surface', 'outcome']) $(id).addEventListener('change', draw);
draw();
whileVisible(refresh, 2000);
