import { hash } from 'node:crypto'
import type { Trace } from './native-trace.ts'

/** What a trace was sent with, and to which component: the same again, in whatever order its fields are, is the same trace. */
export function nativeHash({ traceId: _, ...trace }: Trace, componentId: string): string {
  return hash('sha256', JSON.stringify([componentId, trace], inOrder), 'base64url')
}

/** For `JSON.stringify`: writes the members of objects in the order of their names. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  const sorted: Record<string, unknown> = Object.create(null)
  for (const [name, member] of entries) sorted[name] = member
  return sorted
}
