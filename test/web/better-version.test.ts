import { screen, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it } from 'vitest'
import { ALLOWED, CHECK, notMet, ON_V2, serveDeployment, UNCLEAR } from './deploy-examples.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { eventually, openInstead, openPage, signIn } from './open-page.ts'
import { LIST_PAGE, ONE, PRODUCTION, PROMPT_PAGE, RESULTS, SUMMARIES, SUMMARY } from './prompt-examples.ts'

beforeEach(() => signIn())

const banner = async () => within(await screen.findByRole('region', { name: 'A newer version can go live' }))
const checked = () => requestsOf(CHECK).map(({ query }) => query['version'])

describe('a version that is better than what is live', () => {
  it('is announced on the page of the prompt, with its verdict and the way to deploy it', async () => {
    serveDeployment(ALLOWED)
    openPage(PROMPT_PAGE)
    const shown = await banner()
    shown.getByText('v3 is better on grounded than what is live, v2')
    shown.getByText(/^\+0\.07 \(95.% CI \+0\.01 to \+0\.12\) on 200 items of Hard returns\./)
    expect(shown.getByRole('link', { name: 'Deploy v3…' }).getAttribute('href')).toBe(
      `${PROMPT_PAGE}/deploy/production?version=3`,
    )
    expect(checked()).toEqual(['3'])
  })

  it('is announced to those who may not move the label, too, and never as better if it is only not worse', async () => {
    const equivalent = { ...notMet(ALLOWED, { role: 'An admin does it.' }) }
    serveDeployment({ ...equivalent, verdict: ALLOWED.verdict && { ...ALLOWED.verdict, verdict: 'equivalent' } })
    openPage(PROMPT_PAGE)
    ;(await banner()).getByText('v3 is shown to be not worse on grounded than what is live, v2')
  })

  it('is the newest one whose verdict opens the label', async () => {
    serveDeployment(ALLOWED)
    const [three] = RESULTS.data
    if (!three) throw new Error('The example has results')
    onRequest(`GET ${ONE}/results`, { ...RESULTS, data: [{ ...three, version: 4 }, ...RESULTS.data] })
    onRequest(CHECK, ({ query }) =>
      query['version'] === '4' ? { ...UNCLEAR, version: 4, weight: 100 } : { ...ALLOWED, version: 3, weight: 100 },
    )
    openPage(PROMPT_PAGE)
    ;(await banner()).getByRole('link', { name: 'Deploy v3…' })
    expect(checked()).toEqual(['4', '3'])
  })

  it('is not announced without a verdict that opens the label', async () => {
    serveDeployment(notMet(ALLOWED, { recent: 'It is 20 days old.' }))
    openPage(PROMPT_PAGE)
    await eventually(() => expect(checked()).toEqual(['3']))
    await screen.findByRole('region', { name: 'Results by version' })
    expect(screen.queryByRole('region', { name: 'A newer version can go live' })).toBeNull()
  })

  it('is not looked for where production has no gate or serves the newest version', async () => {
    serveDeployment(ALLOWED)
    onRequest(`GET ${ONE}/labels`, {
      data: [PRODUCTION, { ...ON_V2, name: 'staging', splits: [{ version: 3, weight: 100 }] }],
    })
    openPage(PROMPT_PAGE)
    await screen.findByRole('region', { name: 'Results by version' })
    onRequest(`GET ${ONE}/labels`, { data: [{ ...ON_V2, splits: [{ version: 3, weight: 100 }] }] })
    openInstead(PROMPT_PAGE)
    await screen.findByText('v3 is live already.')
    expect(checked()).toEqual([])
  })
})

describe('in the list of prompts', () => {
  const SUMMARY_PATH = 'GET /components/{componentId}/prompt-summaries'
  const listed = (labels: (typeof ON_V2)[]) => onRequest(SUMMARY_PATH, { ...SUMMARIES, data: [{ ...SUMMARY, labels }] })
  const announced = () => screen.queryByRole('region', { name: /^A newer version/ })

  it('a better version is announced above them, when they are shown', async () => {
    serveDeployment(ALLOWED)
    listed([ON_V2])
    openPage(LIST_PAGE)
    await screen.findByRole('table', { name: 'Prompts and their versions' })
    const shown = within(screen.getByRole('region', { name: 'A newer version of answer can go live' }))
    shown.getByText('answer v3 is better on grounded than what is live, v2')
    expect(shown.getByRole('link', { name: 'Deploy v3…' }).getAttribute('href')).toBe(
      `${PROMPT_PAGE}/deploy/production?version=3`,
    )
    expect(checked()).toEqual(['3'])
  })

  it('who may not move the label is sent to an admin', async () => {
    signIn('viewer')
    serveDeployment(ALLOWED)
    listed([ON_V2])
    openPage(LIST_PAGE)
    await screen.findByRole('link', { name: 'Ask an admin…' })
  })

  it('is not looked for where production has no gate or serves the newest version', async () => {
    serveDeployment(ALLOWED)
    listed([PRODUCTION])
    openPage(LIST_PAGE)
    await screen.findByRole('table', { name: 'Prompts and their versions' })
    listed([{ ...ON_V2, splits: [{ version: 3, weight: 100 }] }])
    openInstead(LIST_PAGE)
    await screen.findByRole('table', { name: 'Prompts and their versions' })
    expect([announced(), ...requestsOf(CHECK)]).toEqual([null])
  })

  it('the list is shown if a version could not be checked', async () => {
    serveDeployment(ALLOWED)
    listed([ON_V2])
    onRequest(`GET ${ONE}/results`, failed(503, 'The database is not available'))
    openPage(LIST_PAGE)
    await screen.findByRole('table', { name: 'Prompts and their versions' })
    expect(announced()).toBeNull()
  })
})
