import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import { AppError } from '../base/errors.ts'
import { JsonText } from '../base/json.ts'
import { isAtLeast, type Principal, type Role } from '../base/principal.ts'
import type { CallOrigin, HttpResponse, Route } from '../http/route.ts'
import { bodyCheck, type Check } from '../http/validation.ts'
import { INSTRUCTIONS } from './instructions.ts'
import type { McpDeps } from './mcp-deps.ts'
import { runTool } from './run-tool.ts'
import { outputSchema, type Tool } from './tool.ts'
import type { ToolResult } from './tool-result.ts'
import { TOOLS } from './tools.ts'

/** Serves the message of one request. Clients of the revision 2026-07-28 and of those before it (with a handshake) are served. */
export async function serveMessage(deps: McpDeps, origin: CallOrigin, message: object): Promise<HttpResponse> {
  const handler = createMcpHandler(() => createServer(deps, origin), {
    // Nothing that could be subscribed to changes, and a stream would stay open for nothing.
    maxSubscriptions: 0,
    onerror: (error) => deps.log.debug({ err: error, requestId: origin.requestId }, 'MCP message was not served'),
  })
  const request = new Request('http://localhost/mcp', {
    method: 'POST',
    headers: toHeaders(origin.headers),
    signal: origin.signal,
  })
  return toHttpResponse(await handler.fetch(request, { parsedBody: message }))
}

/** One per message: it knows its caller, and keeps nothing. */
function createServer(deps: McpDeps, origin: CallOrigin): Server {
  const info = { name: 'touchstone', title: 'Touchstone', version: deps.version }
  const server = new Server(info, { capabilities: { tools: {} }, instructions: INSTRUCTIONS })
  server.setRequestHandler('tools/list', () => ({
    tools: TOOLS.filter((tool) => mayUse(deps, tool, origin.principal)).map(describeTool),
  }))
  server.setRequestHandler('tools/call', async ({ params }) => callTool(deps, origin, params))
  return server
}

type ToolCall = { name: string; arguments?: Record<string, unknown> | undefined }

/** Every failure is a result with the words of the API, so that the agent can correct its call. */
async function callTool(
  deps: McpDeps,
  origin: CallOrigin,
  { name, arguments: args = {} }: ToolCall,
): Promise<ToolResult> {
  const { callRoute, log } = deps
  try {
    const tool = TOOLS.find((one) => one.name === name)
    if (!tool) throw new AppError(404, `There is no tool ${name.slice(0, 100)}; tools/list returns the tools`)
    checkOf(tool)(args)
    return await runTool(tool, args, (route, call = {}) => callRoute(route, origin, call))
  } catch (error) {
    if (error instanceof AppError && error.status < 500)
      return failure(error.message.replace(/\.$/, '') + adviceFor(error))
    // Reads stop when the client disconnects, and no one receives this.
    if (origin.signal.aborted) return failure('The client has disconnected.')
    log.error({ err: error, requestId: origin.requestId, tool: name }, 'tool failed')
    return failure(error instanceof AppError ? error.message : `Internal server error (request ${origin.requestId})`)
  }
}

function failure(message: string): ToolResult {
  return { content: [{ type: 'text', text: message }], isError: true }
}

/** What to do, for errors whose message does not say it. */
function adviceFor({ status, message }: AppError): string {
  if (message.startsWith('The query is invalid')) return '. explain_query_language describes the syntax.'
  if (status === 403) return '. Use an API key with this role; do not try other tools instead.'
  if (status === 404)
    return '. Ids of this application are returned by list_components, list_datasets, list_runs and search_traces.'
  if (status === 429) return '. Wait a few seconds, then call again.'
  return '.'
}

const checks = new Map<Tool, Check>()

function checkOf(tool: Tool): Check {
  const check = checks.get(tool) ?? bodyCheck(tool.input)
  checks.set(tool, check)
  return check
}

/** Tools that a role does not permit are not listed, so that agents do not try them. */
function mayUse({ routes }: McpDeps, tool: Tool, { role }: Principal): boolean {
  return tool.routes.every((name) => isAtLeast(role, roleOf(routes, name)))
}

function roleOf(routes: readonly Route[], name: string): Role {
  const found = routes.find(({ method, path }) => `${method} ${path}` === name)
  // A route that does not exist is for no one; `mcp-endpoint.test.ts` finds it.
  return found && 'role' in found.access ? found.access.role : 'owner'
}

function describeTool(tool: Tool) {
  const { name, title, description, input, effect } = tool
  const annotations = {
    title,
    readOnlyHint: effect === undefined,
    destructiveHint: effect?.isDestructive ?? false,
    idempotentHint: effect?.isIdempotent ?? true,
    openWorldHint: effect?.callsModels ?? false,
  }
  return { name, title, description, inputSchema: toJson(input), outputSchema: toJson(outputSchema(tool)), annotations }
}

/** The JSON of a schema, without what a model does not need to call the tool: the pattern of ids would be half of the list. */
function toJson(schema: object): { type: 'object' } {
  const isNeeded = (name: string, value: unknown) => {
    if (name === 'pattern') return !String(value).includes('{8}-')
    return name !== 'title' || typeof value !== 'string'
  }
  const text = JSON.stringify(schema, (name, value) => (isNeeded(name, value) ? value : undefined))
  return { ...JSON.parse(text), type: 'object' }
}

function toHeaders(headers: CallOrigin['headers']): Headers {
  const copied = new Headers()
  for (const [name, value] of Object.entries(headers)) for (const one of [value ?? []].flat()) copied.append(name, one)
  return copied
}

async function toHttpResponse(response: Response): Promise<HttpResponse> {
  const { status, headers } = response
  const text = await response.text()
  if (text === '') return { status }
  const type = headers.get('content-type') ?? ''
  if (type.startsWith('application/json')) return { status, body: new JsonText(text) }
  return { status, headers: { 'content-type': type, 'cache-control': 'no-store' }, body: Buffer.from(text) }
}
