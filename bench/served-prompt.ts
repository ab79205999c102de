import type { Effort, Operation } from './harness/compare.ts'
import { type Line, ratioLine } from './harness/line.ts'
import { encodeRequest, type RawRequest, sendOne } from './harness/load.ts'
import { compareWithBare, type Servers } from './harness/servers.ts'

const RATIO_MAX = 2.5

/** What programs ask for when their copy of a prompt is ten seconds old: one version of a kilobyte. */
export async function* measureServedPrompt(servers: Servers, effort: Effort): AsyncGenerator<Line> {
  const { port, key } = servers.touchstone
  const create = async (path: string, body: unknown): Promise<string> => {
    const request: RawRequest = { method: 'POST', path: `/api/v1${path}`, key, body }
    const { status, body: created } = await sendOne(port, encodeRequest(request))
    if (status !== 201) throw new Error(`POST ${path}: ${status} ${created}`)
    return String(JSON.parse(created).id)
  }
  const component = `/components/${await create('/components', { name: 'Served' })}`
  const prompt = `${component}/prompts/${await create(`${component}/prompts`, { name: 'answer' })}`
  const messages = [{ role: 'system', content: 'You answer for {{company}}. '.repeat(36) }]
  await create(`${prompt}/versions`, { content: { messages }, labels: ['production'] })
  const operation: Operation = {
    name: 'GET a served prompt',
    status: 200,
    count: 10_000,
    requests: (asker) => [
      encodeRequest({ method: 'GET', path: `/api/v1${component}/served-prompts/answer`, key: asker }),
    ],
  }
  yield ratioLine(operation.name, await compareWithBare(operation, servers, effort), RATIO_MAX)
}
