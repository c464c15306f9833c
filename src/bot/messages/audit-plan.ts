/** A message with a card's metadata, as the channel's history has it. `id`: of the incident or the storm it is for. */
export interface FoundCard {
  readonly ts: string;
  readonly id: string;
  readonly hasReplies: boolean;
}

/** What we believe of a card. */
export interface BelievedCard {
  readonly id: string;
  readonly ts: string | null;
  /** Somebody works on it right now, or a post is under way. */
  readonly isBusy: boolean;
}

export interface AuditPlan {
  /** Messages for what has another message as its card. */
  readonly doubles: readonly FoundCard[];
  /** Messages that are a card which we had lost; `ts` is what we believed. */
  readonly adopted: readonly { readonly id: string; readonly ts: string | null; readonly found: string }[];
  /** Cards that must be there and are gone. */
  readonly missing: readonly { readonly id: string; readonly ts: string }[];
  /** Messages that may be doubles, of what somebody works on right now. */
  readonly undecided: readonly FoundCard[];
  /** Messages for what we know nothing of: another bot's, or of a database that is gone. */
  readonly strangers: readonly FoundCard[];
}

/**
 * Compares the channel with what we believe of it.
 *
 * @param found oldest first
 * @param believed the cards of what was found, read after the history
 * @param open the cards that must be there, read before the history, so that none is missed for being too new
 * @param oldestSeconds where the history begins; null when it was not read whole, so that absence says nothing
 */
export function planAudit(
  found: readonly FoundCard[],
  believed: readonly BelievedCard[],
  open: readonly BelievedCard[],
  oldestSeconds: number | null,
): AuditPlan {
  const cards = new Map(believed.map((card) => [card.id, card]));
  const present = new Set(found.map((message) => message.ts));
  const isGone = (ts: string) => oldestSeconds !== null && Number.parseFloat(ts) > oldestSeconds && !present.has(ts);
  const doubles: FoundCard[] = [];
  const undecided: FoundCard[] = [];
  const strangers: FoundCard[] = [];
  const adopted: { id: string; ts: string | null; found: string }[] = [];

  for (const [id, messages] of Map.groupBy(found, (message) => message.id)) {
    const card = cards.get(id);
    if (card === undefined) {
      strangers.push(...messages);
      continue;
    }
    if (card.isBusy) {
      undecided.push(...messages.filter((message) => message.ts !== card.ts));
      continue;
    }
    const [first] = messages;
    const isLost = card.ts === null || isGone(card.ts);
    if (isLost && first !== undefined) {
      adopted.push({ id, ts: card.ts, found: first.ts });
    }
    const kept = isLost ? first?.ts : card.ts;
    doubles.push(...messages.filter((message) => message.ts !== kept));
  }

  const shown = new Set(found.map((message) => message.id));
  const missing = open.flatMap(({ id, ts, isBusy }) =>
    ts !== null && !isBusy && isGone(ts) && !shown.has(id) ? [{ id, ts }] : [],
  );
  return { doubles, adopted, missing, undecided, strangers };
}
