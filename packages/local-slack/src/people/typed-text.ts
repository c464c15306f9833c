import type { Workspace } from '../workspace/workspace.ts';

/** Typed text of a message: control characters escaped, @names and #channels turned into references. */
export function escapeTyped(text: string, workspace: Workspace): string {
  return escapeWith(text, workspace, () => '');
}

/** Typed text of a command with `should_escape`: references have names, and addresses are links. */
export function escapeCommand(text: string, workspace: Workspace): string {
  return escapeWith(text, workspace, (name) => `|${name}`).replace(/(^|\s)(https?:\/\/[^\s<>]+)/g, '$1<$2>');
}

function escapeWith(text: string, workspace: Workspace, labelled: (name: string) => string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped
    .replace(/(^|\s)@([a-z0-9_.-]+)/g, (whole, before: string, name: string) => {
      const person = workspace.findPerson(name);
      const group = workspace.userGroups.all().find(({ handle }) => handle === name);
      const mention =
        person === null
          ? group && `<!subteam^${group.id}${labelled(`@${name}`)}>`
          : `<@${person.id}${labelled(person.name)}>`;
      return mention === undefined ? whole : before + mention;
    })
    .replace(/(^|\s)#([a-z0-9_-]+)/g, (whole, before: string, name: string) => {
      const channel = workspace.findChannelByName(name);
      return channel === null ? whole : `${before}<#${channel.id}|${name}>`;
    });
}
