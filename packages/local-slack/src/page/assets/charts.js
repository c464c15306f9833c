import { h } from './dom.js';
import { renderPlain } from './mrkdwn.js';

const WIDTH = 440;
const HEIGHT = 180;

/** A chart as Slack draws it, and for whoever cannot see it the numbers as a table. */
export function renderChart(block) {
  const { chart } = block;
  const { head, rows } = chart.type === 'pie' ? pieTable(chart) : seriesTable(chart);
  const names = chart.type === 'pie' ? chart.segments.map(({ label }) => label) : chart.series.map(({ name }) => name);
  const axis = chart.axis_config ?? {};
  return h(
    'figure',
    { class: 'block chart' },
    h('figcaption', {}, renderPlain(block.title)),
    axis.y_label && h('p', { class: 'soft' }, axis.y_label),
    s(
      'svg',
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': `${block.title}, as a ${chart.type} chart` },
      ...(chart.type === 'pie' ? pie(chart.segments) : plot(chart)),
    ),
    axis.categories && h('p', { class: 'soft chart-ends' }, ...ends(axis.categories)),
    axis.x_label && h('p', { class: 'soft' }, axis.x_label),
    h(
      'ul',
      { class: 'legend', 'aria-hidden': 'true' },
      ...names.map((name, index) =>
        h(
          'li',
          {},
          s('svg', { viewBox: '0 0 10 10' }, s('rect', { class: `series-${index}`, width: 10, height: 10 })),
          name,
        ),
      ),
    ),
    h(
      'details',
      {},
      h('summary', {}, 'The numbers'),
      h(
        'table',
        {},
        h('thead', {}, h('tr', {}, ...head.map((name) => h('th', { scope: 'col' }, name)))),
        h(
          'tbody',
          {},
          ...rows.map(([name, ...cells]) => h('tr', {}, h('th', { scope: 'row' }, name), ...cells.map(cell))),
        ),
      ),
    ),
  );
}

const cell = (value) => h('td', {}, value === undefined ? '–' : `${value}`);

function ends(categories) {
  return [categories[0], categories.at(-1)].map((name) => h('span', {}, name));
}

function pieTable({ segments }) {
  return { head: ['Part', 'Value'], rows: segments.map(({ label, value }) => [label, value]) };
}

function seriesTable({ series, axis_config: { categories, x_label: label } }) {
  return {
    head: [label ?? 'At', ...series.map(({ name }) => name)],
    rows: categories.map((category) => [category, ...series.map((each) => valueAt(each, category))]),
  };
}

const valueAt = ({ data }, category) => data.find(({ label }) => label === category)?.value;

function pie(segments) {
  const total = segments.reduce((sum, { value }) => sum + value, 0);
  const radius = HEIGHT / 2 - 4;
  const [x, y] = [WIDTH / 2, HEIGHT / 2];
  const at = (part) => {
    const angle = 2 * Math.PI * part - Math.PI / 2;
    return `${(x + radius * Math.cos(angle)).toFixed(1)} ${(y + radius * Math.sin(angle)).toFixed(1)}`;
  };
  let from = 0;
  return segments.map(({ value }, index) => {
    const part = value / total;
    const d = `M${x} ${y}L${at(from)}A${radius} ${radius} 0 ${part > 0.5 ? 1 : 0} 1 ${at(from + part)}Z`;
    from += part;
    return segments.length === 1
      ? s('circle', { class: 'series-0', cx: x, cy: y, r: radius })
      : s('path', { class: `series-${index} part`, d });
  });
}

function plot({ type, series, axis_config: { categories } }) {
  const values = series.flatMap(({ data }) => data.map(({ value }) => value));
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const y = (value) => HEIGHT - 6 - ((value - low) / (high - low || 1)) * (HEIGHT - 12);
  const step = WIDTH / categories.length;
  const axis = s('line', { class: 'axis', x1: 0, x2: WIDTH, y1: y(0), y2: y(0) });
  const points = (each) =>
    categories.flatMap((category, index) => {
      const value = valueAt(each, category);
      return value === undefined ? [] : [{ x: step * (index + 0.5), y: y(value), index }];
    });
  if (type === 'bar') {
    const width = (step * 0.8) / series.length;
    const bars = series.flatMap((each, number) =>
      points(each).map((point) =>
        s('rect', {
          class: `series-${number}`,
          x: step * (point.index + 0.1) + width * number,
          y: Math.min(point.y, y(0)),
          width: Math.max(1, width - 1),
          height: Math.abs(point.y - y(0)),
        }),
      ),
    );
    return [...bars, axis];
  }
  const lines = series.flatMap((each, number) => {
    const all = points(each);
    const path = all.map((point) => `${point.x.toFixed(1)},${point.y.toFixed(1)}`).join(' ');
    const base = type === 'area' && `${all[0]?.x},${y(0)} ${path} ${all.at(-1)?.x},${y(0)}`;
    return [
      base && s('polygon', { class: `series-${number} area`, points: base }),
      s('polyline', { class: `series-${number} line`, points: path }),
      ...all.map((point) => s('circle', { class: `series-${number}`, cx: point.x, cy: point.y, r: 3 })),
    ].filter(Boolean);
  });
  return [axis, ...lines];
}

function s(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, `${value}`);
  }
  element.append(...children);
  return element;
}
