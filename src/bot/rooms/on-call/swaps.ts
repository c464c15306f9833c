import { z } from 'zod';
import { NotOfferedError, ServiceResponseError } from '../../../client/errors.ts';
import type { ServiceClient } from '../../../client/service-client.ts';
import { idOfSlackUser } from '../../../contract/actor.ts';
import type { Schedule, Swap } from '../../../contract/on-call.ts';
import type { End } from '../../../effects/kept-effects.ts';
import { createKind, type EffectKind } from '../../../effects/performer.ts';
import { failureOf, refusedReason } from '../../actions/service-failure.ts';
import { bold, dateToken, inline } from '../../blocks/mrkdwn.ts';
import { tellPerson } from '../../messages/notices.ts';
import type { SlackUserId } from '../../slack/identifiers.ts';
import type { People } from '../../slack/people.ts';
import type { Tables } from '../../tables.ts';
import { askForSwap, changeSwap, type SwapStore } from './swap-messages.ts';
import type { TellWho } from './tell-who.ts';

/** What people ask of somebody's turn. */
export interface Swaps {
  /** Asks one person, or anybody. @param source identifies the form */
  ask(source: string, request: SwapRequest): Promise<void>;
  /** @param source identifies the click */
  answer(source: string, answer: SwapAnswer): Promise<void>;
}

export interface SwapRequest {
  readonly scheduleId: string;
  readonly from: string;
  readonly to: string;
  readonly asker: SlackUserId;
  /** null: anybody. */
  readonly taker: SlackUserId | null;
}

export interface SwapAnswer {
  readonly swapId: string;
  readonly answer: 'taken' | 'declined' | 'undone';
  readonly slackUserId: SlackUserId;
}

/** Somebody asks for a swap: the service learns it, then those who are asked. The subject is the form. */
export const SWAP_ASKED = 'swap';
/** Somebody answers one. The subject is the swap, the detail the click. */
export const SWAP_ANSWERED = 'swap answer';

const Request = z.object({
  scheduleId: z.string(),
  from: z.string(),
  to: z.string(),
  asker: z.string(),
  taker: z.string().nullable(),
}) satisfies z.ZodType<SwapRequest>;
const Answer = z.object({
  swapId: z.string(),
  answer: z.enum(['taken', 'declined', 'undone']),
  slackUserId: z.string(),
}) satisfies z.ZodType<SwapAnswer>;

interface SwapDeps {
  readonly service: Pick<ServiceClient, 'answerSwap' | 'createSwap' | 'findPerson' | 'listSchedules' | 'findSwap'>;
  readonly people: Pick<People, 'find'>;
  readonly tellWho: TellWho;
}

/** Keyed by the form, so it is asked once. */
export function createSwapAskedKind({ service, people, tellWho }: SwapDeps): EffectKind<Tables> {
  /** Those of the schedule, if nobody is named. */
  async function asked({ taker, asker }: SwapRequest, schedule: Schedule): Promise<SlackUserId[]> {
    if (taker !== null) {
      return [taker];
    }
    const ids = new Set(schedule.layers.flatMap(({ people: turns }) => turns.filter((id) => id !== null)));
    const known = await Promise.all([...ids].map((id) => service.findPerson(id)));
    return known.flatMap((person) =>
      person?.slack_user_id && !person.gone_at && person.slack_user_id !== asker ? person.slack_user_id : [],
    );
  }

  return createKind<Tables, SwapRequest>({
    target: 'incident service',
    effectOf: ({ subject, data }) => ({
      look: async () => ({ seen: Request.parse(data) }),
      async call(request) {
        const { scheduleId, from, to, asker, taker } = request;
        const schedule = (await service.listSchedules()).find(({ id }) => id === scheduleId);
        if (schedule === undefined) {
          return refusedEnd(subject, asker, 'that schedule does not exist any more');
        }
        await Promise.all([asker, ...(taker === null ? [] : [taker])].map(tellWho));
        const whom = await asked(request, schedule);
        if (whom.length === 0) {
          return refusedEnd(subject, asker, 'Slack knows nobody else in that schedule');
        }
        const swap = await service.createSwap(
          scheduleId,
          {
            from,
            to,
            asker: idOfSlackUser(asker),
            ...(taker && { taker: idOfSlackUser(taker) }),
            ...(await actor(people, asker)),
          },
          subject,
        );
        const turn = `${bold(inline(schedule.name, NAME_LENGTH))}, ${dateToken(swap.from)}`;
        const said = `I asked ${whom.map((id) => `<@${id}>`).join(', ')} to take ${turn}.`;
        return {
          outcome: { swapId: swap.id },
          async also(tx) {
            const about = {
              schedule: schedule.name,
              scheduleId,
              isForAnybody: taker === null,
              from: swap.from,
              to: swap.to,
              asker,
              state: 'asked' as const,
            };
            await askForSwap(tx, swap.id, whom, about);
            await tellPerson(tx, `swap ${swap.id} asked`, asker, said);
          },
        };
      },
      failureOf,
    }),
    endOf: ({ subject, data }, error) =>
      isFinal(error) ? refusedEnd(subject, Request.parse(data).asker, reasonOf(error)) : null,
  });
}

/** Keyed by the click. Both are told in the transaction that settles it. */
export function createSwapAnsweredKind({
  service,
  people,
  tellWho,
  swaps,
}: SwapDeps & { readonly swaps: SwapStore }): EffectKind<Tables> {
  /** What became of a swap that somebody else was faster with. */
  async function stateOf(swapId: string): Promise<Swap['state']> {
    const asked = await swaps.find(swapId);
    return (asked && (await service.findSwap(asked.scheduleId, swapId)))?.state ?? 'expired';
  }

  return createKind<Tables, SwapAnswer>({
    target: 'incident service',
    effectOf: ({ detail, data }) => ({
      look: async () => ({ seen: Answer.parse(data) }),
      async call({ swapId, answer, slackUserId }) {
        const asked = answer === 'declined' ? await swaps.find(swapId) : null;
        if (asked?.isForAnybody === true) {
          return {
            outcome: {},
            async also(tx) {
              await changeSwap(tx, swapId, { state: 'declined' }, slackUserId); // others may take it
              await tellPerson(tx, `swap ${swapId} ${detail}`, asked.asker, declined(slackUserId, asked.from));
            },
          };
        }
        await tellWho(slackUserId);
        const person = answer === 'taken' ? { person: idOfSlackUser(slackUserId) } : {};
        const swap = await service.answerSwap(
          swapId,
          { answer, ...person, ...(await actor(people, slackUserId)) },
          detail,
        );
        return settled(detail, swap, { answer, slackUserId }, await service.findPerson(swap.asker.id));
      },
      failureOf,
      // A 409: somebody was faster, or it is too late.
      async lookAgain({ slackUserId, swapId }, error) {
        if (!(error instanceof ServiceResponseError) || error.problem.code !== 'swap-answered') {
          return null;
        }
        const state = await stateOf(swapId);
        const words = `That was too late: ${inline(reasonOf(error), REASON_LENGTH)}.`;
        return {
          outcome: { isLate: true },
          async also(tx) {
            await changeSwap(tx, swapId, { state, undoUntil: null }, slackUserId);
            await tellPerson(tx, `swap ${swapId} ${detail}`, slackUserId, words);
          },
        };
      },
    }),
    endOf: ({ detail, data }, error) =>
      isFinal(error) ? refusedEnd(detail, Answer.parse(data).slackUserId, reasonOf(error)) : null,
  });
}

const NAME_LENGTH = 80;
const REASON_LENGTH = 200;

function settled(
  click: string,
  { id, state, undo_until: undoUntil = null, from, asker: { name } }: Swap,
  { answer, slackUserId }: Pick<SwapAnswer, 'answer' | 'slackUserId'>,
  asker: { readonly slack_user_id?: string | null | undefined } | null,
): End<Tables> {
  const taker = state === 'taken' ? slackUserId : null;
  const words = {
    taken: `<@${slackUserId}> takes your turn of ${dateToken(from)}.`,
    declined: declined(slackUserId, from),
    undone: `<@${slackUserId}> gave your turn of ${dateToken(from)} back: you have it again.`,
  }[answer];
  return {
    outcome: { state, name },
    async also(tx) {
      await changeSwap(tx, id, { state, taker, undoUntil });
      if (asker?.slack_user_id) {
        await tellPerson(tx, `swap ${id} ${click}`, asker.slack_user_id, words);
      }
    },
  };
}

function declined(slackUserId: SlackUserId, from: string): string {
  return `<@${slackUserId}> declined your turn of ${dateToken(from)}.`;
}

function refusedEnd(event: string, person: SlackUserId, reason: string): End<Tables> {
  return {
    outcome: { reason },
    isRefused: true,
    also: (tx) =>
      tellPerson(tx, `swap refused ${event}`, person, `The swap was not possible: ${inline(reason, REASON_LENGTH)}.`),
  };
}

function isFinal(error: unknown): error is ServiceResponseError {
  return error instanceof ServiceResponseError && (error instanceof NotOfferedError || refusedReason(error) !== null);
}

function reasonOf({ problem }: ServiceResponseError): string {
  return problem.detail ?? problem.title ?? 'the service refused it';
}

async function actor(people: Pick<People, 'find'>, slackUserId: SlackUserId) {
  const { name, userId } = await people.find(slackUserId);
  return { user: name, user_id: userId };
}
