/** A message with a card's metadata, as the channel's history has it. */
export interface FoundCard {
  readonly ts: string;
  readonly incidentId: string;
  readonly hasReplies: boolean;
}

/** What we believe of a card. */
export interface BelievedCard {
  readonly incidentId: string;
  readonly ts: string | null;
  /** Somebody works on it right now, or a post is under way. */
  readonly isBusy: boolean;
}

export interface AuditPlan {
  /** Messages that show an incident whose card is another message. */
  readonly doubles: readonly FoundCard[];
  /** Messages that are the card of an incident whose card we had lost; `ts` is what we believed. */
  readonly adopted: readonly { readonly incidentId: string; readonly ts: string | null; readonly found: string }[];
  /** Cards of open incidents whose message is gone. */
  readonly missing: readonly { readonly incidentId: string; readonly ts: string }[];
  /** Messages of incidents that we know nothing of: another bot's, or of a database that is gone. */
  readonly strangers: readonly FoundCard[];
}

/**
 * Compares the channel with what we believe of it.
 *
 * @param found oldest first
 * @param believed the cards of the incidents found, read after the history
 * @param open the cards of open incidents, read before the history, so that none is missed for being too new
 * @param oldestSeconds where the history begins; null when it was not read whole, so that absence says nothing
 */
export function planAudit(
  found: readonly FoundCard[],
  believed: readonly BelievedCard[],
  open: readonly BelievedCard[],
  oldestSeconds: number | null,
): AuditPlan {
  const cards = new Map(believed.map((card) => [card.incidentId, card]));
  const present = new Set(found.map((message) => message.ts));
  const isGone = (ts: string) => oldestSeconds !== null && Number.parseFloat(ts) > oldestSeconds && !present.has(ts);
  const doubles: FoundCard[] = [];
  const strangers: FoundCard[] = [];
  const adopted: { incidentId: string; ts: string | null; found: string }[] = [];

  for (const [incidentId, messages] of Map.groupBy(found, (message) => message.incidentId)) {
    const card = cards.get(incidentId);
    if (card === undefined) {
      strangers.push(...messages);
      continue;
    }
    if (card.isBusy) {
      continue;
    }
    const [first] = messages;
    const isLost = card.ts === null || isGone(card.ts);
    if (isLost && first !== undefined) {
      adopted.push({ incidentId, ts: card.ts, found: first.ts });
    }
    const kept = isLost ? first?.ts : card.ts;
    doubles.push(...messages.filter((message) => message.ts !== kept));
  }

  const shown = new Set(found.map((message) => message.incidentId));
  const missing = open.flatMap(({ incidentId, ts, isBusy }) =>
    ts !== null && !isBusy && isGone(ts) && !shown.has(incidentId) ? [{ incidentId, ts }] : [],
  );
  return { doubles, adopted, missing, strangers };
}
