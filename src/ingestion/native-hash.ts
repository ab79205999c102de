import { hash } from 'node:crypto'
import type { Trace } from './native-trace.ts'

/** The hash of a trace's content and component. The order of the fields does not matter. */
export function nativeHash({ traceId: _, ...trace }: Trace, componentId: string): string {
  return hash('sha256', JSON.stringify([componentId, trace], inOrder), 'base64url')
}

/** For `JSON.stringify`: sorts the members of objects by name. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  const sorted: Record<string, unknown> = Object.create(null)
  for (const [name, member] of entries) sorted[name] = member
  return sorted
}
