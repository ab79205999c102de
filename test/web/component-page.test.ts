import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { ComparedMetric, Comparison, ComponentOverview, Dataset, Role } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { DURATION, IDLE_ERROR } from './compare-examples.ts'
import { expectMeansWithCount } from './means-with-count.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import {
  ASSISTANT,
  address,
  eventually,
  heading,
  idOf,
  inSupport,
  openPage,
  signIn,
  silenceConsole,
} from './open-page.ts'
import { NEW_OVERVIEW, OVERVIEW } from './overview-examples.ts'

const PAGE = inSupport(`c/${ASSISTANT.id}`)

const VERDICT: Comparison = {
  ...exampleOf<Comparison>('Comparison'),
  baseline: { runId: idOf(61), name: 'v13', traceCount: 184, evaluationId: idOf(71) },
  candidate: { runId: idOf(62), name: 'v14', traceCount: 184, evaluationId: idOf(70) },
  verdict: 'improved',
  summary: 'v14 is better than v13 on correct by 0.11 (95 % CI 0.05 to 0.17, corrected for 3 metrics, 184 items).',
  metrics: [
    {
      ...exampleOf<ComparedMetric>('ComparedMetric'),
      name: 'correct',
      role: 'quality',
      higherIsBetter: true,
      verdict: 'improved',
      summary: 'v14 is better than v13 on correct by 0.11 (95 % CI 0.05 to 0.17, corrected for 3 metrics, 184 items).',
      difference: 0.11,
      ci: [0.05, 0.17],
      ratio: null,
      ratioCi: null,
      correction: 'corrected for 3 metrics',
      alone: { ci: [0.06, 0.16], p: 0.001 },
      items: 184,
      wins: 28,
      ties: 148,
      losses: 8,
      test: { method: 'McNemar', statistic: 1, p: 0.001, pAdjusted: 0.006 },
    },
  ],
}
function openComponent(search = '') {
  signIn('editor')
  onRequest('GET /components/{componentId}', ASSISTANT)
  return openPage(`${PAGE}${search}`)
}

async function openOverview(overview: ComponentOverview, role: Role = 'editor', verdict = VERDICT) {
  signIn(role)
  onRequest('GET /components/{componentId}', ASSISTANT)
  onRequest('GET /components/{componentId}/overview', overview)
  onRequest('GET /components/{componentId}/comparisons', verdict)
  const user = openPage(PAGE)
  await screen.findByRole('region', { name: /^What needs me/ })
  return user
}

const card = (question: string) => within(screen.getByRole('region', { name: new RegExp(`^${question}`) }))

describe('overview of a component', () => {
  it('describes in words whether it works, and shows n and interval of each number', async () => {
    await openOverview(OVERVIEW)
    const working = card('Is it working')
    expect(working.getByText('Yes, slower than the week before')).toBeTruthy()
    const rows = working.getAllByRole('listitem').map(({ textContent }) => textContent?.replaceAll('\u202f', ' '))
    expect(rows[0]).toMatch(/Error rate1\.9 %.*1\.6 to 2\.3 % n 6,214/)
    expect(rows[1]).toMatch(/p956\.80 s.*6\.40 to 7\.30 s n 6,214/)
    expect(rows[2]).toMatch(/Cost per trace\$0\.0123.*\$0\.0120 to 0\.0126 n 6,102/)
    expect(working.getByText(/112 unknown/)).toBeTruthy()
    expectMeansWithCount(document.body)
  })

  it('says once that the cost of traces without a price is unknown', async () => {
    const { current } = OVERVIEW.working
    const unpriced = { ...current, cost: { ...current.cost, usd: null, known: 'none' as const } }
    await openOverview({ ...OVERVIEW, working: { ...OVERVIEW.working, current: unpriced } })
    const working = card('Is it working')
    expect(working.getByText(/traces?, cost unknown\./)).toBeTruthy()
  })

  it('shows the metrics of the newest evaluation, and the summary of the server instead of a mean of few cases', async () => {
    await openOverview(OVERVIEW)
    await eventually(() => expect(card('Is it good').getByText('Better than v13')).toBeTruthy())
    const rows = card('Is it good').getAllByRole('listitem')
    expect(rows[0]?.textContent).toMatch(/correct0\.86.*0\.81 to 0\.91 n 184, before: 0\.76/)
    expect(rows[1]?.textContent).toBe('tone4 of 10 cases; too few for a mean.')
  })

  it('has the verdict of the comparison as a headline, with its evidence', async () => {
    await openOverview(OVERVIEW)
    await heading('v14 is better than v13 on correct by 0.11.')
    expect(screen.getByText(/95 % CI 0\.05 to 0\.17, corrected for 3 metrics, 184 items\./)).toBeTruthy()
    expect(screen.getByText(/28 won, 148 tied, 8 lost; p 0\.006 corrected for 3 metrics/)).toBeTruthy()
    expect(requestsOf('GET /components/{componentId}/comparisons')[0]?.query).toMatchObject({
      baseline: idOf(61),
      candidate: idOf(62),
    })
  })

  it('compares the items of the split that the evaluation compared, here and behind the link', async () => {
    const { good } = OVERVIEW
    const comparison = good.comparison && { ...good.comparison, split: 'validation' as const }
    await openOverview({ ...OVERVIEW, good: { ...good, comparison } }, 'editor', { ...VERDICT, split: 'validation' })
    const link = await screen.findByRole('link', { name: 'Compare item by item' })
    expect(link.getAttribute('href')).toContain('split=validation')
    expect(requestsOf('GET /components/{componentId}/comparisons')[0]?.query).toMatchObject({ split: 'validation' })
  })

  it('says that a run is equivalent to the one before', async () => {
    const [metric] = VERDICT.metrics
    const summary =
      'v14 is equivalent to v13 on correct: the difference is less than the margin of 0.05 (−0.01 to 0.02, 184 items).'
    await openOverview(OVERVIEW, 'editor', {
      ...VERDICT,
      verdict: 'equivalent',
      summary,
      metrics: metric ? [{ ...metric, verdict: 'equivalent', summary }] : [],
    })
    await heading('v14 is equivalent to v13 on correct: the difference is less than the margin of 0.05.')
    expect(card('Is it good').getByText('Equivalent to v13')).toBeTruthy()
    expect(within(screen.getByRole('region', { name: 'Last verdict' })).getByText('Equivalent')).toBeTruthy()
  })

  it('draws the ratio of a metric that is compared by it, and never "error" if nothing failed', async () => {
    const ratio = {
      ...DURATION,
      name: 'totalTokens',
      ratio: 1.4,
      ratioCi: [1.36, 1.47],
      items: 12,
      correction: null,
      alone: null,
      summary: '',
    }
    await openOverview(OVERVIEW, 'editor', { ...VERDICT, verdict: 'noClearDifference', metrics: [IDLE_ERROR, ratio] })
    const plot = await screen.findByRole('figure', { name: 'Ratio on tokens' })
    expect(plot.textContent).toContain('1.40 ×, 95\u202f% interval 1.36 to 1.47 ×, n 12. no change at 1')
  })

  it('lists the open tasks of the user, each with a link', async () => {
    await openOverview(OVERVIEW)
    const links = card('What needs me').getAllByRole('link')
    expect(links.map((link) => [link.textContent, decodeURIComponent(link.getAttribute('href') ?? '')])).toEqual([
      ['Rate 12 answers of v14', `${PAGE}/runs/${idOf(62)}/annotate`],
      ['Settle 5 disagreements', `${PAGE}/runs/${idOf(62)}?tab=agreement`],
      ['Judge failed', `${PAGE}/evaluations/${OVERVIEW.needs.failedEvaluations[0]?.id}`],
      [
        expect.stringMatching(/^Evaluate Hard returns, /),
        `${PAGE}/evaluations/new?run=${idOf(63)}&from=${OVERVIEW.good.evaluation?.id}`,
      ],
      ['118 traces failed', `${inSupport('traces')}?q=component:"assistant"+status:error`],
    ])
    expect(screen.getByText('The judge has no key.')).toBeTruthy()
  })

  it('links to a new evaluation of the newest run, with the evaluators of the last one', async () => {
    const user = await openOverview(OVERVIEW)
    await user.keyboard('v')
    await eventually(() =>
      expect(address()).toBe(`${PAGE}/evaluations/new?run=${idOf(63)}&from=${OVERVIEW.good.evaluation?.id}`),
    )
  })

  it('a viewer can neither start an evaluation nor is asked to rate', async () => {
    await openOverview(OVERVIEW, 'viewer')
    expect(screen.getByRole('button', { name: /^Evaluate/ }).getAttribute('aria-disabled')).toBe('true')
    expect(screen.queryByText(/^Rate 12 answers/)).toBeNull()
  })

  it('of a new component explains what is missing, and what to do first', async () => {
    await openOverview(NEW_OVERVIEW)
    expect(screen.getByText('No traces in this period')).toBeTruthy()
    expect(screen.getByText('Not evaluated yet')).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Create a dataset' }).getAttribute('href')).toBe(`${PAGE}/datasets`)
    expect(requestsOf('GET /components/{componentId}/comparisons')).toEqual([])
  })

  it('that cannot be loaded shows the reason, and leaves the other parts reachable', async () => {
    onRequest('GET /components/{componentId}/overview', failed(503, 'Try again later'))
    openComponent()
    expect((await screen.findByRole('alert')).textContent).toContain('Try again later')
    expect(screen.getByRole('link', { name: 'Runs' })).toBeTruthy()
  })
})

describe('a component with traces and no dataset', () => {
  const working = { ...OVERVIEW.working, current: { ...OVERVIEW.working.current, count: 212 } }

  it('offers a dataset of 50 of them, to rate them, and to evaluate without expected answers', async () => {
    const datasetId = idOf(90)
    onRequest('POST /components/{componentId}/datasets', { ...exampleOf<Dataset>('Dataset'), id: datasetId })
    const user = await openOverview({ ...NEW_OVERVIEW, working })
    await heading('212 traces so far: what next?')
    expect(screen.getByRole('link', { name: 'Rate them' }).getAttribute('href')).toContain('traces?q=component')
    expect(screen.getByRole('button', { name: 'Evaluate without expected answers' })).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Make a dataset of 50 of them' }))
    await eventually(() => expect(address()).toBe(inSupport(`c/${ASSISTANT.id}/datasets/${datasetId}`)))
    const add = 'POST /components/{componentId}/datasets/{datasetId}/items/from-query'
    expect(requestsOf(add)).toMatchObject([{ params: { datasetId }, body: { q: 'component:"assistant"', limit: 50 } }])
  })
})

describe('component page', () => {
  it('has a link to each part with the number of rows', async () => {
    await openOverview(OVERVIEW)
    const links = within(screen.getByRole('navigation', { name: 'Component' })).getAllByRole('link')
    expect(links.map(({ textContent }) => textContent)).toEqual([
      'Overview',
      'Traces',
      'Prompts0',
      'Datasets1',
      'Runs3',
      'Evaluations2',
      'Compare',
      'Experiments0',
    ])
    expect(links.filter((link) => link.getAttribute('aria-current') === 'page')).toEqual(links.slice(0, 1))
  })

  it.each([
    ['decisions', 'Decisions'],
    ['trends', 'Trends'],
  ])('the former address of %s leads to its place below the comparison', async (part, title) => {
    openComponent(`/${part}`)
    const below = within(await screen.findByRole('navigation', { name: 'Compare' }))
    expect(below.getByRole('link', { current: 'page' }).textContent).toBe(title)
    expect(address()).toBe(inSupport(`c/${ASSISTANT.id}/compare/${part}`))
    const tabs = within(screen.getByRole('navigation', { name: 'Component' }))
    expect(tabs.getByRole('link', { current: 'page' }).textContent).toBe('Compare')
  })

  it.each([
    ['datasets', 'No dataset yet'],
    ['runs', 'No run yet'],
  ])('the part in the address is shown; without %s it explains how to add one', async (part, title) => {
    openComponent(`/${part}`)
    await heading(title)
    expect(screen.getByText(new RegExp(`/components/${ASSISTANT.id}/${part}"`))).toBeTruthy()
  })

  it.each(['datasets', 'runs', 'evaluations'])('the former address of %s leads to the new one', async (part) => {
    openComponent(`?tab=${part}`)
    await eventually(() => expect(address()).toBe(`${PAGE}/${part}`))
  })

  it('an unknown part is not found', async () => {
    openComponent('/foo')
    await heading('Nothing is here')
  })

  it('its traces are the list of traces with the component as a filter', async () => {
    openComponent('/traces')
    await eventually(() => expect(decodeURIComponent(address())).toBe(`${inSupport('traces')}?q=component:"assistant"`))
  })

  it.each([400, 404])('a component that the server rejects with %i is not found', async (status) => {
    signIn()
    onRequest('GET /components/{componentId}', failed(status, 'Component not found'))
    openPage(PAGE)
    await heading('Nothing is here')
    expect(screen.getByRole('button', { name: 'Application: Support' })).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Go to your applications' }).getAttribute('href')).toBe('/')
  })

  it('a component that cannot be loaded shows the reason, and appears after trying again', async () => {
    silenceConsole()
    signIn()
    onRequest('GET /components/{componentId}', failed(429, 'Too many requests'))
    const user = openPage(PAGE)
    await heading('This page could not be shown')
    expect(screen.getByRole('alert').textContent).toContain('Too many requests')
    expect(screen.getByText('req-1')).toBeTruthy()
    onRequest('GET /components/{componentId}', ASSISTANT)
    await user.click(screen.getByRole('button', { name: 'Retry' }))
    await heading('assistant')
  })

  it('deleting the component returns to the list', async () => {
    const user = openComponent()
    await user.click(await screen.findByRole('button', { name: 'More about this component' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Delete component' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.type(dialog.getByRole('textbox'), 'assistant{Enter}')
    await screen.findByText('Deleted assistant.')
    await heading('No component yet')
    expect(address()).toBe(inSupport('components'))
  })
})
