import type { Block, Content, Ephemeral } from './model.ts';

/** Messages that only one person sees. */
export interface Ephemerals {
  ephemerals(viewer: string, channelId: string): readonly Ephemeral[];
  postEphemeral(message: {
    channel: string;
    viewer: string;
    from: Ephemeral['from'];
    content: Content;
    threadTs?: string | null;
  }): Ephemeral;
  /** Null deletes the message. */
  changeEphemeral(viewer: string, channelId: string, ts: string, content: Content | null): void;
}

/** Slack keeps them only until the next reload. */
const MAX_EPHEMERALS = 1_000;

export function createEphemerals(deps: {
  nextTs: () => string;
  nameBlocks: (blocks: Content['blocks']) => Block[];
  changed: () => void;
}): Ephemerals {
  const ephemerals: Ephemeral[] = [];

  return {
    ephemerals: (viewer, channelId) =>
      ephemerals.filter((message) => message.viewer === viewer && message.channel === channelId),
    postEphemeral({ channel, viewer, from, content, threadTs }) {
      const message: Ephemeral = {
        kind: 'ephemeral',
        ts: deps.nextTs(),
        channel,
        viewer,
        from,
        text: content.text,
        blocks: deps.nameBlocks(content.blocks),
        threadTs: threadTs ?? null,
        revision: 0,
      };
      ephemerals.push(message);
      ephemerals.splice(0, ephemerals.length - MAX_EPHEMERALS);
      deps.changed();
      return message;
    },
    changeEphemeral(viewer, channelId, ts, content) {
      const index = ephemerals.findIndex(
        (message) => message.viewer === viewer && message.channel === channelId && message.ts === ts,
      );
      const before = ephemerals[index];
      if (before === undefined) {
        return;
      }
      const next = content && {
        ...before,
        text: content.text,
        blocks: deps.nameBlocks(content.blocks),
        revision: before.revision + 1,
      };
      ephemerals.splice(index, 1, ...(next === null ? [] : [next]));
      deps.changed();
    },
  };
}
