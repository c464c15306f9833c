import type { ServiceClient } from '../../../client/service-client.ts';
import type { KeptEffects } from '../../../effects/kept-effects.ts';
import type { Performer } from '../../../effects/performer.ts';
import type { IncidentStore } from '../../incident/incidents.ts';
import type { NoticeStore } from '../../messages/notices.ts';
import type { SlackApi } from '../../slack/methods.ts';
import type { People } from '../../slack/people.ts';
import type { Tables } from '../../tables.ts';
import { createGroupKeptKind, createGroupReadKind, GROUP_KEPT, GROUP_READ } from './group-kinds.ts';
import { createHandoverKind, HANDOVER } from './handover-kind.ts';
import { createPersonKind, PERSON } from './person-kind.ts';
import type { SwapStore } from './swap-messages.ts';
import type { Swaps } from './swaps.ts';
import { createSwapAnsweredKind, createSwapAskedKind, SWAP_ANSWERED, SWAP_ASKED } from './swaps.ts';
import type { TellWho } from './tell-who.ts';
import { createWatchKind, ON_CALL_WATCH, watchEffect } from './watch-kind.ts';

/** Slack's arm of the schedules: user groups, hand-overs, swaps and who people are. */
export interface OnCall extends Swaps {
  /** Follows the schedules from now on. */
  begin(): Promise<void>;
  /** Why user groups are not kept or read, one sentence each. */
  problems(): Promise<readonly string[]>;
}

export function createOnCall(deps: {
  readonly service: ServiceClient;
  readonly api: Pick<SlackApi, 'usergroups'>;
  readonly store: {
    readonly effects: KeptEffects<Tables>;
    readonly incidents: IncidentStore;
    readonly notices: NoticeStore;
    readonly swaps: SwapStore;
  };
  readonly people: Pick<People, 'find'>;
  readonly tellWho: TellWho;
  readonly performer: Performer<Tables>;
  /** Called when a message may be due. */
  readonly onChanged: () => void;
  readonly now: () => Date;
}): OnCall {
  const { service, store, performer, onChanged } = deps;
  performer.add(
    {
      [ON_CALL_WATCH]: createWatchKind(deps),
      [GROUP_KEPT]: createGroupKeptKind(deps),
      [GROUP_READ]: createGroupReadKind(deps),
      [HANDOVER]: createHandoverKind(deps),
      [PERSON]: createPersonKind(service),
      [SWAP_ASKED]: createSwapAskedKind(deps),
      [SWAP_ANSWERED]: createSwapAnsweredKind({ ...deps, swaps: store.swaps }),
    },
    onChanged,
  );

  return {
    begin: () => store.effects.keep([watchEffect]),

    async problems() {
      const failing = await store.effects.failing([GROUP_KEPT, GROUP_READ]);
      return failing.map(({ kind, subject, error }) =>
        kind === GROUP_KEPT
          ? `The user group ${subject} is not kept true to who is on call (${error}).`
          : `The people of the schedule ${subject} are not read from its user group (${error}).`,
      );
    },

    async ask(source, request) {
      await store.effects.keep([{ kind: SWAP_ASKED, subject: source, data: request, lane: source }]);
      performer.kick();
    },

    async answer(source, answer) {
      const { swapId } = answer;
      await store.effects.keep([{ kind: SWAP_ANSWERED, subject: swapId, detail: source, data: answer, lane: swapId }]);
      performer.kick();
    },
  };
}
