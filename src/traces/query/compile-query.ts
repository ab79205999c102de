import { type Expression, type SqlBool, sql } from 'kysely'
import { type CompileContext, compileTerm } from './compile-term.ts'
import type { Condition } from './condition.ts'
import { onTrace } from './on-trace.ts'

/** The condition on a row of `traces as t`, whose workspace the caller has chosen already. */
export function compileQuery(context: CompileContext, condition: Condition): Expression<SqlBool> {
  if (condition.type === 'term') return compileTerm(context, condition.term)
  // Not `not (…)`: a trace without the number that is asked about would then fulfil neither the condition nor its opposite.
  if (condition.type === 'not') return sql<SqlBool>`(${compileQuery(context, condition.part)}) is not true`
  const parts = condition.parts.map((part) => compileQuery(context, part))
  return condition.type === 'and' ? onTrace.and(parts) : onTrace.or(parts)
}
