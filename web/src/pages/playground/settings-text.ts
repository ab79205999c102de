import type { Connection, PromptContent } from '../../api/generated/api.ts'

/** "temp 0.2 · 600 tokens": what most prompts set, and how many others there are. */
export function parametersText(parameters: PromptContent['parameters']): string {
  const entries = Object.entries(parameters)
  if (entries.length === 0) return 'default parameters'
  return entries.map(([name, value]) => describe(name, value)).join(' · ')
}

function describe(name: string, value: unknown): string {
  if (name === 'temperature') return `temp ${value}`
  if (/^(max_?(completion_|output_)?tokens|max(Output)?Tokens)$/i.test(name)) return `${value} tokens`
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return `${name} ${text.length > 24 ? `${text.slice(0, 23)}…` : text}`
}

/** Whether a connection takes tools and a response format together. */
export function bothText({ responseFormat }: PromptContent, kind: Connection['kind'] | undefined): string {
  // The only format that a kind of connection rejects.
  if (kind === 'anthropic' && responseFormat?.['type'] === 'json_object')
    return 'takes both only if the format has a schema'
  return 'takes both at once'
}
