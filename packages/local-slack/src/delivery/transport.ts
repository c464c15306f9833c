import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Manifest } from '../manifest.ts';
import { SIGNING_SECRET } from '../workspace/seed.ts';
import type { Delivery } from './delivery.ts';
import { oneRequestUrl, type RequestUrls, requestUrlsOf } from './request-urls.ts';
import { createSignedHttp, type SignedHttp } from './signed-http.ts';
import { createSocketMode, type SocketMode } from './socket-mode.ts';

/** `manifest`: Socket Mode when the manifest enables it, else signed HTTP to the request URLs of the manifest. */
export type DeliveryChoice =
  | { readonly mode: 'manifest' }
  | { readonly mode: 'socket' }
  | { readonly mode: 'http'; readonly requestUrl: string; readonly signingSecret: string };

/** How payloads reach the app. */
export interface Transport {
  readonly name: 'Socket Mode' | 'signed HTTP';
  readonly delivery: Delivery;
  readonly signingSecret: string;
  /** Null with signed HTTP. */
  readonly sockets: SocketMode | null;
  /** Null with Socket Mode. */
  readonly http: { readonly urls: RequestUrls; readonly sender: SignedHttp } | null;
}

/** @throws LocalSlackStartError when the manifest lacks a request URL */
export function createTransport(
  choice: DeliveryChoice,
  manifest: Manifest,
  deps: { clock: Clock; logger: Logger; onChange: () => void },
): Transport {
  if (choice.mode === 'socket' || (choice.mode === 'manifest' && manifest.settings.socket_mode_enabled)) {
    const sockets = createSocketMode(deps);
    return { name: 'Socket Mode', delivery: sockets, signingSecret: SIGNING_SECRET, sockets, http: null };
  }
  const urls = choice.mode === 'http' ? oneRequestUrl(choice.requestUrl) : requestUrlsOf(manifest);
  const signingSecret = choice.mode === 'http' ? choice.signingSecret : SIGNING_SECRET;
  const sender = createSignedHttp({ urls, signingSecret, ...deps });
  return { name: 'signed HTTP', delivery: sender, signingSecret, sockets: null, http: { urls, sender } };
}
