import type { Feature } from '../../listeners/feature.ts';
import { createLinkListener, type UnfurlDeps } from './link-shared.ts';

export const unfurl = {
  listeners: (deps) => ({
    onLinkShared: createLinkListener(deps),
  }),
} satisfies Feature<UnfurlDeps>;
