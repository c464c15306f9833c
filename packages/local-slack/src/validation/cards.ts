import { LIMITS } from '../limits.ts';
import { dataVisualization } from './charts.ts';
import {
  boolean,
  byType,
  type Check,
  every,
  integer,
  isFields,
  list,
  matching,
  number,
  object,
  oneOf,
  string,
} from './check.ts';
import { anyText, mrkdwnText, plainText } from './composition.ts';
import { button, imageElement } from './elements.ts';
import { richText } from './rich-text.ts';

const type = string({ max: 40 });
const identified = { block_id: string({ max: LIMITS.blockId }) };
const httpsUrl = every(string({ max: LIMITS.imageUrl }), matching(/^https:\/\//, 'an https URL'));

/** At least one of these fields. */
function needsOneOf(...names: readonly string[]): Check {
  return (value, pointer, report) => {
    if (isFields(value) && names.every((name) => value[name] === undefined)) {
      report({ pointer, message: `missing required field: ${names.join(' or ')}` });
    }
  };
}

const alert = object(
  { type, text: anyText(LIMITS.alertText) },
  { ...identified, level: oneOf('default', 'info', 'warning', 'error', 'success') },
);

const card = every(
  object(
    { type },
    {
      ...identified,
      hero_image: byType({ image: imageElement }),
      icon: byType({ image: imageElement }),
      title: mrkdwnText(LIMITS.cardTitle),
      subtitle: mrkdwnText(LIMITS.cardTitle),
      body: mrkdwnText(LIMITS.cardBody),
      actions: list(byType({ button }), { max: LIMITS.cardActions }),
    },
  ),
  needsOneOf('hero_image', 'title', 'actions', 'body'),
);

const carousel = object({ type, elements: list(byType({ card }), { max: LIMITS.carouselCards }) }, identified);

const taskFields = [
  {
    task_id: string({ max: LIMITS.blockId }),
    title: string({ max: LIMITS.text }),
    status: oneOf('pending', 'in_progress', 'complete', 'error'),
  },
  {
    ...identified,
    details: byType({ rich_text: richText }),
    output: byType({ rich_text: richText }),
    sources: list(
      byType({
        url: object({ type, url: string({ max: LIMITS.buttonUrl }), text: string({ max: LIMITS.text }) }),
      }),
      { min: 0, max: LIMITS.options },
    ),
  },
] as const;

const taskCard = object({ type, ...taskFields[0] }, taskFields[1]);

/** Inside a plan, the type of a task is optional. */
const task: Check = (value, pointer, report) => {
  const check = isFields(value) && value.type === undefined ? object(...taskFields) : byType({ task_card: taskCard });
  check(value, pointer, report);
};

const plan = object(
  { type, title: string({ max: LIMITS.text }) },
  { ...identified, tasks: list(task, { min: 0, max: LIMITS.messageBlocks }) },
);

const video = object(
  {
    type,
    video_url: httpsUrl,
    thumbnail_url: string({ max: LIMITS.imageUrl }),
    alt_text: string({ max: LIMITS.imageAltText }),
    title: plainText(LIMITS.videoTitle),
  },
  {
    ...identified,
    title_url: httpsUrl,
    author_name: string({ max: LIMITS.videoAuthor }),
    provider_name: string({ max: LIMITS.text }),
    provider_icon_url: string({ max: LIMITS.imageUrl }),
    description: plainText(LIMITS.text),
  },
);

const rawText = object({ type, text: string({ max: LIMITS.text }) });
const rawNumber = object({ type, value: number(), text: string({ max: LIMITS.text }) });
const cell = byType({ raw_text: rawText, raw_number: rawNumber, rich_text: richText });

/** The first row of a data table is its header, which has no rich text. All rows have the same width. */
const headedRows: Check = (value, pointer, report) => {
  const rows = isFields(value) && Array.isArray(value.rows) ? value.rows.filter((row) => Array.isArray(row)) : [];
  const header: unknown[] = rows[0] ?? [];
  header.forEach((each, index) => {
    if (isFields(each) && each.type === 'rich_text') {
      report({ pointer: `${pointer}/rows/0/${index}/type`, message: 'unsupported type: rich_text' });
    }
  });
  rows.forEach((row, index) => {
    if (row.length !== header.length) {
      report({ pointer: `${pointer}/rows/${index}`, message: 'all rows must have the same number of cells' });
    }
  });
};

const dataTable = every(
  object(
    {
      type,
      caption: string({ max: LIMITS.text }),
      rows: list(list(cell, { max: LIMITS.tableColumns }), { min: 2, max: LIMITS.dataTableRows }),
    },
    {
      ...identified,
      page_size: integer({ min: 1, max: LIMITS.dataTablePage }),
      row_header_column_index: integer({ min: 0, max: LIMITS.tableColumns - 1 }),
    },
  ),
  headedRows,
);

const columnSettings = object({}, { align: oneOf('left', 'center', 'right'), is_wrapped: boolean });

const table = object(
  { type, rows: list(list(cell, { max: LIMITS.tableColumns }), { max: LIMITS.tableRows }) },
  { ...identified, column_settings: list(columnSettings, { max: LIMITS.tableColumns }) },
);

/** Blocks that show data or the work of an agent. */
export const CARD_BLOCKS: Readonly<Record<string, Check>> = {
  alert,
  card,
  carousel,
  task_card: taskCard,
  plan,
  video,
  data_table: dataTable,
  data_visualization: dataVisualization,
  table,
};
