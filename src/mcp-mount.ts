/** Mounts `POST /mcp` with the steps of a route: credentials, limits, body and denials are those of the API. */
import type { Logger } from './base/log.ts'
import { VERSION } from './base/version.ts'
import { createRouteCaller } from './http/call-route.ts'
import type { Route } from './http/route.ts'
import { type RouteServices, serveRoute } from './http/serve-route.ts'
import type { Mount } from './http/server-options.ts'
import { mcpRoute } from './mcp/mcp-route.ts'

/** `routes` are those that tools may call. */
export function mcpMount(routes: readonly Route[], services: RouteServices, log: Logger): Mount {
  const route = mcpRoute({ callRoute: createRouteCaller(routes, services), routes, version: VERSION, log })
  return {
    path: route.path,
    methods: [route.method],
    reason: 'the body and the responses are those of the Model Context Protocol',
    serve: serveRoute(route, services),
  }
}
