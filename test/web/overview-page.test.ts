import { screen, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type {
  ComparisonSummary,
  ComponentSummary,
  ExampleData,
  Onboarding,
  Role,
} from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
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
  SUPPORT,
  signIn,
  silenceConsole,
} from './open-page.ts'
import { SERIES } from './open-traces.ts'
import { COMPARISON, NEW_COMPONENT, SUMMARY, TRACES } from './overview-examples.ts'

const PAGE = `/a/${SUPPORT.id}`
const NO_EXAMPLE: ExampleData = { ...exampleOf<ExampleData>('ExampleData'), loaded: false, componentId: null }

function summaries(data: ComponentSummary[], nextCursor: string | null = null) {
  const period = { from: '2026-11-09T00:00:00.000Z', to: '2026-11-16T00:00:00.000Z', bucketSeconds: 21_600 }
  return { ...period, data, nextCursor }
}

function respondWith(data: ComponentSummary[]): void {
  onRequest('GET /component-summaries', summaries(data))
}

async function openOverview(rows: ComponentSummary[], role: Role = 'owner', search = '') {
  signIn(role)
  respondWith(rows)
  onRequest('GET /example-data', NO_EXAMPLE)
  const user = openPage(`${PAGE}${search}`)
  await heading('Overview')
  return user
}

function setScreen(width: 'wide' | 'narrow'): void {
  vi.spyOn(window, 'matchMedia').mockImplementation((query) =>
    Object.assign(new EventTarget(), {
      matches: query === '(width < 78rem)' && width === 'narrow',
      media: query,
    } as MediaQueryList),
  )
}

beforeEach(() => setScreen('wide'))

const needs = () => within(screen.getByRole('region', { name: 'What needs you' }))

describe('overview of an application', () => {
  it('has one line per component, and as many traces as the chart: verdict with interval, error rate with n, p95, cost with what is unknown, unrated', async () => {
    onRequest('GET /traces/series', SERIES)
    await openOverview([SUMMARY])
    const row = within(await screen.findByRole('row', { name: /^assistant/ }))
    const texts = row.getAllByRole('cell').map(({ textContent }) => textContent?.replaceAll('\u202f', ' '))
    expect(texts[0]).toMatch(/Improved.*correct \+0\.11, v14.*0\.05 to 0\.17 · 184 items/)
    expect(texts[1]).toContain('6,214')
    expect(texts[2]).toMatch(/1\.9 %.*1\.6 to 2\.3 % · n 6,214/)
    expect(texts[3]).toMatch(/6\.80 s.*6\.40 to 7\.30 s/)
    expect(texts[4]).toMatch(/\$74\.92.*112 unknown/)
    expect(texts[5]).toContain('12')
    await screen.findByText('1 component · 3 traces in the last 7 days · no evaluation is running')
    expectMeansWithCount(document.body)
  })

  it('shows a ratio as a factor, and an equivalent run as such', async () => {
    const metric: NonNullable<ComparisonSummary['metric']> = {
      name: 'totalTokens',
      verdict: 'equivalent',
      summary: 'v14 uses 1.40 × the tokens.',
      difference: 170,
      ci: null,
      ratio: 1.4,
      ratioCi: [1.36, 1.47],
      items: 12,
      scale: null,
      higherIsBetter: false,
    }
    await openOverview([{ ...SUMMARY, comparison: { ...COMPARISON, verdict: 'equivalent', metric } }])
    const row = await screen.findByRole('row', { name: /^assistant/ })
    expect(row.textContent).toMatch(/Equivalent.*tokens 1\.40 ×, v14.*1\.36 to 1\.47 × · 12 items/)
  })

  it('is a list of cards on a narrow screen, with the same numbers', async () => {
    setScreen('narrow')
    await openOverview([SUMMARY])
    const card = (await screen.findByText('Answers customer questions')).closest('li')
    expect(screen.queryByRole('table')).toBeNull()
    expect(card?.textContent).toMatch(/Improved.*0\.05 to 0\.17 · 184 items.*n 6,214.*6\.80 s.*\$74\.92.*12 unrated/)
    expectMeansWithCount(document.body)
  })

  it('components with the same name can be told apart by their ids', async () => {
    const ids = [idOf(701), idOf(702)]
    const same = ids.map((id) => ({ ...NEW_COMPONENT, id, name: 'ranking' }))
    await openOverview([...same, SUMMARY])
    await eventually(() => expect(screen.getAllByText(/^…[0-9a-f]{8}$/).map(({ title }) => title)).toEqual(ids))
  })

  it('says that nothing was compared, and never shows an unknown cost as $0', async () => {
    const free = { ...TRACES, cost: { usd: null, known: 'none' as const, unknown: 6_214 } }
    await openOverview([
      { ...NEW_COMPONENT, traces: free, counts: { prompts: 0, datasets: 1, runs: 1, evaluations: 0, experiments: 0 } },
    ])
    const row = await screen.findByRole('row', { name: /^assistant/ })
    expect(row.textContent).toContain('Not comparedone run so far')
    expect(row.textContent).toContain('unknownno price set')
    expect(row.textContent).not.toContain('$0')
    await needs().findByText('The cost of assistant is unknown until then.')
  })

  it('lists the open tasks of the user, each with a link', async () => {
    const regressed = {
      ...COMPARISON,
      verdict: 'regressed' as const,
      summary: 'v14 is worse than v13 on correct by 0.06.',
    }
    await openOverview([{ ...SUMMARY, comparison: regressed }])
    const links = needs().getAllByRole('link')
    expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
      ['Rate: Rate 12 answers', inSupport(`c/${ASSISTANT.id}/runs/${idOf(62)}/annotate`)],
      ['Settle: Settle 5 disagreements', inSupport(`c/${ASSISTANT.id}/runs/${idOf(62)}?tab=agreement`)],
      [
        'Open: Decide on v14',
        inSupport(
          `c/${ASSISTANT.id}/compare?${new URLSearchParams({ base: COMPARISON.baseline.id, cand: COMPARISON.candidate.id })}`,
        ),
      ],
    ])
    expect(needs().getByText('assistant. v14 is worse than v13 on correct by 0.06.')).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Open my work' })).toBeTruthy()
  })

  it('does not ask a viewer to rate', async () => {
    await openOverview([SUMMARY], 'viewer')
    await screen.findByRole('row', { name: /^assistant/ })
    expect(screen.queryByRole('region', { name: 'What needs you' })).toBeNull()
    expect(screen.queryByRole('link', { name: 'Open my work' })).toBeNull()
  })

  it('names a run without a name by its dataset and time, never “Unnamed”', async () => {
    const newestRun = SUMMARY.newestRun && { ...SUMMARY.newestRun, name: null }
    await openOverview([{ ...SUMMARY, newestRun }])
    expect(await screen.findAllByText(/Hard returns, /)).not.toHaveLength(0)
    expect(document.body.textContent).not.toContain('Unnamed')
  })

  it('the period is in the address and determines the requests', async () => {
    const user = await openOverview([SUMMARY], 'owner', '?period=24h')
    expect(requestsOf('GET /component-summaries').at(-1)?.query).toMatchObject({ from: '-24h' })
    await user.selectOptions(screen.getByRole('combobox', { name: 'Period' }), 'Last 30 days')
    await eventually(() => expect(address()).toBe(`${PAGE}?period=30d`))
    expect(requestsOf('GET /component-summaries').at(-1)?.query).toMatchObject({ from: '-30d' })
  })

  it('loads more components on request', async () => {
    signIn()
    const pages = { first: [SUMMARY], second: [{ ...NEW_COMPONENT, id: idOf(30), name: 'second' }] }
    onRequest('GET /component-summaries', ({ query }) =>
      query['cursor'] ? summaries(pages.second) : summaries(pages.first, 'more'),
    )
    const user = openPage(PAGE)
    await user.click(await screen.findByRole('button', { name: /Load more/ }))
    await screen.findByRole('row', { name: /^second/ })
    expect(requestsOf('GET /component-summaries').at(-1)?.query).toMatchObject({ cursor: 'more' })
  })

  it('links to the set-up of the first trace if there is neither a component nor a trace', async () => {
    signIn()
    respondWith([])
    onRequest('GET /onboarding', { ...exampleOf<Onboarding>('Onboarding'), firstTrace: null, newestTrace: null })
    openPage(PAGE)
    await heading('Send your first trace')
    expect(address()).toBe(inSupport('first-trace'))
  })

  it('removes the example data, and says so where the button was', async () => {
    signIn('editor')
    respondWith([SUMMARY])
    onRequest('GET /example-data', { ...NO_EXAMPLE, loaded: true })
    const user = openPage(PAGE)
    const button = await screen.findByRole('button', { name: 'Remove example data' })
    onRequest('GET /example-data', NO_EXAMPLE)
    await user.click(button)
    const status = await screen.findByText('The example data was removed.')
    expect(document.activeElement).toBe(status)
    expect(screen.getByRole('link', { name: 'How to send traces' }).getAttribute('href')).toBe(inSupport('first-trace'))
  })

  it('g o opens it', async () => {
    signIn()
    respondWith([SUMMARY])
    const user = openPage(inSupport('components'))
    await heading('Components')
    await user.keyboard('go')
    await heading('Overview')
    expect(address()).toBe(PAGE)
    expect(screen.getByRole('link', { name: 'Overview', current: 'page' })).toBeTruthy()
    expect(screen.queryByRole('link', { name: 'Components', current: 'page' })).toBeNull()
  })

  it('a list that cannot be loaded shows the reason, the id of the request and a way to try again', async () => {
    silenceConsole()
    signIn()
    onRequest('GET /component-summaries', failed(429, 'Too many requests'))
    const user = openPage(PAGE)
    expect((await screen.findByRole('alert')).textContent).toContain('Too many requests')
    expect(screen.getByText('req-1')).toBeTruthy()
    respondWith([SUMMARY])
    await user.click(screen.getByRole('button', { name: 'Retry' }))
    await heading('Overview')
  })
})
