/**
 * `POST /mcp`: the Model Context Protocol over Streamable HTTP, for agents that read and write what the API has. It is stateless: every
 * message is served on its own, with the key of its request. Tools call the routes of the API; nothing is read past them.
 */
import { Type } from 'typebox'
import { type Route, route } from '../http/route.ts'
import type { McpDeps } from './mcp-deps.ts'

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
    body: Type.Unsafe<object>({ type: ['object', 'array'], description: 'A JSON-RPC message' }),
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
