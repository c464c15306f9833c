import type { Mute, MuteTarget } from '../contract/mute.ts';
import type {
  AnswerSwapRequest,
  OverrideRequest,
  Person,
  SavePersonRequest,
  Schedule,
  Shift,
  SlackGroupRequest,
  Swap,
  SwapRequest,
} from '../contract/on-call.ts';
import type { DeclareIncidentRequest, LinkCardRequest, UpdateIncidentRequest } from '../contract/requests.ts';
import type { Incident } from '../contract/resources.ts';
import type { CreateSignInLinkRequest } from '../contract/sign-in.ts';
import type {
  AddWayRequest,
  OnCallAnswer,
  Page,
  Policy,
  ReportAttemptRequest,
  ReportedAttempt,
  Way,
} from '../contract/waking.ts';
import { NotOfferedError, ServiceResponseError } from './errors.ts';

/**
 * Calls that the API document does not have. Incidents of a service that offers them have the field `mute`, null or not.
 * On any other service each call throws `NotOfferedError`. Changes of an incident return null when they succeeded and the
 * response has no incident.
 */
export interface AdditionsClient {
  unacknowledgeIncident(id: string, request: Undoing): Promise<Incident | null>;
  reopenIncident(id: string, request: Undoing): Promise<Incident | null>;
  /** Opens an incident by hand. Repeated with the same key, it returns the incident that it opened. */
  declareIncident(request: DeclareIncidentRequest, idempotencyKey: string): Promise<Incident>;
  /** Sets fields by hand; null: back to what the service finds, or nobody. Absent fields stay. */
  updateIncident(id: string, request: UpdateIncidentRequest & Once): Promise<Incident | null>;
  addNote(id: string, request: Acting & Once & { readonly text: string }): Promise<Incident | null>;
  /** Sets the address of the message that shows the incident in a place. Sending it again changes nothing. */
  linkCard(id: string, card: LinkCardRequest): Promise<Incident | null>;
  /** Makes the incident part of `into`. */
  mergeIncident(id: string, request: Acting & Once & { readonly into: string }): Promise<Incident | null>;
  /** Makes a merged incident its own again. */
  splitIncident(id: string, request: Acting & Once): Promise<Incident | null>;
  listMutes(): Promise<Mute[]>;
  createMute(request: MuteRequest & Pick<Once, 'idempotencyKey'>): Promise<Mute>;
  /** `user_id` is only sent to a service known to accept it: one whose mutes name by id who set them. */
  deleteMute(id: string, request: Acting): Promise<void>;
  /**
   * Hands over events for an integration of type `json`, once for each key.
   *
   * @param events at most 100
   */
  handOverEvents(
    integrationId: string,
    events: readonly Readonly<Record<string, unknown>>[],
    idempotencyKey: string,
  ): Promise<void>;
  listSchedules(): Promise<Schedule[]>;
  /** Why people may not be woken now; null: nothing is known to be wrong. */
  findPagingProblem(): Promise<string | null>;
  /** @param reference who it is, see `Actor`. @returns null: the service does not know them */
  findPerson(reference: string): Promise<Person | null>;
  /** Tells the service what is known of somebody. @param reference as for `findPerson` */
  savePerson(reference: string, request: SavePersonRequest): Promise<void>;
  /** Puts a person on call until a time. Repeated with the same key, it does so once. */
  createOverride(scheduleId: string, request: OverrideRequest, idempotencyKey: string): Promise<void>;
  /** Who is on call from one time to another, without holes. */
  listShifts(scheduleId: string, from: Date, to: Date): Promise<Shift[]>;
  setSlackGroup(scheduleId: string, request: SlackGroupRequest): Promise<void>;
  createSwap(scheduleId: string, request: SwapRequest, idempotencyKey: string): Promise<Swap>;
  findSwap(scheduleId: string, swapId: string): Promise<Swap | null>;
  answerSwap(swapId: string, request: AnswerSwapRequest, idempotencyKey: string): Promise<Swap>;
  /** Who would be woken now for a service, by what, and why. */
  readOnCall(service: string): Promise<OnCallAnswer>;
  listPolicies(): Promise<Policy[]>;
  /** Wakes by a whole policy for nothing, until somebody answers. */
  drillPolicy(id: string, idempotencyKey: string): Promise<void>;
  /** The newest pages. */
  listPages(): Promise<Page[]>;
  /** Newest first. */
  listPagesOf(incidentId: string): Promise<Page[]>;
  /** Tells what became of an attempt that the caller carries out. */
  reportAttempt(
    pageId: string,
    attemptId: string,
    request: ReportAttemptRequest,
    idempotencyKey: string,
  ): Promise<ReportedAttempt>;
  listWays(person: string): Promise<Way[]>;
  /** Sends a test, or a code, to it. */
  addWay(person: string, request: AddWayRequest, idempotencyKey: string): Promise<void>;
  /** The link signs the person in to the dashboard once. */
  createSignInLink(request: CreateSignInLinkRequest): Promise<{ readonly url: string; readonly expiresAt: Date }>;
}

/** Keeps a write from being done twice, or after a newer one, when the network delays it. */
export interface Once {
  /** Entity tag that the incident must still have, or the service answers 412. Absent or null: any. */
  readonly ifMatch?: string | null;
  /** Of several requests with the same key, a service that honours it carries out one. Absent: each. */
  readonly idempotencyKey?: string;
}

/** Who acts. */
interface Acting {
  readonly user: string;
  /** As the caller has verified, see `Actor`. */
  readonly user_id?: string;
}

interface Undoing extends Acting, Once {
  readonly reason?: string;
}

export interface MuteRequest extends Acting {
  readonly target: MuteTarget;
  /** Id of the incident or the integration, or name of the service. */
  readonly value: string;
  readonly until: Date;
  readonly reason?: string;
}

/** Our own service names what it has not found in `code`; another one answers 404, 405 or 501 for the whole route. */
export async function offered<T>(call: Promise<T>): Promise<T> {
  return call.catch((error: unknown) => {
    if (!(error instanceof ServiceResponseError) || !UNKNOWN_ROUTE.has(error.status)) {
      throw error;
    }
    if (
      /^(incident|mute|integration|person|schedule|override|swap|policy|way|attempt)-not-found$/.test(
        error.problem.code ?? '',
      )
    ) {
      throw error;
    }
    const { status, problem, retryAfterSeconds, call: name, effect, traceId } = error;
    const ending = { call: name, effect, retryable: false, ...(traceId === null ? {} : { traceId }) };
    throw new NotOfferedError(status, problem, retryAfterSeconds, ending);
  });
}

const UNKNOWN_ROUTE: ReadonlySet<number> = new Set([404, 405, 501]);
