// Search with filters, facets, explanations and a view of the file.
import { $, announce, asked, badge, call, count, definitions, emptyState, failureBanner, h, many, remember, share, show, spinner, table } from './core.js';
import { schemaForm } from './form.js';

const FIELDS = { q: 'query', mode: 'mode', lang: 'lang', kind: 'kind', path: 'path', ext: 'ext', top: 'top' };
const MODES = { code: 'Code', prose: 'Prose', extractedProse: 'Comments', records: 'Records' };
/** Arguments of the tool that have a place of their own on this page, or none at all. */
const PLACED = ['query', 'repoPath', 'mode', 'lang', 'type', 'path', 'ext', 'top', 'case', 'explain', 'output', 'context', 'cursor', 'stats', 'maxTokens', 'detail'];
let running;
let more;

/** Every other filter the tool has, made from its schema. */
async function offerMore() {
  if (more) return;
  const { inputSchema } = (await definitions()).tools.find((tool) => tool.id === 'search');
  const rest = Object.entries(inputSchema.properties).filter(([name]) => !PLACED.includes(name));
  more = schemaForm({ ...inputSchema, properties: Object.fromEntries(rest), required: [] }, 'more');
  show('more-filters', more.element);
  try {
    more.write(JSON.parse(asked().get('more') ?? '{}'));
  } catch {
    // An address somebody shortened is no reason to fail.
  }
}

function args() {
  const value = (id) => $(id).value.trim();
  const found = {
    query: value('query'), mode: value('mode'), lang: value('lang'), type: value('kind'), path: value('path'), ext: value('ext'),
    top: Number(value('top')), output: 'full', context: 1, explain: $('explain').checked, case: $('case').checked || undefined, stats: true,
  };
  const others = more ? more.read() : {};
  return { ...others, ...Object.fromEntries(Object.entries(found).filter(([, part]) => part !== '' && part !== undefined)) };
}

async function search() {
  let wanted;
  try {
    wanted = args();
  } catch (error) {
    show('hits', failureBanner(error));
    return;
  }
  if (!wanted.query) return;
  const others = more ? JSON.stringify(more.read()) : (asked().get('more') ?? '');
  remember({ more: others === '{}' ? '' : others, ...Object.fromEntries(Object.entries(FIELDS).map(([key, id]) => [key, $(id).value.trim()])), top: wanted.top === 10 ? '' : String(wanted.top) });
  running?.abort();
  running = new AbortController();
  show('hits', spinner('Searching'));
  try {
    const answer = await call('search', wanted, { signal: running.signal });
    draw(answer.search ?? answer, wanted);
  } catch (error) {
    if (error.name === 'AbortError') return;
    show('summary');
    show('facets');
    show('hits', error.code === 'NO_INDEX' ? noIndex() : failureBanner(error));
  }
}

function noIndex() {
  const box = h('div', { class: 'oods-empty' },
    h('p', { class: 'oods-empty__title' }, 'This repository has no index yet'),
    h('p', { class: 'oods-empty__text' }, 'Building one takes seconds for most repositories. It is kept in the cache, not in the repository.'),
    h('button', {
      type: 'button', class: 'oods-button oods-button--primary', click: async () => {
        show(box, spinner('Building the index'));
        try {
          await call('build_index', {});
          await search();
        } catch (error) {
          show('hits', failureBanner(error));
        }
      },
    }, 'Build the index'));
  return box;
}

function draw(answer, wanted) {
  const groups = Object.entries(MODES).map(([key, name]) => [name, answer[key] ?? [], answer.total?.[key]]).filter(([, hits]) => hits.length);
  const shown = groups.reduce((sum, [, hits]) => sum + hits.length, 0);
  const total = Object.values(answer.total ?? {}).reduce((sum, number) => sum + number, 0);
  const parts = [shown ? `${count(shown)} of ${many(Math.max(total, shown), 'hit')}` : 'No hits'];
  if (answer.stats?.elapsedMs !== undefined) parts.push(`${answer.stats.elapsedMs.toFixed(1)} ms`);
  const { changedFiles = 0, addedFiles = 0 } = answer.freshness ?? {};
  if (changedFiles + addedFiles > 0) parts.push(`${many(changedFiles + addedFiles, 'newer file')} searched directly`);
  show('summary', [...parts, ...(answer.notes ?? [])].join(' · '));
  if (!shown) {
    show('facets');
    const near = answer.suggestions ?? answer.nearest ?? answer.didYouMean;
    return show('hits', emptyState(`Nothing matches ${wanted.query}`,
      near ? `Nearest: ${[near].flat().map((part) => part.query ?? part).join(', ')}` : 'Use fewer or other words, or remove a filter.'));
  }
  show('facets', facets(groups.flatMap(([, hits]) => hits)));
  return show('hits', groups.map(([name, hits, number]) => h('section', { class: 'stack', 'aria-label': name },
    h('h2', { class: 'oods-text--subheading' }, name, number > hits.length && h('span', { class: 'note' }, ` ${count(number)}`)),
    h('ol', { class: 'hits' }, hits.map(hit)))));
}

function hit(found) {
  const open = () => view(found);
  return h('li', { class: 'oods-card hit' },
    h('div', { class: 'hit__head' },
      h('h3', { class: 'hit__title' }, h('button', { type: 'button', class: 'linklike', click: open },
        h('span', { class: 'hit__file' }, found.file), h('span', { class: 'hit__line' }, `:${found.snippet?.line ?? found.startLine}`))),
      found.name && h('code', { class: 'hit__name' }, found.name),
      found.kind && badge(found.kind, 'info'),
      found.lang && badge(found.lang),
      h('span', { class: 'hit__score', title: 'Score' }, found.score?.toFixed(1))),
    found.snippet?.text && h('pre', { class: 'code-block', tabindex: '0', 'aria-label': `Match in ${found.file}` }, h('code', {}, marked(found.snippet))),
    found.scoreBreakdown && explanation(found));
}

/** Offsets count bytes of UTF-8; a script counts UTF-16 units. */
function marked({ text, matches = [] }) {
  const raw = new TextEncoder().encode(text);
  const part = (from, to) => new TextDecoder().decode(raw.slice(from, to));
  const pieces = [];
  let at = 0;
  for (const [from, to] of matches.toSorted((a, b) => a[0] - b[0])) {
    if (from < at || to > raw.length) continue;
    pieces.push(part(at, from), h('mark', {}, part(from, to)));
    at = to;
  }
  pieces.push(part(at));
  return pieces;
}

function explanation({ scoreBreakdown }) {
  const rows = scoreBreakdown.contributions ?? [];
  const largest = Math.max(1, ...rows.filter((row) => !row.what.startsWith('×')).map((row) => row.value));
  return h('details', { class: 'hit__why' }, h('summary', {}, 'Why this rank'),
    table('Contributions', [{ name: 'What' }, { name: 'Value', number: true }, { name: 'Share' }],
      rows.map((row) => {
        const factor = row.what.startsWith('×');
        return [row.what, factor ? `× ${row.value.toFixed(2)}` : row.value.toFixed(2),
          share(row.value / (factor ? 3 : largest), factor ? '2' : '1')];
      })));
}

function facets(hits) {
  const kinds = [
    ['Language', 'lang', (found) => found.lang],
    ['Kind', 'kind', (found) => found.kind],
    ['Folder', 'path', (found) => (found.file.includes('/') ? `${found.file.split('/').slice(0, 2).join('/')}` : null)],
    ['Ending', 'ext', (found) => found.ext],
  ];
  return kinds.map(([title, id, of]) => {
    const counts = new Map();
    for (const found of hits) if (of(found)) counts.set(of(found), (counts.get(of(found)) ?? 0) + 1);
    const rows = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 8);
    const active = $(id).value.trim();
    if (rows.length < 2 && !active) return null;
    return h('section', { class: 'facet' }, h('h2', { class: 'oods-text--label' }, title),
      active && h('button', { type: 'button', class: 'oods-tag oods-tag--button', 'aria-pressed': 'true', click: () => narrow(id, '') }, `${active} ×`),
      rows.filter(([value]) => value !== active).map(([value, number]) =>
        h('button', { type: 'button', class: 'oods-tag oods-tag--button', click: () => narrow(id, value) }, `${value} `, h('span', { class: 'note' }, count(number)))));
  });
}

function narrow(id, value) {
  $(id).value = value;
  search();
}

const AROUND = 30;

async function view(found) {
  const viewer = $('viewer');
  show('viewer-title', found.file);
  show('viewer-body', spinner('Reading'));
  viewer.showModal();
  const first = Math.max(1, (found.startLine ?? 1) - AROUND);
  try {
    const file = await call('show_file', { file: found.file, startLine: first, endLine: (found.endLine ?? first) + AROUND });
    const lines = file.text.replace(/\n$/, '').split('\n');
    const inside = (number) => number >= found.startLine && number <= found.endLine;
    show('viewer-body',
      h('p', { class: 'note' }, `Lines ${file.startLine} to ${file.endLine} of ${count(file.totalLines)}`),
      h('pre', { class: 'code-block lines', tabindex: '0', 'aria-label': found.file }, lines.map((line, index) => {
        const number = file.startLine + index;
        return h('span', { class: inside(number) ? 'line line--hit' : 'line' }, h('span', { class: 'line__number', 'aria-hidden': 'true' }, String(number)), `${line}\n`);
      })));
    $('viewer-body').querySelector('.line--hit')?.scrollIntoView({ block: 'center' });
  } catch (error) {
    show('viewer-body', failureBanner(error));
  }
}

$('viewer-close').addEventListener('click', () => $('viewer').close());
$('search').addEventListener('submit', (event) => {
  event.preventDefault();
  search();
});
for (const id of ['mode', 'top', 'case', 'explain']) $(id).addEventListener('change', () => $('query').value && search());
for (const [key, id] of Object.entries(FIELDS)) if (asked().get(key)) $(id).value = asked().get(key);
$('more').addEventListener('toggle', () => offerMore().catch((error) => show('more-filters', failureBanner(error))));
if (asked().get('more')) {
  await offerMore();
  $('more').open = true;
}
if ($('query').value) search();
else {
  show('hits', emptyState('What are you looking for?', 'Words find code and documents; sym:Name finds a definition; a question finds what answers it.'));
  announce('');
}
