import { type Route, route } from '../http/route.ts'
import { ofTypes } from '../http/schemas.ts'
import type { McpDeps } from './serve-message.ts'

/**
 * Not in the list of routes, because the body and the responses are those of the protocol. The server mounts it at the root: it is no
 * part of a version of the API.
 */
export function mcpRoute(deps: McpDeps): Route {
  return route({
    method: 'POST',
    path: '/mcp',
    access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
    summary: 'Serve the Model Context Protocol',
    tag: 'MCP',
    body: ofTypes(['object', 'array'], { description: 'A JSON-RPC message' }),
    responses: { 200: null, 202: null },
    servesProtocol: true,
    isCancellable: true,
    handle: async ({ principal, requestId, address, signal, headers = {}, body }) => {
      // Loaded on first use: most servers never get such a request, and the library needs memory and time.
      const { serveMessage } = await import('./serve-message.ts')
      return serveMessage(deps, { principal, requestId, address, signal, headers }, body)
    },
  })
}
