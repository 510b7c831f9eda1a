// Charts of minutes, drawn as SVG. Each says in words what it shows.
import { clock, h, svg } from './core.js';

const [HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [220, 62, 12, 12, 28];
/** Drawn in the size it is shown, more or less, so that the letters keep theirs. */
const narrow = matchMedia('(max-width: 40rem)');

/** A round number at or above `value`, for the top of an axis. */
function ceiling(value) {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((step) => step * power).find((step) => step >= value * 0.999);
}

/**
 * A chart of one value per minute.
 *
 * `series` are `{name, values, tone}`; bars are stacked, lines are not. `format` writes values.
 */
export function chart({ title, summary, minutes, series, kind, format, whole }) {
  const WIDTH = narrow.matches ? 380 : 640;
  const totals = minutes.map((_, index) => kind === 'bars'
    ? series.reduce((sum, row) => sum + (row.values[index] ?? 0), 0)
    : Math.max(0, ...series.map((row) => row.values[index] ?? 0)));
  let top = ceiling(Math.max(...totals, whole ? 4 : 0));
  if (whole) top = Math.max(4, Math.ceil(top / 4) * 4);
  const innerWidth = WIDTH - LEFT - RIGHT;
  const innerHeight = HEIGHT - TOP - BOTTOM;
  const x = (index) => LEFT + (innerWidth * index) / minutes.length;
  const y = (value) => TOP + innerHeight * (1 - Math.min(value, top) / top);
  const step = innerWidth / minutes.length;

  const grid = [0, 0.25, 0.5, 0.75, 1].flatMap((share) => [
    svg('line', { class: share === 0 ? 'axis' : 'grid', x1: LEFT, x2: WIDTH - RIGHT, y1: y(top * share), y2: y(top * share) }),
    share % 0.5 === 0 && svg('text', { x: LEFT - 8, y: y(top * share) + 4, 'text-anchor': 'end' }, format(top * share)),
  ]);
  const every = Math.max(1, Math.round(minutes.length / (narrow.matches ? 3 : 5)));
  const times = minutes.flatMap((start, index) => index % every === Math.floor(every / 2)
    ? [svg('text', { x: x(index) + step / 2, y: HEIGHT - 8, 'text-anchor': 'middle' }, clock(start * 1000).slice(0, 5))]
    : []);
  const marks = kind === 'bars' ? bars() : series.map(line);

  function bars() {
    const base = minutes.map(() => 0);
    return series.flatMap((row) => row.values.flatMap((value, index) => {
      if (!value) return [];
      const from = base[index];
      base[index] += value;
      const gap = Math.min(3, step * 0.2);
      return [svg('rect', {
        class: `mark tone-${row.tone}`, x: x(index) + gap / 2, y: y(base[index]), width: Math.max(step - gap, 0.75),
        height: Math.max(y(from) - y(base[index]), 0.75), rx: Math.min(2, step / 4),
      })];
    }));
  }

  // Minutes without calls have no latency: the line ends there instead of falling to zero.
  function line(row) {
    const runs = [];
    row.values.forEach((value, index) => {
      if (value === null || value === undefined) return;
      const last = runs.at(-1);
      const point = [x(index) + step / 2, y(value)];
      if (last && last.end === index - 1) {
        last.points.push(point);
        last.end = index;
      } else {
        runs.push({ end: index, points: [point] });
      }
    });
    return runs.flatMap(({ points }) => points.length === 1
      ? [svg('circle', { class: `dot tone-${row.tone}`, cx: points[0][0], cy: points[0][1], r: 3.5 })]
      : [
        svg('path', { class: `area tone-${row.tone}`, d: `M${points[0][0]} ${y(0)}L${points.map((p) => p.join(' ')).join('L')}L${points.at(-1)[0]} ${y(0)}Z` }),
        svg('path', { class: `line tone-${row.tone}`, d: `M${points.map((p) => p.join(' ')).join('L')}` }),
      ]);
  }

  const cursor = svg('line', { class: 'cursor', y1: TOP, y2: HEIGHT - BOTTOM, visibility: 'hidden' });
  const tip = h('p', { class: 'chart__tip', 'aria-hidden': 'true' });
  const picture = svg('svg', {
    class: 'oods-chart__svg', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': `${title}. ${summary}`,
    pointermove: (event) => {
      const box = picture.getBoundingClientRect();
      const index = Math.floor((((event.clientX - box.left) / box.width) * WIDTH - LEFT) / step);
      if (index < 0 || index >= minutes.length) return hide();
      const at = x(index) + step / 2;
      cursor.setAttribute('x1', at);
      cursor.setAttribute('x2', at);
      cursor.setAttribute('visibility', 'visible');
      const parts = series.filter((row) => row.values[index]).map((row) => `${row.name} ${format(row.values[index])}`);
      tip.textContent = `${clock(minutes[index] * 1000).slice(0, 5)}: ${parts.join(', ') || 'nothing'}`;
    },
    pointerleave: hide,
  }, grid, times, marks, cursor);
  function hide() {
    cursor.setAttribute('visibility', 'hidden');
    tip.textContent = '';
  }

  return h('figure', { class: 'oods-chart' },
    h('figcaption', { class: 'chart__head' },
      h('span', { class: 'oods-chart__title' }, title),
      h('span', { class: 'oods-chart__description' }, summary)),
    picture,
    h('div', { class: 'chart__foot' },
      h('ul', { class: 'oods-legend__list' }, series.map((row) =>
        h('li', { class: 'oods-legend__item' }, h('span', { class: `swatch tone-${row.tone}` }), row.name))),
      tip));
}
