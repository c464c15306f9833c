/** A command that sends a body. @param key null: the body has it */
export function curl(url: string, key: string | null, type: string, body: object): string {
  const authorization = key === null ? '' : ` \\\n  -H "Authorization: Bearer ${key}"`;
  return `curl -X POST ${url}${authorization} \\\n  -H "Content-Type: ${type}" \\\n  -d '${JSON.stringify(body)}'`;
}
