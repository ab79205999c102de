import { invariant } from '../base/invariant.ts'
import { type Call, ROWS_DEFAULT, type Tool } from './tool.ts'
import { renderResult, type ToolResult } from './tool-result.ts'

/** Runs a tool with checked arguments. If its rows do not fit, it is run again for as many as do, to get their cursor. */
export async function runTool(tool: Tool, args: Record<string, unknown>, callRoute: Call): Promise<ToolResult> {
  const call: Call = (name, request) => {
    invariant(tool.routes.includes(name), `${tool.name} must declare ${name}`)
    return callRoute(name, request)
  }
  const hasTexts = Array.isArray(args.include) && args.include.includes('io')
  let limit = typeof args.limit === 'number' ? args.limit : ROWS_DEFAULT
  for (;;) {
    const loaded = await tool.run(call, { ...args, limit })
    const { result, shown, isCursorKnown } = renderResult(tool, loaded, { hasTexts })
    if (isCursorKnown || shown === 0) return result
    limit = shown
  }
}
