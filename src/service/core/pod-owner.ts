/** Kubernetes makes its suffixes of these, without vowels (apimachinery, `rand.SafeEncodeString`). */
const SAFE = '[bcdfghjklmnpqrstvwxz2456789]';

const OF_DEPLOYMENT = new RegExp(`^(.+)-${SAFE}{6,10}-${SAFE}{5}$`);
const OF_CRON_JOB = new RegExp(`^(.+)-\\d{7,10}(?:-\\d+)?-${SAFE}{5}$`);
const OF_SET_OR_JOB = new RegExp(`^(.+)-${SAFE}{5}$`);
const OF_STATEFUL_SET = /^(.+)-\d{1,4}$/;

/** Static pods have the name of their node at the end, and no workload. */
const STATIC = /^(etcd|kube-(?:apiserver|scheduler|controller-manager|proxy|vip))-/;

/** A pod's name is the name of its workload and what Kubernetes adds. @returns empty: the name does not say */
export function ownerOfPod(pod: string): string {
  if (pod.length > 253) {
    return '';
  }
  for (const pattern of [STATIC, OF_DEPLOYMENT, OF_CRON_JOB, OF_SET_OR_JOB, OF_STATEFUL_SET]) {
    const owner = pattern.exec(pod)?.[1];
    if (owner !== undefined) {
      return owner;
    }
  }
  return '';
}

const OF_REPLICA_SET = new RegExp(`^(.+)-${SAFE}{6,10}$`);
const OF_JOB = /^(.+)-\d{7,10}$/;

/** The name of the workload that an object of Kubernetes belongs to; its own name where it belongs to none. */
export function ownerOfObject(kind: string, name: string): string {
  switch (kind) {
    case 'Pod':
      return ownerOfPod(name) || name;
    case 'ReplicaSet':
      return OF_REPLICA_SET.exec(name)?.[1] ?? name;
    case 'Job':
      return OF_JOB.exec(name)?.[1] ?? name;
    default:
      return name;
  }
}
