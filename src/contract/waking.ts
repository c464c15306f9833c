import { z } from 'zod';
import { userId } from './requests.ts';
import { Severity } from './resources.ts';
import { ActorId, Id, Timestamp } from './values.ts';

export const WAKING_LIMITS = {
  policies: 100,
  policyName: 100,
  steps: 10,
  targets: 20,
  repeat: 9,
  acks: 20,
  waitSeconds: 3_600,
  holdSeconds: 900,
  filterEntries: 50,
  filterEntry: 255,
  waysOfPerson: 20,
  address: 2_000,
  pages: 50,
  detail: 300,
} as const;

const wait = z.int().min(0).max(WAKING_LIMITS.waitSeconds);
const entries = z
  .array(z.string().trim().min(1).max(WAKING_LIMITS.filterEntry))
  .max(WAKING_LIMITS.filterEntries)
  .default([]);

/**
 * Whom a step asks: whoever is on call by a schedule at that moment, one person, or everybody who reads a channel, which has
 * an incoming webhook that takes `{"text": …}`.
 */
export const WakeTarget = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('schedule'), id: Id }),
  z.object({ kind: z.literal('person'), id: Id }),
  z.object({ kind: z.literal('channel'), url: z.url({ protocol: /^https?$/ }).max(WAKING_LIMITS.address) }),
]);
export type WakeTarget = z.infer<typeof WakeTarget>;

export const WakeStep = z.object({
  /** Seconds since the step before, or since the page began. */
  after_s: wait,
  to: z.array(WakeTarget).min(1).max(WAKING_LIMITS.targets),
  /** Whether the loud ways of each person are used, or the quiet ones. */
  loud: z.boolean().default(true),
  /** How many people must answer before the incident counts as acknowledged by their answers. */
  acks: z.int().min(1).max(WAKING_LIMITS.acks).default(1),
});
export type WakeStep = z.infer<typeof WakeStep>;

/** Which incidents a policy is for. An empty list means all. */
export const WakeFilter = z.object({
  /** Names of services; one that ends with `*` stands for all with that beginning. */
  services: entries,
  severities: z.array(Severity).max(WAKING_LIMITS.filterEntries).default([]),
  /** Ids of integrations. */
  integrations: entries,
  /** `team:payments`, `env:prod*`. */
  labels: entries,
});
export type WakeFilter = z.infer<typeof WakeFilter>;

/** What a policy says. The first policy that matches an incident wakes for it. */
export const PolicyPlan = z.object({
  name: z.string().trim().min(1).max(WAKING_LIMITS.policyName),
  filter: WakeFilter.prefault({}),
  steps: z.array(WakeStep).min(1).max(WAKING_LIMITS.steps),
  /** How often all steps are gone through again. */
  repeat: z.int().min(0).max(WAKING_LIMITS.repeat).default(0),
  /** Seconds after the last step until the steps are repeated, or until the last resort. */
  wait_s: wait.default(300),
  /** Seconds that the harm must last before anybody is woken. An incident that is not failing by then wakes nobody. */
  hold_s: z.int().min(0).max(WAKING_LIMITS.holdSeconds).default(0),
  /** Whom to wake when nobody answered, or nobody could be woken. Empty: everybody who can be woken. */
  last_resort: z.array(WakeTarget).max(WAKING_LIMITS.targets).default([]),
});
export type PolicyPlan = z.infer<typeof PolicyPlan>;

/** The same name as another policy is an error. */
export const SavePolicyRequest = z.object({
  ...PolicyPlan.shape,
  user: z.string().trim().min(1).max(200),
  user_id: z.string().min(1).max(255).optional(),
});
export type SavePolicyRequest = z.input<typeof SavePolicyRequest>;

export const Policy = z.object({
  ...PolicyPlan.shape,
  id: Id,
  changed_by: z.string(),
  changed_by_id: ActorId,
  changed_at: Timestamp,
});
export type Policy = z.infer<typeof Policy>;

/** In the order in which they are tried. */
export const PolicyList = z.object({ policies: z.array(Policy) });

/** A policy as it would be, and the one that it takes the place of; absent: it comes after all others. */
export const DryRunRequest = z.object({ ...PolicyPlan.shape, replaces: Id.optional() });
export type DryRunRequest = z.input<typeof DryRunRequest>;

/** What a policy would have done with the incidents of the last 90 days. */
export const DryRun = z.object({
  from: Timestamp,
  /** Earlier than now: there was more to do than a dry run does. */
  to: Timestamp,
  /** Those that it looked at. */
  incidents: z.int(),
  /** Those of them for which it would have woken somebody, or told a channel. */
  woken_for: z.int(),
  /** Those of them that recovered, or were closed, within three minutes of their opening. */
  over_in_three_minutes: z.int(),
  /** Those of them of which no lost request is known. */
  without_lost_requests: z.int(),
  people: z.array(
    z.object({
      id: Id,
      name: z.string(),
      times: z.int(),
      /** From 22:00 to 06:00 in the time zone of the person; of one without, in UTC. */
      at_night: z.int(),
    }),
  ),
  /** Messages to channels. */
  channel_messages: z.int(),
  /** The last hundred times that somebody would have been woken, newest first. */
  wakings: z.array(
    z.object({
      at: Timestamp,
      incident_id: Id,
      incident_number: z.int(),
      person: z.object({ id: Id, name: z.string() }),
      /** From 0; after the last one: the last resort. */
      step: z.int(),
      is_night: z.boolean(),
    }),
  ),
});
export type DryRun = z.infer<typeof DryRun>;

/** Ways to wake a person, and what people call them. Each is a folder of the service. */
export const WAY_WORDS = {
  web_push: 'web push',
  ntfy: 'ntfy',
  pushover: 'Pushover',
  call: 'call',
  sms: 'SMS',
  slack: 'Slack',
  email: 'e-mail',
  webhook: 'webhook',
} as const;
export type WayKind = keyof typeof WAY_WORDS;

/** What an address of the way is, as the continuation of "needs". */
export const WAY_ADDRESSES: Readonly<Record<WayKind, string>> = {
  web_push: 'the subscription of a browser',
  ntfy: 'the name of a topic that nobody can guess, or its address',
  pushover: 'your user key',
  call: 'a number with its country, such as +49 30 123456',
  sms: 'a number with its country, such as +49 30 123456',
  slack: 'your Slack id, such as U012AB3CD',
  email: 'an address such as ana@example.com',
  webhook: 'an address that begins with https://',
};

export const WayKind = z.enum(Object.keys(WAY_WORDS) as WayKind[]);
export const WAY_KINDS = WayKind.options;

/** How a way is used: seconds after its step; null: it is not used by such steps. */
const uses = { loud_after_s: wait.nullable(), quiet_after_s: wait.nullable() };

export const Way = z.object({
  id: Id,
  person_id: Id,
  /** A later version may have other ways. */
  kind: WayKind.or(z.string()),
  /** For people: the address, shortened where it is a secret. */
  address: z.string(),
  ...uses,
  /** null: nobody has shown yet that they get what is sent there, so it is not used. */
  verified_at: Timestamp.nullable(),
  /** When a person last answered by it; null: never. Only this shows that it works. */
  last_answered_at: Timestamp.nullable(),
  /** Why it cannot be used any more; null: it can. */
  unusable_because: z.string().nullable(),
  /** What became of the last test; null: there was none in the last weeks. */
  last_test: z
    .object({
      at: Timestamp,
      /** As in `PageAttempt`. `sending`: a bot was asked, and has not said yet that it is done. */
      state: z.string(),
      /** Why it failed; null: it did not. */
      detail: z.string().nullable(),
    })
    .nullish(),
});
export type Way = z.infer<typeof Way>;

export const WayList = z.object({ ways: z.array(Way) });

export const AddWayRequest = z.object({
  kind: WayKind,
  /**
   * An e-mail address, a Slack user id, the address of a webhook or of an ntfy topic, a Pushover user key, a telephone number like
   * `+4930123456`, or a browser's push subscription as JSON.
   */
  address: z.string().trim().min(1).max(WAKING_LIMITS.address),
  loud_after_s: uses.loud_after_s.default(0),
  quiet_after_s: uses.quiet_after_s.default(0),
});
export type AddWayRequest = z.input<typeof AddWayRequest>;

/** A way to which something was sent. */
export const TestedWay = z.object({
  ...Way.shape,
  /** Why nothing was sent; null: it was. */
  fault: z.string().nullable(),
});

/** The new way, to which a code or a test was sent. */
export const AddedWay = z.object({
  ...TestedWay.shape,
  /** Signs what is sent to a webhook. Shown once. */
  secret: z.string().optional(),
});

export const VerifyWayRequest = z.object({
  code: z
    .string()
    .trim()
    .regex(/^\d{6}$/, 'must be the six digits'),
});

/** What became of one try to wake somebody. */
export const PageAttempt = z.object({
  id: Id,
  cycle: z.int(),
  step: z.int(),
  /** null: a channel. */
  person_id: Id.nullable(),
  way: WayKind.or(z.string()),
  /**
   * `planned`, `sending`, `accepted` by the provider, `answered` by the person, `failed`, `void` (not wanted any more before
   * it began), or `retracted` (taken back after it began).
   */
  state: z.string(),
  detail: z.string().nullable(),
  due_at: Timestamp,
  began_at: Timestamp.nullable(),
  settled_at: Timestamp.nullable(),
  answered_at: Timestamp.nullable(),
});
export type PageAttempt = z.infer<typeof PageAttempt>;

/** One run of a policy for an incident. */
export const Page = z.object({
  id: Id,
  /** null: a drill. */
  incident_id: Id.nullable(),
  policy: z.string(),
  /** `held`, `waking`, `exhausted` (the last resort was told), `taken` or `ended`. */
  state: z.string(),
  /** Position in the policy, from 0. */
  cycle: z.int(),
  step: z.int(),
  started_at: Timestamp,
  ended_at: Timestamp.nullable(),
  /** Who took it; null: nobody did. */
  ended_by: z.string().nullable(),
  ended_by_id: ActorId,
  attempts: z.array(PageAttempt),
});
export type Page = z.infer<typeof Page>;

export const PageList = z.object({
  /** Newest first. */
  pages: z.array(Page),
  /** Why people may not be woken now, in one sentence; null: nothing is known to be wrong. */
  problem: z.string().nullish(),
});

/** What a bot did about a way that it carries out: the attempt of `page.asked`. */
export const ReportAttemptRequest = z.object({
  /** `accepted`: the message is there; `answered`: the person has what it listed; `failed`: the next way begins at once. */
  state: z.enum(['accepted', 'answered', 'failed']),
  /** Why it failed. */
  detail: z.string().trim().min(1).max(WAKING_LIMITS.detail).optional(),
  /** Who answered: the person whom the attempt wakes. */
  user_id: userId,
});
export type ReportAttemptRequest = z.infer<typeof ReportAttemptRequest>;

/** What became of the page meanwhile. A report after its end changes nothing. */
export const ReportedAttempt = z.object({
  /** Whether somebody is still wanted. false for a test. */
  is_live: z.boolean(),
  /** Who took it; null: nobody did. */
  ended_by: z.string().nullable(),
});
export type ReportedAttempt = z.infer<typeof ReportedAttempt>;

/** A drill: a page without an incident. */
export const Drill = z.object({ page_id: Id });

export const OnCallQuery = z.strictObject({ service: z.string().trim().min(1).max(WAKING_LIMITS.filterEntry) });

/** Who would be woken now for a service, by what, and why. */
export const OnCallAnswer = z.object({
  service: z.string(),
  /** null: no policy matches, so nobody would be woken. */
  policy: z.object({ id: Id, name: z.string() }).nullable(),
  steps: z.array(
    z.object({
      after_s: z.int(),
      /** Whom it reaches, each with the ways that would be used. */
      people: z.array(
        z.object({
          id: Id,
          name: z.string(),
          /** `on call in Payments`, or `named by the policy`. */
          because: z.string(),
          ways: z.array(z.object({ kind: z.string(), after_s: z.int(), last_answered_at: Timestamp.nullable() })),
        }),
      ),
      channels: z.int(),
      /** Why somebody is not woken, in sentences. */
      skipped: z.array(z.string()),
    }),
  ),
});
export type OnCallAnswer = z.infer<typeof OnCallAnswer>;
