import { BLOCK_LIMITS, type Block, cell, chars, type Limit, limit, messageOnly, times } from './limits-catalogue.ts';

const pie = (segments: object[], title = 'c'): Block => ({
  type: 'data_visualization',
  title,
  chart: { type: 'pie', segments },
});
const slice = (label = 'a'): object => ({ label, value: 1 });
const bars = (series: object[], categories: string[], axis: object = {}): Block => ({
  type: 'data_visualization',
  title: 'c',
  chart: { type: 'bar', series, axis_config: { categories, ...axis } },
});
const series = (name: string, labels: string[]): object => ({
  name,
  data: labels.map((label) => ({ label, value: 1 })),
});

const TABLE_LIMITS: readonly Limit[] = [
  limit('chart title', [1, 'chartTitle'], '/title', (n) => pie([slice()], chars(n)), messageOnly),
  limit('pie', [1, 'chartSeries'], '/chart/segments', (n) => pie(times(n, () => slice())), messageOnly),
  limit('slice', [1, 'chartLabel'], '/chart/segments/0/label', (n) => pie([slice(chars(n))]), messageOnly),
  limit(
    'series',
    [1, 'chartSeries'],
    '/chart/series',
    (n) =>
      bars(
        times(n, (i) => series(`s${i}`, ['a'])),
        ['a'],
      ),
    messageOnly,
  ),
  limit(
    'series name',
    [1, 'chartLabel'],
    '/chart/series/0/name',
    (n) => bars([series(chars(n), ['a'])], ['a']),
    messageOnly,
  ),
  limit(
    'points',
    [1, 'chartPoints'],
    '/chart/series/0/data',
    (n) =>
      bars(
        [
          series(
            's',
            times(n, () => 'a'),
          ),
        ],
        ['a'],
      ),
    messageOnly,
  ),
  limit(
    'categories',
    [1, 'chartPoints'],
    '/chart/axis_config/categories',
    (n) =>
      bars(
        [series('s', ['c0'])],
        times(n, (i) => `c${i}`),
      ),
    { ...messageOnly, hasNoFloor: true },
  ),
  limit(
    'axis label',
    [1, 'chartTitle'],
    '/chart/axis_config/y_label',
    (n) => bars([series('s', ['a'])], ['a'], { y_label: chars(n) }),
    messageOnly,
  ),
  limit(
    'table rows',
    [1, 'tableRows'],
    '/rows',
    (n) => ({ type: 'table', rows: times(n, () => [cell()]) }),
    messageOnly,
  ),
  limit(
    'table columns',
    [1, 'tableColumns'],
    '/rows/0',
    (n) => ({ type: 'table', rows: [times(n, cell)] }),
    messageOnly,
  ),
  // In a view, so many elements exceed its size before their own limit.
  limit(
    'rich text elements',
    [0, 'richTextElements'],
    '/elements',
    (n) => ({ type: 'rich_text', elements: times(n, () => ({ type: 'rich_text_section', elements: [] })) }),
    { hasNoFloor: true },
  ),
];

export const LIMITS_OF_MESSAGES = [...BLOCK_LIMITS, ...TABLE_LIMITS];
