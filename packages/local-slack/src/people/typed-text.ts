import type { Workspace } from '../workspace/workspace.ts';

/** Typed text as Slack passes it on: control characters escaped, @names and #channels turned into references. */
export function escapeTyped(text: string, workspace: Workspace): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped
    .replace(/(^|\s)@([a-z0-9_.-]+)/g, (whole, before: string, name: string) => {
      const person = workspace.findPerson(name);
      return person === null ? whole : `${before}<@${person.id}>`;
    })
    .replace(/(^|\s)#([a-z0-9_-]+)/g, (whole, before: string, name: string) => {
      const channel = workspace.findChannelByName(name);
      return channel === null ? whole : `${before}<#${channel.id}|${name}>`;
    });
}
