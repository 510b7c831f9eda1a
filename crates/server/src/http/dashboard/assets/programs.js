// Programs served as tools, with what the policy lets callers do.
import { badge, count, definitions, emptyState, failureBanner, figure, h, many, show, table } from './core.js';
import { EFFECTS, facts, limitRows } from './about.js';

/** What an argument may be, as schema and policy say together. */
function allowed(part, policy) {
  const rules = policy.map(({ rule }) => rule);
  if (part.enum) rules.push(`one of ${part.enum.join(', ')}`);
  if (part.pattern) rules.push(`matches ${part.pattern}`);
  if (part.minimum !== undefined) rules.push(`at least ${part.minimum}`);
  if (part.maximum !== undefined) rules.push(`at most ${part.maximum}`);
  if (part.default !== undefined) rules.push(`default ${JSON.stringify(part.default)}`);
  return rules.join('; ') || 'anything';
}

function tool(definition) {
  const [effect, tone] = EFFECTS[definition.effect];
  const required = new Set(definition.inputSchema.required ?? []);
  const rows = Object.entries(definition.inputSchema.properties ?? {}).map(([name, part]) => [
    h('code', {}, name), [part.type ?? 'any'].flat().join(' | '), required.has(name) ? 'yes' : '', allowed(part, definition.policy.rules.filter(({ argument }) => argument === name)), part.description ?? '',
  ]);
  return h('details', { class: 'oods-accordion' },
    h('summary', { class: 'oods-accordion__summary' },
      h('span', { class: 'cluster' }, h('code', {}, definition.id), badge(effect, tone), definition.standing !== 'listed' && badge(definition.standing), h('span', { class: 'note' }, definition.summary))),
    h('div', { class: 'oods-accordion__body' },
      rows.length > 0 && table(`Arguments of ${definition.id}`, [{ name: 'Argument' }, { name: 'Type' }, { name: 'Required' }, { name: 'Allowed' }, { name: 'Meaning' }], rows),
      facts([...limitRows(definition), ['Why it is here', definition.reason]]),
      h('p', {}, h('a', { class: 'oods-link', href: `/dashboard/tools?tool=${encodeURIComponent(definition.id)}` }, 'Try a call'))));
}

try {
  const { tools } = await definitions();
  const programs = Map.groupBy(tools.filter((definition) => definition.toolset === 'programs' && definition.group), (definition) => definition.group);
  const all = [...programs.values()].flat();
  const number = (effect) => count(all.filter((definition) => definition.effect === effect).length);
  show('figures', figure('Programs', count(programs.size)), figure('Tools', count(all.length)),
    figure('Only read', number('read')), figure('Can destroy', number('destructive'), 'or say nothing about themselves'));
  show('programs', programs.size === 0
    ? emptyState('No programs are served', 'Start the server with --programs git,cargo or with a configuration of your own; --programs-policy says what is allowed.')
    : [...programs].map(([name, own]) => h('section', { class: 'oods-card', 'aria-label': name },
      h('header', { class: 'oods-card__header' },
        h('h2', { class: 'oods-card__title' }, name),
        h('p', { class: 'oods-card__subtitle' }, [many(own.length, 'tool'), own[0].category].filter(Boolean).join(' · '))),
      h('div', { class: 'stack stack--tight' }, own.map(tool)))));
} catch (error) {
  show('programs', failureBanner(error));
}
