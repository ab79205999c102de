import { type Expression, type SqlBool, sql } from 'kysely'
import { type CompileContext, compileTerm } from './compile-term.ts'
import type { Condition } from './condition.ts'
import { onTrace } from './on-trace.ts'

/** A condition on a row of `traces as t`. The caller filters by workspace. */
export function compileQuery(context: CompileContext, condition: Condition): Expression<SqlBool> {
  if (condition.type === 'term') return compileTerm(context, condition.term)
  // `not (…)` would be null for a trace without the number in question, so that neither the condition nor its negation
  // would match.
  if (condition.type === 'not') return sql<SqlBool>`(${compileQuery(context, condition.part)}) is not true`
  const parts = condition.parts.map((part) => compileQuery(context, part))
  return condition.type === 'and' ? onTrace.and(parts) : onTrace.or(parts)
}
