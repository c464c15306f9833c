interface PagerView {
  /** For screen readers. */
  readonly label: string;
  /** The first page; null: it is shown. */
  readonly first: { readonly href: string; readonly text: string } | null;
  /** The page before this one; null: it is the first one. */
  readonly previous: { readonly href: string; readonly text: string } | null;
  /** The page after this one; null: this is the last one. */
  readonly next: { readonly href: string; readonly text: string } | null;
}

export function Pager({ label, first, previous, next }: PagerView) {
  if (first === null && previous === null && next === null) {
    return null;
  }
  return (
    <nav aria-label={label}>
      <ul class="pages">
        {first !== null && (
          <li>
            <a href={first.href}>{first.text}</a>
          </li>
        )}
        {previous !== null && (
          <li>
            <a rel="prev" href={previous.href}>
              {previous.text}
            </a>
          </li>
        )}
        {next !== null && (
          <li>
            <a rel="next" href={next.href}>
              {next.text}
            </a>
          </li>
        )}
      </ul>
    </nav>
  );
}
