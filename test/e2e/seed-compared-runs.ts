import { expect } from 'vitest'
import type { Client } from '../harness/client.ts'
import { until } from '../harness/wait-for.ts'

export interface ComparedRuns {
  component: string
  baseline: string
  candidate: string
}

interface Texts {
  name: string
  questions: readonly string[]
  /** Names of the two runs. */
  runs?: readonly [string, string]
  /** The answer of the candidate to the question at this index; by default every second one leaves the source out. */
  answer?: (question: string, index: number) => string
}

/** A component with two evaluated runs of one dataset. The baseline always names its source. */
export async function seedComparedRuns(client: Client, { name, questions, ...texts }: Texts): Promise<ComparedRuns> {
  const { runs = ['Prompt v6', 'Prompt v7'], answer = shortAnswer } = texts
  const component = await client.create('/components', { name })
  const path = `/components/${component}`
  const datasetId = await client.create(`${path}/datasets`, { name: `questions of ${name}` })
  const wanted = questions.map((input) => ({ input, expected: `What is expected of ${input}` }))
  const { body } = await client.post(`${path}/datasets/${datasetId}/items`, wanted)
  const items: { id: string; input: string }[] = Array.isArray(body.data) ? body.data : []
  const ids: string[] = []
  for (const [place, run] of runs.entries()) {
    const runId = await client.create(`${path}/runs`, { datasetId, name: run })
    const metadata = { prompt: run, model: 'gpt-5-mini' }
    await client.patch(`${path}/runs/${runId}/metadata`, { metadata })
    const traces = items.map(({ id, input }, index) => ({
      traceId: `${place}-${id}`,
      run,
      itemId: id,
      input,
      output: place === 0 ? `${input} Yes, see the source.` : answer(input, index),
    }))
    const { status, text } = await client.post(`${path}/traces`, { traces })
    if (status !== 201) throw new Error(text)
    const config = { evaluators: [{ type: 'contains', value: 'source', name: 'grounded' }] }
    const evaluation = await client.create(`${path}/evaluations`, { datasetId, runId, config })
    await until(async () =>
      expect((await client.get(`${path}/evaluations/${evaluation}`)).body.status).toBe('completed'),
    )
    ids.push(runId)
  }
  return { component, baseline: ids[0] ?? '', candidate: ids[1] ?? '' }
}

function shortAnswer(question: string, index: number): string {
  return index % 2 === 0 ? `${question} Yes, this is covered.` : `${question} Yes, see the source.`
}
