import { screen, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it } from 'vitest'
import { GOLDEN } from './agreement-examples.ts'
import { expectMeansWithCount } from './means-with-count.ts'
import { onRequest, requestsOf } from './mock-api.ts'
import { ASSISTANT, address, eventually, idOf, inSupport, openPage, signIn } from './open-page.ts'
import { TRENDS } from './run-examples.ts'

const PAGE = inSupport(`c/${ASSISTANT.id}/compare/trends`)
const READ = 'GET /components/{componentId}/trends'

beforeEach(() => {
  signIn('viewer')
  onRequest('GET /components/{componentId}', ASSISTANT)
  onRequest('GET /components/{componentId}/datasets', { data: [GOLDEN, { ...GOLDEN, id: idOf(61), name: 'Other' }] })
  onRequest(READ, TRENDS)
})

const chart = (name: string | RegExp) => screen.findByRole('figure', { name })

async function tableOf(user: ReturnType<typeof openPage>, name: string): Promise<string[]> {
  await user.click(within(await chart(name)).getByRole('button', { name: /^Show as table/ }))
  const table = await screen.findByRole('region', { name: `${name}, as a table` })
  return within(table)
    .getAllByRole('row')
    .slice(1)
    .map(({ textContent }) => textContent ?? '')
}

describe('trends', () => {
  it('show each mean with interval and n as the API has it, in the chart and in its table', async () => {
    const user = openPage(PAGE)
    await chart('Quality: correct')
    expectMeansWithCount(document.body)
    const rows = await tableOf(user, 'Quality: correct')
    expect(rows).toHaveLength(5)
    TRENDS.evaluations.forEach(({ metrics: [metric] }, index) => {
      expect(rows[index]).toContain(`${metric?.mean?.toFixed(2)}, 95\u202f% interval 0.74 to 0.87, n 120`)
    })
  })

  it('say how many cases are missing, and draw no axes, while no evaluation has enough for a mean', async () => {
    const summary = '3 scores; a mean needs at least 5'
    const [first, second] = TRENDS.evaluations.map((evaluation) => ({
      ...evaluation,
      metrics: evaluation.metrics.map((metric) => ({ ...metric, mean: null, ci: null, summary })),
    }))
    if (!first || !second) throw new Error('the example has several evaluations')
    onRequest(READ, { ...TRENDS, evaluations: [first, second] })
    openPage(PAGE)
    const quality = within(await chart('Quality: correct'))
    expect(quality.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      expect.stringContaining(`: ${summary}`),
      expect.stringContaining(`: ${summary}`),
    ])
    expect(quality.queryByRole('region', { name: 'Quality: correct, chart' })).toBeNull()
  })

  it('break the line where items were added, settings changed, or the dataset is another one', async () => {
    const user = openPage(PAGE)
    await chart('Quality: correct')
    expect(document.querySelectorAll('[data-line=break]')).toHaveLength(3)
    const rows = await tableOf(user, 'Quality: correct')
    expect(rows[1]).not.toMatch(/added|changed|dataset/)
    expect(rows[2]).toContain('12 items added')
    expect(rows[3]).toContain('evaluator settings changed')
    expect(rows[4]).toContain('dataset Small talk')
  })

  it('show error rate, durations and costs of traces with intervals and n; empty buckets have no number', async () => {
    const user = openPage(PAGE)
    const errors = await tableOf(user, 'Error rate')
    expect(errors[0]).toContain('10\u202f%, 95\u202f% interval 4 to 21\u202f%, n 404')
    expect(errors[1]).toContain('no traces')
    const durations = await tableOf(user, 'Duration')
    expect(durations[0]).toContain('812 ms, 95\u202f% interval 790 to 845 ms, n 40')
    expect(durations[0]).toContain('4.32 s, 95\u202f% interval 3.90 to 5.01 s, n 40')
    const costs = await tableOf(user, 'Cost per trace')
    expect(costs[0]).toContain('$0.0200, 95\u202f% interval $0.0180 to 0.0230, n 40')
  })

  it('mark the changes of the version; a mark leads to its run, or to the traces of the version', async () => {
    openPage(PAGE)
    const marks = await within(await chart('Error rate')).findByRole('list', { name: 'Changes of the version' })
    const links = within(marks).getAllByRole('link')
    expect(links.map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/^2\.1\.0 service\.version 2\.0\.3 → 2\.1\.0, /),
      expect.stringMatching(/^v7 prompt v6 → v7, v5, /),
    ])
    expect(new URL(links[0]?.getAttribute('href') ?? '', 'http://x').searchParams.get('q')).toBe(
      'component:"assistant" metadata.service.version:"2.1.0"',
    )
    expect(links[1]?.getAttribute('href')).toBe(inSupport(`c/${ASSISTANT.id}/runs/${idOf(5)}`))
    expect(document.querySelectorAll('[data-line=version]')).toHaveLength(6)
  })

  it('the address keeps period, dataset and metric', async () => {
    const user = openPage(PAGE)
    expect(requestsOf(READ)).toEqual([])
    await user.selectOptions(await screen.findByRole('combobox', { name: 'Period' }), 'Last 90 days')
    await user.selectOptions(await screen.findByRole('combobox', { name: 'Dataset' }), 'Other')
    await eventually(() => expect(address()).toBe(`${PAGE}?period=90d&dataset=${idOf(61)}`))
    await eventually(() => expect(requestsOf(READ).at(-1)?.query).toEqual({ from: '-90d', dataset_id: idOf(61) }))
  })

  it('without evaluations and traces they explain what is missing', async () => {
    onRequest(READ, { ...TRENDS, evaluations: [], versions: [], traces: { ...TRENDS.traces, buckets: [] } })
    openPage(PAGE)
    await screen.findByText(/No evaluation was completed in this period/)
    await screen.findByText(/No traces in this period/)
    expect(screen.getByRole('link', { name: 'New evaluation' })).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Send traces' })).toBeTruthy()
    expect(document.querySelector('[data-line]')).toBeNull()
  })

  it('draw no axes for costs that are not known, and link to the prices', async () => {
    const buckets = TRENDS.traces.buckets.map((bucket) => ({
      ...bucket,
      costPerTrace: { ...bucket.costPerTrace, mean: null, ci: null, n: 0 },
    }))
    onRequest(READ, { ...TRENDS, traces: { ...TRENDS.traces, buckets } })
    openPage(PAGE)
    await chart('Error rate')
    expect(screen.queryByRole('figure', { name: 'Cost per trace' })).toBeNull()
    const link = screen.getByRole('link', { name: 'Set prices of models' })
    expect(link.getAttribute('href')).toBe(inSupport('settings/prices'))
  })
})
