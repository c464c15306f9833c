import * as client from 'openid-client';
import { z } from 'zod';
import type { Claims, OpenIdRoles } from './openid-role.ts';

const TIMEOUT_SECONDS = 10;

export interface OpenIdSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
  readonly roles: OpenIdRoles;
}

/** What the browser keeps between leaving for the provider and coming back. */
export const OpenIdFlow = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
});
export type OpenIdFlow = z.infer<typeof OpenIdFlow>;

export interface OpenIdProvider {
  /** The provider's page, and what the browser must keep. */
  begin(returnTo: string): Promise<{ readonly address: URL; readonly flow: OpenIdFlow }>;
  /**
   * @param search the query with which the provider sent the browser back
   * @throws when the provider refuses, or its answer does not belong to the flow
   */
  finish(search: string, flow: OpenIdFlow): Promise<Claims & { readonly sub: string }>;
}

/** The authorization code flow with PKCE, state and nonce. The provider is asked for its addresses at the first sign-in. */
export function createOpenIdProvider(settings: OpenIdSettings, redirectUri: string): OpenIdProvider {
  let discovered: Promise<client.Configuration> | null = null;

  async function configuration(): Promise<client.Configuration> {
    discovered ??= discover(settings);
    try {
      return await discovered;
    } catch (error) {
      discovered = null;
      throw error;
    }
  }

  return {
    async begin(returnTo) {
      const flow = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
        returnTo,
      };
      const address = client.buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri,
        scope: settings.scope,
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
      });
      return { address, flow };
    },

    async finish(search, flow) {
      const config = await configuration();
      const tokens = await client.authorizationCodeGrant(config, new URL(redirectUri + search), {
        expectedState: flow.state,
        expectedNonce: flow.nonce,
        pkceCodeVerifier: flow.verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) {
        throw new TypeError('the provider sent no ID token');
      }
      const { userinfo_endpoint: hasMore } = config.serverMetadata();
      // Many providers keep groups and names out of the ID token.
      const more = hasMore === undefined ? {} : await client.fetchUserInfo(config, tokens.access_token, claims.sub);
      return { ...more, ...claims };
    },
  };
}

function discover({ issuer, clientId, clientSecret }: OpenIdSettings): Promise<client.Configuration> {
  const server = new URL(issuer);
  // The settings allow plain http on loopback only.
  const execute = server.protocol === 'http:' ? [client.allowInsecureRequests] : [];
  return client.discovery(server, clientId, clientSecret, undefined, { execute, timeout: TIMEOUT_SECONDS });
}
