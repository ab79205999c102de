/** What server and SDKs must do alike: templates, splits, and the cache of the SDKs. The tests of the Python SDK read the same file. */
import { readFileSync } from 'node:fs'
import type { Split } from '../../src/prompts/choose-version.ts'
import type { TemplateMessage } from '../../src/prompts/template.ts'

type RenderVector = {
  name: string
  messages: TemplateMessage[]
  values: Record<string, unknown>
  result?: unknown
  error?: string
}

type SplitVector = { promptId: string; seed: number; splits: Split[]; versions: Record<string, number> }

/** The server serves a version, has no such label (404), is busy (503), or cannot be reached. */
export type ServerState = number | 'missing' | 'busy' | 'away'

type CacheStep = {
  /** Seconds. */
  at: number
  server: ServerState
  /** With the same folder and an empty memory. */
  isNewProcess?: boolean
  /** What happens to the file before. */
  damage?: 'half' | 'empty' | 'text' | 'remove'
  hasFallback?: boolean
  get: { version: number | null; source: string; isStale: boolean } | 'missing' | 'away'
  /** Counted from the beginning, with those in the background; `unchanged` are those that were answered by 304. */
  requests?: number
  unchanged?: number
  files?: number
}

type CacheVectors = {
  freshSeconds: number
  file: Record<'baseUrl' | 'apiKey' | 'component' | 'name' | 'label' | 'fileName' | 'text', string>
  scenarios: { name: string; hasFolder: boolean; steps: CacheStep[] }[]
}

export const VECTORS: { render: RenderVector[]; split: SplitVector[]; cache: CacheVectors } = JSON.parse(
  readFileSync(new URL('vectors.json', import.meta.url), 'utf8'),
)
