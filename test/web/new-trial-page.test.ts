// @module-tag deep
/** Setting up a trial: what is sent, what it would cost and show, and what must change before it can start. */
import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { Connection, Prompt, PromptVersionRow, TrialEstimate } from '../../web/src/api/generated/api.ts'
import { GOLDEN } from './agreement-examples.ts'
import { exampleOf } from './api-description.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { serveNewEvaluation } from './new-evaluation-examples.ts'
import { address, eventually, heading, openPage } from './open-page.ts'
import { LIST_PAGE, PROMPT_ID, RUNNING, serveTrials, TRIAL_ID, TRIAL_PAGE, TRIALS } from './trial-examples.ts'

const PROMPTS = '/components/{componentId}/prompts'
const START = `POST ${TRIALS}`
const PAGE = `${LIST_PAGE}/new`

const ESTIMATE: TrialEstimate = {
  calls: 1_600,
  cost: { minUsd: 5.8, expectedUsd: 6.54, maxUsd: 7.3 },
  unpricedModels: [],
  judges: { calls: 0, expectedUsd: 0, unpricedModels: [] },
  minutes: 30,
  callsPerMinute: 53.3,
  byItems: [
    { items: 10, detectableDifference: null },
    { items: 100, detectableDifference: 0.12 },
    { items: 200, detectableDifference: 0.08 },
    { items: 500, detectableDifference: 0.05 },
  ],
  byRepetitions: [
    { repetitions: 1, calls: 800, expectedUsd: 3.27, detectableDifference: 0.1 },
    { repetitions: 2, calls: 1_600, expectedUsd: 6.54, detectableDifference: 0.08 },
  ],
  gate: null,
  variants: [],
  variables: [],
  missing: [],
  summary: '1,600 calls for about $6.5.',
}

const versionRow = (number: number, labels: string[] = []): PromptVersionRow => ({
  ...exampleOf<PromptVersionRow>('PromptVersionRow'),
  promptId: PROMPT_ID,
  number,
  labels,
  variables: ['question'],
  placeholders: [],
})

function serveNewTrial(estimate: Partial<TrialEstimate> = {}): void {
  serveNewEvaluation()
  serveTrials()
  onRequest('GET /endpoints', { data: [] })
  onRequest('GET /connections', {
    data: [{ ...exampleOf<Connection>('Connection'), name: 'openai-eu', models: ['gpt-5-mini', 'gpt-5-nano'] }],
  })
  onRequest(`GET ${PROMPTS}`, { data: [{ ...exampleOf<Prompt>('Prompt'), id: PROMPT_ID, name: 'answer' }] })
  onRequest(`GET ${PROMPTS}/{promptId}/versions`, {
    data: [versionRow(12, ['staging']), versionRow(11, ['production'])],
    nextCursor: null,
  })
  onRequest(START, ({ query }) =>
    query['dry_run'] === 'true'
      ? { ...ESTIMATE, ...estimate }
      : Response.json({ id: TRIAL_ID, name: null, status: 'pending', runs: [], resumed: false }, { status: 202 }),
  )
}

type User = ReturnType<typeof openPage>
const check = async (user: User, name: RegExp) => user.click(await screen.findByRole('checkbox', { name }))
const summary = () => screen.findByRole('complementary', { name: 'What it costs and shows' })
const sentTo = (isDry: boolean) =>
  requestsOf(START)
    .filter(({ query }) => (query['dry_run'] === 'true') === isDry)
    .map(({ body }) => Object(body))
const startButton = () => screen.findByRole('button', { name: /^Start trial/ })
async function offReason(): Promise<string | null | undefined> {
  const id = (await startButton()).getAttribute('aria-describedby')
  return id === null ? null : document.getElementById(id)?.textContent
}

/** Two versions with two models: four variants. */
async function chooseFour(user: User): Promise<void> {
  await check(user, /^v12/)
  await check(user, /^v11/)
  await check(user, /^gpt-5-mini/)
  await check(user, /^gpt-5-nano/)
}

describe('a new trial', () => {
  it('is versions × models with one baseline, and starts with what was estimated', async () => {
    serveNewTrial()
    const user = openPage(PAGE)
    await chooseFour(user)
    await screen.findByText('4 of at most 50')
    await user.click(screen.getByRole('radio', { name: /v12 · gpt-5-mini/ }))
    await user.type(screen.getByLabelText('How many, at random'), '200')
    await user.type(screen.getByLabelText('Seed'), '7')
    await user.type(screen.getByLabelText('Cost at most, in US dollars'), '8')
    await user.type(screen.getByLabelText(/^question/), '"Halden"')
    const target = { type: 'prompt', promptId: PROMPT_ID, provider: 'openai-eu' }
    const body = {
      datasetId: GOLDEN.id,
      sample: { n: 200, seed: 7 },
      variants: [
        { name: 'v11 · gpt-5-mini', target: { ...target, version: 11, model: 'gpt-5-mini' } },
        { name: 'v11 · gpt-5-nano', target: { ...target, version: 11, model: 'gpt-5-nano' } },
        { name: 'v12 · gpt-5-mini', target: { ...target, version: 12, model: 'gpt-5-mini' } },
        { name: 'v12 · gpt-5-nano', target: { ...target, version: 12, model: 'gpt-5-nano' } },
      ],
      baseline: 'v12 · gpt-5-mini',
      variables: { question: { value: 'Halden' } },
      repetitions: 1,
      maxCostUsd: 8,
    }
    await eventually(() => expect(sentTo(true).at(-1)).toEqual(body))
    await eventually(async () => expect(await offReason()).toBeNull())
    await user.click(await startButton())
    await eventually(() => expect(address()).toBe(TRIAL_PAGE))
    expect(sentTo(false)).toEqual([body])
    await heading(RUNNING.name ?? '')
  })

  it('says what it costs and what more repetitions would show', async () => {
    serveNewTrial()
    const user = openPage(`${PAGE}?prompt=${PROMPT_ID}&version=12`)
    const aside = within(await summary())
    await aside.findByText('about $6.54')
    aside.getByText(/1,600 calls, \$6\.54: between \$5\.80 and \$7\.30\./)
    aside.getByText('differences of 0.10 or more')
    aside.getByText('about 30 minutes, 53 calls a minute; you can close the page')
    await user.click(aside.getByRole('radio', { name: '2×' }))
    await eventually(() => expect(sentTo(true).at(-1)).toMatchObject({ repetitions: 2 }))
    await aside.findByText('differences of 0.08 or more')
    await user.click(screen.getByRole('radio', { name: /^After each tenth of the items/ }))
    await eventually(() => expect(sentTo(true).at(-1)).toMatchObject({ stopEarly: true }))
    await user.click(screen.getByRole('radio', { name: /^Five planned looks/ }))
    await eventually(() => expect(sentTo(true).at(-1)).toMatchObject({ plannedLooks: 5 }))
    expect(sentTo(true).at(-1)).not.toHaveProperty('stopEarly')
    await user.type(screen.getByLabelText('Cost at most, in US dollars'), '3.27')
    await aside.findByText('Stops after about 800 of 1,600 calls.')
  })

  it('with too few items it says so instead of a difference', async () => {
    serveNewTrial({ byRepetitions: [{ repetitions: 1, calls: 6, expectedUsd: 0.1, detectableDifference: null }] })
    openPage(`${PAGE}?prompt=${PROMPT_ID}&version=12`)
    await within(await summary()).findByText('too few items to see a difference')
  })

  it('a model without a price has an unknown cost, and no cost limit that holds', async () => {
    serveNewTrial({ cost: { minUsd: null, expectedUsd: null, maxUsd: null }, unpricedModels: ['llama-4'] })
    openPage(`${PAGE}?prompt=${PROMPT_ID}&version=12`)
    const aside = await summary()
    await within(aside).findByText('No price is known for llama-4, so a cost limit cannot hold.')
    expect(aside.textContent).toContain('unknown')
    expect(aside.textContent).not.toContain('$0')
  })

  it('does not start while a variable has no value in some items', async () => {
    serveNewTrial({ missing: [{ variable: 'question', items: 12, of: 243 }] })
    openPage(`${PAGE}?prompt=${PROMPT_ID}&version=12`)
    await screen.findByText('Missing in 12 of 243 items.')
    expect(await offReason()).toBe('The variable question has no value in 12 of 243 items.')
  })

  it('takes values for variables that are named like what objects have already', async () => {
    serveNewTrial()
    onRequest(`GET ${PROMPTS}/{promptId}/versions`, {
      data: [{ ...versionRow(12), variables: ['constructor', '__proto__'] }],
      nextCursor: null,
    })
    const user = openPage(`${PAGE}?prompt=${PROMPT_ID}&version=12`)
    await user.type(await screen.findByRole('textbox', { name: 'constructor' }), 'input.a')
    await user.type(screen.getByRole('textbox', { name: '__proto__' }), 'input.b')
    await eventually(() =>
      expect(JSON.stringify(sentTo(true).at(-1)?.['variables'])).toBe(
        '{"constructor":"input.a","__proto__":"input.b"}',
      ),
    )
  })

  it('does not start without a variant; the queue of your own code is one', async () => {
    serveNewTrial()
    const user = openPage(PAGE)
    await eventually(async () => expect(await offReason()).toBe('Choose at least one variant.'))
    expect(sentTo(true)).toEqual([])
    await user.type(screen.getByLabelText(/^Your code/), 'support-agent')
    await eventually(() =>
      expect(sentTo(true).at(-1)).toMatchObject({
        variants: [{ name: 'support-agent', target: { type: 'worker', queue: 'support-agent' } }],
      }),
    )
    await eventually(async () => expect(await offReason()).toBeNull())
  })

  it('compares with what production answered by one click, also where some items have no recorded answer', async () => {
    serveNewTrial({ missing: [{ variable: 'a recorded trace', items: 12, of: 243 }] })
    const user = openPage(`${PAGE}?prompt=${PROMPT_ID}&version=12`)
    await check(user, /^Compare with what production answered/)
    await eventually(() =>
      expect(sentTo(true).at(-1)).toMatchObject({
        baseline: 'production',
        variants: [{ name: 'production', target: { type: 'recorded' } }, { name: 'v12' }],
      }),
    )
    await screen.findByText(/^12 of 243 items were not created from a trace/)
    await eventually(async () => expect(await offReason()).toBeNull())
    await user.click(screen.getByRole('button', { name: 'Remove production' }))
    await eventually(() => expect(screen.queryByRole('radio', { name: /^production/ })).toBeNull())
    expect(await screen.findByRole('radio', { name: /^v12/ })).toHaveProperty('checked', true)
  })

  it('of a dataset without recorded answers it says how to get some', async () => {
    serveNewTrial()
    onRequest(START, failed(400, 'A target of type recorded needs items that were created from traces'))
    const user = openPage(`${PAGE}?prompt=${PROMPT_ID}&version=12`)
    await check(user, /^Compare with what production answered/)
    await screen.findByText('A target of type recorded needs items that were created from traces.')
  })

  it('an estimate that fails stops it, unless a limit says what it may cost', async () => {
    serveNewTrial()
    onRequest(START, failed(503, 'The server is busy.'))
    const user = openPage(`${PAGE}?prompt=${PROMPT_ID}&version=12`)
    await eventually(async () => expect(await offReason()).toBe('It cannot be estimated. The reason is above.'))
    await user.type(screen.getByLabelText('Cost at most, in US dollars'), '5')
    await eventually(async () => expect(await offReason()).toBeNull())
  })

  it('sends evaluators and a gate as the config of the evaluations', async () => {
    serveNewTrial({ gate: { metric: 'exactMatch', margin: 0.05, items: 200, itemsNeeded: 960 } })
    const user = openPage(`${PAGE}?prompt=${PROMPT_ID}&version=12`)
    await check(user, /^v11/)
    await check(user, /^Same as expected/i)
    await user.click(await screen.findByRole('switch', { name: 'Gate' }))
    await eventually(() =>
      expect(sentTo(true).at(-1)?.evaluation).toEqual({
        evaluators: [{ type: 'exactMatch' }],
        gate: { metric: 'exactMatch' },
      }),
    )
    await screen.findByText(/Too few items: 200 of about 960/)
  })

  it('needs items: without a dataset it leads to the datasets', async () => {
    serveNewTrial()
    onRequest('GET /components/{componentId}/datasets', { data: [] })
    openPage(PAGE)
    await heading('A trial needs items')
  })

  it('is closed to viewers, with the reason', async () => {
    serveNewTrial()
    serveTrials({ role: 'viewer' })
    openPage(PAGE)
    await screen.findByText(/Starting a trial requires the role editor/)
    expect(screen.queryByRole('button', { name: /^Start trial/ })).toBeNull()
  })

  it('without a model it leads to the connections, and keeps its other choices', async () => {
    serveNewTrial()
    onRequest('GET /endpoints', { data: [] })
    onRequest('GET /connections', { data: [] })
    openPage(`${PAGE}?prompt=${PROMPT_ID}&version=12`)
    await screen.findByRole('link', { name: 'Add a model connection' })
    expect(await screen.findByRole('checkbox', { name: /^v12/ })).toHaveProperty('checked', true)
  })
})

describe('what a new trial shows and costs', () => {
  it('adds the cost of judges, and says how many calls a minute it makes', async () => {
    serveNewTrial({ judges: { calls: 3_200, expectedUsd: 2.94, unpricedModels: [] } })
    const user = openPage(PAGE)
    await chooseFour(user)
    const shown = within(await summary())
    await shown.findByText('about $9.48')
    shown.getByText(/^1,600 calls, \$6\.54: between \$5\.80 and \$7\.30\. Judges: 3,200 calls, \$2\.94;/)
    shown.getByText('about 30 minutes, 53 calls a minute; you can close the page')
  })

  it('never hides judges without a price', async () => {
    serveNewTrial({ judges: { calls: 10, expectedUsd: null, unpricedModels: ['judge-1'] } })
    const user = openPage(PAGE)
    await chooseFour(user)
    await within(await summary()).findByText('unknown')
    screen.getByText(/Judges: 10 calls, unknown, no price for judge-1/)
  })

  it('is a plot over the number of items, with the chosen one, and a table', async () => {
    serveNewTrial({ calls: 800 })
    const user = openPage(PAGE)
    await chooseFour(user)
    const plot = within(await screen.findByRole('figure', { name: 'By number of items' }))
    plot.getByText(
      'With 100 items differences of 0.12 or more are seen, with 500 those of 0.05. This trial has 200: 0.08.',
    )
    await user.click(plot.getByRole('button', { name: /^Show as table/ }))
    expect(plot.getAllByRole('row').map(({ textContent }) => textContent)).toEqual([
      'ItemsCan show',
      '10–',
      '1000.12',
      '200 (this trial)0.08',
      '5000.05',
    ])
  })

  it('can be tried on three items of the dataset first, and copied as the request', async () => {
    serveNewTrial()
    const user = openPage(PAGE)
    await chooseFour(user)
    const shown = within(await summary())
    expect((await shown.findByRole('link', { name: 'Try on 3 items first' })).getAttribute('href')).toBe(
      `${LIST_PAGE.replace(/trials$/, '')}prompts/${PROMPT_ID}/playground?versions=11%2C12&rows=items&dataset=${GOLDEN.id}&items=3`,
    )
    await user.click(shown.getByRole('button', { name: 'Copy as API request' }))
    await eventually(async () => {
      const copied = await navigator.clipboard.readText()
      expect(copied).toMatch(/^curl -X POST ".*\/trials" /)
      expect(copied).toContain('"baseline":"v11 · gpt-5-mini"')
    })
  })
})
