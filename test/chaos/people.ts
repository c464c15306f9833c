import type { LocalSlack } from 'local-slack';

/** Something that a person asked for. */
export interface Ask {
  readonly person: string;
  readonly what: string;
  readonly incidentId: string | null;
  /** What Slack itself said to it; null: nothing, undefined: it is still waiting. */
  shown: string | null | undefined;
}

/** A note that a person sent off. */
export interface SentNote {
  readonly person: string;
  readonly incidentId: string;
  readonly note: string;
  /** Whether it left the person's screen; false: it stands in the modal, or Slack said that the command failed. */
  isTaken: boolean | undefined;
}

/** What the bot wrote to a person directly and is still there, oldest first. */
export function directMessages(slack: LocalSlack, person: string): ReturnType<LocalSlack['messages']> {
  const { id } = slack.as(person);
  const conversation = slack.calls
    .filter(({ args, verdict }) => verdict === 'ok' && (args.channel === id || args.users === id))
    .map(({ answer }) => Reflect.get(Object(answer), 'channel'))
    .map((channel) => (typeof channel === 'string' ? channel : Reflect.get(Object(channel), 'id')))
    .find((channel) => typeof channel === 'string' && channel.startsWith('D'));
  return typeof conversation === 'string' ? slack.messages(conversation) : [];
}

/** All that a person was told by the bot, oldest first: where they were, directly, and by modals. */
export function toldTo(slack: LocalSlack, person: string): string[] {
  const { id } = slack.as(person);
  const isOk = (verdict: string) => verdict === 'ok' || verdict === 'stored-then-502';
  const direct = slack.calls
    .filter(({ method, args, verdict }) => method === 'chat.postMessage' && args.channel === id && isOk(verdict))
    .flatMap(({ args }) => answersIn(args.blocks));
  return [...slack.ephemerals(person, 'incidents').map(({ text }) => text), ...direct];
}

/** What is told late comes in one message: each answer is a sentence, and perhaps the note that it hands back. */
export function answersIn(blocks: unknown): string[] {
  const answers: string[] = [];
  for (const { text } of typeof blocks === 'string' ? JSON.parse(blocks) : blocks) {
    const isNote = text.type === 'plain_text' || /^Your note (was not added|as you typed it)/.test(text.text);
    if (isNote) {
      answers.push(`${answers.pop()}\n${text.text}`);
    } else {
      answers.push(text.text);
    }
  }
  return answers;
}
