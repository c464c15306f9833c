/** A request that ends with a page that says why. */
export class PageError extends Error {
  override readonly name = 'PageError';
  readonly status: 401 | 403 | 404 | 410 | 415 | 421 | 422 | 429 | 502;
  readonly title: string;
  readonly headers: Readonly<Record<string, string>>;

  /** @param advice what happened and what to do, in sentences */
  constructor(
    status: PageError['status'],
    title: string,
    advice: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(advice);
    this.status = status;
    this.title = title;
    this.headers = headers;
  }
}
