import { h } from '../base/dom.js';
import { renderPlain } from '../text/mrkdwn.js';
import { renderRichText } from '../text/rich-text.js';

/** @import { DataTableBlock, TableBlock } from '@slack/types' */
/** @import { BlockContext, Directory } from '../types.ts' */

/** @typedef {TableBlock['rows'][number][number]} Cell */

/**
 * @typedef {object} RowOptions
 * @property {boolean} [isHead]
 * @property {number} [headerColumn]
 * @property {readonly ({ align?: string, is_wrapped?: boolean } | null)[]} columns
 */

/** @param {TableBlock} block @param {Pick<BlockContext, 'directory'>} context */
export function renderTable(block, { directory }) {
  const [head = [], ...rows] = block.rows;
  const columns = block.column_settings ?? [];
  return frame(
    'Table',
    h(
      'table',
      {},
      h('thead', {}, renderRow(head, directory, { columns, isHead: true })),
      h('tbody', {}, ...rows.map((cells) => renderRow(cells, directory, { columns }))),
    ),
  );
}

/** A table with pages, when the block has a page size. @param {DataTableBlock} block @param {Pick<BlockContext, 'directory'>} context */
export function renderDataTable(block, { directory }) {
  const [head = [], ...rows] = block.rows;
  const size = block.page_size ?? rows.length;
  const columns = rows[0]?.map((cell) => (cell.type === 'raw_number' ? { align: 'right' } : {})) ?? [];
  const options = { columns, headerColumn: block.row_header_column_index ?? -1 };
  const body = h('tbody');
  const position = h('span', { 'aria-live': 'polite' });
  let first = 0;
  const draw = () => {
    body.replaceChildren(...rows.slice(first, first + size).map((cells) => renderRow(cells, directory, options)));
    position.textContent = `${first + 1} to ${Math.min(first + size, rows.length)} of ${rows.length}`;
  };
  /** @param {string} text @param {number} by */
  const turn = (text, by) => {
    const onclick = () => {
      first = Math.max(0, first + by < rows.length ? first + by : first);
      draw();
    };
    return h('button', { type: 'button', class: 'button', onclick }, text);
  };
  draw();
  const table = h(
    'table',
    {},
    h('caption', {}, renderPlain(block.caption)),
    h('thead', {}, renderRow(head, directory, { columns, isHead: true })),
    body,
  );
  const pages = rows.length > size && h('p', { class: 'pages' }, turn('Earlier', -size), position, turn('Later', size));
  return h('div', { class: 'block' }, frame(block.caption, table), pages);
}

/** @param {string} label @param {HTMLTableElement} table */
function frame(label, table) {
  return h('div', { class: 'block table', tabindex: 0, role: 'region', 'aria-label': label }, table);
}

/** @param {readonly Cell[]} cells @param {Directory} directory @param {RowOptions} options */
function renderRow(cells, directory, { isHead = false, headerColumn = -1, columns }) {
  return h(
    'tr',
    {},
    ...cells.map((cell, index) => {
      const isRowHeader = index === headerColumn;
      const { align = 'left', is_wrapped: isWrapped = false } = columns[index] ?? {};
      return h(
        isHead || isRowHeader ? 'th' : 'td',
        {
          scope: isRowHeader ? 'row' : isHead ? 'col' : null,
          class: `align-${align}${isWrapped ? '' : ' unwrapped'}`,
        },
        ...renderCell(cell, directory),
      );
    }),
  );
}

/** @param {Cell} cell @param {Directory} directory */
function renderCell(cell, directory) {
  switch (cell.type) {
    case 'rich_text':
      return renderRichText(cell, directory);
    case 'raw_number':
      return [renderPlain(String(cell.text ?? cell.value))];
    default:
      return [renderPlain(cell.text)];
  }
}
