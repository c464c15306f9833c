import type { Mute, MuteTarget } from '../contract/mute.ts';
import type { DeclareIncidentRequest, LinkCardRequest, UpdateIncidentRequest } from '../contract/requests.ts';
import type { Incident } from '../contract/resources.ts';
import type { CreateSignInLinkRequest } from '../contract/sign-in.ts';
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
  updateIncident(
    id: string,
    request: UpdateIncidentRequest & { readonly ifMatch?: string | null },
  ): Promise<Incident | null>;
  addNote(id: string, request: Acting & { readonly text: string }): Promise<Incident | null>;
  /** Sets the address of the message that shows the incident in a place. Sending it again changes nothing. */
  linkCard(id: string, card: LinkCardRequest): Promise<Incident | null>;
  /** Makes the incident part of `into`. */
  mergeIncident(id: string, request: Acting & { readonly into: string }): Promise<Incident | null>;
  /** Makes a merged incident its own again. */
  splitIncident(id: string, request: Acting): Promise<Incident | null>;
  listMutes(): Promise<Mute[]>;
  createMute(request: MuteRequest): Promise<Mute>;
  /** `user_id` is only sent to a service known to accept it: one whose mutes name by id who set them. */
  deleteMute(id: string, request: Acting): Promise<void>;
  /** The link signs the person in to the dashboard once. */
  createSignInLink(request: CreateSignInLinkRequest): Promise<{ readonly url: string; readonly expiresAt: Date }>;
}

/** Who acts. */
interface Acting {
  readonly user: string;
  /** As the caller has verified, see `Actor`. */
  readonly user_id?: string;
}

interface Undoing extends Acting {
  readonly reason?: string;
  /** Entity tag that the incident must still have, or the service answers 412. Absent or null: any. */
  readonly ifMatch?: string | null;
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
    if (/^(incident|mute|integration)-not-found$/.test(error.problem.code ?? '')) {
      throw error;
    }
    const { status, problem, retryAfterSeconds, call: name, effect, traceId } = error;
    const ending = { call: name, effect, retryable: false, ...(traceId === null ? {} : { traceId }) };
    throw new NotOfferedError(status, problem, retryAfterSeconds, ending);
  });
}

const UNKNOWN_ROUTE: ReadonlySet<number> = new Set([404, 405, 501]);
