import { h } from '../base/dom.js';
import { renderPlain } from '../text/mrkdwn.js';

/** @import { ChartBlock, PieChart, Series, SeriesChart } from '../types.ts' */

const WIDTH = 440;
const HEIGHT = 180;

/** A chart, with its numbers as a table for people who cannot see it. @param {ChartBlock} block */
export function renderChart(block) {
  const { chart } = block;
  const axis = chart.type === 'pie' ? null : chart.axis_config;
  return h(
    'figure',
    { class: 'block chart' },
    h('figcaption', {}, renderPlain(block.title)),
    axis?.y_label && h('p', { class: 'soft' }, axis.y_label),
    svg(
      'svg',
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': `${block.title}, as a ${chart.type} chart` },
      ...(chart.type === 'pie' ? drawPie(chart) : drawSeries(chart)),
    ),
    axis && h('p', { class: 'soft chart-ends' }, ...renderEnds(axis.categories)),
    axis?.x_label && h('p', { class: 'soft' }, axis.x_label),
    renderLegend(
      chart.type === 'pie' ? chart.segments.map(({ label }) => label) : chart.series.map(({ name }) => name),
    ),
    renderNumbers(chart.type === 'pie' ? pieTable(chart) : seriesTable(chart)),
  );
}

/** @param {readonly string[]} categories */
function renderEnds(categories) {
  return [categories[0], categories.at(-1)].map((name) => h('span', {}, name));
}

/** @param {readonly string[]} names */
function renderLegend(names) {
  return h(
    'ul',
    { class: 'legend', 'aria-hidden': 'true' },
    ...names.map((name, index) =>
      h(
        'li',
        {},
        svg('svg', { viewBox: '0 0 10 10' }, svg('rect', { class: `series-${index}`, width: 10, height: 10 })),
        name,
      ),
    ),
  );
}

/** @typedef {{ head: readonly string[], rows: readonly { name: string, values: readonly (number | undefined)[] }[] }} Table */

/** @param {Table} table */
function renderNumbers({ head, rows }) {
  return h(
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
        ...rows.map(({ name, values }) =>
          h('tr', {}, h('th', { scope: 'row' }, name), ...values.map((value) => h('td', {}, `${value ?? '–'}`))),
        ),
      ),
    ),
  );
}

/** @param {PieChart} chart @returns {Table} */
function pieTable({ segments }) {
  return { head: ['Part', 'Value'], rows: segments.map(({ label, value }) => ({ name: label, values: [value] })) };
}

/** @param {SeriesChart} chart @returns {Table} */
function seriesTable({ series, axis_config: { categories, x_label: label } }) {
  return {
    head: [label ?? 'At', ...series.map(({ name }) => name)],
    rows: categories.map((category) => ({ name: category, values: series.map((each) => valueAt(each, category)) })),
  };
}

/** @param {Series} series @param {string} category */
function valueAt({ data }, category) {
  return data.find(({ label }) => label === category)?.value;
}

/** @param {PieChart} chart */
function drawPie({ segments }) {
  const total = segments.reduce((sum, { value }) => sum + value, 0);
  const radius = HEIGHT / 2 - 4;
  const [x, y] = [WIDTH / 2, HEIGHT / 2];
  /** @param {number} part */
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
      ? svg('circle', { class: 'series-0', cx: x, cy: y, r: radius })
      : svg('path', { class: `series-${index} part`, d });
  });
}

/** @param {SeriesChart} chart */
function drawSeries({ type, series, axis_config: { categories } }) {
  const values = series.flatMap(({ data }) => data.map(({ value }) => value));
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  /** @param {number} value */
  const y = (value) => HEIGHT - 6 - ((value - low) / (high - low || 1)) * (HEIGHT - 12);
  const step = WIDTH / categories.length;
  const axis = svg('line', { class: 'axis', x1: 0, x2: WIDTH, y1: y(0), y2: y(0) });
  /** @param {Series} each */
  const pointsOf = (each) =>
    categories.flatMap((category, index) => {
      const value = valueAt(each, category);
      return value === undefined ? [] : [{ x: step * (index + 0.5), y: y(value), index }];
    });
  if (type === 'bar') {
    const width = (step * 0.8) / series.length;
    const bars = series.flatMap((each, number) =>
      pointsOf(each).map((point) =>
        svg('rect', {
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
    const points = pointsOf(each);
    const path = points.map((point) => `${point.x.toFixed(1)},${point.y.toFixed(1)}`).join(' ');
    const area = `${points[0]?.x},${y(0)} ${path} ${points.at(-1)?.x},${y(0)}`;
    return [
      ...(type === 'area' ? [svg('polygon', { class: `series-${number} area`, points: area })] : []),
      svg('polyline', { class: `series-${number} line`, points: path }),
      ...points.map((point) => svg('circle', { class: `series-${number}`, cx: point.x, cy: point.y, r: 3 })),
    ];
  });
  return [axis, ...lines];
}

/** @param {string} tag @param {Record<string, string | number>} attributes @param {...Node} children */
function svg(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, `${value}`);
  }
  element.append(...children);
  return element;
}
