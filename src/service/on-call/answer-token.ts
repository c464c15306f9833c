import { createHmac, timingSafeEqual } from 'node:crypto';

/** Nothing that is easily taken for another one. */
const CODE_SIGNS = '346789ABCDEFGHJKLMNPQRTUVWXY';
const CODE_LENGTH = 4;

/**
 * The token in the link of an attempt. It is made of the attempt's id and a secret of this installation, so that a message
 * that is sent again has the same link, and no token is stored.
 */
export function answerTokenOf(attemptId: string, secret: Buffer): string {
  return `${attemptId}.${createHmac('sha256', secret).update(`answer ${attemptId}`).digest('base64url')}`;
}

/** @returns the id of the attempt; null: it is no token of ours */
export function readAnswerToken(token: string, secret: Buffer): string | null {
  const attemptId = token.slice(0, token.indexOf('.'));
  const [given, expected] = [Buffer.from(token), Buffer.from(answerTokenOf(attemptId, secret))];
  return given.length === expected.length && timingSafeEqual(given, expected) ? attemptId : null;
}

/** What a person types to answer an attempt. It counts from the address alone to which the message went. */
export function answerCodeOf(attemptId: string, secret: Buffer): string {
  const digest = createHmac('sha256', secret).update(`code ${attemptId}`).digest();
  return [...digest.subarray(0, CODE_LENGTH)].map((byte) => CODE_SIGNS[byte % CODE_SIGNS.length]).join('');
}
