import type { BelievedMessage } from './audits.ts';
import type { FoundMessage } from './metadata.ts';

export interface AuditPlan {
  /** Extra copies of a message. */
  readonly duplicates: readonly FoundMessage[];
  /** Messages at an unknown `ts`; `from` is the stored one. */
  readonly adopted: readonly (Named & { readonly from: string | null; readonly to: string })[];
  /** Required messages that were deleted. */
  readonly missing: readonly (Named & { readonly from: string })[];
  /** Possible duplicates of a message that is being delivered right now. */
  readonly undecided: readonly FoundMessage[];
  /** Messages without a row in the database, of another bot or an earlier database. */
  readonly strangers: readonly FoundMessage[];
}

type Named = Pick<BelievedMessage, 'kind' | 'subject'>;

/**
 * Compares the messages in Slack with the database. There is one message per subject if its kind is kept true, and one
 * per attempt if its kind is sent once.
 *
 * @param found oldest first
 * @param believed read after `found`
 * @param before read before `found`: only what was posted by then can be missing in `found`
 * @param sinceSeconds start of `found`; null: `found` is incomplete, so a missing message proves nothing
 */
export function planAudit(
  found: readonly FoundMessage[],
  believed: readonly BelievedMessage[],
  before: readonly BelievedMessage[],
  sinceSeconds: number | null,
): AuditPlan {
  const known = new Map(believed.map((message) => [keyOf(message), message]));
  const present = new Set(found.map(({ ts }) => ts));
  const expected = new Set(before.map(({ ts }) => ts));
  const isGone = (ts: string) =>
    sinceSeconds !== null && Number.parseFloat(ts) > sinceSeconds && expected.has(ts) && !present.has(ts);
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
