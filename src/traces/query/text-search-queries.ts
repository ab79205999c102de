/** The search in span texts. It is the only module that uses the search index. */
import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import type { Queries } from '../../storage/db.ts'
import { containsText, likeText, resemblesText, withoutIndex } from '../../storage/dialect.ts'
import type { Tables } from '../../storage/tables.ts'
import { countCandidates, hasReadyIndex, isLongEnough, mayContain } from '../search/candidate-queries.ts'
import type { Condition, TextPattern } from './condition.ts'

/** The number of spans that a search may compare one by one; it needs one or two tenths of a second. */
export const SEARCHED_SPANS_MAX = 20_000

export type SpanTextColumn = 'name' | 'status_message' | 'input' | 'output'

/** The ids of traces with a span that contains the text in one of these columns. May contain duplicates. */
export function spansMatching(
  q: Queries,
  { workspaceId, text, columns }: { workspaceId: string; text: TextPattern; columns: readonly SpanTextColumn[] },
) {
  const candidates = mayContain(q, 's.position', { workspaceId, texts: literals(text) })
  const spans = q.selectFrom('spans as s').select('s.trace_id')
  // If an index returns the few candidates, the index on the workspace would be slower.
  const inWorkspace = candidates
    ? spans.where(withoutIndex(q, 's.workspace_id'), '=', workspaceId).where(candidates)
    : spans.where('s.workspace_id', '=', workspaceId)
  return inWorkspace.where(hasText(q, { text, columns }))
}

/** True if the span `s` contains the text in one of these columns. */
export function hasText(
  q: Queries,
  { text, columns }: { text: TextPattern; columns: readonly SpanTextColumn[] },
): Expression<SqlBool> {
  const { or } = expressionBuilder<Tables, 'spans'>()
  const needles = new Set(spellingsOf(text).map(likePattern))
  return or(
    columns.flatMap((column) =>
      [...needles].map((needle) => containsText(q, sql.ref<string | null>(`s.${column}`), needle)),
    ),
  )
}

/** Messages are stored as JSON, which escapes quotes and line breaks; tool arguments are JSON within that JSON. */
export function spellingsOf(text: TextPattern): TextPattern[] {
  return [text, asInJson(text), asInJson(asInJson(text))]
}

function asInJson(text: TextPattern): TextPattern {
  return text.map((piece) => ('text' in piece ? { text: JSON.stringify(piece.text).slice(1, -1) } : piece))
}

/**
 * `common` are the texts that very many spans contain, or that no index finds. For these, scanning from the newest trace finds matches
 * sooner than listing all of them first. `unindexed` are those that no index finds: too short ones, and all of them until it is built.
 */
export type TextPlan = { common: Set<TextPattern>; unindexed: Set<TextPattern> }

export async function planTexts(q: Queries, workspaceId: string, parts: readonly Condition[]): Promise<TextPlan> {
  const all = parts.flatMap(textsOf)
  const plan: TextPlan = { common: new Set(), unindexed: new Set() }
  const isReady = all.length > 0 && (await hasReadyIndex(q, SEARCHED_SPANS_MAX))
  for (const text of all) {
    const texts = literals(text)
    if (!isReady || !isLongEnough(q, texts)) plan.unindexed.add(text)
    else if ((await countCandidates(q, { workspaceId, texts }, SEARCHED_SPANS_MAX + 1)) <= SEARCHED_SPANS_MAX) continue
    plan.common.add(text)
  }
  return plan
}

/** Whether the spans of every trace must be compared: with a text that no index finds, or with an attribute. */
export function comparesSpans(condition: Condition, unindexed: TextPlan['unindexed']): boolean {
  if (condition.type === 'not') return comparesSpans(condition.part, unindexed)
  if (condition.type !== 'term') return condition.parts.some((part) => comparesSpans(part, unindexed))
  return condition.term.field === 'metadata' || textsOf(condition).some((text) => unindexed.has(text))
}

/** Whether the index of texts finds the few traces that match. */
export function isFoundByIndex(condition: Condition, common: ReadonlySet<TextPattern>): boolean {
  return condition.type === 'term' && textsOf(condition).some((text) => !common.has(text))
}

function textsOf(condition: Condition): TextPattern[] {
  if (condition.type === 'not') return textsOf(condition.part)
  if (condition.type !== 'term') return condition.parts.flatMap(textsOf)
  const { field, test } = condition.term
  const isOfSpans = field === 'text' || field === 'input' || field === 'output'
  return isOfSpans && test.is === 'text' ? [test.pattern] : []
}

/** The substrings that every match contains, without the characters that JSON escapes. */
function literals(text: TextPattern): string[] {
  return text.flatMap((piece) => ('text' in piece ? piece.text.split(ESCAPED).filter((part) => part !== '') : []))
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON escapes
const ESCAPED = /["\\\u0000-\u001f\u007f]+/

/** True if the whole text matches the pattern. */
export function isLike(q: Queries, text: Expression<string | null>, pattern: TextPattern): Expression<SqlBool> {
  return resemblesText(q, text, likePattern(pattern))
}

function likePattern(pattern: TextPattern): string {
  return pattern
    .map((piece) => {
      if ('text' in piece) return likeText(piece.text)
      return piece.any === 'one' ? '_' : '%'
    })
    .join('')
}
