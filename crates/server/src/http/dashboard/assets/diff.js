// The difference of two texts, line by line.
import { h } from './core.js';

/** Texts longer than this are shown one after the other: the table below would be too large. */
const MOST_LINES = 2000;

/** Lines as `[sign, text]`, where the sign is ' ', '-' or '+'. */
export function lines(before, after) {
  const [a, b] = [before.split('\n'), after.split('\n')];
  if (a.length > MOST_LINES || b.length > MOST_LINES) return [...a.map((line) => ['-', line]), ...b.map((line) => ['+', line])];
  const common = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      common[i][j] = a[i] === b[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
    }
  }
  const found = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      found.push([' ', a[i]]);
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && common[i + 1][j] >= common[i][j + 1])) {
      found.push(['-', a[i]]);
      i += 1;
    } else {
      found.push(['+', b[j]]);
      j += 1;
    }
  }
  return found;
}

const WORDS = { '-': 'removed', '+': 'added', ' ': 'same' };

/** The difference as a block; signs say what colour alone would not. */
export function diff(label, before, after) {
  return h('pre', { class: 'code-block diff', tabindex: '0', 'aria-label': label },
    lines(before, after).map(([sign, text]) => h('span', { class: `line diff--${WORDS[sign]}` }, `${sign} ${text}\n`)));
}
