import { randomBytes } from 'node:crypto';
import { SlackError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { fileTypeOf, isPicture } from './file-types.ts';
import type { Message, SharedFile } from './model.ts';
import { BOT_TOKEN, BOT_USER_ID } from './seed.ts';
import type { Workspace } from './workspace.ts';

/** Upload and download of files. Contents are kept in memory only; the oldest are dropped when it is full. */
export interface FileBytes {
  /** Returns the path for the upload. */
  announce(file: { name: string; length: number; altText: string | null }): { id: string; path: string };
  /** Adds an uploaded file to the workspace. @throws SlackError file_not_found when it was not uploaded */
  complete(id: string, title: string | null): SharedFile;
  /** Handles an upload. */
  receive(request: Request): Promise<Response>;
  /** Handles a download. */
  serve(request: Request): Response;
}

type Bytes = Uint8Array<ArrayBuffer>;

interface Upload {
  readonly id: string;
  readonly name: string;
  readonly length: number;
  readonly altText: string | null;
}

/** Maximum number of announced uploads that are not completed. */
const MAX_UPLOADS = 20;
/** Maximum size of the multipart form around the content. */
const FORM_OVERHEAD = 4_096;

export function createFileBytes(deps: { workspace: Workspace; mayReadFiles: boolean; now: () => Date }): FileBytes {
  const { workspace, now } = deps;
  /** By path. */
  const uploads = new Map<string, Upload>();
  /** By id, oldest first, including uploads that are not completed. */
  const contents = new Map<string, Bytes>();

  function keep(id: string, bytes: Bytes): void {
    contents.set(id, bytes);
    let total = [...contents.values()].reduce((sum, each) => sum + each.length, 0);
    for (const [oldest, { length }] of contents) {
      if (total <= LIMITS.filesBytes) {
        return;
      }
      contents.delete(oldest);
      total -= length;
    }
  }

  /** Allowed are the app with its token and scope, and the page. */
  function mayRead(request: Request): boolean {
    if (request.headers.get('authorization') === `Bearer ${BOT_TOKEN}`) {
      return deps.mayReadFiles;
    }
    return ['same-origin', 'none'].includes(request.headers.get('sec-fetch-site') ?? '');
  }

  return {
    announce({ name, length, altText }) {
      const id = workspace.nextId('F');
      const path = `/upload/v1/${randomBytes(16).toString('hex')}`;
      uploads.set(path, { id, name, length, altText });
      for (const old of [...uploads.keys()].slice(0, Math.max(0, uploads.size - MAX_UPLOADS))) {
        uploads.delete(old);
      }
      return { id, path };
    },

    complete(id, title) {
      const [path = '', upload] = [...uploads].find(([, each]) => each.id === id) ?? [];
      if (upload === undefined || !contents.has(id)) {
        throw new SlackError('file_not_found');
      }
      uploads.delete(path);
      const { name, length, altText } = upload;
      return workspace.files.put({
        id,
        name,
        title: title ?? name,
        altText,
        ...fileTypeOf(name),
        size: length,
        user: BOT_USER_ID,
        createdAt: Math.floor(now().getTime() / 1000),
        path: `/files/${id}/${encodeURIComponent(name)}`,
      });
    },

    async receive(request) {
      const path = new URL(request.url).pathname;
      const upload = uploads.get(path);
      if (upload === undefined || request.method !== 'POST') {
        return new Response('there is no upload at this path\n', { status: 404 });
      }
      const bytes = await readFile(request, upload.length);
      if (bytes?.length !== upload.length) {
        return new Response(`expected ${upload.length} bytes\n`, { status: 400 });
      }
      keep(upload.id, bytes);
      return new Response(`OK - ${upload.length}`);
    },

    serve(request) {
      const url = new URL(request.url);
      if (!mayRead(request)) {
        // Like Slack: a request without a token is redirected to the sign-in page.
        return new Response(null, {
          status: 302,
          headers: { location: `/?redir=${encodeURIComponent(url.pathname)}` },
        });
      }
      const [, , id = ''] = url.pathname.split('/');
      const file = workspace.files.find(id);
      const bytes = contents.get(id);
      if (file === null || bytes === undefined) {
        return new Response('this file no longer exists\n', { status: 404 });
      }
      const isInline = isPicture(file.contentType) && !url.searchParams.has('download');
      const name = encodeURIComponent(file.name);
      return new Response(bytes, {
        headers: {
          'content-type': isInline ? file.contentType : 'application/octet-stream',
          'content-disposition': `${isInline ? 'inline' : 'attachment'}; filename*=UTF-8''${name}`,
          'content-security-policy': "default-src 'none'; sandbox",
          'x-content-type-options': 'nosniff',
          'cache-control': 'private, no-store',
        },
      });
    },
  };
}

/** All messages with the file. */
export function messagesWith(workspace: Workspace, fileId: string): Message[] {
  return workspace
    .channels()
    .flatMap((channel) => workspace.messages(channel.id))
    .filter((message) => message.files.some(({ id }) => id === fileId));
}

/** The body or the first file of a form. Null when it is much longer than `length` or not a valid form. */
async function readFile(request: Request, length: number): Promise<Bytes | null> {
  const body = await readAtMost(request, length + FORM_OVERHEAD);
  if (body === null || !(request.headers.get('content-type') ?? '').startsWith('multipart/form-data')) {
    return body;
  }
  const form = await new Response(body, { headers: request.headers }).formData().catch(() => null);
  const file = [...(form?.values() ?? [])].find((value) => value instanceof Blob);
  return file === undefined ? null : new Uint8Array(await file.arrayBuffer());
}

async function readAtMost(request: Request, max: number): Promise<Bytes | null> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of request.body ?? []) {
    total += chunk.length;
    if (total > max) {
      return null;
    }
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
