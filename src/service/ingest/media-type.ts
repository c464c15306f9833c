import { MIMEType } from 'node:util';

/** The media type of a body in lower case, without parameters; empty when it is absent or invalid. */
export function mediaTypeOf(headers: Headers): string {
  return parse(headers)?.essence ?? '';
}

/** Whether text in the body is UTF-8, as far as the header says. ASCII is a part of UTF-8. */
export function isUtf8Text(headers: Headers): boolean {
  const charset = parse(headers)?.params.get('charset') ?? 'utf-8';
  return /^(?:utf-?8|us-ascii)$/i.test(charset.trim());
}

function parse(headers: Headers): MIMEType | null {
  try {
    return new MIMEType(headers.get('content-type') ?? '');
  } catch {
    return null;
  }
}
