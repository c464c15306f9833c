import type { WakeMessage } from '../../waking/message.ts';

/** What a call says, and asks (twilio.com/docs/voice/twiml). Twilio sends the key to the link of the message. */
export function callTwiml({ title, lines, answerUrl }: Pick<WakeMessage, 'title' | 'lines' | 'answerUrl'>): string {
  if (answerUrl === null) {
    return twiml(twice(say(title)));
  }
  const spoken = say(
    `Tocsin. ${title}. ${lines.length > 2 ? `${lines.length - 1} incidents. ` : ''}Press 1 to take it.`,
  );
  return twiml(gather(`${answerUrl}/call`, twice(spoken)) + say('Nobody pressed a key. Somebody else is called.'));
}

/** What a caller hears after a key. @param said null: it was another key, so they are asked again */
export function afterKeyTwiml(said: string | null, url: string): string {
  return said === null ? twiml(gather(url, say('Press 1 to take it.'))) : twiml(say(said));
}

function gather(url: string, content: string): string {
  return `<Gather numDigits="1" timeout="8" method="POST" action="${escapeXml(url)}">${content}</Gather>`;
}

function twice(spoken: string): string {
  return `${spoken}<Pause length="1"/>${spoken}`;
}

/** Long numbers, as those of a code, are read digit by digit. */
function say(text: string): string {
  return `<Say>${escapeXml(text.replaceAll(/\d{4,}/g, (digits) => digits.split('').join(', ')))}</Say>`;
}

function twiml(content: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><Response>${content}</Response>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
