// Security findings in columns by what was decided, with a form to decide.
import { $, announce, badge, call, count, emptyState, failureBanner, h, hasTool, show, spinner } from './core.js';
import { facts } from './about.js';

const COLUMNS = [['open', 'Open'], ['fix', 'To fix'], ['defer', 'Deferred'], ['accept', 'Accepted'], ['not_affected', 'Not affected'], ['false_positive', 'False positive']];
const SEVERITIES = { critical: 'critical', high: 'critical', medium: 'warning', moderate: 'warning', low: 'info' };
const SOURCES = ['dependabot', 'aws_inspector', 'sarif', 'osv', 'trivy', 'npm_audit', 'cargo_audit', 'generic', 'manual'];
/** Cards on the board; a board with more is read with search. */
const MOST = 500;

const severity = (record) => record.severity ?? record.vuln?.severity ?? 'unknown';
const name = (record) => record.vulnId ?? record.vuln?.vulnId ?? record.recordId;
const badgeOf = (record) => badge(severity(record), SEVERITIES[severity(record)]);

async function refresh() {
  try {
    const answer = await call('search', { query: '*', mode: 'records', meta: 'recordType=finding', output: 'full', top: MOST });
    const found = (answer.search ?? answer).records.map((hit) => hit.record).filter((record) => record?.recordType === 'finding');
    draw(found);
  } catch (error) {
    show('board', failureBanner(error));
  }
}

function draw(found) {
  if (found.length === 0) {
    return show('board', emptyState('Nothing to triage', 'Read the report of a scanner to begin.'), ingestForm());
  }
  announce(`${found.length} findings`);
  return show('board',
    h('div', { class: 'board' }, COLUMNS.map(([status, title]) => {
      const own = found.filter((record) => (record.status ?? 'open') === status);
      return h('section', { class: 'board__column', 'aria-label': title },
        h('h2', { class: 'oods-text--label' }, title, ' ', h('span', { class: 'note' }, count(own.length))),
        h('ul', { class: 'stack stack--tight' }, own.map(card)),
        own.length === 0 && h('p', { class: 'note' }, 'None'));
    })),
    ingestForm());
}

function card(record) {
  return h('li', {}, h('button', { type: 'button', class: 'oods-card board__card', click: () => open(record) },
    h('span', { class: 'cluster' }, badgeOf(record), record.expired && badge('decision expired', 'warning'), record.findingChanged && badge('changed since', 'warning')),
    h('span', { class: 'oods-list__label' }, record.vuln?.title || name(record)),
    h('span', { class: 'note' }, [name(record), record.packageName ?? record.package?.name ?? record.file].filter(Boolean).join(' · '))));
}

const field = (id, label, control, help) => h('div', { class: 'oods-field' }, h('label', { class: 'oods-field__label', for: id }, label), control, help && h('p', { class: 'oods-field__help' }, help));
const input = (id, attributes) => h('input', { class: 'oods-field__control', id, autocomplete: 'off', ...attributes });
const select = (id, options) => h('select', { class: 'oods-field__control', id }, options.map(([value, text]) => h('option', { value }, text)));

function open(record) {
  const outcome = h('div', { 'aria-live': 'polite' });
  const context = h('div', { 'aria-live': 'polite' });
  const dialog = h('dialog', { class: 'viewer', 'aria-labelledby': 'finding-title', close: () => dialog.remove() });
  const decide = async (event) => {
    event.preventDefault();
    const value = (id) => $(id).value.trim() || undefined;
    try {
      await call('triage_decision', { finding: record.recordId, status: value('decision'), justification: value('why'), reviewer: value('reviewer'), expires: value('expires') });
      dialog.close();
      announce('Decided');
      await refresh();
    } catch (error) {
      show(outcome, failureBanner(error));
    }
  };
  const gather = async () => {
    show(context, spinner('Gathering'));
    try {
      const { pack, ...rest } = await call('triage_context_pack', { recordId: record.recordId });
      show(context, h('pre', { class: 'code-block', tabindex: '0', 'aria-label': 'Context' }, JSON.stringify(pack ?? rest, null, 2)));
    } catch (error) {
      show(context, failureBanner(error));
    }
  };
  const rows = [
    ['Id', name(record)], ['CVE', record.cve ?? record.vuln?.cve], ['Package', [record.package?.name, record.package?.installedVersion].filter(Boolean).join(' ')],
    ['Fixed in', record.package?.fixedVersion], ['Where', record.file ?? record.package?.manifestPath ?? record.assetId], ['Source', record.source],
    ['Owner', [record.team, record.owner].filter(Boolean).join(', ')], ['Stands', record.status ?? 'open'],
  ].filter(([, text]) => text);
  dialog.append(
    h('div', { class: 'viewer__bar' }, h('h2', { class: 'oods-card__title', id: 'finding-title' }, record.vuln?.title || name(record)), badgeOf(record),
      h('button', { type: 'button', class: 'oods-button oods-button--secondary oods-button--sm', click: () => dialog.close() }, 'Close')),
    h('div', { class: 'stack' },
      record.vuln?.description && h('p', {}, record.vuln.description),
      facts(rows),
      h('form', { class: 'stack', submit: decide },
        h('h3', { class: 'oods-text--subheading' }, 'Decide'),
        h('div', { class: 'form-fields' },
          field('decision', 'Decision', select('decision', COLUMNS.slice(1))),
          field('reviewer', 'Reviewer', input('reviewer', { type: 'text' })),
          field('expires', 'Holds until', input('expires', { type: 'date' }), 'For ever when empty.')),
        field('why', 'Why', h('textarea', { class: 'oods-field__control oods-field__control--area', id: 'why', rows: '3' }), 'Needed for everything but a fix.'),
        outcome,
        h('div', { class: 'cluster' },
          h('button', { type: 'submit', class: 'oods-button oods-button--primary' }, 'Record the decision'),
          h('button', { type: 'button', class: 'oods-button oods-button--secondary', click: gather }, 'Show the context'))),
      context));
  document.body.append(dialog);
  dialog.showModal();
}

function ingestForm() {
  const outcome = h('div', { 'aria-live': 'polite' });
  return h('form', {
    class: 'oods-card stack', submit: async (event) => {
      event.preventDefault();
      show(outcome, spinner('Reading the report'));
      try {
        const report = await call('triage_ingest', { source: $('source').value, inputPath: $('report').value.trim() });
        show(outcome, h('p', {}, `${count(report.written)} of ${count(report.total)} records written, ${count(report.errors)} could not be read.`));
        await refresh();
      } catch (error) {
        show(outcome, failureBanner(error));
      }
    },
  },
  h('h2', { class: 'oods-card__title' }, 'Read a report'),
  h('div', { class: 'form-fields' },
    field('source', 'Format', select('source', SOURCES.map((source) => [source, source.replace('_', ' ')]))),
    field('report', 'File', input('report', { type: 'text', required: true, placeholder: 'reports/alerts.json' }), 'Relative to the repository.')),
  h('div', { class: 'cluster' }, h('button', { type: 'submit', class: 'oods-button oods-button--secondary' }, 'Read it')),
  outcome);
}

if (hasTool('triage_decision')) refresh();
else show('board', emptyState('This server has no triage tools', 'They belong to the search toolset. A read-only server leaves them out, because deciding writes.'));
