import type { Workspace } from '../workspace/workspace.ts';

/** Typed text as Slack passes it on: control characters escaped, @names and #channels turned into references. */
export function escapeTyped(text: string, workspace: Workspace): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped
    .replace(/(^|\s)@([a-z0-9_.-]+)/g, (whole, before: string, name: string) => {
      const person = workspace.findPerson(name);
      const group = workspace.userGroups.all().find(({ handle, disabledAt }) => handle === name && disabledAt === null);
      const mention = person === null ? group && `<!subteam^${group.id}>` : `<@${person.id}>`;
      return mention === undefined ? whole : before + mention;
    })
    .replace(/(^|\s)#([a-z0-9_-]+)/g, (whole, before: string, name: string) => {
      const channel = workspace.findChannelByName(name);
      return channel === null ? whole : `${before}<#${channel.id}|${name}>`;
    });
}
