/** The list of trials, and the page of one in each of its states. */
import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { TrialDetail } from '../../web/src/api/generated/api.ts'
import { failed, onRequest, requestsOf, sendLiveEvent } from './mock-api.ts'
import { ADA, ASSISTANT, address, eventually, heading, inSupport, openInstead, openPage } from './open-page.ts'
import {
  BETTER,
  CODE,
  DONE,
  FAILURES,
  LIST_PAGE,
  LISTED,
  LOOKING,
  ONE,
  PROMPT_ID,
  RUNNING,
  serveTrials,
  streamOf,
  TRIAL_PAGE,
  TRIALS,
  V11,
  V12,
} from './trial-examples.ts'

const component = inSupport(`c/${ASSISTANT.id}`)
const openTrial = (served: Parameters<typeof serveTrials>[0] = {}) => {
  serveTrials(served)
  return openPage(TRIAL_PAGE)
}
const region = (name: string | RegExp) => screen.findByRole('region', { name })
const button = (name: string | RegExp) => screen.findByRole('button', { name })
const reasonOf = async (name: string | RegExp) => {
  const id = (await button(name)).getAttribute('aria-describedby')
  return id === null ? null : document.getElementById(id)?.textContent
}
const rowOf = async (name: RegExp) => within(await region('Variants')).findByRole('row', { name })

describe('the trials of a component', () => {
  it('are a list next to that of the runs, with their state, and one that has begun meanwhile', async () => {
    serveTrials()
    openPage(LIST_PAGE)
    const row = await screen.findByRole('row', { name: /Two versions/ })
    await within(row).findByText('golden answers')
    expect(within(row).getByRole('link', { name: 'Two versions' }).getAttribute('href')).toBe(TRIAL_PAGE)
    expect(row.textContent).toContain('running')
    const below = within(screen.getByRole('navigation', { name: 'Runs and trials' }))
    expect(below.getAllByRole('link').map(({ textContent }) => textContent)).toEqual(['Runs', 'Trials'])
    const tabs = within(screen.getByRole('navigation', { name: 'Component' }))
    expect(tabs.getByRole('link', { current: 'page' }).textContent).toMatch(/^Runs/)
    onRequest(`GET ${TRIALS}`, {
      data: [
        { ...LISTED, id: PROMPT_ID, name: null, status: 'pending' },
        { ...LISTED, status: 'completed', endedBy: 'budget' },
      ],
    })
    await sendLiveEvent(['trials'])
    await screen.findByRole('row', { name: /Trial, .*pending/ })
    await screen.findByText('ended at the cost limit')
  })

  it('say what a trial is for if there is none, and offer to start one only to those who may', async () => {
    serveTrials({ role: 'viewer' })
    onRequest(`GET ${TRIALS}`, { data: [] })
    openPage(LIST_PAGE)
    await heading('No trial yet')
    expect(screen.queryByRole('link', { name: 'New trial' })).toBeNull()
  })
})

describe('a trial', () => {
  it('counts calls that add up to the plan, and its cost of the limit', async () => {
    openTrial()
    const progress = await region('Progress')
    expect(progress.textContent).toContain('75\u202f%60 of 80 calls ended')
    expect(progress.textContent).toContain('57 answered3 no answer0 skipped20 waiting or running= 80')
    expect((await region('Cost')).textContent).toContain('$1.50 of at most $8.00about $2.00 at the end')
    const row = await rowOf(/^v12/)
    expect(row.textContent).toContain('27 of 40 answered3 no answer, 10 waiting')
    expect(screen.getByText(/20 items at random, seed 7 · 2 variants × 2 repetitions · started/)).toBeTruthy()
  })

  it('never says more than is decided while it runs, and offers nothing that needs a result', async () => {
    openTrial({ trial: { ...RUNNING, variants: [{ ...V12, comparison: null }, V11] } })
    await heading('60 of 80 calls have ended. Nothing is decided yet.')
    expect((await region('Variants')).textContent).not.toMatch(/better|worse|ranked/)
    expect(screen.queryByRole('link', { name: /Compare|Decide|Deploy/ })).toBeNull()
  })

  it('that stops early shows what each look has found, as a chart and as a table, and only decides what a look did', async () => {
    const user = openTrial({ trial: LOOKING })
    await heading('v12 leads by 0.07 on grounded. On new items expect 0.06.')
    await screen.findByText('At look 2 of 10, after 40 of 200 items. Not decided: evidence 13, decided from 20.')
    expect((await region('Result')).textContent).not.toMatch(/better|worse/)
    const looks = await region('Looks')
    expect(looks.textContent).toContain(
      'Look 2 of 10, after 40 items. v12: evidence 13, decided from 20. 10 looks are planned, the last one after 200 items.',
    )
    // A power of ten is as high as the next one, and the line of 20 lies above what was found.
    const lines = [...looks.querySelectorAll('svg line[stroke-width="1.5"]')].map((line) => [
      line.getAttribute('x2'),
      Number(line.getAttribute('y2')),
    ])
    const levelOf = (value: number) => 142 - (Math.log10(value) / 2) * 134
    expect(lines).toEqual([
      ['10%', levelOf(20)],
      ['20%', levelOf(20)],
      ['100%', levelOf(20)],
      ['10%', levelOf(4)],
      ['20%', levelOf(13)],
    ])
    await user.click(within(looks).getByRole('button', { name: /Show as table/ }))
    expect(within(looks).getAllByRole('row').at(-1)?.textContent).toBe('40v12+0.0713from 20')
  })

  it('names what a look has decided while the others go on', async () => {
    const comparison = { verdict: 'regressed', summary: 'v12 is worse than v11.', difference: -0.07, ci: [-0.1, -0.02] }
    const ended = { ...V12, endedBy: 'decided' as const, reason: 'Decided after 40 of 200 items', comparison }
    openTrial({ trial: { ...LOOKING, variants: [ended, V11] } })
    await heading('v12 is worse than v11.')
    const row = await rowOf(/^v12/)
    expect(row.textContent).toContain('Decided after 40 of 200 items')
    expect(row.textContent).not.toContain('Stopped.')
  })

  it('expects no lead on new items where luck may be all of it, and names no leader where none is ahead', async () => {
    const taken = LOOKING.looks?.taken ?? []
    const withLeader = (leader: (typeof taken)[number]['leader']) => ({
      ...LOOKING,
      looks: LOOKING.looks && { ...LOOKING.looks, taken: taken.map((look) => ({ ...look, leader })) },
    })
    openTrial({
      trial: withLeader({ name: 'v12', difference: 0.02, expectedOnNew: { difference: -0.01, ci: null } }),
    })
    await heading('v12 leads by 0.02 on grounded. On new items expect no lead.')
    serveTrials({ trial: withLeader(null) })
    openInstead(TRIAL_PAGE)
    await heading('Nothing is decided yet.')
  })

  it('that is pending says how many trials it waits behind', async () => {
    openTrial({ trial: { ...RUNNING, status: 'pending', waitsBehind: 2 } })
    await heading('Waits behind 2 trials of this application.')
  })

  it('that was stopped says by whom', async () => {
    serveTrials({ trial: { ...RUNNING, status: 'failed', endedBy: 'canceled', error: 'canceled', canceledBy: ADA.id } })
    onRequest('GET /members/directory', { data: [{ userId: ADA.id, name: ADA.name, state: 'member', role: 'owner' }] })
    openPage(TRIAL_PAGE)
    await heading('Stopped after 60 of 80 calls.')
    const line = await screen.findByText(/20 items at random, seed 7/)
    await eventually(() => expect(line.textContent).toMatch(/ · stopped by Ada Lovelace$/))
  })

  it('an unknown cost is not $0', async () => {
    openTrial({ trial: { ...RUNNING, cost: { spentUsd: 0, maxUsd: null, judgesUsd: 0, expectedAtEndUsd: 0 } } })
    const cost = await region('Cost')
    expect(cost.textContent).toContain('unknown without a limit')
    expect(cost.textContent).not.toContain('$0')
  })

  it('follows the stream, with the counts of each variant', async () => {
    serveTrials()
    const { total } = RUNNING.progress
    const progress = { total, done: 77, failed: 3, skipped: 0 }
    const variants = [
      { name: 'v12', done: 37, failed: 3, skipped: 0, reason: null },
      { name: 'v11', done: 40, failed: 0, skipped: 0, reason: null },
    ]
    const sent = { status: 'running', progress, variants, spentUsd: 1.9, judgesUsd: 0.4, waiting: [] }
    onRequest(`GET ${ONE}/events`, () => streamOf(['progress', sent]))
    openPage(TRIAL_PAGE)
    await heading('All calls have ended. Nothing is decided yet.')
    await screen.findByText('Live')
    expect((await region('Cost')).textContent).toContain('$1.90')
    expect((await region('Cost')).textContent).toContain('judges $0.4000 so far')
    expect((await rowOf(/^v11/)).textContent).toContain('40 of 40 answered')
  })

  it('is done when the stream ends', async () => {
    serveTrials()
    onRequest(`GET ${ONE}/events`, () => {
      onRequest(`GET ${ONE}`, DONE)
      return streamOf(['end', { status: 'completed', endedBy: 'done', error: null }])
    })
    openPage(TRIAL_PAGE)
    await heading('v12 is better than v11.')
  })

  it('says when the stream was lost, and connects again on request', async () => {
    serveTrials()
    onRequest(`GET ${ONE}/events`, failed(503, 'Busy'))
    const user = openPage(TRIAL_PAGE)
    await screen.findByText(/^Live paused, last \d\d:\d\d$/)
    onRequest(`GET ${ONE}/events`, () => streamOf(['progress', { ...RUNNING, spentUsd: 1.5, judgesUsd: 0 }]))
    const top = screen.getByText(/^Live paused/).parentElement
    await user.click(within(top ?? document.body).getByRole('button', { name: 'Connect again' }))
    await screen.findByText('Live')
  })

  it('is stopped after a question that says what is lost; a retry waits for its end', async () => {
    const user = openTrial()
    expect(await reasonOf('Retry 2')).toBe('The trial has not ended yet.')
    onRequest(`POST ${ONE}/cancel`, () => {
      const stopped: TrialDetail = { ...RUNNING, status: 'failed', endedBy: 'canceled', error: 'canceled' }
      const after = { ...stopped, progress: { ...RUNNING.progress, skipped: 20 } }
      onRequest(`GET ${ONE}`, after)
      return Response.json(after, { status: 202 })
    })
    await user.click(await button('Stop…'))
    const dialog = within(await screen.findByRole('dialog', { name: 'Stop the trial' }))
    expect(dialog.getByText(/20 calls have not ended and will be skipped/)).toBeTruthy()
    await user.click(dialog.getByRole('button', { name: 'Stop the trial' }))
    await heading('Stopped after 60 of 80 calls.')
    expect(requestsOf(`POST ${ONE}/cancel`)).toHaveLength(1)
    expect(screen.getByText('canceled')).toBeTruthy()
  })

  it('a viewer reads it, with the reasons why Stop and Retry are off', async () => {
    openTrial({ role: 'viewer' })
    const reason = 'Changing a trial requires the role editor; yours is viewer.'
    expect(await reasonOf('Stop…')).toBe(reason)
    expect(await reasonOf('Retry 2')).toBe(reason)
  })

  it.each<[string, Partial<TrialDetail>, RegExp]>([
    ['is planned', { status: 'pending', startedAt: null }, /^The calls are being planned/],
    ['cannot have a result', { status: 'failed', error: 'No call has an answer: timeout' }, /^The trial has no result/],
  ])('that %s says so', async (_, changes, title) => {
    openTrial({ trial: { ...RUNNING, ...changes } })
    await screen.findByRole('heading', { name: title })
  })

  it('that reached a limit says which one, and how many calls it skipped', async () => {
    const error = 'The cost limit of $8 (maxCostUsd) is reached'
    const progress = { total: 80, done: 57, failed: 3, skipped: 20 }
    const variants = DONE.variants.map((variant) => ({ ...variant, skipped: 10, done: variant.done - 10 }))
    openTrial({ trial: { ...DONE, endedBy: 'budget', error, progress, variants } })
    await screen.findByText(/The cost limit of \$8.* is reached\. 20 calls skipped, so the verdicts rest on fewer/)
    expect(await button('Retry 22')).toBeTruthy()
  })

  it.each([
    ['decided', 'decided early', 'all is decided'],
    ['futile', 'ended early, no difference in sight', 'more items would hardly decide it'],
  ] as const)('that ended as %s says so, and how many calls that saved', async (endedBy, badge, why) => {
    const progress = { total: 80, done: 57, failed: 3, skipped: 20 }
    openTrial({ trial: { ...DONE, looks: LOOKING.looks, endedBy, progress } })
    await screen.findByText(badge)
    screen.getByText(`Ended after look 2 of 10, because ${why}: 20 calls were not needed.`)
  })

  it('one variant that only failed says why in its row, and the others go on', async () => {
    const reason = 'No call succeeded, and 20 have failed; the last one: 400'
    const broken = { ...V12, done: 0, failed: 20, skipped: 20, reason }
    openTrial({ trial: { ...RUNNING, variants: [broken, V11] } })
    expect((await rowOf(/^v12/)).textContent).toContain(`Stopped. ${reason}`)
    expect((await rowOf(/^v11/)).textContent).toContain('10 waiting')
  })

  it('whose own code is not running has the command that fetches its calls', async () => {
    const summary = 'No worker has a call of the queue "support-agent"'
    const waiting = { reason: 'worker' as const, variant: 'my code', calls: 40, until: null, summary }
    openTrial({ trial: { ...RUNNING, variants: [V11, CODE], waiting: [waiting] } })
    await screen.findByText('No worker has a call of the queue support-agent.')
    expect(screen.getByText(/calls\/lease/).textContent).toContain(
      '{"queue":"support-agent","max":10,"waitSeconds":20}',
    )
  })

  it('says why a variant makes no progress', async () => {
    const summary = 'Calls are sent again after an error: openai-eu returned 429'
    const until = '2026-11-19T14:13:20.000Z'
    const waiting = [{ reason: 'retry' as const, variant: 'v12', calls: 10, until, summary }]
    openTrial({ trial: { ...RUNNING, waiting } })
    await screen.findByText(/^v12 waits until \d\d:13:20\.$/)
    screen.getByText(`${summary}. 10 calls to go; waiting uses no attempt.`)
  })

  it('has the cost of judges as its own figure, in all and of each variant', async () => {
    const variants = [{ ...V12, judgesUsd: 0.51 }, V11]
    openTrial({ trial: { ...DONE, variants, cost: { ...DONE.cost, judgesUsd: 0.51 } } })
    expect((await region('Cost')).textContent).toContain('judges $0.5100 in addition')
    expect((await rowOf(/^v12/)).textContent).toContain('judges $0.5100')
    expect((await rowOf(/^v11/)).textContent).not.toContain('judges')
  })
})

describe('the failures of a trial', () => {
  it('are grouped by reason, with what a retry can do', async () => {
    openTrial({ trial: DONE })
    const section = await region(/^Without an answer/)
    expect(section.textContent).toContain('3 of 80 calls')
    const [first, second] = within(section).getAllByRole('listitem')
    expect(first?.textContent).toContain('v12: the answer is no JSON, five attempts')
    expect(first?.textContent).toContain('A retry sends them again.')
    expect(second?.textContent).toContain('A retry brings nothing')
  })

  it('a retry sends only those that can succeed, by a click or by r', async () => {
    const user = openTrial({ trial: DONE })
    onRequest(`POST ${ONE}/retry`, Response.json({ ...RUNNING }, { status: 202 }))
    await button('Retry 2')
    await user.keyboard('r')
    await eventually(() => expect(requestsOf(`POST ${ONE}/retry`)).toHaveLength(1))
  })

  it.each([
    [
      'no failure can succeed',
      FAILURES.slice(1),
      'No failed call can succeed if it is repeated: the reasons are below.',
    ],
    ['nothing failed', [], 'Every call has an answer.'],
  ])('a retry is off if %s', async (_, failures, reason) => {
    openTrial({ trial: DONE, failures })
    expect(await reasonOf(/^Retry/)).toBe(reason)
  })
})

describe('a finished trial', () => {
  it('has the verdict, what to expect on new items with the number of items, and the way to each result', async () => {
    const summary = `Two versions: v12 is better than Two versions: v11 on grounded.`
    const variantsWithName = DONE.variants.map((one) => ({
      ...one,
      comparison: one.comparison && { ...BETTER, summary },
    }))
    openTrial({ trial: { ...DONE, variants: variantsWithName } })
    await heading('v12 is better than v11.')
    const variants = await region('Variants')
    expect(variants.textContent).toContain('▲ better+0.07 (+0.01 to +0.13)v12 is better than v11 on grounded.')
    screen.getByText(/^v12 is the cheapest that is not worse/)
    const expected = screen.getByText(/Expected on new items/).closest('p')
    expect(expected?.textContent).toContain(
      'v12 +0.06 (+0.01 to +0.12) on grounded against v11, from at most 20 items.',
    )
    const links = within(await rowOf(/^v12/)).getAllByRole('link')
    const [candidate] = DONE.variants
    expect(links.map((link) => link.getAttribute('href'))).toEqual([
      `${component}/runs/${candidate?.runId}`,
      `${component}/evaluations/${candidate?.evaluationId}`,
    ])
  })

  it('leads to the comparison by c, to a decision, and to a deployment of the better version', async () => {
    const user = openTrial({ trial: DONE })
    const deploy = await screen.findByRole('link', { name: 'Deploy v12' })
    expect(deploy.getAttribute('href')).toBe(`${component}/prompts/${PROMPT_ID}/deploy/production?version=12`)
    expect(screen.getByRole('link', { name: 'Decide about v12' }).getAttribute('href')).toContain('/compare?base=')
    await user.keyboard('c')
    await eventually(() => expect(address()).toContain(`/compare?base=${V11.runId}`))
    expect(address()).toContain(V12.runId)
  })

  it('keeps the mark of each variant when the best one moves up', async () => {
    const second = { ...DONE.variants[0], name: 'v13', comparison: BETTER, runId: PROMPT_ID } as typeof V12
    const variants = [...DONE.variants, second]
    openTrial({ trial: { ...DONE, variants, ranking: DONE.ranking && { ...DONE.ranking, best: 'v13' } } })
    const rows = within(await region('Variants'))
      .getAllByRole('row')
      .slice(1)
    expect(rows.map((row) => row.querySelector('bdi')?.textContent)).toEqual(['v11', 'v13', 'v12'])
    const marks = rows.map((row) => row.querySelector('svg path')?.getAttribute('class'))
    expect(marks).toEqual(['fill-series-1', 'fill-series-3', 'fill-series-2'])
  })

  it('a version that is not better is not offered for deployment', async () => {
    const comparison = { ...BETTER, verdict: 'noClearDifference', summary: 'No clear difference on grounded.' }
    const variants = DONE.variants.map((one) => ({ ...one, comparison: one.comparison && comparison }))
    openTrial({ trial: { ...DONE, variants } })
    await heading('No clear difference between v12 and v11.')
    expect(screen.queryByRole('link', { name: /^Deploy/ })).toBeNull()
  })

  it('without evaluators it offers no verdict', async () => {
    const variants = DONE.variants.map((one) => ({ ...one, comparison: null, evaluationId: null }))
    openTrial({ trial: { ...DONE, variants, ranking: null, plan: { ...DONE.plan, evaluation: null } } })
    await heading('77 answers, not compared.')
    expect((await region('Variants')).textContent).toContain('not compared')
  })
})
