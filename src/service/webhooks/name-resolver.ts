import type { LookupAddress } from 'node:dns';
import { BADNAME, NODATA, NOTFOUND, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { withTimeout } from '../../runtime/timeout.ts';
import { findInHosts, HOSTS_FILE } from './hosts-file.ts';

/** Time limit of a lookup, and what the DNS client spends on its first try (it doubles with the second one). */
const LOOKUP_MS = 5_000;
const TRY_MS = 1_500;
const TRIES = 2;

/** How long answers are kept: as long as their TTL, within these bounds. Failures and the hosts file have a fixed time. */
const MIN_TTL_MS = 1_000;
const MAX_TTL_MS = 300_000;
const FAILURE_TTL_MS = 10_000;
const HOSTS_TTL_MS = 10_000;
const MAX_NAMES = 1_000;

/** RFC 6761, 6.3: these names never leave the machine. */
const LOCALHOST = /^(.+\.)?localhost$/;
const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** `code` is one of getaddrinfo's: the name does not exist, or cannot be resolved now. */
export class NameLookupError extends Error {
  override readonly name = 'NameLookupError';
  readonly code: 'ENOTFOUND' | 'EAI_AGAIN';

  constructor(code: NameLookupError['code']) {
    super(code === 'ENOTFOUND' ? 'the host name is unknown' : 'the host name cannot be resolved now');
    this.code = code;
  }
}

/** Finds all addresses of a name. @throws {NameLookupError} */
export type ResolveName = (hostname: string) => Promise<readonly LookupAddress[]>;

export interface NameResolver extends Disposable {
  readonly resolve: ResolveName;
}

interface Answer {
  /** null: the lookup failed. */
  readonly addresses: readonly LookupAddress[] | null;
  readonly isUnknown: boolean;
  readonly ttlMs: number;
}

/**
 * Resolves host names without `dns.lookup`, which occupies a thread of Node's pool for as long as a name server does not
 * answer: a few dead names would stop all other lookups and file access of the process. Here a lookup is a UDP socket
 * that is closed after `LOOKUP_MS`. All callers share one lookup per name.
 *
 * The hosts file and `localhost` come first, as in the system's resolver. The search domains of resolv.conf and other
 * sources of nsswitch.conf are not used.
 */
export function createNameResolver(
  options: {
    /** `address:port`; absent: those of the system. */
    readonly nameServers?: readonly string[];
    readonly hostsFile?: string;
    /** Milliseconds of a clock that only moves forward. */
    readonly now?: () => number;
  } = {},
): NameResolver {
  const { nameServers, hostsFile = HOSTS_FILE, now } = options;
  const running = new Set<Resolver>();
  const cache = new LRUCache<string, Answer>({
    max: MAX_NAMES,
    ...(now === undefined ? {} : { perf: { now }, ttlResolution: 0 }),
    async fetchMethod(hostname, _stale, { options: entry }) {
      const answer = await lookUp(hostname);
      entry.ttl = answer.ttlMs;
      return answer;
    },
  });

  async function lookUp(hostname: string): Promise<Answer> {
    const hosts = await readFile(hostsFile, 'utf8').catch(() => ''); // a machine need not have one
    const listed = findInHosts(hosts, hostname);
    if (listed.length > 0) {
      return { addresses: listed, isUnknown: false, ttlMs: HOSTS_TTL_MS };
    }
    return LOCALHOST.test(hostname)
      ? { addresses: LOOPBACK, isUnknown: false, ttlMs: MAX_TTL_MS }
      : askNameServers(hostname);
  }

  async function askNameServers(hostname: string): Promise<Answer> {
    const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
    if (nameServers !== undefined) {
      resolver.setServers(nameServers);
    }
    running.add(resolver);
    try {
      return await withTimeout(LOOKUP_MS, async (late) => {
        late.addEventListener('abort', () => resolver.cancel());
        const [four, six] = await Promise.allSettled([
          resolver.resolve4(hostname, { ttl: true }),
          resolver.resolve6(hostname, { ttl: true }),
        ]);
        return combine(four, six);
      });
    } finally {
      running.delete(resolver);
    }
  }

  return {
    async resolve(hostname) {
      const answer = await cache.fetch(hostname.toLowerCase().replace(/\.$/, ''));
      if (answer === undefined || answer.addresses === null) {
        throw new NameLookupError(answer?.isUnknown === true ? 'ENOTFOUND' : 'EAI_AGAIN');
      }
      return answer.addresses;
    },
    [Symbol.dispose]() {
      for (const resolver of running) {
        resolver.cancel();
      }
    },
  };
}

interface Found {
  readonly address: string;
  readonly ttl: number;
}

/** One of the two suffices: many names have addresses of one family only. */
function combine(four: PromiseSettledResult<Found[]>, six: PromiseSettledResult<Found[]>): Answer {
  const found = [
    ...(four.status === 'fulfilled' ? four.value.map((each) => ({ ...each, family: 4 })) : []),
    ...(six.status === 'fulfilled' ? six.value.map((each) => ({ ...each, family: 6 })) : []),
  ];
  if (found.length === 0) {
    return { addresses: null, isUnknown: isUnknown(four) && isUnknown(six), ttlMs: FAILURE_TTL_MS };
  }
  const ttlMs = Math.min(...found.map(({ ttl }) => ttl)) * 1_000;
  return {
    addresses: found.map(({ address, family }) => ({ address, family })),
    isUnknown: false,
    ttlMs: Math.min(Math.max(ttlMs, MIN_TTL_MS), MAX_TTL_MS),
  };
}

/** Whether a name server has answered that there is no such name or no such address. */
function isUnknown(result: PromiseSettledResult<unknown>): boolean {
  const { code } = result.status === 'rejected' ? (result.reason as NodeJS.ErrnoException) : { code: '' }; // node:dns
  return code === NOTFOUND || code === NODATA || code === BADNAME;
}
