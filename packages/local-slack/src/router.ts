type Handler = (request: Request, path: string) => Response | Promise<Response>;

/** The first matching prefix handles a request. */
export function createRouter(
  routes: readonly (readonly [prefix: string, handler: Handler])[],
): (request: Request) => Response | Promise<Response> {
  return (request) => {
    const { pathname } = new URL(request.url);
    const handler = routes.find(([prefix]) => pathname.startsWith(prefix))?.[1];
    return handler?.(request, pathname) ?? new Response(null, { status: 404 });
  };
}
