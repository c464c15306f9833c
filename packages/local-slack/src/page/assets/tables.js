import { h } from './dom.js';
import { renderPlain } from './mrkdwn.js';
import { renderRichText } from './rich-text.js';

export function renderTable(block, { directory }) {
  const [head, ...rows] = block.rows;
  const settings = block.column_settings ?? [];
  return frame(
    'Table',
    h(
      'table',
      {},
      h('thead', {}, row(head, 'th', settings, directory, { scope: 'col' })),
      h('tbody', {}, ...rows.map((cells) => row(cells, 'td', settings, directory))),
    ),
  );
}

/** Pages through the rows where the block asks for pages. */
export function renderDataTable(block, { directory }) {
  const [head, ...rows] = block.rows;
  const size = block.page_size ?? rows.length;
  const numeric = rows[0]?.map((cell) => (cell.type === 'raw_number' ? { align: 'right' } : {})) ?? [];
  const body = h('tbody');
  const place = h('span', { 'aria-live': 'polite' });
  let first = 0;
  const draw = () => {
    body.replaceChildren(
      ...rows
        .slice(first, first + size)
        .map((cells) => row(cells, 'td', numeric, directory, {}, block.row_header_column_index)),
    );
    place.textContent = `${first + 1} to ${Math.min(first + size, rows.length)} of ${rows.length}`;
  };
  const turn = (text, by) =>
    h(
      'button',
      {
        type: 'button',
        class: 'button',
        onclick: () => {
          first = Math.max(0, first + by < rows.length ? first + by : first);
          draw();
        },
      },
      text,
    );
  draw();
  const table = h(
    'table',
    {},
    h('caption', {}, renderPlain(block.caption)),
    h('thead', {}, row(head, 'th', numeric, directory, { scope: 'col' })),
    body,
  );
  const pages = rows.length > size && h('p', { class: 'pages' }, turn('Earlier', -size), place, turn('Later', size));
  return h('div', { class: 'block' }, frame(block.caption, table), pages);
}

function frame(label, table) {
  return h('div', { class: 'block table', tabindex: 0, role: 'region', 'aria-label': label }, table);
}

function row(cells, tag, settings, directory, attributes = {}, headerColumn = -1) {
  return h(
    'tr',
    {},
    ...cells.map((cell, index) => {
      const own = index === headerColumn ? ['th', { scope: 'row' }] : [tag, attributes];
      const { align = 'left', is_wrapped: isWrapped = false } = settings[index] ?? {};
      return h(
        own[0],
        { ...own[1], class: `align-${align}${isWrapped ? '' : ' unwrapped'}` },
        ...content(cell, directory),
      );
    }),
  );
}

function content(cell, directory) {
  return cell.type === 'rich_text' ? renderRichText(cell, directory) : [renderPlain(String(cell.text ?? cell.value))];
}
