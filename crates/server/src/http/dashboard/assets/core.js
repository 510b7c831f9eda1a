// What every page uses: building elements, calling tools, saying things in human units.

/** Makes an element. Attributes that are false or null are left out; functions are listeners. */
export function h(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same for SVG. */
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (typeof value === 'function') element.addEventListener(key, value);
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.flat(4).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const $ = (id) => document.getElementById(id);

/** Replaces what an element holds. */
export function show(target, ...children) {
  const element = typeof target === 'string' ? $(target) : target;
  element.replaceChildren(...children.flat(4).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A failed request: code, message and hint as the server gave them. */
export class Failure extends Error {
  constructor(error) {
    super(error.message);
    this.code = error.code;
    this.hint = error.hint ?? error.details?.hint;
    this.details = error.details;
  }
}

async function envelope(path, options = {}) {
  const headers = { accept: 'application/json', 'x-mainstay-dashboard': '1', ...options.headers };
  let reply;
  try {
    reply = await fetch(path, { ...options, headers, credentials: 'same-origin', redirect: 'error' });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Failure({ code: 'UNREACHABLE', message: 'the server does not answer', details: { hint: 'is it still running?' } });
  }
  if (reply.status === 401 && !path.startsWith('/dashboard/sign-in')) {
    location.assign('/dashboard/sign-in');
  }
  const text = await reply.text();
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Failure({ code: 'INTERNAL', message: `the answer is not JSON (status ${reply.status})` });
  }
  if (!body.ok) throw new Failure(body.error);
  return { ...body, bytes: text.length };
}

/** Reads a JSON endpoint. */
export const read = async (path, options) => (await envelope(path, options)).result;

/** Posts JSON. */
export function post(path, body, options = {}) {
  return envelope(path, { ...options, method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
}

/** Calls a tool and gives its whole envelope. */
export const callWhole = (tool, args = {}, options) => post(`/tools/${encodeURI(tool)}`, args, options);

/** Calls a tool and gives its result. */
export const call = async (tool, args, options) => (await callWhole(tool, args, options)).result;

let known;
/** The definitions of the tools, read once. */
export function definitions() {
  known ??= read('/dashboard/data/tools');
  return known;
}

/** Whether the server has a tool. */
export const hasTool = (id) => document.body.dataset.tools.split(' ').includes(id);

/** Says something to a screen reader without moving the focus. */
export function announce(text) {
  const live = $('live');
  if (live) live.textContent = text;
}

export function failureBanner(error) {
  return h('div', { class: 'oods-banner oods-banner--critical', role: 'alert' },
    h('p', { class: 'oods-banner__title' }, error.message),
    error.code && h('p', {}, h('code', {}, error.code)),
    error.hint && h('p', {}, error.hint));
}

export function emptyState(title, ...text) {
  return h('div', { class: 'oods-empty' },
    h('p', { class: 'oods-empty__title' }, title),
    ...text.map((part) => h('p', { class: 'oods-empty__text' }, part)));
}

export const badge = (text, tone = 'neutral') => h('span', { class: `oods-badge oods-badge--${tone}` }, text);

export function spinner(text) {
  return h('p', { class: 'oods-spinner', role: 'status' }, h('span', { class: 'oods-spinner__ring', 'aria-hidden': 'true' }), text);
}

/** A table in a box that scrolls sideways when it must. */
export function table(caption, heads, rows) {
  const cell = (value, index) => {
    const kind = heads[index].number ? 'oods-table__cell oods-table__cell--end' : 'oods-table__cell';
    return index === 0 && !heads[0].number
      ? h('th', { scope: 'row', class: kind }, value)
      : h('td', { class: kind }, value);
  };
  return h('div', { class: 'oods-table', tabindex: '0', role: 'region', 'aria-label': caption },
    h('table', { class: 'oods-table__table' },
      h('caption', { class: 'visually-hidden' }, caption),
      h('thead', {}, h('tr', {}, heads.map((head) =>
        h('th', { scope: 'col', class: head.number ? 'oods-table__head oods-table__head--end' : 'oods-table__head' }, head.name)))),
      h('tbody', {}, rows.map((row) => h('tr', {}, row.map(cell))))));
}

/** One figure of a row of figures. */
export function figure(label, value, note, tone) {
  return h('div', { class: 'oods-metric' },
    h('dt', { class: 'oods-metric__label' }, label),
    h('dd', { class: tone ? `oods-metric__value tone-${tone}` : 'oods-metric__value' }, value),
    note && h('dd', { class: 'oods-metric__caption' }, note));
}

/** A bar whose length is a share of its place, from 0 to 1. */
export function share(part, tone = '1') {
  const bar = h('span', { class: `share tone-${tone}`, 'aria-hidden': 'true' });
  bar.style.inlineSize = `${Math.max(0, Math.min(1, part)) * 100}%`;
  return bar;
}

const number = new Intl.NumberFormat('en');
export const count = (value) => number.format(value);

/** A number with its noun: `many(1, 'call')`, `many(3, 'entry', 'entries')`. */
export const many = (value, one, more = `${one}s`) => `${count(value)} ${value === 1 ? one : more}`;

export function bytes(value) {
  if (value < 1000) return `${value} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let size = value / 1000;
  let unit = 0;
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}

export function duration(micros) {
  if (micros < 1000) return `${micros} µs`;
  if (micros < 1e6) return micros < 1e4 ? `${(micros / 1000).toFixed(1)} ms` : `${Math.round(micros / 1000)} ms`;
  if (micros < 6e7) return `${(micros / 1e6).toFixed(1)} s`;
  return span(micros / 1e6);
}

/** Seconds as the two largest units. */
export function span(seconds) {
  const parts = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];
  const from = parts.findIndex(([size]) => seconds >= size);
  if (from < 0) return '0 s';
  const [size, unit] = parts[from];
  const whole = Math.floor(seconds / size);
  const next = parts[from + 1];
  const rest = next && Math.floor((seconds - whole * size) / next[0]);
  return rest ? `${whole} ${unit} ${rest} ${next[1]}` : `${whole} ${unit}`;
}

export const clock = (date) => new Date(date).toLocaleTimeString('en-GB');

export function ago(date, now = Date.now()) {
  const seconds = Math.round((now - new Date(date).getTime()) / 1000);
  if (seconds < 5) return 'now';
  return `${span(seconds)} ago`;
}

/** Runs `action` after the last of several quick calls. */
export function debounce(action, milliseconds) {
  let timer;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...args), milliseconds);
  };
}

/** Runs `action` now and every `milliseconds` while the page is visible. */
export function whileVisible(action, milliseconds) {
  let running = false;
  const tick = async () => {
    if (document.hidden || running) return;
    running = true;
    try {
      await action();
      state('');
    } catch (error) {
      state(error.message);
    } finally {
      running = false;
    }
  };
  document.addEventListener('visibilitychange', tick);
  setInterval(tick, milliseconds);
  return tick();
}

/** What goes wrong in the background is said in the header. */
function state(text) {
  const element = $('state');
  if (element && element.textContent !== text) element.textContent = text;
}

/** Keeps what a page shows in its address, so that it can be reloaded and shared. */
export function remember(values) {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value));
  const text = query.toString();
  history.replaceState(null, '', text ? `?${text}` : location.pathname);
}

export const asked = () => new URLSearchParams(location.search);

/** Tabs over panels: arrow keys move, as the pattern wants it. */
export function tabs(label, panels) {
  const stem = `tab-${Math.random().toString(36).slice(2)}`;
  const buttons = panels.map(([name], index) => h('button', {
    type: 'button', role: 'tab', class: 'oods-tabs__tab', id: `${stem}-${index}`, 'aria-controls': `${stem}-panel-${index}`,
    click: () => choose(index),
    keydown: (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      choose((index + step + panels.length) % panels.length, true);
    },
  }, name));
  const bodies = panels.map(([, body], index) => h('div', {
    role: 'tabpanel', class: 'oods-tabs__panel', id: `${stem}-panel-${index}`, 'aria-labelledby': `${stem}-${index}`,
  }, body));
  function choose(chosen, focus = false) {
    buttons.forEach((button, index) => {
      button.setAttribute('aria-selected', String(index === chosen));
      button.tabIndex = index === chosen ? 0 : -1;
      bodies[index].hidden = index !== chosen;
    });
    if (focus) buttons[chosen].focus();
  }
  choose(0);
  return h('div', { class: 'oods-tabs' }, h('div', { class: 'oods-tabs__list', role: 'tablist', 'aria-label': label }, buttons), bodies);
}

/** Copies a text; where the browser forbids it, selects the element so that Ctrl+C does. */
export async function copy(text, element) {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied';
  } catch {
    const range = document.createRange();
    range.selectNodeContents(element);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    return 'Press Ctrl+C to copy';
  }
}
