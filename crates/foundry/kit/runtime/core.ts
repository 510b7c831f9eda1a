// Draws a component from its template. Framework adapters turn the result into their own nodes.
import { archetypes, components } from './registry';

export type Props = Record<string, unknown>;
export const CHILDREN: unique symbol = Symbol('children');
export interface VElement {
  tag: string;
  attrs: Props;
  style: Record<string, string>;
  kids: VNode[];
}
export type VNode = VElement | string | typeof CHILDREN;

// ---- expressions: `cond ? a : b`, `&&`, `!`, `==`, `|`, literals, paths, calls ----
type Expr =
  | { k: 'lit'; v: unknown }
  | { k: 'path'; p: string[] }
  | { k: 'call'; f: string; a: Expr[] }
  | { k: 'or'; o: Expr[] }
  | { k: 'eq'; l: Expr; r: Expr; want: boolean }
  | { k: 'not'; e: Expr }
  | { k: 'and'; l: Expr; r: Expr }
  | { k: 'if'; c: Expr; t: Expr; e?: Expr };

function parse(text: string): Expr {
  let at = 0;
  const eat = (token: string): boolean => {
    while (text[at] === ' ') at += 1;
    if (!text.startsWith(token, at)) return false;
    at += token.length;
    return true;
  };
  const choice = (): Expr => {
    const c = both();
    if (!eat('?')) return c;
    const t = both();
    return eat(':') ? { k: 'if', c, t, e: choice() } : { k: 'if', c, t };
  };
  const both = (): Expr => {
    let l = compare();
    while (eat('&&')) l = { k: 'and', l, r: compare() };
    return l;
  };
  const compare = (): Expr => {
    const l = either();
    if (eat('==')) return { k: 'eq', l, r: either(), want: true };
    if (eat('!=')) return { k: 'eq', l, r: either(), want: false };
    return l;
  };
  const either = (): Expr => {
    const o = [primary()];
    while (text[skip()] === '|') {
      at = skip() + 1;
      o.push(primary());
    }
    return o.length === 1 ? o[0]! : { k: 'or', o };
  };
  const skip = (): number => {
    let to = at;
    while (text[to] === ' ') to += 1;
    return to;
  };
  const primary = (): Expr => {
    if (text[skip()] === '!' && text[skip() + 1] !== '=') {
      eat('!');
      return { k: 'not', e: primary() };
    }
    if (eat('(')) {
      const inner = choice();
      eat(')');
      return inner;
    }
    if (eat("'")) {
      const end = text.indexOf("'", at);
      const v = text.slice(at, end);
      at = end + 1;
      return { k: 'lit', v };
    }
    at = skip();
    const word = /^[A-Za-z0-9._]+/.exec(text.slice(at))?.[0] ?? '';
    at += word.length;
    if (/^\d+$/.test(word)) return { k: 'lit', v: Number(word) };
    if (!eat('(')) return { k: 'path', p: word.split('.') };
    const a: Expr[] = [];
    while (!eat(')')) {
      a.push(choice());
      eat(',');
    }
    return { k: 'call', f: word, a };
  };
  return choice();
}

const parsed = new Map<string, Expr>();
const compile = (text: string): Expr => {
  const known = parsed.get(text);
  if (known) return known;
  const expr = parse(text);
  parsed.set(text, expr);
  return expr;
};

interface Scope {
  props: Props;
  defaults: Props;
  id: string;
  children: boolean;
  locals: [string, unknown][];
  index: number;
}

const isEmpty = (v: unknown): boolean =>
  v === undefined || v === null || v === false || v === '' || (Array.isArray(v) && v.length === 0);

export const toText = (v: unknown): string => {
  if (typeof v === 'string') return v;
  if (typeof v === 'number') return String(Math.round(v * 1e4) / 1e4);
  if (typeof v === 'boolean') return String(v);
  if (Array.isArray(v)) return v.filter((x) => typeof x !== 'object').map(toText).join(', ');
  return '';
};

const descend = (v: unknown, path: string[]): unknown =>
  path.reduce<unknown>((at, key) => (at !== null && typeof at === 'object' ? (at as Props)[key] : undefined), v);

function lookup(s: Scope, [head = '', ...rest]: string[], withDefaults: boolean): unknown {
  for (let i = s.locals.length - 1; i >= 0; i -= 1) {
    if (s.locals[i]![0] === head) return descend(s.locals[i]![1], rest);
  }
  if (head === 'index') return s.index;
  if (head === 'children') return s.children;
  if (head === 'node') return s.id;
  const given = s.props[head];
  return descend(given ?? (withDefaults ? s.defaults[head] : undefined), rest);
}

function evaluate(e: Expr, s: Scope): unknown {
  switch (e.k) {
    case 'lit':
      return e.v;
    case 'path':
      return lookup(s, e.p, true);
    case 'call':
      return functions[e.f]?.(...e.a.map((a) => evaluate(a, s)));
    case 'or': {
      for (const o of e.o) {
        const v = o.k === 'path' ? lookup(s, o.p, false) : undefined;
        if (!isEmpty(v)) return v;
      }
      let last: unknown;
      for (const o of e.o) {
        last = evaluate(o, s);
        if (!isEmpty(last)) break;
      }
      return last;
    }
    case 'eq':
      return (toText(evaluate(e.l, s)) === toText(evaluate(e.r, s))) === e.want;
    case 'not':
      return isEmpty(evaluate(e.e, s));
    case 'and': {
      const v = evaluate(e.l, s);
      return isEmpty(v) ? v : evaluate(e.r, s);
    }
    case 'if':
      return !isEmpty(evaluate(e.c, s)) ? evaluate(e.t, s) : e.e && evaluate(e.e, s);
  }
}

const TONES: Record<string, string> = Object.fromEntries(
  (
    [
      ['success', 'active paid success succeeded completed complete done published verified delivered ready healthy approved within_plan'],
      ['warning', 'pending trial warning past_due overdue near_limit paused in_review review expiring suspended'],
      ['critical', 'failed error critical cancelled canceled rejected over_limit blocked disabled deleted'],
      ['info', 'info open new invited processing in_progress scheduled sent'],
      ['accent', 'accent'],
    ] as const
  ).flatMap(([tone, words]) => words.split(' ').map((word) => [word, tone] as const)),
);

const asNumber = (v: unknown): number | undefined => {
  const n = typeof v === 'number' ? v : typeof v === 'string' && v.trim() !== '' ? Number(v) : NaN;
  return Number.isFinite(n) ? n : undefined;
};
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const functions: Record<string, (...args: unknown[]) => unknown> = {
  tone: (v) => TONES[toText(v).toLowerCase().replaceAll(' ', '_')] ?? 'neutral',
  humanize: (v) => {
    const words = toText(v).replace(/[_-]/g, ' ').replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);
    return words.charAt(0).toUpperCase() + words.slice(1);
  },
  initials: (v) =>
    toText(v).split(/\s+/).filter(Boolean).slice(0, 2).map((word) => [...word][0]!.toUpperCase()).join(''),
  money: (v, currency) => {
    if (typeof v !== 'number') return toText(v);
    const amount = Math.abs(v).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
    const sign = v < 0 ? '-' : '';
    const symbol = { USD: '$', EUR: '€', GBP: '£' }[toText(currency) || 'USD'];
    return symbol ? `${sign}${symbol}${amount}` : `${sign}${amount} ${toText(currency)}`;
  },
  date: (v) => {
    const match = /^(\d{4})-(\d{2})-(\d{2})/.exec(toText(v));
    const month = match && MONTHS[Number(match[2]) - 1];
    return match && month ? `${Number(match[3])} ${month} ${match[1]}` : toText(v);
  },
  percent: (v, max) => {
    const top = asNumber(max);
    return Math.round(Math.min(100, Math.max(0, ((asNumber(v) ?? 0) / (top && top > 0 ? top : 100)) * 100)));
  },
  join: (...parts) => parts.map(toText).join(''),
  number: (v) => (asNumber(v) === undefined ? undefined : toText(asNumber(v))),
  color: (v) => (/^(#[0-9a-f]{3,8}|(rgb|rgba|hsl|hsla|oklch)\([\d\s.,%/deg]+\))$/i.test(toText(v)) ? toText(v) : undefined),
  at: (row, key, index) => (Array.isArray(row) ? row[Number(index)] : descend(row, [toText(key)])),
  inc: (v) => (asNumber(v) === undefined ? undefined : toText(asNumber(v)! + 1)),
  before: (a, b) => (asNumber(a) ?? NaN) < (asNumber(b) ?? NaN),
  oneof: (v, options, otherwise) => (toText(options).split(',').includes(toText(v)) ? toText(v) : otherwise),
  count: (v) => (Array.isArray(v) ? v.length : 0),
};

// ---- templates ----
type Template = string | { [key: string]: unknown };

const interpolate = (text: string, s: Scope): string =>
  text.replace(/\{([^}]*)\}/g, (_, e: string) => toText(evaluate(compile(e), s)));

function attribute(name: string, text: string, s: Scope): unknown {
  const only = /^\{([^}]*)\}$/.exec(text);
  let value: unknown = only ? evaluate(compile(only[1]!), s) : interpolate(text, s);
  if (value === null || value === undefined || value === false || typeof value === 'object') return undefined;
  if (value !== true) value = toText(value);
  if (name === 'href' || name === 'src') return safeUrl(toText(value), name === 'src');
  return value === true && name.startsWith('aria-') ? 'true' : value;
}

export function safeUrl(address: string, image: boolean): string | undefined {
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(address)) return undefined;
  const trimmed = address.trim();
  const scheme = /^([^:/?#]*):/.exec(trimmed)?.[1]?.toLowerCase();
  if (scheme === undefined || ['http', 'https', 'mailto', 'tel'].includes(scheme)) return trimmed;
  return image && /^data:image\/(png|jpeg|gif|webp)/i.test(trimmed) ? trimmed : undefined;
}

function list(templates: unknown, s: Scope, into: VNode[], control: Props): void {
  for (const template of (templates as Template[] | undefined) ?? []) node(template, s, into, control);
}

function node(template: Template, s: Scope, into: VNode[], control: Props): void {
  if (typeof template === 'string') {
    const text = template.replace(/\{([^}]*)\}/g, (_, e: string) => {
      const value = evaluate(compile(e), s);
      return typeof value === 'boolean' ? '' : toText(value);
    });
    if (text !== '') into.push(text);
    return;
  }
  const condition = template['if'];
  const holds = typeof condition !== 'string' || !isEmpty(evaluate(compile(condition), s));
  if ('el' in template) {
    if (holds) into.push(element(template, s, control, false));
  } else if ('each' in template) {
    const items = evaluate(compile(template['each'] as string), s);
    const outer = s.index;
    (Array.isArray(items) ? items : []).forEach((item, index) => {
      s.locals.push([(template['as'] as string | undefined) ?? 'item', item]);
      s.index = index;
      list(template['kids'], s, into, control);
      s.locals.pop();
    });
    s.index = outer;
  } else if ('slot' in template) {
    into.push(CHILDREN);
  } else if ('chart' in template) {
    if (holds) into.push(chart(template['chart'] as string, s.props['data'] ?? s.defaults['data'], s.props['title'] ?? s.props['label']));
  } else {
    list(holds ? template['kids'] : template['else'], s, into, control);
  }
}

function element(template: { [key: string]: unknown }, s: Scope, control: Props, root: boolean): VElement {
  const el = template['el'] as string | { expr: string; from: string[]; else: string };
  let tag = typeof el === 'string' ? el : el.else;
  if (typeof el !== 'string') {
    const wanted = toText(evaluate(compile(el.expr), s));
    if (el.from.includes(wanted)) tag = wanted;
  }
  const attrs: Props = {};
  const classes = ((template['class'] as string | undefined) ?? '').replace(/\{([^}]*)\}/g, (_, e: string) =>
    toText(evaluate(compile(e), s)).replace(/[^\p{L}\p{N}_-]/gu, '-'),
  );
  if (classes) attrs['class'] = classes;
  for (const [name, text] of Object.entries((template['attrs'] as Record<string, string> | undefined) ?? {})) {
    const value = attribute(name, text, s);
    if (value !== undefined && !(root && name === 'id')) attrs[name] = value;
  }
  if (template['control']) Object.assign(attrs, control);
  const style: Record<string, string> = {};
  for (const [name, text] of Object.entries((template['style'] as Record<string, string> | undefined) ?? {})) {
    const value = interpolate(text, s);
    if (value && /^[\w\s#%(),./+-]+$/.test(value)) style[name] = value;
  }
  const kids: VNode[] = [];
  list(template['kids'], s, kids, control);
  return { tag, attrs, style, kids };
}

const hasControl = (template: unknown): boolean => {
  if (template === null || typeof template !== 'object') return false;
  const t = template as { [key: string]: unknown };
  const inside = [...((t['kids'] as unknown[]) ?? []), ...((t['else'] as unknown[]) ?? [])];
  return t['control'] === true || inside.some(hasControl);
};

let unnamed = 0;

/** The element of a component. `rest` is what the component has no property for. */
export function draw(name: string, given: Props, children: boolean): VElement {
  const component = components[name]!;
  const archetype = archetypes[component.archetype]! as { [key: string]: unknown };
  const props: Props = {};
  const rest: Props = {};
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || key === 'children') continue;
    (component.props.includes(key) ? props : rest)[key] = value;
  }
  const id = toText(rest['id']) || `oods-${(unnamed += 1)}`;
  const scope: Scope = { props, defaults: component.defaults, id, children, locals: [], index: 0 };
  const inner = hasControl(archetype) && archetype['control'] !== true;
  const access = (key: string): boolean => /^(aria-|on[A-Z]|tabindex$|tabIndex$|title$|role$)/.test(key);
  const control: Props = {};
  const outer: Props = {};
  for (const [key, value] of Object.entries(rest)) (inner && access(key) ? control : outer)[key] = value;
  const root = element(archetype, scope, control, true);
  const { class: extra, className, style, ...others } = outer;
  root.attrs = { ...root.attrs, ...others, 'data-oods-component': name };
  if (rest['id'] === undefined) delete root.attrs['id'];
  const classes = [root.attrs['class'], extra, className].filter(Boolean).join(' ');
  if (classes) root.attrs['class'] = classes;
  if (style !== null && typeof style === 'object') Object.assign(root.style, style);
  if (typeof style === 'string') root.attrs['style'] = style;
  return root;
}

// ---- charts ----
const n = (value: number): string => String(Math.round(value * 1e4) / 1e4);
const tick = (value: number): string => (Math.abs(value) >= 1000 ? `${n(Math.round(value / 100) / 10)}k` : n(Math.round(value * 10) / 10));

/** Lines at round numbers, two to five of them, that hold every value. */
function axis(low: number, top: number): { low: number; top: number; unit: number } {
  const span = top > low ? top - low : 1;
  const power = 10 ** Math.floor(Math.log10(span / 3));
  const unit = ([1, 2, 5, 10].find((nice) => nice * power >= span / 3) ?? 10) * power;
  return { low: Math.floor(low / unit) * unit, top: Math.ceil((low + span) / unit) * unit, unit };
}

function chart(kind: string, data: unknown, title: unknown): VElement {
  const [W, H, LEFT, BOTTOM, TOP] = [480, 200, 40, 24, 10];
  const items = (Array.isArray(data) ? data : []).slice(0, 200) as unknown[];
  const kids: VElement[] = [];
  const add = (tag: string, attrs: Props, text?: string): void => {
    kids.push({ tag, attrs, style: {}, kids: text === undefined ? [] : [text] });
  };
  let summary: string[];
  if (kind === 'heatmap') {
    const rows: string[] = [];
    const columns: string[] = [];
    const place = (names: string[], name: string): number => {
      if (!names.includes(name)) names.push(name);
      return names.indexOf(name);
    };
    const cells = items.flatMap((item) => {
      const value = descend(item, ['value']);
      if (typeof value !== 'number') return [];
      const at = (a: string, b: string): string => toText(descend(item, [a]) ?? descend(item, [b]));
      return [{ row: place(rows, at('row', 'y')), column: place(columns, at('column', 'x')), value }];
    });
    const top = Math.max(Number.MIN_VALUE, ...cells.map((cell) => cell.value));
    const width = (W - 72) / Math.max(1, columns.length);
    const height = (H - BOTTOM) / Math.max(1, rows.length);
    summary = cells.slice(0, 12).map((cell) => `${rows[cell.row]} ${columns[cell.column]} ${n(cell.value)}`);
    for (const cell of cells) {
      const opacity = n(0.15 + 0.85 * Math.min(1, Math.max(0, cell.value / top)));
      add('rect', { class: 'mark', x: n(72 + width * cell.column + 1), y: n(height * cell.row + 1), width: n(Math.max(1, width - 2)), height: n(Math.max(1, height - 2)), rx: '3', opacity });
    }
    rows.forEach((row, i) => add('text', { x: '66', y: n(height * (i + 0.5) + 4), 'text-anchor': 'end' }, row));
    columns.forEach((column, i) => add('text', { x: n(72 + width * (i + 0.5)), y: '194', 'text-anchor': 'middle' }, column));
  } else {
    const points = items.flatMap((item) => {
      const y = typeof item === 'number' ? item : (descend(item, ['value']) ?? descend(item, ['y']));
      if (typeof y !== 'number') return [];
      const x = descend(item, ['x']);
      const label = toText(descend(item, ['label']) ?? descend(item, ['name']) ?? x);
      return [{ x: typeof x === 'number' ? x : undefined, y, label }];
    });
    summary = points.slice(0, 12).map((point) => `${point.label} ${n(point.y)}`.trim());
    const ys = [0, ...points.map((point) => point.y)];
    const { low, top, unit } = axis(Math.min(...ys), Math.max(...ys));
    const span = top - low;
    const yAt = (value: number): number => TOP + (H - TOP - BOTTOM) * (1 - (value - low) / span);
    for (let step = 0; step <= Math.min(10, Math.round(span / unit)); step += 1) {
      const value = low + unit * step;
      add('line', { class: step === 0 ? 'axis' : 'grid', x1: '40', x2: '480', y1: n(yAt(value)), y2: n(yAt(value)) });
      add('text', { x: '34', y: n(yAt(value) + 4), 'text-anchor': 'end' }, tick(value));
    }
    const step = (W - LEFT) / Math.max(1, points.length);
    const xs = points.flatMap((point) => (point.x === undefined ? [] : [point.x]));
    const [xLow, xTop] = [Math.min(...xs), Math.max(...xs)];
    const xAt = (i: number): number => {
      const x = points[i]!.x;
      return kind === 'scatter' && x !== undefined && xTop > xLow ? LEFT + 16 + ((W - LEFT - 32) * (x - xLow)) / (xTop - xLow) : LEFT + step * (i + 0.5);
    };
    const path = points.map((point, i) => `${n(xAt(i))},${n(yAt(point.y))}`).join(' ');
    if (kind === 'bar') {
      points.forEach((point, i) => {
        const y = yAt(Math.max(0, point.y));
        add('rect', { class: 'mark', x: n(xAt(i) - step * 0.32), y: n(y), width: n(step * 0.64), height: n(yAt(Math.min(0, point.y)) - y), rx: '3' });
      });
    }
    if (kind === 'area' && points.length > 0) {
      const floor = n(yAt(Math.max(low, 0)));
      add('polygon', { class: 'area', points: `${n(xAt(0))},${floor} ${path} ${n(xAt(points.length - 1))},${floor}` });
    }
    if (kind === 'area' || kind === 'line') add('polyline', { class: 'line', points: path });
    if (['point', 'scatter', 'line'].includes(kind)) {
      points.forEach((point, i) => add('circle', { class: 'mark', cx: n(xAt(i)), cy: n(yAt(point.y)), r: '4' }));
    }
    const every = Math.max(1, Math.ceil(points.length / 12));
    points.forEach((point, i) => {
      if (i % every === 0) add('text', { x: n(xAt(i)), y: '194', 'text-anchor': 'middle' }, point.label);
    });
  }
  const name = title ? `${toText(title)}: ${summary.join(', ')}` : `Chart: ${summary.join(', ')}`;
  return { tag: 'svg', attrs: { class: 'oods-chart__svg', viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': name }, style: {}, kids };
}
