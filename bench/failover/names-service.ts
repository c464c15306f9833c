/** Whether the text of a card names exactly this service: `soak-ba` is not `soak-b`. */
export function namesService(text: string, service: string): boolean {
  return text.split(/[^\w-]+/).includes(service);
}
