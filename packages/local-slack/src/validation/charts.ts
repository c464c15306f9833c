import { LIMITS } from '../limits.ts';
import { byType, type Check, every, isFields, list, number, object, string } from './check.ts';

const type = string({ max: 40 });
const label = string({ max: LIMITS.chartLabel });
const title = string({ max: LIMITS.chartTitle });

const pie = object({
  type,
  segments: list(object({ label, value: number({ above: 0 }) }), { max: LIMITS.chartSeries }),
});

const series = object({
  name: label,
  data: list(object({ label, value: number() }), { max: LIMITS.chartPoints }),
});

const axes = object(
  { categories: list(label, { max: LIMITS.chartPoints }) },
  { x_label: string({ max: LIMITS.chartTitle }), y_label: string({ max: LIMITS.chartTitle }) },
);

/** Every point belongs to a category of the axis, and the names of series are unique. */
const fitsAxes: Check = (value, pointer, report) => {
  const { series: all, axis_config: axis } = isFields(value) ? value : {};
  if (!Array.isArray(all) || !isFields(axis) || !Array.isArray(axis.categories)) {
    return;
  }
  const categories: readonly unknown[] = axis.categories;
  const named = all.map((each) => (isFields(each) ? each.name : undefined));
  all.forEach((each, index) => {
    if (named.indexOf(named[index]) !== index) {
      report({ pointer: `${pointer}/series/${index}/name`, message: 'must be unique' });
    }
    const points = isFields(each) && Array.isArray(each.data) ? each.data : [];
    points.forEach((point, at) => {
      if (isFields(point) && !categories.includes(point.label)) {
        report({ pointer: `${pointer}/series/${index}/data/${at}/label`, message: 'must be one of the categories' });
      }
    });
  });
};

const plotted = every(object({ type, series: list(series, { max: LIMITS.chartSeries }), axis_config: axes }), fitsAxes);

/** https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block */
export const dataVisualization = object(
  { type, title, chart: byType({ pie, bar: plotted, area: plotted, line: plotted }) },
  { block_id: string({ max: LIMITS.blockId }) },
);
