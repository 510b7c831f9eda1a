// A UiSchema, checked and rendered while it is written, and the code that comes of it.
import { $, badge, call, copy, debounce, emptyState, failureBanner, h, hasTool, show } from './core.js';

const FIRST = {
  version: '2026.02',
  screens: [{
    id: 'welcome', component: 'Stack', children: [
      { id: 'title', component: 'Text', props: { as: 'h1', content: 'Subscriptions' } },
      {
        id: 'figures', component: 'Grid', props: { columns: 3 }, children: [
          { id: 'active', component: 'MetricCard', props: { label: 'Active', value: '1,284', delta: '+4 %', trend: 'up' } },
          { id: 'trial', component: 'MetricCard', props: { label: 'In trial', value: '96' } },
          { id: 'lost', component: 'MetricCard', props: { label: 'Cancelled', value: '12', delta: '-2 %', trend: 'down' } },
        ],
      },
      {
        id: 'actions', component: 'Stack', props: { direction: 'row' }, children: [
          { id: 'new', component: 'Button', props: { label: 'New subscription', variant: 'primary' } },
          { id: 'export', component: 'Button', props: { label: 'Export', variant: 'secondary' } },
        ],
      },
    ],
  }],
};

const frame = $('frame');
let isReady = false;
let waiting;

addEventListener('message', (event) => {
  if (event.source !== frame.contentWindow || event.data !== 'ready') return;
  isReady = true;
  if (waiting) send(waiting);
});

// Loaded only now, so that it cannot say that it is ready before anybody listens.
frame.src = '/dashboard/frame';

/** The frame has an origin of its own, so the page is sent to whoever is in it: only our script is. */
function send(html) {
  waiting = html;
  if (isReady) frame.contentWindow.postMessage({ html }, '*');
}

function read() {
  const tree = JSON.parse($('source').value);
  return { ...tree, theme: $('preview-theme').value };
}

let turn = 0;

async function refresh() {
  const mine = (turn += 1);
  let schema;
  try {
    schema = read();
  } catch (error) {
    show('verdict', badge('not JSON', 'critical'));
    return show('findings', h('p', { class: 'oods-field__error' }, error.message));
  }
  try {
    const [report, page] = await Promise.all([
      call('repl.validate', { mode: 'full', checkA11y: true, schema }),
      call('repl.render', { mode: 'full', schema, output: { format: 'document', brand: $('preview-brand').value } }),
    ]);
    if (mine !== turn) return undefined;
    if (page.html) send(page.html);
    const problems = [...report.errors, ...report.warnings];
    show('verdict', report.errors.length ? badge(`${report.errors.length} errors`, 'critical') : problems.length ? badge(`${problems.length} warnings`, 'warning') : badge('valid', 'success'));
    show('findings', problems.length > 0 && h('ul', { class: 'findings' }, problems.slice(0, 50).map((issue) => h('li', {},
      badge(issue.code, report.errors.includes(issue) ? 'critical' : 'warning'), ' ', issue.message, issue.hint && h('span', { class: 'note' }, ` ${issue.hint}`)))));
    return generate(schema, mine);
  } catch (error) {
    if (mine !== turn) return undefined;
    show('verdict', badge('refused', 'critical'));
    return show('findings', failureBanner(error));
  }
}

async function generate(schema, mine = turn) {
  try {
    const made = await call('code.generate', { schema, framework: $('framework').value, options: { styling: $('styling').value } });
    if (mine === turn) show('code', made.code);
  } catch (error) {
    show('code', `// ${error.message}`);
  }
}

async function start() {
  if (!hasTool('repl.render')) {
    return show('main', emptyState('No foundry here', 'The server does not serve the foundry toolset.'));
  }
  $('source').value = JSON.stringify(FIRST, null, 2);
  // The preview starts in the theme of the page.
  const wanted = document.documentElement.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  if ([...$('preview-theme').options].some((option) => option.value === wanted)) $('preview-theme').value = wanted;
  $('source').addEventListener('input', debounce(refresh, 300));
  for (const id of ['preview-theme', 'preview-brand']) $(id).addEventListener('change', refresh);
  for (const id of ['framework', 'styling']) $(id).addEventListener('change', refresh);
  $('preview-width').addEventListener('change', () => frame.classList.toggle('is-phone', $('preview-width').value === 'phone'));
  $('copy').addEventListener('click', async () => { $('copied').textContent = await copy($('code').textContent, $('code')); });
  $('compose').addEventListener('submit', async (event) => {
    event.preventDefault();
    const intent = $('intent').value.trim();
    if (!intent) return;
    show('verdict', badge('composing', 'info'));
    try {
      const made = await call('design.compose', { intent });
      const schema = made.schema ?? made.uiSchema ?? made.tree;
      $('source').value = JSON.stringify(schema, null, 2);
      await refresh();
    } catch (error) {
      show('findings', failureBanner(error));
    }
  });
  return refresh();
}

start();
