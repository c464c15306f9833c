import type { Child } from 'hono/jsx';

interface TableView {
  readonly caption: Child;
  /** Tables below each other whose first columns have the same width. */
  readonly isLog?: boolean;
  /** Headings; `false` is left out. */
  readonly columns: readonly (string | false)[];
  /** The rows. */
  readonly children?: Child;
}

/** On a telephone each row becomes a card. */
export function Table(view: TableView) {
  return (
    <div class="scroll">
      <table class={view.isLog === true ? 'log' : undefined}>
        <Head {...view} />
        <tbody>
          {hasRows(view) ? (
            view.children
          ) : (
            <tr>
              <td class="quiet" colspan={view.columns.length}>
                Nothing yet
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}

/** The values of a chart, folded. */
export function ChartTable(view: TableView) {
  return (
    <details>
      <summary>As a table</summary>
      <table class="numbers">
        <Head {...view} />
        <tbody>{view.children}</tbody>
      </table>
    </details>
  );
}

function hasRows({ children }: TableView): boolean {
  const rows: readonly unknown[] = [children];
  return rows.flat(Number.POSITIVE_INFINITY).length > 0;
}

function Head({ caption, columns }: TableView) {
  return (
    <>
      <caption>{caption}</caption>
      <thead>
        <tr>{columns.map((column) => column !== false && <th scope="col">{column}</th>)}</tr>
      </thead>
    </>
  );
}
