/** What to paste into a sender. */
export interface Snippet {
  readonly title: string;
  readonly text: string;
}
