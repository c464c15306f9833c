import type { IncomingBodies } from './incoming-bodies.ts';

const KEPT_BYTES = 1_024;

/** The beginnings of bodies, to show what was refused. They last as long as their requests. */
export interface BodyStarts {
  /** Reads bodies like the given function, and keeps their beginnings. */
  keep(bodies: IncomingBodies): IncomingBodies;
  /** The first kilobyte, decompressed; null: the body was not read to its end. */
  of(request: Request): BodyStart | null;
}

export interface BodyStart {
  readonly bytes: Uint8Array;
  /** The body is longer. */
  readonly isCut: boolean;
}

export function createBodyStarts(): BodyStarts {
  const starts = new WeakMap<Request, BodyStart>();
  return {
    keep: (bodies) => (request, options, decode) =>
      bodies(request, options, (body) => {
        starts.set(request, startOf(body));
        return decode(body);
      }),
    of: (request) => starts.get(request) ?? null,
  };
}

/** A copy, because a view would keep the whole body in memory. */
export function startOf(body: Uint8Array): BodyStart {
  return { bytes: new Uint8Array(body.subarray(0, KEPT_BYTES)), isCut: body.byteLength > KEPT_BYTES };
}
