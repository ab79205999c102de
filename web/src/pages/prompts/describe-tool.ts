import type { PromptContent } from '../../api/generated/api.ts'
import { isObject } from './prompt-draft.ts'

export type Tool = PromptContent['tools'][number]

/** In the forms of OpenAI, Anthropic, Gemini and the Model Context Protocol. */
export function describeTool(tool: Tool): { name: string; parameters: string[]; description: string } {
  const called = isObject(tool['function']) ? tool['function'] : tool
  const schema = called['parameters'] ?? called['input_schema'] ?? called['inputSchema']
  const properties = isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {}
  return {
    name: typeof called['name'] === 'string' ? called['name'] : 'tool',
    parameters: Object.keys(properties),
    description: typeof called['description'] === 'string' ? called['description'] : '',
  }
}

export type ToolChange =
  | { change: 'added'; name: string; after: Tool }
  | { change: 'removed'; name: string; before: Tool }
  | { change: 'changed'; name: string; before: Tool; after: Tool }

/** By their names: a model calls a tool by its name, and does not see its place in the list. */
export function toolChanges(before: readonly Tool[], after: readonly Tool[]): ToolChange[] {
  const rest = [...before]
  const changes = after.flatMap((tool): ToolChange[] => {
    const { name } = describeTool(tool)
    const place = rest.findIndex((other) => describeTool(other).name === name)
    const [old] = place < 0 ? [] : rest.splice(place, 1)
    if (!old) return [{ change: 'added', name, after: tool }]
    return JSON.stringify(old) === JSON.stringify(tool) ? [] : [{ change: 'changed', name, before: old, after: tool }]
  })
  const removed = rest.map((tool): ToolChange => ({ change: 'removed', name: describeTool(tool).name, before: tool }))
  return [...removed, ...changes]
}
