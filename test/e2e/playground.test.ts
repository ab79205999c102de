/** From the page of a prompt to a better version of it: two columns, three items, a failed cell, a tool, and what is written and stopped. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { type AskedRequest, startModelServer } from '../harness/model-server.ts'
import type { TestApp } from '../harness/test-app.ts'
import { describePages, newOwner } from './describe-pages.ts'
import { expectAccessible } from './expect-accessible.ts'

const ITEMS = [
  { question: 'I was charged twice for order 50318', expected: 'Look the order up.' },
  { question: 'Is a battery at 61 % covered by the warranty?', expected: 'Below 70 % it is.' },
  { question: 'The display shows E-21', expected: 'The speed sensor.' },
]
const LOOK_UP = {
  type: 'function',
  function: { name: 'order_lookup', parameters: { type: 'object', properties: { number: { type: 'string' } } } },
}
const SCHEMA = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] }
const ANSWER = { answer: 'It is covered.' }

describePages(
  'playground',
  (app, open) => {
    it('tries two versions with three items, retries, answers a tool, stops a call and saves a version', async () => {
      await using provider = await startProvider()
      const { person, client, prompt, workspaceId, path } = await seedPrompt(app(), provider.baseUrl)
      const page = await open(app().url, { person })
      await page.goto(prompt)
      await page.getByRole('heading', { name: 'answer' }).waitFor()
      await page.keyboard.press('p')
      await page.getByRole('heading', { name: 'Playground' }).waitFor()
      await page.getByRole('button', { name: 'Column' }).click()
      await page.getByText('Dataset items').click()
      await page.getByText('I was charged twice').waitFor()
      await page.getByRole('button', { name: 'Run all 6' }).waitFor()
      await page.keyboard.press('Control+Enter')

      // All but the one that is held, and the one that the provider rejects.
      await page.getByText('{"answer": "It is cov', { exact: true }).waitFor()
      const rejected = page.getByText(/400: .*its message: the model is being repaired/)
      await rejected.waitFor()
      await page.getByRole('textbox', { name: 'Answer for the model' }).waitFor()
      await page.getByText('3 of 6').waitFor()
      await expectAccessible(page, 'playground-running')

      // Leaving a call stops it at the provider.
      const openSockets = provider.server.socketsOpen
      await page.keyboard.press('Escape')
      await page.getByText('stopped', { exact: true }).waitFor()
      await expect.poll(() => provider.server.socketsOpen).toBeLessThan(openSockets)
      provider.release()
      await page.keyboard.press('r')
      await page.getByText('4 of 6').waitFor()
      await page.keyboard.press('r')
      await page.getByText('5 of 6').waitFor()
      await rejected.waitFor({ state: 'detached' })

      await page.getByRole('textbox', { name: 'Answer for the model' }).fill('paid twice on 12 Nov')
      await page.getByRole('button', { name: 'Send the answer' }).click()
      await page.getByText('6 of 6').waitFor()
      await page.getByText('answered by you').waitFor()
      expect(JSON.stringify(provider.server.requests.at(-1)?.body.messages)).toContain('paid twice on 12 Nov')
      expect(await page.getByText('fits the schema', { exact: true }).count()).toBe(6)
      await page.getByText('too few to say which is better').waitFor()

      await page.getByRole('button', { name: 'Tools and response format of v2' }).click()
      await page.getByRole('textbox', { name: /^Text of message 1/ }).fill('Answer in one sentence. {{question}}')
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('button', { name: 'Save v3…' }).click()
      await page.getByRole('textbox', { name: 'What is different' }).fill('shorter')
      await page.getByRole('button', { name: 'Save v3', exact: true }).click()
      await page.getByText('Saved as v3.', { exact: true }).waitFor()
      const { body } = await client.get(`${path}/versions/3`)
      expect(body).toMatchObject({ note: 'shorter', content: { tools: [LOOK_UP] } })

      // Every answer is a trace, and is there again when the reader comes back from it.
      await page.getByRole('link', { name: /^Trace of v1, item 3$/ }).click()
      await page
        .getByRole('heading', { name: /answer|playground/i })
        .first()
        .waitFor()
      expect(page.url()).toContain(`/a/${workspaceId}/traces/`)
      await page.goBack()
      await page.getByText('It is covered.').first().waitFor()
    })

    it('every state is accessible at every width, light and dark', { tags: 'deep' }, async () => {
      await using provider = await startProvider()
      const { person, prompt, viewer } = await seedPrompt(app(), provider.baseUrl)
      const page = await open(app().url, { person })
      await page.goto(`${prompt}/playground`)
      await page.getByRole('textbox', { name: 'question, row 1' }).waitFor()
      await expectAccessible(page, 'playground-empty')
      await page.goto(`${prompt}/playground?versions=1,2,1,2&rows=items`)
      await runAll(page)
      await page.getByText('writing', { exact: true }).first().waitFor()
      await page
        .getByText(/the model is being repaired/)
        .first()
        .waitFor()
      await page.getByRole('textbox', { name: 'Answer for the model' }).first().waitFor()
      await expectAccessible(page, 'playground-running')
      // The calls that hang would only end with the time limit of the model.
      await page.keyboard.press('Escape')
      await page.getByText('writing', { exact: true }).first().waitFor({ state: 'detached' })
      await page.keyboard.press('d')
      await expectAccessible(page, 'playground-differences')
      await page.getByRole('button', { name: 'Tools and response format of v1' }).first().click()
      await page.getByRole('textbox', { name: /^Text of message 1/ }).fill('Answer briefly. {{question}}')
      await expectAccessible(page, 'playground-edit')
      await page.getByText('Changes of v1', { exact: true }).click()
      await expectAccessible(page, 'playground-changes')
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('button', { name: 'More about Draft on v1' }).click()
      await page.getByRole('menuitem', { name: 'Run this column' }).waitFor()
      await expectAccessible(page, 'playground-column-menu')

      const other = await open(app().url, { person: viewer, complaints: [/^answer: 404 GET .*versions\/9$/] })
      await other.goto(`${prompt}/playground?versions=9,1&rows=items`)
      await other.getByText(/^v9 was deleted\. Its answers stay/).waitFor()
      // The first one is the hidden reason of a button.
      const reasons = other.getByText(/^Calling a model requires the role editor/)
      await reasons.filter({ visible: true }).first().waitFor()
      await expectAccessible(other, 'playground-as-viewer')
    })
  },
  { modelTimeoutMs: 120_000 },
)

async function runAll(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Run all 12' }).waitFor()
  await page.keyboard.press('Control+Enter')
}

/** Two versions, of which the second has a tool, and items of a dataset. */
async function seedPrompt(app: TestApp, baseUrl: string) {
  const { person, workspaceId, client } = await newOwner(app)
  const viewer = await app.newPerson([{ workspaceId, role: 'viewer' }])
  const connection = { name: 'models', baseUrl, models: ['model-1'], concurrency: 10 }
  await app.asPerson(person, workspaceId).create('/connections', connection)
  await client.create('/prices', { modelPattern: 'model-1', inputPerMillion: 1, outputPerMillion: 10 })
  const component = await client.create('/components', { name: 'assistant' })
  const dataset = await client.create(`/components/${component}/datasets`, { name: 'Support questions' })
  const items = ITEMS.map(({ question, expected }) => ({ input: JSON.stringify({ question }), expected }))
  await client.post(`/components/${component}/datasets/${dataset}/items`, items)
  const promptId = await client.create(`/components/${component}/prompts`, { name: 'answer' })
  const path = `/components/${component}/prompts/${promptId}`
  const responseFormat = { type: 'json_schema', json_schema: { name: 'answer', schema: SCHEMA } }
  for (const tools of [[], [LOOK_UP]]) {
    const content = { messages: [{ role: 'user', content: 'Answer. {{question}}' }], tools, responseFormat }
    await client.post(`${path}/versions`, {
      content: { ...content, provider: 'models', parameters: { maxTokens: 500 } },
    })
  }
  const prompt = `/a/${workspaceId}/c/${component}/prompts/${promptId}`
  return { person, viewer, workspaceId, client, path, prompt }
}

/** Until it is released, it holds one answer after its first words and rejects another one. */
async function startProvider() {
  let isReleased = false
  const server = await startModelServer({
    answer: () => ANSWER,
    misbehaviour: (request) => {
      const hasTools = Array.isArray(request.body['tools'])
      if (request.user.includes('order') && hasTools && !hasToolAnswer(request)) return { body: CALL }
      if (isReleased || !request.user.includes('battery')) return undefined
      if (hasTools) return { status: 400, error: { message: 'the model is being repaired' } }
      return { pieces: [`data: ${JSON.stringify(PIECE)}\n\n`], end: 'hang' }
    },
  })
  return {
    server,
    baseUrl: server.baseUrl,
    release: () => {
      isReleased = true
    },
    [Symbol.asyncDispose]: () => server.close(),
  }
}

function hasToolAnswer({ body }: AskedRequest): boolean {
  return JSON.stringify(body['messages']).includes('"role":"tool"')
}

const PIECE = {
  model: 'model-1',
  choices: [{ index: 0, delta: { content: '{"answer": "It is cov' }, finish_reason: null }],
}

const CALL = JSON.stringify({
  model: 'model-1',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'call-1', type: 'function', function: { name: 'order_lookup', arguments: '{"number": "50318"}' } },
        ],
      },
      finish_reason: 'tool_calls',
    },
  ],
})
