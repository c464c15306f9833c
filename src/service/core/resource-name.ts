import { ownerOfObject } from './pod-owner.ts';

/** A resource of Amazon, after partition, service, region and account. */
const ARN = /^arn:(?:[^:]*:){4}(.+)$/;
/** Ids of Azure and of Google begin with what owns the resource. */
const OWNED = /^(?:\/subscriptions\/|(?:\/\/[\w.-]+\.googleapis\.com\/)?(?:projects|organizations|folders)\/)/i;
/** `Deployment/checkout` in a chain of owners. */
const OWNER = /(?:^|\/)(Deployment|StatefulSet|DaemonSet|ReplicaSet|CronJob|Job|Pod)\/([^/]+)/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** A number, digits of a hash, or any version. */
const GENERATED = /^(?:\d+|(?=[a-f]*\d)[0-9a-f]{8,}|\*|\$\w+)$/i;

/**
 * The name that people give a resource, of the path by which a cloud or Kubernetes calls it: the last part that is no id.
 * `arn:aws:lambda:eu-1:1:function:refunds:7` and `app/refunds/50dc6c495c0c9188` are `refunds`. Any other text stays as it is.
 */
export function nameInPath(text: string): string {
  const [, kind, owner] = OWNER.exec(text) ?? [];
  if (kind !== undefined && owner !== undefined) {
    return ownerOfObject(kind, owner);
  }
  const [type = '', qualified] = ARN.exec(text)?.[1]?.split(':') ?? [];
  const path = qualified ?? (type || text);
  const parts = path.split('/').filter((part) => part !== '');
  if (OWNED.test(text)) {
    return parts.at(-1) ?? text;
  }
  const isPath = type !== '' || (parts.length > 2 && !text.includes('://') && isId(parts.at(-1) ?? ''));
  return (isPath ? parts.findLast((part) => !isId(part)) : undefined) ?? text;
}

function isId(part: string): boolean {
  return UUID.test(part) || GENERATED.test(part);
}
