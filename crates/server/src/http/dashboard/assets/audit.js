// The audit log: the newest rows, and whether the chain of all of them holds.
import { $, ago, asked, badge, bytes, clock, copy, count, debounce, duration, emptyState, failureBanner, figure, h, many, read, remember, show, spinner, table, whileVisible } from './core.js';

const SHOWN = 200;
const TONES = { allowed: 'success', denied: 'warning', refused: 'warning', invalid: 'neutral', unknown: 'neutral' };
let rows = [];
let kept = true;

/** The time of day, with the date unless it is today's. */
function moment(at) {
  const day = new Date(at).toLocaleDateString('en-CA');
  return day === new Date().toLocaleDateString('en-CA') ? clock(at) : `${day} ${clock(at)}`;
}

/** The tool, and what it was asked; a request that did not become a call has only a path. */
function tool(row) {
  const name = [row.tool ?? row.request, row.plan && h('div', { class: 'note nowrap', title: row.plan.id }, `${row.plan.step} ${(row.plan.id ?? '').slice(0, 17)}`), row.omitted && h('div', { class: 'note' }, `after ${many(row.omitted, 'more refused request')}`)];
  if (Object.keys(row.args ?? {}).length === 0) return h('div', {}, ...name);
  const args = JSON.stringify(row.args, null, 2);
  return h('div', {}, ...name, h('details', { class: 'note' }, h('summary', {}, 'Arguments'), h('pre', { class: 'code-block', tabindex: '0', 'aria-label': `Arguments of row ${row.seq}` }, args)));
}

function draw() {
  const words = $('filter').value.toLowerCase().trim();
  const [surface, decision, outcome] = ['surface', 'decision', 'outcome'].map((id) => $(id).value);
  remember({ filter: words, surface, decision, outcome });
  const fits = (row) => (!surface || row.surface === surface) && (!decision || row.decision === decision)
    && (!outcome || (outcome === 'ok') === (row.outcome === 'ok'))
    && (!words || `${row.tool ?? row.request} ${row.caller ?? row.from ?? ''} ${row.plan?.id ?? ''} ${row.rule ?? ''}`.toLowerCase().includes(words));
  const found = rows.filter(fits);
  if (!kept) {
    show('summary');
    show('table', emptyState('No audit log is kept', 'Start the server with --audit DIR to keep one.'));
    return;
  }
  const more = found.length > SHOWN ? `; the newest ${SHOWN} are shown` : '';
  show('summary', `${count(found.length)} of the ${many(rows.length, 'newest row')}${more}`);
  show('table', found.length === 0
    ? emptyState(rows.length ? 'No row fits the filters' : 'The log is empty', rows.length ? 'Remove one of them.' : 'The next call is its first row.')
    : table('Audit log', [{ name: 'Row' }, { name: 'Time' }, { name: 'Caller' }, { name: 'Tool' }, { name: 'Surface' }, { name: 'Decision' }, { name: 'Outcome' }, { name: 'Took', number: true }, { name: 'Answer', number: true }],
      found.slice(0, SHOWN).map((row) => [
        count(row.seq),
        h('time', { class: 'nowrap', datetime: row.at, title: row.at }, moment(row.at)),
        row.caller ?? row.from ?? '–',
        tool(row),
        row.surface,
        h('span', { class: 'cluster' }, badge(row.decision, TONES[row.decision]), row.rule && h('span', { class: 'note' }, `by ${row.rule}`)),
        row.outcome === 'ok' ? badge('ok', 'success') : badge(row.outcome, row.decision === 'denied' ? 'warning' : 'critical'),
        row.durationMs === undefined ? '–' : duration(row.durationMs * 1000),
        row.bytes ? bytes(row.bytes) : '–',
      ])));
}

function offerSurfaces() {
  const select = $('surface');
  const offered = new Set([...select.options].map((option) => option.value));
  for (const name of new Set(rows.map((row) => row.surface))) if (!offered.has(name)) select.append(h('option', { value: name }, name));
}

async function refresh() {
  const answer = await read('/dashboard/data/audit');
  const newer = answer.rows ?? [];
  if (kept === answer.kept && rows.length === newer.length && rows[0]?.hash === newer[0]?.hash && rows.length > 0) return;
  // A person who reads arguments keeps them open.
  if (document.querySelector('#table details[open]')) return;
  kept = answer.kept;
  rows = newer;
  offerSurfaces();
  draw();
}

async function verify() {
  $('verify').disabled = true;
  show('verdict', spinner('Reading the whole log'));
  try {
    const { kept: isKept, report, at } = await read('/dashboard/data/audit/verify');
    if (!isKept) {
      show('verdict', badge('no log'));
      show('proof', h('p', { class: 'note' }, 'This server keeps no audit log.'));
      return;
    }
    show('verdict', report.ok ? badge('Intact', 'success') : badge('Broken', 'critical'));
    const hash = h('code', {}, report.head);
    const copied = h('span', { role: 'status' });
    const button = h('button', { class: 'oods-button oods-button--ghost oods-button--sm', type: 'button' }, 'Copy hash');
    button.addEventListener('click', async () => copied.replaceChildren(await copy(report.head, hash)));
    show('proof',
      report.broken && h('div', { class: 'oods-banner oods-banner--critical', role: 'alert' },
        h('p', { class: 'oods-banner__title' }, `${report.broken.file}, line ${report.broken.line}: ${report.broken.what}`),
        h('p', {}, 'From this row on nothing is proved. Compare with a copy you exported earlier.')),
      h('dl', { class: 'figures' }, figure(report.ok ? 'Rows' : 'Rows that hold', count(report.rows)), figure('Files', count(report.files)), figure('Checked', ago(at), clock(at))),
      h('p', { class: 'note proof' }, 'Hash of the newest row that holds, to keep elsewhere: ', hash, ' ', button, copied));
  } catch (error) {
    show('verdict', badge('unknown', 'warning'));
    show('proof', failureBanner(error));
  } finally {
    $('verify').disabled = false;
  }
}

for (const [name, value] of asked()) if ($(name)) $(name).value = value;
$('filter').addEventListener('input', debounce(draw, 120));
for (const id of ['surface', 'decision', 'outcome']) $(id).addEventListener('change', draw);
$('verify').addEventListener('click', verify);
verify();
whileVisible(refresh, 3000);
