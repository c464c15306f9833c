import { extname } from 'node:path';

/** Slack's name of a format and its content type, by extension. */
const FILE_TYPES: Readonly<Record<string, readonly [fileType: string, contentType: string]>> = {
  csv: ['csv', 'text/csv'],
  gif: ['gif', 'image/gif'],
  gz: ['gzip', 'application/gzip'],
  html: ['html', 'text/html'],
  jpeg: ['jpg', 'image/jpeg'],
  jpg: ['jpg', 'image/jpeg'],
  js: ['javascript', 'text/javascript'],
  json: ['json', 'application/json'],
  log: ['text', 'text/plain'],
  md: ['markdown', 'text/markdown'],
  mp4: ['mp4', 'video/mp4'],
  pdf: ['pdf', 'application/pdf'],
  png: ['png', 'image/png'],
  py: ['python', 'text/x-python'],
  sql: ['sql', 'text/plain'],
  svg: ['svg', 'image/svg+xml'],
  ts: ['typescript', 'text/plain'],
  txt: ['text', 'text/plain'],
  webp: ['webp', 'image/webp'],
  yaml: ['yaml', 'text/yaml'],
  yml: ['yaml', 'text/yaml'],
  zip: ['zip', 'application/zip'],
};

export function fileTypeOf(name: string): { fileType: string; contentType: string } {
  const extension = extname(name).slice(1).toLowerCase();
  const known = Object.hasOwn(FILE_TYPES, extension) ? FILE_TYPES[extension] : undefined;
  const [fileType, contentType] = known ?? ['binary', 'application/octet-stream'];
  return { fileType, contentType };
}

/** Image formats without active content. */
export function isPicture(contentType: string): boolean {
  return ['image/gif', 'image/jpeg', 'image/png', 'image/webp'].includes(contentType);
}
