import { sql } from 'kysely'
import type { Queries } from '../storage/db.ts'
import { excerptAround } from '../storage/dialect.ts'
import { exactText } from './query/condition.ts'
import { hasText, type SpanTextColumn, spellingsOf } from './query/text-search-queries.ts'

const EXCERPT = { before: 60, length: 200 } as const

type SearchedTrace = { workspaceId: string; traceDbId: string; text: string; limit: number }

/** The spans of a trace with the text, in order of time. An excerpt is null if its field does not contain the text. */
export async function listSpansWithText(q: Queries, { workspaceId, traceDbId, text, limit }: SearchedTrace) {
  const pattern = [{ text }]
  const excerptOf = (column: SpanTextColumn) => {
    const spellings = new Set(spellingsOf(pattern).map((spelling) => exactText(spelling) ?? ''))
    const excerpts = [...spellings].map((needle) => excerptAround(q, sql.ref(`s.${column}`), needle, EXCERPT))
    return sql<string | null>`coalesce(${sql.join([...excerpts, sql`null`])})`
  }
  return q
    .selectFrom('spans as s')
    .select([
      's.span_id as spanId',
      excerptOf('name').as('name'),
      excerptOf('status_message').as('statusMessage'),
      excerptOf('input').as('input'),
      excerptOf('output').as('output'),
    ])
    .where('s.workspace_id', '=', workspaceId)
    .where('s.trace_id', '=', traceDbId)
    .where(hasText(q, { text: pattern, columns: ['name', 'status_message', 'input', 'output'] }))
    .orderBy('s.start_ns')
    .orderBy('s.position')
    .limit(limit)
    .execute()
}
