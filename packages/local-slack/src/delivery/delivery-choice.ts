import type { Manifest } from '../manifest.ts';
import { SIGNING_SECRET } from '../workspace/seed.ts';
import { oneRequestUrl, type RequestUrls, requestUrlsOf } from './request-urls.ts';

/** `manifest`: Socket Mode when the manifest enables it, else signed HTTP to the request URLs of the manifest. */
export type DeliveryChoice =
  | { readonly mode: 'manifest' }
  | { readonly mode: 'socket' }
  | { readonly mode: 'http'; readonly requestUrl: string; readonly signingSecret: string };

/** Null means Socket Mode. @throws LocalSlackStartError when the manifest lacks a request URL */
export function chooseHttp(
  delivery: DeliveryChoice,
  manifest: Manifest,
): { urls: RequestUrls; signingSecret: string } | null {
  switch (delivery.mode) {
    case 'socket':
      return null;
    case 'http':
      return { urls: oneRequestUrl(delivery.requestUrl), signingSecret: delivery.signingSecret };
    case 'manifest':
      return manifest.settings.socket_mode_enabled
        ? null
        : { urls: requestUrlsOf(manifest), signingSecret: SIGNING_SECRET };
  }
}
