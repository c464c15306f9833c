declare module 'http_ece' {
  import type { ECDH } from 'node:crypto';

  /** Decrypts a body as RFC 8188 and RFC 8291 say. */
  export function decrypt(
    body: Buffer,
    parameters: { readonly version: 'aes128gcm'; readonly privateKey: ECDH; readonly authSecret: string },
  ): Buffer;
}
