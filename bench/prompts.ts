import type { Effort, Operation } from './harness/compare.ts'
import { type Line, limitLine, ratioLine } from './harness/line.ts'
import { encodeRequest, sendOne, sendText } from './harness/load.ts'
import { compareWithBare, type Servers } from './harness/servers.ts'

const SERVED_RATIO_MAX = 2.5
const DIFF_CPU_MS_MAX = 200
/** In JSON, where a line break has two bytes: a little less than a version may have. */
const LARGE_LINES = 7_900

/** What programs ask for when their copy of a prompt is ten seconds old, one version of a kilobyte, and the difference of two large ones. */
export async function* measurePrompts(servers: Servers, effort: Effort): AsyncGenerator<Line> {
  const { port, key } = servers.touchstone
  const create = async (path: string, body: unknown): Promise<string> =>
    JSON.parse(await sendText({ port, key }, { method: 'POST', path: `/api/v1${path}`, body })).id
  const component = `/components/${await create('/components', { name: 'Served' })}`
  const promptOf = async (name: string, texts: readonly string[]) => {
    const prompt = `${component}/prompts/${await create(`${component}/prompts`, { name })}`
    for (const text of texts) {
      const content = { messages: [{ role: 'system', content: text }] }
      await create(`${prompt}/versions`, { content, labels: ['production'] })
    }
    return prompt
  }
  const read = (path: string, { name, count, ...header }: Pick<Operation, 'name' | 'count'> & { etag?: string }) => ({
    name,
    count,
    status: header.etag === undefined ? 200 : 304,
    requests: (asker: string) => [withEtag(encodeRequest({ method: 'GET', path, key: asker }), header.etag)],
  })

  await promptOf('answer', ['You answer for {{company}}. '.repeat(36)])
  const served = `/api/v1${component}/served-prompts/answer`
  const whole = read(served, { name: 'GET a served prompt', count: 10_000 })
  yield ratioLine(whole.name, await compareWithBare(whole, servers, effort), SERVED_RATIO_MAX)

  const { etag = '' } = (await sendOne(port, encodeRequest({ method: 'GET', path: served, key }))).headers
  const unchanged = read(served, { name: 'GET a served prompt, 304', count: 10_000, etag })
  yield ratioLine(unchanged.name, await compareWithBare(unchanged, servers, effort))

  const line = (place: number) => `Rule ${place} of the answers`.padEnd(31)
  const textOf = (lineOf: (place: number) => string) =>
    Array.from({ length: LARGE_LINES }, (_, at) => lineOf(at)).join('\n')
  const changed = (place: number) => (place % 10 === 0 ? line(place).replace('answers', 'replies') : line(place))
  const large = await promptOf('large', [textOf(line), textOf(changed)])
  const diff = read(`/api/v1${large}/diff?from=1&to=2`, { name: 'CPU: diff of two versions of 256 KiB', count: 20 })
  const { subjectMicros } = await compareWithBare(diff, servers, effort)
  yield limitLine(diff.name, subjectMicros / 1_000, { max: DIFF_CPU_MS_MAX, unit: 'ms' })
}

function withEtag(request: Buffer, etag: string | undefined): Buffer {
  if (etag === undefined) return request
  return Buffer.from(request.toString().replace('\r\n\r\n', `\r\nIf-None-Match: ${etag}\r\n\r\n`))
}
