import type { LocalSlack } from 'local-slack';

export const PEOPLE = ['ana', 'ben'] as const;

/** A request of a person. */
export interface Ask {
  readonly person: string;
  readonly what: string;
  /** The root service of the incident, or the service that it is about; null: a storm. */
  readonly about: string | null;
  /** Error message of Slack itself; null: none; undefined: still waiting. */
  shown: string | null | undefined;
}

/** A note that a person submitted, for the closing of an incident or its timeline. */
export interface SentNote {
  readonly person: string;
  readonly incidentId: string;
  readonly note: string;
  /** Whether the app accepted it; false: it is still in the modal, or Slack reported that the command failed. */
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

/** All answers that a person has had, or may have had: ephemeral messages, then direct messages, oldest first. */
export function answersTo(slack: LocalSlack, person: string): string[] {
  const { id } = slack.as(person);
  const isOk = (verdict: string) => verdict === 'ok' || verdict === 'stored-then-502';
  const direct = slack.calls
    .filter(({ method, args, verdict }) => method === 'chat.postMessage' && args.channel === id && isOk(verdict))
    .filter(({ args }) => !JSON.stringify(args.metadata ?? '').includes('tocsin_alert'))
    .flatMap(({ args }) => answersIn(args.blocks));
  const unclear = slack.calls
    .filter(({ method, args }) => method === 'chat.postEphemeral' && args.user === id)
    .filter(({ verdict }) => verdict === 'internal_error')
    .flatMap(({ args }) => answersIn(args.blocks));
  const ephemerals = ['incidents', 'general'].flatMap((channel) => slack.ephemerals(person, channel));
  return [...ephemerals.map(({ text }) => text), ...unclear, ...direct];
}

/** Splits a direct message into its answers. Each is a sentence, possibly followed by a note. */
export function answersIn(blocks: unknown): string[] {
  const answers: string[] = [];
  for (const { text } of typeof blocks === 'string' ? JSON.parse(blocks) : blocks) {
    if (text === undefined) {
      continue; // the buttons below an answer
    }
    const isNote = text.type === 'plain_text' || /^Your note (was not added|as you typed it)/.test(text.text);
    if (isNote) {
      answers.push(`${answers.pop()}\n${text.text}`);
    } else {
      answers.push(text.text);
    }
  }
  return answers;
}
