// The overview: figures and charts of the last minutes, refreshed every two seconds.
import { $, asked, badge, bytes, call, clock, count, duration, emptyState, failureBanner, figure, h, hasTool, many, read, remember, show, span, spinner, table, whileVisible } from './core.js';
import { chart } from './charts.js';
import { freshness } from './freshness.js';

const CODES = ['1', '2', '3', '4', '5', '6'];
const range = $('range');
range.value = asked().get('minutes') ?? '60';
let last;

/** The minutes of the range, with empty ones where nothing was called. */
function filled(data) {
  const length = Number(range.value);
  const end = Math.floor(data.now / 60) * 60;
  const found = new Map(data.minutes.map((minute) => [minute.start, minute]));
  return Array.from({ length }, (_, index) => {
    const start = end - (length - 1 - index) * 60;
    return found.get(start) ?? { start, calls: 0, errors: {}, denied: 0, answerBytes: 0, answerTokens: 0 };
  });
}

const sum = (values) => values.reduce((total, value) => total + value, 0);
const errorsOf = (minute) => sum(Object.values(minute.errors));

function draw(data) {
  last = data;
  const minutes = filled(data);
  const starts = minutes.map((minute) => minute.start);
  const busy = minutes.filter((minute) => minute.calls > 0);
  const calls = sum(minutes.map((minute) => minute.calls));
  const errors = sum(minutes.map(errorsOf));
  const denied = sum(minutes.map((minute) => minute.denied));
  const answered = sum(minutes.map((minute) => minute.answerBytes));
  const tokens = sum(minutes.map((minute) => minute.answerTokens));
  const slowest = Math.max(0, ...busy.map((minute) => minute.p95Micros));
  const median = busy.length ? busy.map((minute) => minute.medianMicros).sort((a, b) => a - b)[Math.floor(busy.length / 2)] : 0;
  const peak = Math.max(...minutes.map((minute) => minute.calls));
  show('figures',
    figure('Calls', count(calls), `peak ${count(peak)} a minute`),
    figure('Failed', calls ? `${((errors / calls) * 100).toFixed(errors ? 1 : 0)} %` : '–', many(errors, 'call'), errors ? 'critical' : ''),
    figure('Typical time', busy.length ? duration(median) : '–', busy.length ? `p95 up to ${duration(slowest)}` : 'no calls'),
    figure('Answers', bytes(answered), calls ? `${many(Math.round(tokens / calls), 'token')} each` : 'no calls'),
    figure('Under way', count(data.inFlight), `of ${count(data.queueMax)}`),
    figure('Up', span(data.uptimeMs / 1000), `version ${data.version}`));

  // A chart under the pointer stays, or its tip would vanish while it is read.
  if (!$('charts').matches(':hover')) drawCharts({ minutes, starts, busy, calls, errors, denied, answered, tokens, slowest, median });
  const lists = JSON.stringify([data.tools, data.recent]);
  if (lists !== shownLists) drawLists(data);
  shownLists = lists;
}

let shownLists = '';

function drawCharts({ minutes, starts, busy, calls, errors, denied, answered, tokens, slowest, median }) {
  const codes = [...new Set(minutes.flatMap((minute) => Object.keys(minute.errors)))].sort();
  const whole = (value) => count(Math.round(value));
  show('charts',
    chart({
      title: 'Calls a minute', summary: `${many(calls, 'call')}, ${count(errors)} failed`, minutes: starts, kind: 'bars', format: whole, whole: true,
      series: [
        { name: 'succeeded', tone: '1', values: minutes.map((minute) => minute.calls - errorsOf(minute)) },
        { name: 'failed', tone: 'critical', values: minutes.map(errorsOf) },
      ],
    }),
    chart({
      title: 'Latency', summary: busy.length ? `median ${duration(median)}, slowest p95 ${duration(slowest)}` : 'no calls',
      minutes: starts, kind: 'lines', format: (value) => duration(Math.round(value)),
      series: [
        { name: 'p95', tone: '2', values: minutes.map((minute) => (minute.calls ? minute.p95Micros : null)) },
        { name: 'median', tone: '1', values: minutes.map((minute) => (minute.calls ? minute.medianMicros : null)) },
      ],
    }),
    chart({
      title: 'Errors by code', summary: codes.length ? codes.map((code) => `${code} ${count(sum(minutes.map((m) => m.errors[code] ?? 0)))}`).join(', ') : 'none',
      minutes: starts, kind: 'bars', format: whole, whole: true,
      series: codes.map((code, index) => ({ name: code, tone: CODES[index % CODES.length], values: minutes.map((minute) => minute.errors[code] ?? 0) })),
    }),
    chart({
      title: 'Answer size', summary: `${bytes(answered)} in all`, minutes: starts, kind: 'lines', format: (value) => bytes(Math.round(value)),
      series: [{ name: 'bytes a minute', tone: '3', values: minutes.map((minute) => minute.answerBytes) }],
    }),
    chart({
      title: 'Answer tokens', summary: `${count(tokens)} in all`, minutes: starts, kind: 'bars', format: whole, whole: true,
      series: [{ name: 'tokens a minute', tone: '4', values: minutes.map((minute) => minute.answerTokens) }],
    }),
    chart({
      title: 'Policy denials', summary: denied ? `${many(denied, 'call')} refused` : 'none', minutes: starts, kind: 'bars', format: whole, whole: true,
      series: [{ name: 'denied', tone: '5', values: minutes.map((minute) => minute.denied) }],
    }),
    index);
}

function drawLists(data) {
  const busiest = data.tools.toSorted((a, b) => b.count - a.count).slice(0, 8);
  show('tools', busiest.length
    ? table('Busiest tools', [{ name: 'Tool' }, { name: 'Calls', number: true }, { name: 'Failed', number: true }, { name: 'Mean', number: true }],
      busiest.map((row) => [
        h('a', { class: 'oods-link', href: `/dashboard/tools?tool=${encodeURIComponent(row.id)}` }, row.id),
        count(row.count), count(row.errors), duration(row.meanMicros),
      ]))
    : emptyState('No calls yet', 'Connect a client, or try a tool on the Tools page.'));
  show('recent', data.recent.length
    ? h('ul', { class: 'oods-list__items' }, data.recent.map((row) => h('li', { class: 'oods-list__item' },
      h('span', { class: 'oods-list__text' },
        h('span', { class: 'oods-list__label' }, row.tool ?? 'unknown tool'),
        h('span', { class: 'oods-list__meta' }, `${clock(row.at)} · ${row.surface} · ${duration(row.micros)}`)),
      row.code ? badge(row.code, row.isDenied ? 'warning' : 'critical') : badge('ok', 'success'))))
    : emptyState('No calls yet'));
}

const index = h('section', { class: 'oods-chart', 'aria-labelledby': 'index-title' }, h('h2', { class: 'oods-chart__title', id: 'index-title' }, 'Index freshness'), spinner('Looking at the files'));

async function drawIndex() {
  const head = (text, tone) => h('div', { class: 'chart__head' }, h('h2', { class: 'oods-chart__title', id: 'index-title' }, 'Index freshness'), text && badge(text, tone));
  try {
    if (!hasTool('index_status')) {
      return show(index, head(), emptyState('No search here', 'The server does not serve the search toolset.'));
    }
    const status = await call('index_status');
    const { label, tone, rows } = freshness(status);
    return show(index, head(label, tone), rows.length
      ? h('dl', { class: 'oods-facts' }, rows.map(([name, value]) => h('div', { class: 'oods-facts__row' }, h('dt', {}, name), h('dd', {}, value))))
      : emptyState('Not indexed yet', 'The first search builds the index; so does the tool build_index.'));
  } catch (error) {
    return show(index, head(), failureBanner(error));
  }
}

range.addEventListener('change', () => {
  remember({ minutes: range.value === '60' ? '' : range.value });
  if (last) draw(last);
});

drawIndex();
setInterval(() => document.hidden || drawIndex(), 60_000);
whileVisible(async () => draw(await read('/dashboard/data/overview')), 2000);
