import { spokenName } from '../../../contract/actor.ts';

/** An incident as a message that wakes somebody shows it. */
export interface MessageIncident {
  readonly number: number;
  readonly title: string;
  readonly severity: string;
  readonly rootService: string;
}

/** What a way tells a person. */
export interface WakeMessage {
  /** The same at each repetition, so that a provider or a reader knows a repetition. */
  readonly id: string;
  /** One for all messages that ask one person: a newer one replaces the one before where the way can do that. */
  readonly tag: string;
  /** One line. */
  readonly title: string;
  readonly lines: readonly string[];
  /** The page of the incident, or of the settings. */
  readonly url: string;
  /** The page on which the person says that they have it; null: nothing is asked. */
  readonly answerUrl: string | null;
  /** What the person types in place of opening the page; null: nothing is asked. */
  readonly code: string | null;
  readonly isLoud: boolean;
}

/** Text of a sender is cut, and has no line breaks. */
const MAX_TITLE = 100;

/**
 * @param incidents those that the message asks for, the most severe first
 * @param isReminder somebody has it already
 * @param of the attempt: what is the same in all its messages
 */
export function askMessage(
  incidents: readonly MessageIncident[],
  of: Pick<WakeMessage, 'id' | 'tag' | 'url' | 'answerUrl' | 'code' | 'isLoud'>,
  isReminder = false,
): WakeMessage {
  const said = isReminder ? 'Somebody took it 45 minutes ago, and it still fails.' : 'Nobody has it yet.';
  const [first] = incidents;
  const more = incidents.length > 1 ? ` and ${incidents.length - 1} more` : '';
  return first === undefined
    ? { ...of, title: 'This is a drill: nothing is broken', lines: ['Say that you have it, so that the drill ends.'] }
    : { ...of, title: `${describe(first)}${more}`, lines: [...incidents.map(describe), said] };
}

/** @param takenBy null: the incident needs nobody any more. @param isLive the person has answered, and others are asked still */
export function takenMessage(
  incidents: readonly MessageIncident[],
  takenBy: string | null,
  of: Pick<WakeMessage, 'id' | 'tag' | 'url'>,
  isLive = false,
): WakeMessage {
  const over = isLive ? 'You have answered' : 'Over';
  const why = takenBy === null ? over : `Taken by ${oneLine(spokenName(takenBy))}`;
  const [first] = incidents;
  const title = `${why}: ${first === undefined ? 'the drill' : describe(first)}`;
  return { ...of, title, lines: ['You need not do anything.'], answerUrl: null, code: null, isLoud: false };
}

export function testMessage(of: Pick<WakeMessage, 'id' | 'tag' | 'url' | 'answerUrl' | 'code'>): WakeMessage {
  const lines = ['Say that it arrived. Only a way that was answered counts as working.'];
  return { ...of, title: 'This is a test of how you are woken', lines, isLoud: true };
}

export function codeMessage(code: string, of: Pick<WakeMessage, 'id' | 'tag' | 'url'>): WakeMessage {
  const lines = [
    'Type it on the page where you added this address, within 15 minutes. If that was not you, ignore it.',
  ];
  return { ...of, title: `${code} is your code`, lines, answerUrl: null, code: null, isLoud: false };
}

function describe({ number, title, severity, rootService }: MessageIncident): string {
  return oneLine(`#${number} ${severity}: ${title === '' ? rootService : title}`);
}

function oneLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return line.length <= MAX_TITLE ? line : `${line.slice(0, MAX_TITLE - 1)}…`;
}
