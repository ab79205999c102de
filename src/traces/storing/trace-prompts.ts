/**
 * The prompts that a trace used, at most once per prompt and label. The result depends only on the spans, and not on the order in which
 * they arrive: the first of all in sort order are stored, each with the worst source that a span reports.
 */
import { cutFacet } from './cut-facet.ts'
import { PROMPT_SOURCES, type PromptSource, type SpanPrompt } from './mapped-span.ts'

/** Bounds the cost of a sender that names another prompt in every span. */
export const PROMPTS_MAX = 20

/** Returns a new list if the prompt adds to it. */
export function addPrompt(prompts: readonly SpanPrompt[], sent: SpanPrompt): readonly SpanPrompt[] {
  const prompt = { ...sent, name: cutFacet(sent.name), label: sent.label === null ? null : cutFacet(sent.label) }
  const place = prompts.findIndex((known) => known.name === prompt.name && known.label === prompt.label)
  const known = prompts[place]
  if (!known) return [...prompts, prompt].sort(byNameAndLabel).slice(0, PROMPTS_MAX)
  return rankOf(prompt.source) <= rankOf(known.source) ? prompts : prompts.with(place, prompt)
}

function byNameAndLabel(a: SpanPrompt, b: SpanPrompt): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1
  return (a.label ?? '') < (b.label ?? '') ? -1 : 1
}

/** Higher is worse: a fallback must not be hidden by another span that read the prompt. */
function rankOf(source: PromptSource | null): number {
  return source === null ? -1 : PROMPT_SOURCES.indexOf(source)
}

type StoredPrompt = [name: string, label: string | null, source: PromptSource | null]

/** Null if there are none, as for most traces. */
export function writePrompts(prompts: readonly SpanPrompt[]): string | null {
  if (prompts.length === 0) return null
  return JSON.stringify(prompts.map(({ name, label, source }): StoredPrompt => [name, label, source]))
}

export function readPrompts(json: string | null): readonly SpanPrompt[] {
  if (json === null) return NO_PROMPTS
  const stored: StoredPrompt[] = JSON.parse(json)
  return stored.map(([name, label, source]) => ({ name, label, source }))
}

/** Shared, because it is never modified. */
export const NO_PROMPTS: readonly SpanPrompt[] = []

/** The version is what follows the last `@`: `answer` and `12`, `answer` and nothing, or nothing and `12`. */
export function splitPromptName(name: string): { prompt: string; version: string } {
  const at = name.lastIndexOf('@')
  return at === -1 ? { prompt: name, version: '' } : { prompt: name.slice(0, at), version: name.slice(at + 1) }
}

/** Of a version that this program has numbered; undefined for others, such as `v1.0`. */
export function versionNumber(version: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(version) ? Number(version) : undefined
}
