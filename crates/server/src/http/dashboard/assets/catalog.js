// The instruction catalog: entries, owners, review dates, history and differences.
import { $, announce, ago, asked, badge, call, count, debounce, emptyState, failureBanner, figure, h, hasTool, remember, show, spinner, tabs } from './core.js';
import { facts } from './about.js';
import { diff } from './diff.js';

const DAY = 86_400_000;
const REQUIREMENTS = { mandatory: 'critical', critical: 'critical', recommended: 'info', optional: 'neutral', deprecated: 'warning' };
const STATUSES = { approved: 'success', review: 'info', draft: 'neutral', deprecated: 'warning' };
let entries = [];
let chosen;

const due = (entry) => (entry.nextReviewDue ? new Date(entry.nextReviewDue).getTime() - Date.now() : Infinity);
const isUnowned = (entry) => !entry.owner || entry.owner === 'unowned';
const SHOWN = {
  '': () => true,
  due: (entry) => due(entry) < 0,
  soon: (entry) => due(entry) < 30 * DAY,
  draft: (entry) => entry.status === 'draft',
  unowned: isUnowned,
};

function dueText(entry) {
  const left = due(entry);
  if (left === Infinity) return 'no review date';
  const days = Math.round(Math.abs(left) / DAY);
  if (left < 0) return `review ${days} d overdue`;
  return `review in ${days} d`;
}

function drawFigures() {
  const owners = new Set(entries.filter((entry) => !isUnowned(entry)).map((entry) => entry.owner));
  const overdue = entries.filter(SHOWN.due).length;
  show('figures', figure('Entries', count(entries.length)), figure('Owners', count(owners.size), `${count(entries.filter(isUnowned).length)} without one`),
    figure('Binding', count(entries.filter((entry) => ['mandatory', 'critical'].includes(entry.requirement)).length), 'mandatory or critical'),
    figure('Review overdue', count(overdue), `${count(entries.filter(SHOWN.soon).length - overdue)} more in 30 days`, overdue ? 'critical' : ''));
}

function drawList() {
  const words = $('filter').value.toLowerCase().split(/\s+/).filter(Boolean);
  const [owner, shown] = [$('owner').value, SHOWN[$('show').value]];
  const text = (entry) => `${entry.id} ${entry.title} ${entry.body} ${entry.categories.join(' ')}`.toLowerCase();
  const found = entries.filter((entry) => (!owner || entry.owner === owner) && shown(entry) && words.every((word) => text(entry).includes(word)));
  show('list',
    found.slice(0, 500).map((entry) => h('li', {}, h('button', {
      type: 'button', class: 'pick', 'aria-pressed': String(entry.id === chosen), 'data-entry': entry.id, click: () => choose(entry.id),
    },
    h('span', { class: 'pick__name' }, entry.title),
    h('span', { class: 'pick__note' }, `${entry.owner ?? 'unowned'} · ${dueText(entry)}`)))),
    found.length > 500 && h('li', { class: 'note' }, `${count(found.length - 500)} more: use the filter`),
    found.length === 0 && h('li', {}, emptyState('No entry fits', 'Remove a filter.')));
  announce(`${found.length} entries`);
}

async function choose(id) {
  chosen = id;
  remember({ entry: id });
  for (const button of $('list').querySelectorAll('[data-entry]')) button.setAttribute('aria-pressed', String(button.dataset.entry === id));
  show('detail', spinner('Reading'));
  try {
    const [{ item }, history] = await Promise.all([call('instructions/get', { id }), call('instructions/history', { id })]);
    if (!item) return show('detail', emptyState('No such entry', 'It may have been removed.'));
    show('detail', article(item, history.changes));
  } catch (error) {
    show('detail', failureBanner(error));
  }
  if (matchMedia('(max-width: 60rem)').matches) $('detail').scrollIntoView();
  return undefined;
}

const day = (date) => (date ? h('time', { datetime: date, title: date }, new Date(date).toLocaleDateString('en-CA')) : 'never');

function article(entry, changes) {
  return h('article', { class: 'stack' },
    h('header', { class: 'stack stack--tight' },
      h('h2', { class: 'oods-text--heading' }, entry.title),
      h('p', { class: 'cluster' }, h('code', {}, entry.id), badge(entry.requirement, REQUIREMENTS[entry.requirement]), badge(entry.status, STATUSES[entry.status]),
        due(entry) < 0 && badge(dueText(entry), 'critical')),
      entry.semanticSummary && h('p', { class: 'note' }, entry.semanticSummary)),
    tabs(`About ${entry.id}`, [
      ['Text', h('pre', { class: 'code-block code-block--wrap', tabindex: '0', 'aria-label': entry.title }, entry.body)],
      ['Governance', facts([
        ['Owner', isUnowned(entry) ? badge('unowned', 'warning') : entry.owner],
        ['Last reviewed', day(entry.lastReviewedAt)],
        ['Next review', h('span', {}, day(entry.nextReviewDue), ` (${dueText(entry)})`)],
        ['Version', entry.version], ['Priority', `${entry.priority} (${entry.priorityTier})`], ['Audience', entry.audience],
        ['Classification', entry.classification], ['Categories', entry.categories.join(', ') || 'none'],
        ['Created', day(entry.createdAt)], ['Changed', day(entry.updatedAt)],
        ['Log', (entry.changeLog ?? []).map((line) => `${line.version} ${line.summary}`).join('; ') || 'empty'],
      ])],
      [`History (${count(changes.length)})`, historyPanel(entry, changes)],
    ]));
}

const SAYS = { add: 'Written', import: 'Imported', remove: 'Removed', groom: 'Groomed', repair: 'Repaired', governance: 'Governance changed', restore: 'Restored' };

function historyPanel(entry, changes) {
  if (changes.length === 0) return emptyState('No changes yet', 'Changes made through the catalog are listed here.');
  const place = h('div', { 'aria-live': 'polite' });
  return h('div', { class: 'stack' },
    h('ol', { class: 'oods-timeline__list' }, changes.map((change) => h('li', { class: 'oods-timeline__item' },
      h('p', { class: 'cluster' }, h('strong', {}, SAYS[change.action] ?? change.action), change.created?.includes(entry.id) && badge('first', 'success'),
        h('span', { class: 'note' }, `${ago(change.at)}${change.by ? ` by ${change.by}` : ''}`)),
      h('p', { class: 'cluster' }, h('code', {}, change.revision),
        [...(change.replaced ?? []), ...(change.removed ?? [])].includes(entry.id) && h('button', {
          type: 'button', class: 'oods-button oods-button--secondary oods-button--sm', click: () => compare(entry, change, place),
        }, 'What changed since'))))),
    place);
}

/** An entry as text, so that governance shows in the difference too. */
function asText(entry) {
  const head = ['title', 'owner', 'status', 'requirement', 'audience', 'priority', 'version', 'classification', 'nextReviewDue'];
  return [...head.map((key) => `${key}: ${entry[key] ?? ''}`), `categories: ${(entry.categories ?? []).join(', ')}`, '', entry.body ?? ''].join('\n');
}

async function compare(entry, change, place) {
  show(place, spinner('Comparing'));
  try {
    const former = await call('instructions/revision', { id: entry.id, revision: change.revision });
    if (!former.item) return show(place, emptyState('Not in the archive', 'The former text was purged or cleaned up.'));
    return show(place, h('h3', { class: 'oods-text--label' }, `From before ${change.revision} to now`),
      diff(`Changes of ${entry.id}`, asText(former.item), asText(entry)));
  } catch (error) {
    return show(place, failureBanner(error));
  }
}

async function start() {
  try {
    if (!hasTool('instructions/list')) return show('detail', emptyState('No catalog here', 'The server does not serve the catalog toolset.'));
    entries = (await call('instructions/list', {})).items;
  } catch (error) {
    return show('detail', failureBanner(error));
  }
  drawFigures();
  if (entries.length === 0) return show('detail', emptyState('The catalog is empty', h('span', {}, 'Import what you have with ', h('code', {}, 'mainstay catalog import . --apply'), '.')));
  const owners = [...new Set(entries.map((entry) => entry.owner).filter(Boolean))].sort();
  $('owner').append(...owners.map((name) => h('option', { value: name }, name)));
  $('filter').addEventListener('input', debounce(drawList, 120));
  for (const id of ['owner', 'show']) $(id).addEventListener('change', drawList);
  chosen = asked().get('entry') ?? '';
  drawList();
  if (chosen) return choose(chosen);
  return show('detail', emptyState('Choose an entry', 'Its text, owner, review dates and history are shown here.'));
}

start();
