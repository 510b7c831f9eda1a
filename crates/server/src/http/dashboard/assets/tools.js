// The registry of tools, and a form to try a call.
import { $, announce, asked, badge, bytes, callWhole, copy, count, debounce, definitions, emptyState, failureBanner, h, remember, share, show, spinner, table, tabs } from './core.js';
import { EFFECTS, facts, limitRows } from './about.js';
import { schemaForm } from './form.js';

const STANDINGS = { listed: 'success', hidden: 'neutral', refused: 'warning', absent: 'neutral' };
let data;
let chosen;

function drawCost() {
  const toolsets = new Map();
  const listed = data.tools.filter((tool) => tool.standing !== 'hidden');
  for (const tool of listed) toolsets.set(tool.toolset, (toolsets.get(tool.toolset) ?? 0) + tool.cost.total);
  const total = [...toolsets.values()].reduce((sum, tokens) => sum + tokens, 0);
  const parts = [...toolsets].sort((a, b) => b[1] - a[1]);
  show('cost', h('div', { class: 'oods-card cost' },
    h('p', {}, h('strong', {}, `${count(total)} tokens`), ` for ${count(listed.length)} listed tools, before the first word (${data.tokenizer})`),
    h('div', { class: 'cost__bar', 'aria-hidden': 'true' }, parts.map(([, tokens], index) =>
      share(tokens / (total || 1), index + 1))),
    h('ul', { class: 'oods-legend__list' }, parts.map(([name, tokens], index) =>
      h('li', { class: 'oods-legend__item' }, h('span', { class: `swatch tone-${index + 1}` }), `${name} ${count(tokens)}`)))));
}

function drawList() {
  const words = $('filter').value.toLowerCase().split(/\s+/).filter(Boolean);
  const toolset = $('toolset').value;
  const fits = (tool) => (!toolset || tool.toolset === toolset)
    && words.every((word) => `${tool.id} ${tool.title} ${tool.summary}`.toLowerCase().includes(word));
  const found = data.tools.filter(fits);
  const absent = toolset ? [] : data.absent.filter((tool) => words.every((word) => tool.tool.toLowerCase().includes(word)));
  show('list',
    found.map((tool) => h('li', {}, h('button', {
      type: 'button', class: 'pick', 'aria-pressed': String(tool.id === chosen?.id), 'data-tool': tool.id, click: () => choose(tool),
    }, h('span', { class: 'pick__name' }, tool.id), h('span', { class: 'pick__note' }, `${tool.toolset} · ${count(tool.cost.total)} tokens`)))),
    absent.map((tool) => h('li', { class: 'pick pick--absent' },
      h('span', { class: 'pick__name' }, tool.tool), h('span', { class: 'pick__note' }, tool.reason))),
    found.length + absent.length === 0 && h('li', {}, emptyState('No such tool', 'Use fewer words.')));
  announce(`${found.length} tools`);
}

function choose(tool) {
  chosen = tool;
  remember({ tool: tool.id });
  for (const button of $('list').querySelectorAll('.pick[data-tool]')) button.setAttribute('aria-pressed', String(button.dataset.tool === tool.id));
  const [effect, tone] = EFFECTS[tool.effect];
  show('detail', h('article', { class: 'stack' },
    h('header', { class: 'stack stack--tight' },
      h('h2', { class: 'oods-text--heading' }, tool.title),
      h('p', { class: 'cluster' }, h('code', {}, tool.id), badge(tool.toolset, 'accent'), badge(effect, tone), badge(tool.standing, STANDINGS[tool.standing])),
      h('p', {}, tool.summary),
      tool.standing !== 'listed' && h('p', { class: 'note' }, tool.reason)),
    tabs(`About ${tool.id}`, [
      ['Try', tryPanel(tool)],
      ['Arguments', argumentsPanel(tool)],
      ['Limits and cost', limitsPanel(tool)],
      ['Schemas', schemasPanel(tool)],
    ])));
  if (matchMedia('(max-width: 60rem)').matches) $('detail').scrollIntoView();
}

function tryPanel(tool) {
  const form = schemaForm(tool.inputSchema, 'arg');
  const raw = h('textarea', { class: 'oods-field__control code', rows: '10', spellcheck: 'false', 'aria-label': 'Arguments as JSON' });
  const answer = h('div', { class: 'stack', 'aria-live': 'polite' });
  const asJson = h('input', { type: 'checkbox', class: 'oods-check__control', change: () => swap() });
  const careful = tool.effect !== 'read';
  const sure = h('input', { type: 'checkbox', class: 'oods-check__control', required: careful });
  const fields = h('div', {}, form.element);
  function swap() {
    if (asJson.checked) {
      try {
        raw.value = JSON.stringify(form.read(), null, 2);
      } catch {
        raw.value = '{}';
      }
      show(fields, raw);
    } else {
      try {
        form.write(JSON.parse(raw.value || '{}'));
      } catch (error) {
        asJson.checked = true;
        return show(answer, failureBanner(error));
      }
      show(fields, form.element);
    }
    return undefined;
  }
  const examples = tool.examples.map((example) => h('button', {
    type: 'button', class: 'oods-button oods-button--ghost oods-button--sm',
    click: () => {
      form.write(example.args);
      raw.value = JSON.stringify(example.args, null, 2);
      announce(`Filled in: ${example.summary}`);
    },
  }, example.summary));
  const send = async (event) => {
    event.preventDefault();
    let args;
    try {
      args = asJson.checked ? JSON.parse(raw.value || '{}') : form.read();
    } catch (error) {
      return show(answer, failureBanner(error));
    }
    show(answer, spinner('Calling'));
    const began = performance.now();
    try {
      const whole = await callWhole(tool.id, args);
      return show(answer, result(whole, performance.now() - began));
    } catch (error) {
      return show(answer, failureBanner(error), error.details?.errors && h('pre', { class: 'code-block', tabindex: '0' }, JSON.stringify(error.details.errors, null, 2)));
    }
  };
  return h('form', { class: 'stack', submit: send, novalidate: false },
    examples.length > 0 && h('div', { class: 'cluster' }, h('span', { class: 'oods-text--label' }, 'Examples'), examples),
    form.count === 0 ? h('p', { class: 'note' }, 'This tool takes no arguments.') : fields,
    form.count > 0 && h('label', { class: 'oods-check' }, asJson, h('span', { class: 'oods-check__label' }, 'Write the arguments as JSON')),
    careful && h('label', { class: 'oods-check' }, sure, h('span', { class: 'oods-check__label' }, 'I know that this call can change something')),
    h('div', { class: 'cluster' }, h('button', { type: 'submit', class: 'oods-button oods-button--primary' }, 'Call')),
    answer);
}

function result(whole, milliseconds) {
  const value = whole.result;
  // Programs answer with text.
  const isText = value && typeof value === 'object' && typeof value.text === 'string' && Object.keys(value).every((key) => ['text', 'isError'].includes(key));
  const text = isText ? value.text : JSON.stringify(value, null, 2);
  const shown = text.length > 200_000 ? `${text.slice(0, 200_000)}\n… ${count(text.length - 200_000)} more characters` : text;
  const code = h('pre', { class: 'code-block', tabindex: '0', 'aria-label': 'Answer' }, shown);
  const copied = h('span', { role: 'status' });
  const took = whole._meta?.durationMs ?? milliseconds;
  return [
    h('div', { class: 'bar' },
      isText && value.isError ? badge('failed', 'critical') : badge('ok', 'success'),
      h('span', { class: 'note' }, `${took < 10 ? took.toFixed(1) : Math.round(took)} ms · ${bytes(whole.bytes)}`),
      h('button', { type: 'button', class: 'oods-button oods-button--secondary oods-button--sm', click: async () => { copied.textContent = await copy(text, code); } }, 'Copy'),
      copied),
    whole._meta?.warnings?.map((warning) => h('p', { class: 'note' }, warning.message ?? JSON.stringify(warning))),
    code,
  ];
}

function argumentsPanel(tool) {
  const required = new Set(tool.inputSchema.required ?? []);
  const rows = Object.entries(tool.inputSchema.properties ?? {}).map(([name, part]) => [
    h('code', {}, name),
    h('code', {}, part.enum ? part.enum.map((word) => JSON.stringify(word)).join(' | ') : [part.type ?? (part.$ref ? part.$ref.split('/').at(-1) : part.not ? 'not yet' : 'any')].flat().join(' | ')),
    required.has(name) ? 'yes' : '',
    part.description ?? '',
  ]);
  return rows.length ? table('Arguments', [{ name: 'Name' }, { name: 'Type' }, { name: 'Required' }, { name: 'Meaning' }], rows) : h('p', { class: 'note' }, 'None.');
}

function limitsPanel(tool) {
  return facts([
    ...limitRows(tool),
    ['Why it is here', tool.reason],
    ['Tokens', `${count(tool.cost.total)}: ${count(tool.cost.description)} for name and description, ${count(tool.cost.schema)} for the arguments`],
    ['Version', String(tool.version)],
    tool.aliases.length ? ['Also called', tool.aliases.map((alias) => alias.name).join(', ')] : null,
    ['Calls since start', count(tool.calls)],
  ].filter(Boolean));
}

function schemasPanel(tool) {
  const block = (title, schema) => [h('h3', { class: 'oods-text--label' }, title),
    h('pre', { class: 'code-block', tabindex: '0', 'aria-label': `Schema: ${title}` }, JSON.stringify(schema, null, 2))];
  return h('div', { class: 'stack' }, block('Arguments', tool.inputSchema), tool.outputSchema ? block('Answer', tool.outputSchema) : h('p', { class: 'note' }, 'The answer is text.'));
}

async function start() {
  try {
    data = await definitions();
  } catch (error) {
    return show('detail', failureBanner(error));
  }
  const toolsets = [...new Set(data.tools.map((tool) => tool.toolset))];
  $('toolset').append(...toolsets.map((name) => h('option', { value: name }, name)));
  $('filter').addEventListener('input', debounce(drawList, 120));
  $('toolset').addEventListener('change', drawList);
  drawCost();
  const wanted = data.tools.find((tool) => tool.id === asked().get('tool'));
  chosen = wanted;
  drawList();
  if (wanted) return choose(wanted);
  return show('detail', emptyState('Choose a tool', 'Its arguments, limits and cost are shown here, with a form to try it.'));
}

start();
