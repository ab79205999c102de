/** What an import has stored, in words that tests compare. */
import type { ImportReport } from '../../packages/cli/src/import/import-report.ts'
import type { Client } from './client.ts'

export function created({ counts }: ImportReport): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([kind, { created }]) => [kind, created]))
}

type Span = { kind: string; name: string; status: string; statusMessage: string | null }

export function spansOf({ spans }: Record<string, unknown>): string[] {
  // The API describes them so.
  return (spans as Span[]).map(
    ({ kind, name, status, statusMessage }) => `${kind} ${name}: ${status}${statusMessage ? `, ${statusMessage}` : ''}`,
  )
}

export async function commentsOn(client: Client, traceId: string): Promise<string[]> {
  const comments = await client.list(`/traces/${traceId}/comments`)
  return comments.map(({ text }) => String(text))
}

type Row = { input: string; cases: { output: string | null; scores: { evaluator: string; score: number }[] }[] }

/** The cases of a run, by their input: outputs and scores of all repetitions. */
export async function casesOf(client: Client, componentId: string, name: string): Promise<string[]> {
  const runs = await client.list(`/components/${componentId}/runs?limit=100`)
  const id = runs.find((run) => run['name'] === name)?.['id']
  const { body } = await client.get(`/components/${componentId}/runs/${id}/cases`)
  // The API describes them so.
  const rows = body['data'] as Row[]
  return rows.map(({ input, cases }) => {
    const scores = Map.groupBy(
      cases.flatMap((one) => one.scores),
      ({ evaluator }) => evaluator,
    )
    const listed = [...scores].map(([evaluator, all]) => `${evaluator} ${all.map(({ score }) => score).join(', ')}`)
    return `${input} → ${cases.map(({ output }) => String(output)).join(', ')} (${listed.join('; ')})`
  })
}
