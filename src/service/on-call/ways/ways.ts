import { WAY_KINDS, type WayKind } from '../../../contract/waking.ts';
import { withTimeout } from '../../../runtime/timeout.ts';
import type { WebhookSender } from '../../webhooks/webhook-sender.ts';
import { COSTLY } from './budget.ts';
import { createCallWay } from './call/call.ts';
import { createEmailWay, type MailSettings } from './email/email.ts';
import { createNtfyWay, type NtfySettings } from './ntfy/ntfy.ts';
import type { Provider } from './provider.ts';
import { createPushoverWay, type PushoverSettings } from './pushover/pushover.ts';
import { createSlackWay, type TellBots } from './slack/slack.ts';
import { createSmsWay } from './sms/sms.ts';
import type { TwilioSettings } from './twilio/twilio-api.ts';
import { type Way, WayError } from './way.ts';
import { createWebPushWay, type VapidKeys } from './web-push/web-push.ts';
import { createWebhookWay } from './webhook/webhook.ts';

/** A provider that always says a little more would else keep one of few places for ever. */
const LONGEST_CALL_MS = 15_000;

/** Every way, each a folder of its own. */
export type Ways = Readonly<Record<WayKind, Way>>;

/** null: the operator has not set it. */
export interface WaySettings {
  readonly mail: MailSettings | null;
  readonly ntfy: NtfySettings;
  readonly pushover: PushoverSettings | null;
  readonly twilio: TwilioSettings | null;
}

/** @throws {WayError} what keeps an attempt from being made, such as a limit */
type CheckBudget = (attemptId: string) => Promise<void>;

export function createWays(deps: {
  readonly settings: WaySettings;
  readonly sender: WebhookSender;
  readonly provider: Provider;
  readonly createSecret: () => string;
  readonly tellBots: TellBots;
  readonly vapidKeys: () => Promise<VapidKeys>;
  readonly checkBudget: CheckBudget;
  readonly publicUrl: string;
  /** Whether others than this machine and its network reach `publicUrl`. */
  readonly isPublic: boolean;
}): Ways {
  const { settings, sender, provider, publicUrl, isPublic } = deps;
  // Push services want a way to reach the sender, and refuse an address without TLS.
  const subject = publicUrl.startsWith('https:') ? publicUrl : 'mailto:tocsin@localhost.localdomain';
  const ways: { readonly [Kind in WayKind]: Way } = {
    call: createCallWay(settings.twilio, provider, isPublic),
    email: createEmailWay(settings.mail),
    ntfy: createNtfyWay(settings.ntfy, provider, isPublic),
    pushover: createPushoverWay(settings.pushover, provider),
    slack: createSlackWay(deps.tellBots),
    sms: createSmsWay(settings.twilio, provider),
    web_push: createWebPushWay({ sender, keys: deps.vapidKeys, subject }),
    webhook: createWebhookWay(sender, deps.createSecret),
  };
  const guard = (kind: WayKind) => endingWithin(LONGEST_CALL_MS, whereAllowed(kind, ways[kind], deps.checkBudget));
  return Object.fromEntries(WAY_KINDS.map((kind) => [kind, guard(kind)])) as Ways;
}

/** Refuses to call where a setting is missing, and where that would cost too much. */
function whereAllowed(kind: WayKind, way: Way, checkBudget: CheckBudget): Way {
  return {
    ...way,
    async call(address, message) {
      if (way.missing !== null) {
        throw new WayError('refused', way.missing);
      }
      if (COSTLY.includes(kind)) {
        await checkBudget(message.id);
      }
      return way.call(address, message);
    },
  };
}

/** Gives a call up that does not end. It may have arrived. */
export function endingWithin<Address extends object>(ms: number, way: Way<Address>): Way<Address> {
  return {
    ...way,
    call: (address, message) =>
      withTimeout(ms, () => way.call(address, message)).catch((error: unknown) => {
        throw error instanceof DOMException ? new WayError('unavailable', error.message, { cause: error }) : error;
      }),
  };
}
