import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import type { AskedRequest } from '../harness/model-server.ts'
import type { Row } from '../playground/trying.ts'
import {
  type Experimented,
  experimentBody,
  experimentsPath,
  experimentWith,
  isReflection,
  iterationsOf,
  reflectByRules,
  resultsOf,
  ruleItems,
  seedExperiment,
  startExperiment,
} from './seed-experiment.ts'

type Message = { role: string; content: string }

function messagesOf({ body }: AskedRequest): Message[] {
  return Object(body.messages)
}

/** Right for items of a rule that the system message or a demonstration has; without them for items whose number ends with 0, 1 or 2. */
function answerByExamples(request: AskedRequest): unknown {
  if (isReflection(request)) return reflectByRules(request)
  const messages = messagesOf(request)
  const question = messages.at(-1)?.content ?? ''
  const shown = messages.slice(0, -1).filter(({ role }) => role === 'user')
  const isKnown = shown.some(({ content }) => content.charAt(0) === question.charAt(0))
  const isTold = messages[0]?.content.includes(`(${question.charAt(0)})`)
  return isKnown || isTold || /[012]$/.test(question) ? 'right' : 'wrong'
}

async function textsOf({ client, componentId, datasetId }: Experimented, split: string): Promise<string[]> {
  const items = await client.list(`/components/${componentId}/datasets/${datasetId}/items?limit=100`)
  return items.filter((item) => item.split === split).map(({ input }) => String(JSON.parse(String(input)).question))
}

describeEachEngine('optimizers that show demonstrations', (app) => {
  it('bootstrapFewShot shows training items that passed, as messages of the version, and shows it on test items', async () => {
    const of = await seedExperiment(app(), { items: ruleItems(80), answer: answerByExamples })
    const { path } = await startExperiment(of, {
      optimizer: 'bootstrapFewShot',
      frozen: ['/messages/1'],
      budget: { patience: 4 },
    })
    const ended = await experimentWith(of.client, path)
    expect(ended, JSON.stringify(ended)).toMatchObject({ status: 'completed', error: null })
    const results = await resultsOf(of.client, path)
    expect(results).toMatchObject({ optimizer: 'bootstrapFewShot', verdict: 'improved', openings: 1 })
    expect(of.server.requests.filter(isReflection)).toEqual([])
    const [finalist]: Row[] = Object(results.test).finalists
    const saved = await of.client.get(`${of.path}/versions/${finalist?.version}`)
    const messages: Message[] = Object(saved.body.content).messages
    expect(messages[0]).toEqual({ role: 'system', content: 'Answer.' })
    expect(messages.at(-1)).toEqual({ role: 'user', content: '{{question}}' })
    const train = await textsOf(of, 'train')
    const shown = messages.slice(1, -1).filter(({ role }) => role === 'user')
    expect(shown.length).toBeGreaterThan(1)
    for (const { content } of shown) {
      expect(train).toContain(content)
      expect(content).toMatch(/[012]$/)
    }
    expect(messages.filter(({ role }) => role === 'assistant').every(({ content }) => content === 'right')).toBe(true)
    const rows = await iterationsOf(of.client, path, '&include=parents')
    expect(rows[1]).toMatchObject({ kind: 'demonstrations', demonstrations: 1, parents: [0] })
  })

  it.each([
    { optimizer: 'miproV2', patience: 3 },
    { optimizer: 'gepaThenFewShot', patience: 4 },
  ])(
    '$optimizer writes instructions, and adds demonstrations to them',
    { tags: 'deep' },
    async ({ optimizer, patience }) => {
      const of = await seedExperiment(app(), { items: ruleItems(80), answer: answerByExamples })
      const { path } = await startExperiment(of, { optimizer, budget: { patience } })
      const ended = await experimentWith(of.client, path)
      expect(ended, JSON.stringify(ended)).toMatchObject({ status: 'completed', error: null })
      expect(await resultsOf(of.client, path)).toMatchObject({ optimizer, verdict: 'improved' })
      expect(of.server.requests.filter(isReflection).length).toBeGreaterThan(0)
      const [test, validation] = [await textsOf(of, 'test'), await textsOf(of, 'validation')]
      for (const request of of.server.requests.filter(isReflection))
        for (const text of [...test, ...validation]) expect(request.user).not.toContain(`\\"${text}\\"`)
      const kinds = new Set((await iterationsOf(of.client, path)).map(({ kind }) => kind))
      expect(kinds).toContain('reflection')
      if (optimizer === 'miproV2') expect(kinds).toContain('combination')
    },
  )

  it('keep the limit of length, and skip items that would become variables of the prompt', {
    tags: 'deep',
  }, async () => {
    const items = ruleItems(60).map(({ input, ...rest }, place) => {
      const { question }: Row = JSON.parse(String(input))
      const added = place % 2 === 0 ? ' {{name}} ' : ` ${'x'.repeat(40)} `
      return { ...rest, input: JSON.stringify({ question: `${question}${added}${place % 3}` }) }
    })
    // A demonstration helps only the items that it shows.
    const answer = ({ user }: AskedRequest) => (/[12]$/.test(user) ? 'right' : 'wrong')
    const of = await seedExperiment(app(), { items, answer })
    const limits = { maxPromptTokens: 50, budget: { patience: 6 } }
    const { path } = await startExperiment(of, { optimizer: 'bootstrapFewShot', ...limits })
    await experimentWith(of.client, path)
    const rows = await iterationsOf(of.client, path)
    expect(JSON.stringify(rows)).not.toContain('{{name}}')
    const fates = rows.slice(1).map(({ fate, demonstrations }) => [demonstrations, fate])
    expect(fates).toContainEqual([8, 'tooLong'])
    expect(fates).toContainEqual([1, null])
  })

  it('need a message that an item fills, and an optimizer that does not exist is answered with the list', async () => {
    const of = await seedExperiment(app(), { messages: [{ role: 'system', content: 'Answer {{question}}' }] })
    const body = experimentBody(of, { optimizer: 'bootstrapFewShot' })
    const { status, text } = await of.client.post(experimentsPath(of), body)
    expect(`${status} ${text}`).toMatch(/^400 .*needs a message of the user with a variable/)
    const unknown = await of.client.post(experimentsPath(of), { ...body, optimizer: 'copro' })
    expect(`${unknown.status} ${unknown.text}`).toMatch(
      /^400 .*no optimizer \\"copro\\"; use gepa, bootstrapFewShot, miproV2, gepaThenFewShot/,
    )
  })
})
