// How a tool's effect and limits are told.
import { count, h, span } from './core.js';

export const EFFECTS = { read: ['reads', 'info'], write: ['writes', 'warning'], destructive: ['can destroy', 'critical'], network: ['uses the network', 'accent'] };

export function limitRows(tool) {
  const { policy } = tool;
  return [
    ['Time limit', span(policy.timeoutMs / 1000)],
    ['Calls a minute', policy.ratePerMinute ? count(policy.ratePerMinute) : 'no limit'],
    ['At once', policy.concurrency ? count(policy.concurrency) : 'no limit'],
    ['Roles', policy.roles.length ? policy.roles.join(', ') : 'everyone'],
    ['Gate', policy.gate ?? 'none'],
    ...policy.rules.map(({ argument, rule }) => ['Policy', argument ? `${argument}: ${rule}` : rule]),
    ['May write', policy.writes.length ? policy.writes.join(', ') : tool.effect === 'read' ? 'nothing' : 'as the tool says'],
  ];
}

export const facts = (rows) => h('dl', { class: 'oods-facts' }, rows.map(([name, value]) =>
  h('div', { class: 'oods-facts__row' }, h('dt', {}, name), h('dd', {}, value))));
