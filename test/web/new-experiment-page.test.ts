/** Setting up an experiment: one proposal is tried before the start, judges are compared with people, and a worn test split is drawn again. */
import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type {
  ExperimentEstimate,
  ExperimentPreview,
  PromptDiff,
  TestSplit,
  VersionResults,
} from '../../web/src/api/generated/api.ts'
import { AGREEMENT } from './agreement-examples.ts'
import { EXPERIMENT_PAGE, RUNNING } from './experiment-examples.ts'
import { expectMeansWithCount } from './means-with-count.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { serveNewEvaluation } from './new-evaluation-examples.ts'
import { address, eventually, heading, idOf, openPage, signIn } from './open-page.ts'
import { DIFF, PROMPT, RESULTS, servePrompts } from './prompt-examples.ts'

const PAGE = EXPERIMENT_PAGE.replace(/[^/]+$/, 'new')
const EXPERIMENTS = '/components/{componentId}/experiments'
const PREVIEW = `POST ${EXPERIMENTS}/preview`
const DATASET = '/components/{componentId}/datasets/{datasetId}'
const TEST_SPLIT = `${DATASET}/test-split`

const ESTIMATE: ExperimentEstimate = {
  items: { train: 80, validation: 60, test: 60 },
  drawn: 0,
  proposals: 31,
  calls: 4100,
  expectedCostUsd: 7.4,
  testCostUsd: 1.2,
  unpricedModels: [],
  detectableDifference: 0.26,
  openings: 0,
  leaks: [],
  together: { pairs: 0, examples: [] },
  warnings: [],
  summary: 'About 31 proposals for $7.40.',
}

const { from: _from, to: _to, parameters: _parameters, ...difference }: PromptDiff = DIFF
const TRIED: ExperimentPreview = {
  items: [
    {
      itemId: idOf(601),
      question: 'Where is my parcel?',
      start: { output: 'No idea', score: 0, error: null },
      proposal: { output: 'In Oslo', score: 1, error: null },
    },
    {
      itemId: idOf(602),
      question: 'Do gift cards expire?',
      start: { output: 'No', score: 1, error: null },
      proposal: { output: 'Yes', score: 0, error: null },
    },
  ],
  means: { start: 0.25, proposal: 0.63 },
  diagnosis: 'It does not look up the order.',
  messages: [{ role: 'system', content: 'Look it up.' }],
  diff: { ...difference, tools: [] },
  fate: null,
  reason: null,
  costUsd: 0.12,
  summary: 'One proposal changes the mean.',
}

const WORN: TestSplit = {
  items: 60,
  openings: 3,
  earlierOpenings: 0,
  drawnAt: null,
  fresh: 70,
  mayDraw: true,
  summary: 'A new test split can be drawn from 70 items.',
}

function serveNewExperiment(estimate: Partial<ExperimentEstimate> = {}): void {
  signIn('editor')
  serveNewEvaluation()
  servePrompts()
  onRequest('GET /components/{componentId}/prompts', { data: [PROMPT] })
  onRequest(`GET ${DATASET}/agreement`, AGREEMENT)
  onRequest(`POST ${EXPERIMENTS}`, ({ query }) =>
    query['dry_run'] ? Response.json({ ...ESTIMATE, ...estimate }) : Response.json(RUNNING, { status: 201 }),
  )
}

type User = ReturnType<typeof openPage>
const check = async (user: User, name: RegExp) => user.click(await screen.findByRole('checkbox', { name }))
const reasonOf = async (name: string) => {
  const id = (await screen.findByRole('button', { name })).getAttribute('aria-describedby')
  return id === null ? null : document.getElementById(id)?.textContent
}

describe('a new experiment', () => {
  it('tries one proposal before the start: its difference, its scores and what it has cost', async () => {
    serveNewExperiment()
    onRequest(PREVIEW, TRIED)
    const user = openPage(PAGE)
    await heading('Evaluators')
    expect(await reasonOf('Try one proposal')).toBe('Choose at least one evaluator: it says what is better.')
    await check(user, /^Same as expected/)
    await user.click(await screen.findByRole('button', { name: 'Try one proposal' }))
    const tried = await screen.findByRole('region', { name: 'One proposal, tried' })
    await within(tried).findByText(/0\.25 → 0\.63/)
    expect(tried.textContent).toContain('on 2 training items, n 2: too few to say whether it helps')
    expect(tried.textContent).toContain('It has cost $0.1200.')
    expect(tried.textContent).toContain('It does not look up the order.')
    expect(within(tried).getByRole('region', { name: 'System' }).textContent).toContain(', in one sentence')
    const items = within(tried).getByRole('list', { name: 'The items that were tried' })
    expect(items.textContent).toContain('Where is my parcel?No idea → In Oslo▲ fail → pass')
    expect(items.textContent).toContain('▼ pass → fail')
    expect(requestsOf(PREVIEW)).toMatchObject([{ body: { evaluators: [{ type: 'exactMatch' }], optimizer: 'gepa' } }])
    expectMeansWithCount(document.body)
    await user.click(screen.getByRole('radio', { name: /^Few-shot/ }))
    await within(tried).findByText(/before your last change/)
  })

  it('says why a proposal was rejected, and what a failed try means', async () => {
    serveNewExperiment()
    const rejected = { ...TRIED, diff: null, messages: null, means: { start: 0.25, proposal: null } }
    onRequest(PREVIEW, { ...rejected, fate: 'copied' as const, reason: 'It copies a phrase of a training item' })
    const user = openPage(PAGE)
    await check(user, /^Same as expected/)
    await user.click(await screen.findByRole('button', { name: 'Try one proposal' }))
    await screen.findByText('Rejected: It copies a phrase of a training item.')
    onRequest(PREVIEW, () => failed(409, 'The reflection failed: no answer'))
    await user.click(screen.getByRole('button', { name: 'Try another proposal' }))
    await screen.findByText(/The reflection failed: no answer/)
  })

  it('offers every optimizer, each in a sentence', async () => {
    serveNewExperiment()
    const user = openPage(PAGE)
    await check(user, /^Same as expected/)
    for (const [title, optimizer] of [
      ['Combinations', 'miproV2'],
      ['Both', 'gepaThenFewShot'],
      ['Few-shot', 'bootstrapFewShot'],
    ] as const) {
      const option = screen.getByRole('radio', { name: new RegExp(`^${title}`) })
      expect(option.closest('label')?.textContent).toMatch(/[a-z ]{30,}/)
      await user.click(option)
      const estimated = () => requestsOf(`POST ${EXPERIMENTS}`).map(({ body }) => Object(body).optimizer)
      await eventually(() => expect(estimated().at(-1)).toBe(optimizer))
    }
  })

  it('shows what the version scores now, and warns of a judge that was not compared with people or agrees too little', async () => {
    serveNewExperiment()
    const results: VersionResults = {
      ...RESULTS,
      metric: 'exactMatch',
      scale: [0, 1],
      data: RESULTS.data.slice(0, 1).map((one) => ({ ...one, version: 3, mean: 0.86, ci: [0.81, 0.91], n: 184 })),
    }
    onRequest('GET /components/{componentId}/prompts/{promptId}/results', ({ query }) => ({
      ...results,
      metric: query['metric'] === 'exactMatch' ? 'exactMatch' : null,
    }))
    const judge = {
      evaluator: 'llmJudge',
      shared: 64,
      kappa: 0.3,
      kappaCi: [0.1, 0.5],
      agreement: 0.65,
      agreementCi: [0.5, 0.8],
      sensitivity: null,
      sensitivityCi: null,
      sensitivityN: 0,
      specificity: null,
      specificityCi: null,
      specificityN: 0,
      method: 'κ',
      summary: 'llmJudge agrees',
    }
    onRequest(`GET ${DATASET}/agreement`, { ...AGREEMENT, judges: [judge] })
    const user = openPage(PAGE)
    await check(user, /^Same as expected/)
    await check(user, /^Your own judge/)
    await check(user, /^Same meaning/)
    const goals = await screen.findByRole('region', { name: 'What each score is for' })
    await within(goals).findByText('κ 0.30: agrees too little', { exact: false })
    expect(goals.textContent).toContain('0.10 to 0.50 · n 64')
    expect(within(goals).getByText('no labels', { exact: false }).textContent).toContain('rate answers')
    await within(goals).findByText('0.86')
    expect(goals.textContent).toContain('0.81 to 0.91 · n 184')
    expect(goals.textContent).toContain('v3 was not evaluated with it')
    expectMeansWithCount(goals)
  })

  it('draws a new test split in place of a worn one, after a question', async () => {
    serveNewExperiment({ openings: 3 })
    onRequest(`GET ${TEST_SPLIT}`, WORN)
    onRequest(`POST ${TEST_SPLIT}`, { ...WORN, openings: 0, earlierOpenings: 3, fresh: 10, mayDraw: false })
    const user = openPage(PAGE)
    await check(user, /^Same as expected/)
    await screen.findByText('worn: has decided 3 times')
    await user.click(await screen.findByRole('button', { name: 'Draw a new test split' }))
    expect(requestsOf(`POST ${TEST_SPLIT}`)).toHaveLength(0)
    const dialog = await screen.findByRole('dialog', { name: 'Draw a new test split' })
    expect(dialog.textContent).toContain('60 test items become training items')
    await user.click(within(dialog).getByRole('button', { name: 'Draw a new test split' }))
    await eventually(() => expect(requestsOf(`POST ${TEST_SPLIT}`)).toHaveLength(1))
    await eventually(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  it('says why no new test split can be drawn if the items have seen training', async () => {
    serveNewExperiment({ openings: 4 })
    const summary = 'All other items have been seen in training or validation; add at least 30 new items.'
    onRequest(`GET ${TEST_SPLIT}`, { ...WORN, openings: 4, fresh: 0, mayDraw: false, summary })
    const user = openPage(PAGE)
    await check(user, /^Same as expected/)
    expect(await reasonOf('Draw a new test split')).toBe(summary)
    expect(address()).toBe(PAGE)
  })
})
