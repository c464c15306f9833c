import type { BelievedMessage } from '../store/channels.ts';
import type { FoundMessage } from './metadata.ts';

export interface AuditPlan {
  /** Messages beside the one that counts. */
  readonly duplicates: readonly FoundMessage[];
  /** Messages that we had lost; `from` is where we believed them to be. */
  readonly adopted: readonly (Named & { readonly from: string | null; readonly to: string })[];
  /** Messages that have to be there and were deleted. */
  readonly missing: readonly (Named & { readonly from: string })[];
  /** Messages of which somebody works on the original right now. */
  readonly undecided: readonly FoundMessage[];
  /** Messages that we know nothing of: another bot's, or of a database that is gone. */
  readonly strangers: readonly FoundMessage[];
}

type Named = Pick<BelievedMessage, 'kind' | 'subject'>;

/**
 * Compares what is in Slack with what we believe. Of messages that are kept true there is one per subject; of those that
 * are sent once, one per attempt.
 *
 * @param found oldest first
 * @param believed read after `found`
 * @param sinceSeconds where `found` begins; null: it is incomplete, so that absence says nothing
 */
export function planAudit(
  found: readonly FoundMessage[],
  believed: readonly BelievedMessage[],
  sinceSeconds: number | null,
): AuditPlan {
  const known = new Map(believed.map((message) => [keyOf(message), message]));
  const present = new Set(found.map(({ ts }) => ts));
  const isGone = (ts: string) => sinceSeconds !== null && Number.parseFloat(ts) > sinceSeconds && !present.has(ts);
  const plan = {
    duplicates: [] as FoundMessage[],
    adopted: [] as (Named & { from: string | null; to: string })[],
    missing: [] as (Named & { from: string })[],
    undecided: [] as FoundMessage[],
    strangers: [] as FoundMessage[],
  };

  for (const [key, messages] of Map.groupBy(found.filter(isKeptTrue), keyOf)) {
    const [first] = messages;
    const message = known.get(key);
    if (message === undefined || first === undefined) {
      plan.strangers.push(...messages);
      continue;
    }
    const { kind, subject, ts } = message;
    if (message.isBusy) {
      plan.undecided.push(...messages.filter((each) => each.ts !== ts));
      continue;
    }
    const isLost = ts === null || isGone(ts);
    if (isLost) {
      plan.adopted.push({ kind, subject, from: ts, to: first.ts });
    }
    const original = isLost ? first.ts : ts;
    plan.duplicates.push(...messages.filter((each) => each.ts !== original));
  }
  for (const [, [, ...repeated]] of Map.groupBy(
    found.filter((message) => !isKeptTrue(message)),
    ({ attemptId }) => attemptId,
  )) {
    plan.duplicates.push(...repeated);
  }
  const shown = new Set(found.map(keyOf));
  for (const { kind, subject, ts, isBusy, isRequired } of believed) {
    if (isRequired && ts !== null && !isBusy && isGone(ts) && !shown.has(keyOf({ kind, subject }))) {
      plan.missing.push({ kind, subject, from: ts });
    }
  }
  return plan;
}

function isKeptTrue({ kind }: FoundMessage): boolean {
  return kind === 'card' || kind === 'storm';
}

function keyOf({ kind, subject }: Named): string {
  return `${kind} ${subject}`;
}
