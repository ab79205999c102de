// @module-tag deep
import { fireEvent, screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import { EVALUATION_SUMMARY } from './evaluation-examples.ts'
import { expectMeansWithCount } from './means-with-count.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import {
  AUTUMN,
  ESTIMATE,
  EVALUATIONS,
  GATE,
  NEW_PAGE,
  PREVIEW,
  PREVIOUS,
  serveNewEvaluation,
  V6,
  V7,
} from './new-evaluation-examples.ts'
import { ASSISTANT, address, eventually, heading, idOf, inSupport, openPage, reloadPage, signIn } from './open-page.ts'
import { COMPARISON } from './overview-examples.ts'

const REPEATED = `${NEW_PAGE}?from=${PREVIOUS.id}`

async function openNew(path = NEW_PAGE) {
  signIn('editor')
  serveNewEvaluation()
  sessionStorage.clear()
  const user = openPage(path)
  await screen.findByRole('heading', { name: 'What' })
  return user
}

const summary = () => within(screen.getByRole('complementary', { name: 'What it costs and shows' }))
const dryRuns = () => requestsOf(`POST ${EVALUATIONS}`).filter(({ query }) => query['dry_run'])
const started = () => requestsOf(`POST ${EVALUATIONS}`).filter(({ query }) => !query['dry_run'])
const select = (name: string) => screen.getByRole<HTMLSelectElement>('combobox', { name })
const judge = () => within(screen.getByRole('region', { name: 'Your own judge' }))
const shown = () => document.body.textContent ?? ''

describe('new evaluation', () => {
  it('repeats an evaluation with exactly its config, unknown keys included, and goes to the new one', async () => {
    const user = await openNew(REPEATED)
    await eventually(() => expect(summary().getByText('about $0.38')).toBeTruthy())
    await user.click(screen.getByRole('button', { name: /^Start evaluation/ }))
    await eventually(() => expect(address()).toBe(inSupport(`c/${ASSISTANT.id}/evaluations/${idOf(90)}`)))
    expect(started().map(({ body }) => body)).toEqual([{ datasetId: AUTUMN.id, runId: V7.id, config: PREVIOUS.config }])
    expect(sessionStorage).toHaveLength(0)
  })

  it('shows the numbers of the server: cost, cases, calls, detectable difference, and the items of the gate', async () => {
    await openNew(REPEATED)
    await eventually(() => expect(summary().getByText(/^198|198 of about 1,604/)).toBeTruthy())
    expect(summary().getByText('about $0.38')).toBeTruthy()
    expect(summary().getByText('200 cases × 3 evaluators: 800 scores, about 400 calls of models.')).toBeTruthy()
    expect(summary().getByText('0.14').parentElement?.textContent).toContain('from 0.50 to 0.64, to be seen in 200')
    expect(summary().getByText(String(GATE?.summary))).toBeTruthy()
    expect(summary().getByText(/Too few items: 198 of about 1,604/)).toBeTruthy()
    expect(dryRuns().at(-1)?.query).toEqual({ dry_run: 'true', include: 'gate' })
    expectMeansWithCount(document.body)
  })

  it('with another run compares it with the run of the evaluation that is repeated', async () => {
    onRequest(`GET ${EVALUATIONS}/{evaluationId}`, PREVIOUS)
    await openNew(`${NEW_PAGE}?run=${V6.id}&from=${PREVIOUS.id}`)
    expect(select('Run').value).toBe(V6.id)
    expect(select('Compare with').value).toBe(V7.id)
  })

  it('chooses evaluators, and sends the options that were filled in', async () => {
    const user = await openNew()
    expect(select('Run').value).toBe(V7.id)
    await user.click(screen.getByRole('checkbox', { name: /^Has a pattern/ }))
    await user.click(screen.getByRole('checkbox', { name: /^Your own judge/ }))
    fireEvent.change(screen.getByRole('textbox', { name: /^Pattern/ }), { target: { value: '\\d+' } })
    const criterion = judge().getByRole('textbox', { name: 'When does an answer pass?' })
    fireEvent.change(criterion, { target: { value: 'Is it right?' } })
    await user.click(judge().getByRole('radio', { name: '1 to 5' }))
    await user.selectOptions(judge().getByRole('combobox', { name: /^Model/ }), 'gpt-5')
    await user.click(judge().getByRole('button', { name: 'another' }))
    const config = {
      baselineRunId: V6.id,
      evaluators: [
        { type: 'regex', pattern: '\\d+' },
        { type: 'llmJudge', instructions: 'Is it right?', scale: [1, 5], model: 'gpt-5' },
        { type: 'llmJudge', name: 'your own judge 2' },
      ],
      provider: 'OpenAI',
    }
    await eventually(() => expect(dryRuns().at(-1)?.body).toEqual({ datasetId: AUTUMN.id, runId: V7.id, config }))
  })

  it('compares with the run before, or with that of the newest comparison on the dataset; nothing remains a choice', async () => {
    const V5 = { ...V6, id: idOf(25), name: 'Prompt v5', createdAt: '2020-01-01T00:00:00.000Z' }
    signIn('editor')
    serveNewEvaluation()
    sessionStorage.clear()
    onRequest('GET /components/{componentId}/runs', { data: [V7, V6, V5] })
    const user = openPage(NEW_PAGE)
    await screen.findByRole('heading', { name: 'What' })
    expect(select('Compare with').value).toBe(V6.id)
    await user.selectOptions(select('Compare with'), '')
    await eventually(() => expect(dryRuns().at(-1)?.body).toEqual({ datasetId: AUTUMN.id, runId: V7.id }))
    const evaluation = {
      ...EVALUATION_SUMMARY,
      dataset: { id: AUTUMN.id, name: AUTUMN.name },
      comparison: { ...COMPARISON, baseline: { ...COMPARISON.baseline, id: V5.id } },
    }
    onRequest('GET /components/{componentId}/evaluation-summaries', { data: [evaluation], nextCursor: null })
    sessionStorage.clear()
    reloadPage()
    await eventually(() => expect(select('Compare with').value).toBe(V5.id))
  })

  it('names an empty field by its label, without marking it as wrong, and every problem in words of the form', async () => {
    const user = await openNew()
    onRequest(`POST ${EVALUATIONS}`, failed(400, 'config.evaluators[0].instructions is required'))
    await user.click(screen.getByRole('checkbox', { name: /^Your own judge/ }))
    await summary().findAllByText('Not yet: “When does an answer pass?” of Your own judge is empty.')
    const criterion = judge().getByRole('textbox', { name: 'When does an answer pass?' })
    expect(criterion.getAttribute('aria-invalid')).not.toBe('true')
    const missing =
      'config.provider is missing: llmJudge asks a model, and this server has no default one (OPENAI_BASE_URL). Add a connection and name it'
    onRequest(`POST ${EVALUATIONS}`, failed(400, missing))
    fireEvent.change(criterion, { target: { value: 'Is it right?' } })
    await summary().findAllByText(
      'Not yet: “Connection”: Your own judge asks a model, and this server has no default one. Choose a connection.',
    )
    expect(shown()).not.toMatch(/config\.|llmJudge|OPENAI_BASE_URL|›/)
  })

  it('sends the planned looks and items as numbers, and leaves one out again that is cleared', async () => {
    const user = await openNew()
    await user.click(screen.getByText('More settings'))
    const field = (name: RegExp) => screen.getByLabelText<HTMLInputElement>(name)
    const fill = (name: RegExp, value: string) => fireEvent.change(field(name), { target: { value } })
    fill(/^Planned looks/, '5')
    fill(/^Items at the last look/, '200')
    await eventually(() =>
      expect(Object(dryRuns().at(-1)?.body).config).toMatchObject({ plannedLooks: 5, plannedItems: 200 }),
    )
    fill(/^Planned looks/, '')
    fill(/^Items at the last look/, '300')
    await eventually(() =>
      expect(Object(dryRuns().at(-1)?.body).config).toEqual({ baselineRunId: V6.id, plannedItems: 300 }),
    )
  })

  it('shows the error of the server at the field that it names, and does not start', async () => {
    const user = await openNew(REPEATED)
    const message = 'config.evaluators[1].instructions must not be empty'
    onRequest(`POST ${EVALUATIONS}`, failed(400, message))
    const criterion = judge().getByRole('textbox', { name: 'When does an answer pass?' })
    fireEvent.change(criterion, { target: { value: ' ' } })
    await eventually(() => expect(criterion.getAttribute('aria-invalid')).toBe('true'))
    const hint = document.getElementById(criterion.getAttribute('aria-describedby') ?? '')
    expect(hint?.textContent).toBe('Must not be empty')
    expect(screen.getByRole('button', { name: /^Start evaluation/ }).getAttribute('aria-disabled')).toBe('true')
    await user.keyboard('{Control>}{Enter}{/Control}')
    expect(started()).toEqual([])
  })

  it('tries one judge on three cases, with what is in the form, and shows verdict, reason, time and cost', async () => {
    const user = await openNew(REPEATED)
    await user.click(judge().getByRole('button', { name: 'Try on 3 cases' }))
    await judge().findByText('2 pass, 1 does not · $0.0030 · nothing stored')
    const rows = judge()
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent)
    expect(rows).toHaveLength(PREVIEW.cases.length)
    expect(rows[0]).toMatch(/^✗ failsMy battery shows 61 % healthIn none of the 5 passages\.1\.90 s/)
    expect(rows[1]).toMatch(/^✓ passesWhich child seat fits\?In passage 2\.1\.40 s/)
    const { gate: _, evaluators, ...others } = PREVIOUS.config
    const grounded = Array.isArray(evaluators) ? evaluators[1] : undefined
    expect(requestsOf(`POST ${EVALUATIONS}/preview`).map(({ body }) => body)).toEqual([
      { datasetId: AUTUMN.id, runId: V7.id, sample: 3, config: { ...others, evaluators: [grounded] } },
    ])
    fireEvent.change(judge().getByRole('textbox', { name: 'When does an answer pass?' }), {
      target: { value: 'Other' },
    })
    await judge().findByText(/before your last change/)
  })

  it('a try that is stopped is canceled, and shows no error', async () => {
    const user = await openNew(REPEATED)
    onRequest(`POST ${EVALUATIONS}/preview`, () => new Promise(() => undefined))
    await user.click(judge().getByRole('button', { name: 'Try on 3 cases' }))
    await user.click(await judge().findByRole('button', { name: 'Stop' }))
    await judge().findByRole('button', { name: 'Try on 3 cases' })
    expect(requestsOf(`POST ${EVALUATIONS}/preview`)).toEqual([])
    expect(screen.queryAllByRole('alert')).toEqual([])
  })

  it('shows the same as JSON, follows what is written there, and says where it is wrong', async () => {
    const user = await openNew(REPEATED)
    await user.click(screen.getByRole('radio', { name: 'View as JSON' }))
    const text = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Config' })
    expect(JSON.parse(text.value)).toEqual(PREVIOUS.config)
    fireEvent.change(text, { target: { value: '{\n  "evaluators": [{"type": "latency" "maxMs": 5}]\n}' } })
    expect(shown()).toMatch(/Line 2, column \d+: /)
    const config = { evaluators: [{ type: 'latency', maxMs: 5 }], note: [1] }
    fireEvent.change(text, { target: { value: JSON.stringify(config) } })
    expect(shown()).not.toMatch(/Line 2/)
    await user.click(screen.getByRole('radio', { name: 'Form' }))
    const field = await screen.findByRole<HTMLInputElement>('textbox', { name: /^At most, in milliseconds/ })
    expect(field.value).toBe('5')
    expect(shown()).toContain('Also in the config, and kept as they are: note.')
  })

  it('a draft survives a reload, and can be discarded', async () => {
    const user = await openNew()
    await user.click(screen.getByRole('checkbox', { name: /^Fast enough/ }))
    fireEvent.change(screen.getByRole('textbox', { name: /^At most, in milliseconds/ }), { target: { value: '800' } })
    reloadPage()
    const field = await screen.findByRole<HTMLInputElement>('textbox', { name: /^At most, in milliseconds/ })
    expect(field.value).toBe('800')
    await user.click(screen.getByRole('button', { name: 'Start over' }))
    expect(screen.queryByRole('textbox', { name: /^At most, in milliseconds/ })).toBeNull()
  })

  it('moves the margin of the gate by keys, and turns the gate off with the comparison', async () => {
    const user = await openNew(REPEATED)
    const handle = summary().getByRole('slider', { name: 'Margin' })
    expect(handle.getAttribute('aria-valuenow')).toBe('0.03')
    handle.focus()
    await user.keyboard('{ArrowLeft}')
    await eventually(() =>
      expect(dryRuns().at(-1)?.body).toMatchObject({
        config: { gate: { metric: 'grounded', margin: 0.035, corrected: true } },
      }),
    )
    await user.selectOptions(select('Compare with'), '')
    expect(screen.queryByRole('slider')).toBeNull()
    expect(summary().getByText(/A gate compares two runs/)).toBeTruthy()
  })

  it('has a factor as the margin of durations, costs and tokens', async () => {
    const user = await openNew(REPEATED)
    await user.selectOptions(select('Not worse on'), 'totalTokens')
    // The loss of 0.03 was meant for the metric before.
    await eventually(() =>
      expect(dryRuns().at(-1)?.body).toMatchObject({ config: { gate: { metric: 'totalTokens' } } }),
    )
    expect(Object(dryRuns().at(-1)?.body).config.gate.margin).toBeUndefined()
    const field = summary().getByRole('textbox', { name: 'than factor' })
    await user.type(field, '200')
    expect(summary().getByText('From 1 to 10, such as 1.1.')).toBeTruthy()
    await user.clear(field)
    await user.type(field, '1.2')
    const handle = summary().getByRole('slider', { name: 'Margin' })
    expect(handle.getAttribute('aria-valuetext')).toBe('1.2 ×')
    handle.focus()
    await user.keyboard('{ArrowLeft}')
    await eventually(() =>
      expect(dryRuns().at(-1)?.body).toMatchObject({ config: { gate: { metric: 'totalTokens', margin: 1.21 } } }),
    )
  })

  it('without a connection says where to add one; a cost without a price is unknown, with a link to the prices', async () => {
    signIn('editor')
    serveNewEvaluation()
    onRequest('GET /connections', { data: [] })
    onRequest(`POST ${EVALUATIONS}`, () =>
      Response.json({ ...ESTIMATE, expectedCostUsd: null, unpricedModels: ['llama-4'], gate: GATE }),
    )
    openPage(REPEATED)
    await screen.findByText('No model is connected')
    expect(screen.getByRole('link', { name: 'Settings, Models' }).getAttribute('href')).toBe(
      inSupport('settings/models'),
    )
    await eventually(() => expect(summary().getByText('unknown')).toBeTruthy())
    expect(summary().getByText(/No price is known for llama-4/)).toBeTruthy()
    expect(summary().getByRole('link', { name: 'Add a price' }).getAttribute('href')).toBe(inSupport('settings/prices'))
    expect(shown()).not.toContain('$0.00')
  })

  it('copies the request that it would send', async () => {
    const user = await openNew(REPEATED)
    await user.click(screen.getByRole('button', { name: 'Copy as API request' }))
    await eventually(async () =>
      expect(await navigator.clipboard.readText()).toContain(`/components/${ASSISTANT.id}/evaluations"`),
    )
    const copied = await navigator.clipboard.readText()
    expect(copied).toContain(JSON.stringify(PREVIOUS.config))
  })

  it('is not for viewers', async () => {
    signIn('viewer')
    serveNewEvaluation()
    openPage(NEW_PAGE)
    await heading('Not for your role')
    expect(requestsOf(`POST ${EVALUATIONS}`)).toEqual([])
  })

  it('without a dataset says what to do', async () => {
    signIn('editor')
    serveNewEvaluation()
    onRequest('GET /components/{componentId}/datasets', { data: [] })
    openPage(NEW_PAGE)
    await heading('Nothing to evaluate yet')
  })
})
