import type { Child } from 'hono/jsx';

interface TableView {
  readonly caption: Child;
  /** Tables below each other whose first columns have the same width. */
  readonly isLog?: boolean;
  /** Headings. */
  readonly columns: readonly string[];
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

/** One row for each record. A heading is also the label of its values in a card, but for the first column and for `action`. */
export function RecordTable<Row>({
  records,
  values,
  action = null,
  ...view
}: Pick<TableView, 'caption' | 'isLog'> & {
  readonly records: readonly Row[];
  /** By heading. */
  readonly values: Readonly<Record<string, (record: Row) => Child>>;
  /** The last column: what can be done with the record; null: nothing. */
  readonly action?: { readonly heading: string; readonly of: (record: Row) => Child } | null;
}) {
  const columns = Object.entries(values);
  const headings = [...columns.map(([heading]) => heading), ...(action === null ? [] : [action.heading])];
  return (
    <Table {...view} columns={headings}>
      {records.map((record) => (
        <tr>
          {columns.map(([heading, show], index) => (
            <td data-label={index === 0 ? undefined : heading}>{show(record)}</td>
          ))}
          {action !== null && <td>{action.of(record)}</td>}
        </tr>
      ))}
    </Table>
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
        <tr>
          {columns.map((column) => (
            <th scope="col">{column}</th>
          ))}
        </tr>
      </thead>
    </>
  );
}
