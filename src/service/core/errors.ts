import { WAY_ADDRESSES, WAY_WORDS, type WayKind } from '../../contract/waking.ts';

/** What keeps the log cannot be used now. The message says why, without an address. */
export class LogUnavailableError extends Error {
  override readonly name = 'LogUnavailableError';
}

/** A request that the rules or the state of the service do not allow. `code` is part of the API: never renamed. */
export abstract class DomainError extends Error {
  abstract readonly code: string;
}

type Kind =
  | 'incident'
  | 'signal'
  | 'integration'
  | 'delivery'
  | 'mute'
  | 'person'
  | 'schedule'
  | 'override'
  | 'swap'
  | 'feed'
  | 'policy'
  | 'way'
  | 'attempt';

export class NotFoundError extends DomainError {
  override readonly name = 'NotFoundError';
  readonly code: `${Kind}-not-found`;

  constructor(kind: Kind, reference: string) {
    super(`there is no ${kind} ${reference.slice(0, 64)}`);
    this.code = `${kind}-not-found`;
  }
}

export class IncidentClosedError extends DomainError {
  override readonly name = 'IncidentClosedError';
  readonly code = 'incident-closed';

  constructor(incidentId: string) {
    super(`incident ${incidentId} is already closed`);
  }
}

export class IncidentMergedError extends DomainError {
  override readonly name = 'IncidentMergedError';
  readonly code = 'incident-merged';

  constructor(incidentId: string, into: string) {
    super(`incident ${incidentId} is part of ${into}: split it instead`);
  }
}

export class SameIncidentError extends DomainError {
  override readonly name = 'SameIncidentError';
  readonly code = 'same-incident';

  constructor(incidentId: string) {
    super(`incident ${incidentId} cannot be merged into itself`);
  }
}

export class OtherSystemError extends DomainError {
  override readonly name = 'OtherSystemError';
  readonly code = 'other-system';

  constructor(incidentId: string, system: string, otherSystem: string) {
    super(`incident ${incidentId} is of system ${system} and cannot be merged into one of system ${otherSystem}`);
  }
}

export class IncidentNotMergedError extends DomainError {
  override readonly name = 'IncidentNotMergedError';
  readonly code = 'incident-not-merged';

  constructor(incidentId: string) {
    super(`incident ${incidentId} is not part of another`);
  }
}

export class TooManyStreamsError extends DomainError {
  override readonly name = 'TooManyStreamsError';
  readonly code = 'too-many-streams';

  constructor(most: number) {
    super(`this caller has ${most} event streams open: close one first`);
  }
}

export class TooManyReadsError extends DomainError {
  override readonly name = 'TooManyReadsError';
  readonly code = 'too-many-reads';

  constructor(most: number) {
    super(`this API key has ${most} lists running or waiting: send the next one when one of them is answered`);
  }
}

export class QueryTooSlowError extends DomainError {
  override readonly name = 'QueryTooSlowError';
  readonly code = 'query-too-slow';

  constructor(limitSeconds: number, options: ErrorOptions) {
    super(`the database took longer than ${limitSeconds} s for this list: narrow it by service or time`, options);
  }
}

export class TooManyNotesError extends DomainError {
  override readonly name = 'TooManyNotesError';
  readonly code = 'too-many-notes';

  constructor(incidentId: string, most: number) {
    super(`incident ${incidentId} has ${most} notes already`);
  }
}

export class TooManyChangesError extends DomainError {
  override readonly name = 'TooManyChangesError';
  readonly code = 'too-many-changes';

  constructor(incidentId: string, most: number) {
    super(`incident ${incidentId} was changed by hand ${most} times already`);
  }
}

export class TooManyCardsError extends DomainError {
  override readonly name = 'TooManyCardsError';
  readonly code = 'too-many-cards';

  constructor(incidentId: string, most: number) {
    super(`incident ${incidentId} has cards in ${most} places already: use the name of one to replace its address`);
  }
}

export class TooManyMutesError extends DomainError {
  override readonly name = 'TooManyMutesError';
  readonly code = 'too-many-mutes';

  constructor(most: number) {
    super(`there are ${most} mutes already: end one first`);
  }
}

export class TooManySchedulesError extends DomainError {
  override readonly name = 'TooManySchedulesError';
  readonly code = 'too-many-schedules';

  constructor(most: number) {
    super(`there are ${most} schedules already: delete one first`);
  }
}

export class TooManyOverridesError extends DomainError {
  override readonly name = 'TooManyOverridesError';
  readonly code = 'too-many-overrides';

  constructor(most: number) {
    super(`this schedule has ${most} overrides ahead already: end one first, or change the schedule`);
  }
}

export class TooManyFeedsError extends DomainError {
  override readonly name = 'TooManyFeedsError';
  readonly code = 'too-many-feeds';

  constructor(most: number) {
    super(`the schedule has ${most} addresses for calendar programs already: revoke one first`);
  }
}

export class ScheduleNameTakenError extends DomainError {
  override readonly name = 'ScheduleNameTakenError';
  readonly code = 'schedule-name-taken';

  constructor(name: string) {
    super(`there is a schedule "${name}" already`);
  }
}

export class ScheduleInUseError extends DomainError {
  override readonly name = 'ScheduleInUseError';
  readonly code = 'schedule-in-use';

  /** @param policies their names */
  constructor(policies: readonly string[]) {
    super(`people are woken by this schedule: first change the policies ${policies.join(', ')}`);
  }
}

export class EmptyLayerError extends DomainError {
  override readonly name = 'EmptyLayerError';
  readonly code = 'empty-layer';

  /** @param place 1: the highest */
  constructor(place: number) {
    super(`layer ${place} would be over before its first turn: give it a later end, or none`);
  }
}

export class ScheduleChangedError extends DomainError {
  override readonly name = 'ScheduleChangedError';
  readonly code = 'schedule-changed';

  constructor() {
    super('the schedule has changed since you read it: read it again before you change it');
  }
}

export class SwapAnsweredError extends DomainError {
  override readonly name = 'SwapAnsweredError';
  readonly code = 'swap-answered';

  constructor(state: string) {
    super(`this swap is ${state} already`);
  }
}

export class TooManyPoliciesError extends DomainError {
  override readonly name = 'TooManyPoliciesError';
  readonly code = 'too-many-policies';

  constructor(most: number) {
    super(`there are ${most} policies already: delete one first`);
  }
}

export class PolicyNameTakenError extends DomainError {
  override readonly name = 'PolicyNameTakenError';
  readonly code = 'policy-name-taken';

  constructor(name: string) {
    super(`there is a policy ${name} already`);
  }
}

export class TooManyWaysError extends DomainError {
  override readonly name = 'TooManyWaysError';
  readonly code = 'too-many-ways';

  constructor(most: number) {
    super(`a person has at most ${most} ways to be woken: remove one first`);
  }
}

export class TooManyTestsError extends DomainError {
  override readonly name = 'TooManyTestsError';
  readonly code = 'too-many-tests';

  constructor(most: number) {
    super(`a person gets at most ${most} tests and codes in an hour`);
  }
}

export class InvalidWayError extends DomainError {
  override readonly name = 'InvalidWayError';
  readonly code = 'invalid-way';

  /** @param reason what is wrong with it; null: it is something else */
  constructor(kind: WayKind, reason: string | null) {
    super(reason ?? `${WAY_WORDS[kind]} needs ${WAY_ADDRESSES[kind]}`);
  }
}

export class NotAWebhookError extends DomainError {
  override readonly name = 'NotAWebhookError';
  readonly code = 'not-a-webhook';

  constructor(type: string) {
    super(`this needs a webhook, and the type of this integration is ${type}`);
  }
}

export class IntegrationDisabledError extends DomainError {
  override readonly name = 'IntegrationDisabledError';
  readonly code = 'integration-disabled';

  constructor(integrationId: string) {
    super(`integration ${integrationId} is disabled: enable it first`);
  }
}

/** Storage is behind or unreachable: nothing was kept, and the sender should retry later. */
export class BackPressureError extends DomainError {
  override readonly name = 'BackPressureError';
  readonly code = 'storage-unavailable';
}

/** The service has too much to do at once: nothing was kept, and the sender should retry later. */
export class OverloadedError extends DomainError {
  override readonly name = 'OverloadedError';
  readonly code = 'overloaded';
}

/** The client broke off its request and hears no answer. */
export class ClientGoneError extends DomainError {
  override readonly name = 'ClientGoneError';
  readonly code = 'client-gone';
}
