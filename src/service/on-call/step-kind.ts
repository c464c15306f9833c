import type { Transaction } from 'kysely';
import { z } from 'zod';
import { WAY_WORDS } from '../../contract/waking.ts';
import { together } from '../../effects/kept-effects.ts';
import { createKind, type EffectKind } from '../../effects/performer.ts';
import { createId } from '../core/ids.ts';
import { appendToTimelines } from '../store/incidents/timeline.ts';
import { stepEffect } from '../store/pages/page-effects.ts';
import { type BegunStep, beginSteps, type PageStore, type StoredPage } from '../store/pages/page-store.ts';
import type { ServiceTables } from '../store/schema/tables.ts';
import { type ResolveDeps, resolveStep } from './resolve.ts';
import { attemptsOf, followOf, type Resolved } from './waking/attempts.ts';
import { isAfter, isLastResort, type Position } from './waking/policy.ts';

const Data = z.object({ cycle: z.int(), step: z.int() });

interface Due {
  readonly page: StoredPage;
  readonly position: Position;
}

/**
 * Begins a step of a page: finds whom it asks now, and plans an attempt for each way. One that reaches nobody goes on at
 * once, and says so.
 */
/** A storm makes many due at once, and each only reads and stores. */
const STEPS_AT_A_TIME = 40;

export function createStepKind(
  deps: ResolveDeps & { readonly pages: PageStore; readonly now: () => Date },
): EffectKind<ServiceTables> {
  const { pages, now } = deps;

  return createKind<ServiceTables, Due>({
    target: 'pages',
    pace: STEPS_AT_A_TIME,
    effectOf: ({ subject, data }) => ({
      async look() {
        const position = Data.parse(data);
        const page = await pages.readPage(subject);
        return page?.isLive === true && follows(page, position)
          ? { seen: { page, position } }
          : { over: { outcome: { begun: false } } };
      },

      async call(due) {
        const { page, position } = due;
        const answered = await pages.findAnswered(page.id);
        const resolved = await resolveStep(page.policy, position, answered, now(), deps);
        const attempts = attemptsOf(resolved).map((planned) => ({ ...planned, id: createId('attempt', now()) }));
        const { to, afterS } = followOf(page.policy, position, resolved, page.reachedCycle);
        return {
          outcome: { begun: true, attempts: attempts.length },
          follow: [stepEffect(page.id, to, afterS * 1_000)],
          also: together(tellAndBegin, { page, position, attempts, at: now(), text: describeStep(due, resolved) }),
        };
      },

      failureOf: () => null,
    }),
    endOf: () => null,
  });
}

/** Whether a step comes after the one that began last. No cycle that was planned is gone through after the last resort. */
function follows({ policy, position }: StoredPage, to: Position): boolean {
  return isAfter(to, position) && (isLastResort(policy, to) || !isLastResort(policy, position));
}

async function tellAndBegin(
  tx: Transaction<ServiceTables>,
  steps: readonly (BegunStep & { readonly page: StoredPage; readonly at: Date; readonly text: string })[],
): Promise<void> {
  const moments = steps.flatMap(({ page, at, text }) =>
    page.incident === null ? [] : [{ incidentId: page.incident.id, at, event: 'paged' as const, by: null, text }],
  );
  await appendToTimelines(tx, moments);
  await beginSteps(tx, steps);
}

/** What the timeline says of a step. */
function describeStep({ page, position }: Due, { people, channels, skipped }: Resolved): string {
  const woken = people.map(
    ({ name, because, ways }) => `${name} (${because}) by ${ways.map(({ way }) => WAY_WORDS[way.kind]).join(', ')}`,
  );
  const told = channels.length === 0 ? [] : [channels.length === 1 ? 'a channel' : `${channels.length} channels`];
  const where = isLastResort(page.policy, position)
    ? `Last resort of ${page.policy.name}`
    : `${page.policy.name}, step ${position.step + 1}${position.cycle === 0 ? '' : `, round ${position.cycle + 1}`}`;
  const whom = [...woken, ...told].join('; ') || 'nobody';
  return [`${where}: wakes ${whom}.`, ...skipped.map((why) => `Skipped: ${why}.`)].join(' ');
}
