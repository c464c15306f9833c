const SHOWN_SERVICES = 3;

/** `orders`, `orders and users`, `orders, payments, users and 2 more` */
export function listOf(services: readonly string[]): string {
  const more = services.length - SHOWN_SERVICES;
  if (more > 1) {
    return `${services.slice(0, SHOWN_SERVICES).join(', ')} and ${more} more`;
  }
  return services.length < 2 ? services.join('') : `${services.slice(0, -1).join(', ')} and ${services.at(-1)}`;
}
