import { Type } from 'typebox'
import { pageOf } from '../base/page.ts'
import { EVALUATOR_DEFINITIONS } from '../evaluators/definitions.ts'
import { list, route } from '../http/route.ts'
import { anyObject, closed, listOf, orNull } from '../http/schemas.ts'

const EvaluatorType = closed(
  {
    type: Type.String(),
    summary: Type.String(),
    /** Null where it depends on the options. */
    kind: orNull(Type.Enum(['binary', 'numeric', 'categorical'], { type: 'string' })),
    needs: Type.Array(
      Type.Enum(['output', 'expected', 'baseline', 'trace', 'steps', 'ratings', 'model'], { type: 'string' }),
    ),
    options: anyObject({ description: 'A JSON Schema' }),
  },
  { title: 'EvaluatorType' },
)

export const getEvaluators = route({
  method: 'GET',
  path: '/evaluators',
  access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
  summary: 'List the evaluator types with their inputs and options',
  tag: 'Evaluations',
  paged: true,
  responses: { 200: listOf(EvaluatorType) },
  handle: async ({ page }) => {
    const { rows, ...extent } = pageOf(EVALUATOR_DEFINITIONS, page)
    return list({
      ...extent,
      rows: rows.map(({ type, summary, kind = null, needs, options }) => ({
        type,
        summary,
        kind,
        needs,
        options,
      })),
    })
  },
})
