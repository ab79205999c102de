import type { Expression, SqlBool } from 'kysely'
import { type CompileContext, compileTerm, isNotTrue } from './compile-term.ts'
import type { Condition } from './condition.ts'
import { traceExpression } from './trace-expression.ts'

/** A condition on a row of `traces as t`. The caller filters by workspace. */
export function compileQuery(context: CompileContext, condition: Condition): Expression<SqlBool> {
  if (condition.type === 'term') return compileTerm(context, condition.term)
  if (condition.type === 'not') return isNotTrue(compileQuery(context, condition.part))
  const parts = condition.parts.map((part) => compileQuery(context, part))
  return condition.type === 'and' ? traceExpression.and(parts) : traceExpression.or(parts)
}
