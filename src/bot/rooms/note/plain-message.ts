/** The text of a message as plain text: without escapes and without the markup of links. */
export function plainMessage(text: string): string {
  return text
    .replace(/<(https?:[^|>]+)(?:\|([^>]*))?>/g, (_whole, url: string, label?: string) =>
      label === undefined || label === url ? url : `${label} (${url})`,
    )
    .replace(/<([@#!][^|>]*)\|([^>]*)>/g, '$2')
    .replace(/<([@#!][^>]*)>/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
