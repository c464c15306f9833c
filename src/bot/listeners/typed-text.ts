import { findCommand, type Words } from './commands.ts';

/**
 * The text of a command as it was typed. Slack escapes it (`should_escape`): `&amp;` for "&", `<@U1|ben>` for "@ben",
 * `<#C1|general>` for "#general", `<!subteam^S1|@sre>` for "@sre", `<https://example.com>` for an address. A command that
 * takes people gets them and groups by their ids, `<@U1>` and `<!subteam^S1>`, because two people may have one name.
 */
export function typedText(escaped: string, words: Words): string {
  const word = findCommand(/^\s*(\S*)/.exec(escaped)?.[1] ?? '', words);
  const takes = word === null ? undefined : words[word]?.takes;
  return escaped
    .replace(/<(@|!subteam\^)(\w+)(?:\|@?([^>]*))?>/g, (_whole, kind: string, id: string, name?: string) =>
      takes?.hasPeople === true ? `<${kind}${id}>` : `@${name || id}`,
    )
    .replace(/<#(\w+)(?:\|([^>]*))?>/g, (_whole, id: string, name?: string) => `#${name || id}`)
    .replace(/<!(\w+)(?:\|[^>]*)?>/g, '@$1')
    .replace(/<([a-z]+:[^|>]+)(?:\|([^>]*))?>/gi, (_whole, address: string, label?: string) => label || address)
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
