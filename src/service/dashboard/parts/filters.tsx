import type { Child } from 'hono/jsx';

interface FiltersView {
  readonly label: string;
  /** The page that is filtered. */
  readonly action: string;
  /** The page without filters; null: there are none. */
  readonly unfiltered: string | null;
  readonly children?: Child;
}

/** Folded on a phone. A form that puts what it filters by into the address of a list. */
export function Filters({ label, action, unfiltered, children }: FiltersView) {
  return (
    <search>
      <details class="filter-box" open={unfiltered !== null}>
        <summary class="button">Filter</summary>
        <form class="filters" method="get" action={action} aria-label={label}>
          {children}
          <button type="submit">Show</button>
          {unfiltered !== null && <a href={unfiltered}>Remove the filters</a>}
        </form>
      </details>
    </search>
  );
}
