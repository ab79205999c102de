/** What every importer promises, checked in one go against a real server. */
import { expect } from 'vitest'
import type { ImportReport } from '../../packages/cli/src/import/import-report.ts'
import { type CommandOptions, touchstone } from './cli-in-process.ts'
import type { Client } from './client.ts'
import { startLossyProxy } from './lossy-proxy.ts'
import type { TestApp } from './test-app.ts'
import { waitFor } from './wait-for.ts'

const COMPONENT = 'Imported'

/** Credentials in the fixtures and environments of importers: neither printed nor stored. */
export const PLANTED_SECRET = 'sk-planted-secret-0123456789'

export type CheckedImport = {
  report: ImportReport
  client: Client
  componentId: string
}

/**
 * Imports into three applications: a dry run that sends nothing, then at once and a second time, and once with the response to every
 * single write lost and the command started again. All end with the same data. `args` are those after `import`.
 */
export async function checkImport(
  app: TestApp,
  args: string[],
  environment: Record<string, string> = {},
): Promise<CheckedImport> {
  const proxy = await startLossyProxy(app.url)
  try {
    const printed: string[] = []
    const run = async (options: CommandOptions, extra: string[] = []) => {
      const command = ['import', ...args, '--component', COMPONENT, '--json', ...extra]
      const result = await touchstone(command, { ...options, environment })
      printed.push(result.output, result.errors)
      return result
    }
    const complete = async (options: CommandOptions, extra: string[] = []): Promise<ImportReport> => {
      const result = await run(options, extra)
      expect(result).toMatchObject({ code: 0 })
      return JSON.parse(result.output)
    }

    const atOnce = await app.newWorkspace()
    const dry = await complete({ url: proxy.url, key: atOnce.key }, ['--dry-run', '--debug'])
    expect(proxy.requests.filter((request) => !request.startsWith('GET '))).toEqual([])
    const report = await complete({ url: app.url, key: atOnce.key })
    expect({ ...report, dryRun: true }).toEqual(dry)
    for (const { source, created, alreadyThere, notTaken } of Object.values(report.counts)) {
      expect(created + alreadyThere + notTaken).toBe(source)
    }

    const again = await complete({ url: app.url, key: atOnce.key })
    expect(Object.values(again.counts).reduce((sum, { created }) => sum + created, 0)).toBe(0)
    expect(again.notTaken).toEqual(report.notTaken)

    const interrupted = await app.newWorkspace()
    for (let isComplete = false; !isComplete; ) {
      const killed = new AbortController()
      proxy.loseNextWrite(() => killed.abort())
      const { code } = await run({ url: proxy.url, key: interrupted.key, signal: killed.signal })
      expect([0, 130]).toContain(code)
      isComplete = code === 0
    }
    const expected = await stored(atOnce.client)
    expect(await stored(interrupted.client)).toEqual(expected)
    expect(printed.join('\n') + JSON.stringify(expected)).not.toContain(PLANTED_SECRET)
    return { report, client: atOnce.client, componentId: await componentOf(atOnce.client) }
  } finally {
    await proxy.close()
  }
}

async function componentOf(client: Client): Promise<string> {
  const [component] = await client.list('/components')
  return String(component?.['id'])
}

/** All that an import can create, without ids and times of the server. */
async function stored(client: Client) {
  const component = `/components/${await componentOf(client)}`
  return {
    items: sorted(await storedItems(client, component)),
    prompts: sorted(await storedPrompts(client, component)),
    runs: sorted(await storedRuns(client, component)),
    scores: sorted(await storedScores(client, component)),
    traces: sorted(await storedTraces(client)),
  }
}

async function storedItems(client: Client, component: string): Promise<unknown[]> {
  const lists = (await client.list(`${component}/datasets?limit=100`)).map(async ({ id, name }) => {
    const items = await client.list(`${component}/datasets/${id}/items?limit=100`)
    return items.map(({ input, output, expected, metadata, split }) => ({
      name,
      input,
      output,
      expected,
      metadata,
      split,
    }))
  })
  return (await Promise.all(lists)).flat()
}

async function storedPrompts(client: Client, component: string): Promise<unknown[]> {
  const prompts = (await client.list(`${component}/prompts?limit=100`)).map(async ({ id, name, description }) => {
    const path = `${component}/prompts/${id}`
    const { body } = await client.get(`${path}/versions`)
    const versions = Array.from(Object(body['data']), (row) => {
      const { number, note, hash } = Object(row)
      return { number, note, hash }
    })
    const labels = (await client.list(`${path}/labels`)).map(({ name: label, splits, change }) => ({
      label,
      splits,
      change,
    }))
    return { name, description, versions, labels }
  })
  return Promise.all(prompts)
}

async function storedRuns(client: Client, component: string): Promise<unknown[]> {
  const runs = (await client.list(`${component}/runs?limit=100`)).map(async ({ id, name, traceCount }) => {
    const traces = await client.list(`${component}/runs/${id}/traces?limit=100`)
    const { body } = await client.get(`${component}/runs/${id}/metadata`)
    return { name, traceCount, ...body, withItem: traces.filter(({ itemId }) => itemId !== null).length }
  })
  return Promise.all(runs)
}

async function storedScores(client: Client, component: string): Promise<unknown[]> {
  const evaluations = (await client.list(`${component}/evaluations?limit=100`)).map(async ({ id, name }) => {
    const status = await waitFor('the evaluation', async () => {
      const { body } = await client.get(`${component}/evaluations/${id}`)
      return body['status'] === 'completed' || body['status'] === 'failed' ? body['status'] : undefined
    })
    const scores = await client.list(`${component}/evaluations/${id}/scores?limit=100`)
    return { name, status, scores: sorted(scores.map(({ evaluator, state, score }) => ({ evaluator, state, score }))) }
  })
  return Promise.all(evaluations)
}

async function storedTraces(client: Client): Promise<unknown[]> {
  const traces = (await client.list('/traces?limit=100')).map(async ({ id, traceId, name, status, totalTokens }) => {
    const annotations = await client.list(`/traces/${id}/annotations`)
    const comments = await client.list(`/traces/${id}/comments`)
    const ratings = annotations.map(({ rating, comment }) => ({ rating, comment }))
    return { traceId, name, status, totalTokens, ratings, comments: sorted(comments.map(({ text }) => text)) }
  })
  return Promise.all(traces)
}

function sorted(values: unknown[]): string[] {
  return values.map((value) => JSON.stringify(value)).sort()
}
