/** The list of experiments, and the page of one in its states. */
import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import {
  DONE,
  EXPERIMENT_PAGE,
  INTERIM,
  LIST_PAGE,
  LISTED,
  ONE,
  RESULTS,
  RUNNING,
  serveExperiments,
} from './experiment-examples.ts'
import { expectMeansWithCount } from './means-with-count.ts'
import { failed, onRequest, requestsOf, sendLiveEvent } from './mock-api.ts'
import { address, eventually, heading, idOf, openPage } from './open-page.ts'

const VERDICT_WORDS = /\b(better|worse|improved|regressed)\b/i
const reasonOf = async (name: string | RegExp) => {
  const id = (await screen.findByRole('button', { name })).getAttribute('aria-describedby')
  return id === null ? null : document.getElementById(id)?.textContent
}

describe('the experiments of a component', () => {
  it('have start and best on one scale, and no verdict before the sealed items have decided', async () => {
    serveExperiments()
    openPage(LIST_PAGE)
    const row = await screen.findByRole('row', { name: /Two shipments/ })
    expect(row.textContent).toContain('+0.04 (−0.02 to +0.10) expected on new items')
    expect(row.textContent).toContain('sealed124 test items, opened at the end')
    expect(row.textContent).toContain('$3.20 of $7.50')
    expect(row.textContent).not.toMatch(VERDICT_WORDS)
    expect(screen.getByRole('region', { name: 'How often a test split has decided' }).textContent).toContain(
      '1 opening',
    )
    expectMeansWithCount(document.body)
  })

  it('are filtered by their state, with the verdict of each and the reason of those that failed', async () => {
    const result = { verdict: 'improved' as const, difference: 0.09, ci: [0.02, 0.16], items: 124, version: 15 }
    const better = {
      ...LISTED,
      id: idOf(501),
      name: 'Shorter',
      status: 'completed' as const,
      phase: 'ended' as const,
      result,
    }
    const failed = {
      ...LISTED,
      id: idOf(502),
      name: 'Cheaper',
      status: 'failed' as const,
      error: 'The key was rejected',
    }
    serveExperiments({ rows: [LISTED, better, failed] })
    const user = openPage(LIST_PAGE)
    expect((await screen.findByRole('row', { name: /Shorter/ })).textContent).toContain(
      'better+0.09+0.02 to +0.16 · n 124',
    )
    expect(screen.getByRole('row', { name: /Cheaper/ }).textContent).toContain('The key was rejected')
    await user.click(screen.getByRole('button', { name: 'better 1' }))
    await eventually(() => expect(screen.queryByRole('row', { name: /Cheaper/ })).toBeNull())
    await screen.findByRole('row', { name: /Shorter/ })
  })

  it('are found by words, read as numbers by the key t, and add up what a month has cost', async () => {
    const now = new Date().toISOString()
    const recent = { ...LISTED, startedAt: now, createdAt: now }
    const other = { ...recent, id: idOf(503), name: 'Tone of apology', cost: { spentUsd: 0.8, maxUsd: 2.5 } }
    serveExperiments({ rows: [recent, other] })
    const user = openPage(LIST_PAGE)
    await screen.findByText('$4.00')
    expect(screen.getByText(/^2 experiments in 30 days have cost/).textContent).toBe(
      '2 experiments in 30 days have cost $4.00 of $10.00 allowed.',
    )
    expect(await screen.findByText(/All calls of models/)).toHaveProperty(
      'textContent',
      'All calls of models of the application: $24.24 of $60.00 allowed. Limits',
    )
    expect(screen.getByRole('region', { name: 'How often a test split has decided' }).textContent).toContain(
      '2 openings of earlier splits',
    )
    await user.keyboard('t')
    const numbers = await screen.findByRole('table', { name: 'Experiments in numbers' })
    expect(within(numbers).getByRole('row', { name: /Tone of apology/ }).textContent).toContain(
      '0.82 (0.74 to 0.88), n 123',
    )
    expectMeansWithCount(numbers)
    await user.keyboard('/')
    await user.keyboard('apology')
    await eventually(() => expect(screen.queryByRole('row', { name: /Two shipments/ })).toBeNull())
    expect(address()).toContain('q=apology')
  })

  it('say what they are for if there is none, and why a viewer starts none', async () => {
    serveExperiments({ role: 'viewer', rows: [] })
    openPage(LIST_PAGE)
    await heading('No experiment yet')
    expect(await reasonOf('New experiment')).toBe('Starting an experiment requires the role editor; yours is viewer.')
  })
})

describe('an experiment', () => {
  it('that runs says who leads and what is expected, but no verdict, and hides nothing of the sealed split', async () => {
    serveExperiments()
    openPage(EXPERIMENT_PAGE)
    await heading('Proposal 2 leads by 0.07; 0.04 is expected on new items.')
    await heading('124 test items are sealed')
    expect(
      screen.getByText(/^0\.89 \(0\.82 to 0\.93\) against 0\.82 \(0\.74 to 0\.88\) on 123 validation items\./),
    ).toBeTruthy()
    await screen.findByText('3 proposals = 1 validated + 1 lost on the sample + 1 rejected')
    const proposals = within(screen.getByRole('list', { name: 'All proposals' }))
    expect(proposals.getByRole('button', { name: /Lists every shipment/ }).textContent).toContain('3 of 8 against 4')
    expect(proposals.getByRole('button', { name: /It copies a phrase/ }).textContent).toContain('copied')
    await screen.findByText('Exchange one of the two lamps')
    expectMeansWithCount(document.body)
  })

  it('is stopped only after a question, because the test split is opened once', async () => {
    serveExperiments()
    onRequest(`POST ${ONE}/stop`, { ...RUNNING, endedBy: 'stopped' })
    const user = openPage(EXPERIMENT_PAGE)
    await user.click(await screen.findByRole('button', { name: /^Stop and open the test/ }))
    expect(requestsOf(`POST ${ONE}/stop`)).toHaveLength(0)
    const dialog = await screen.findByRole('dialog', { name: 'Stop and open the test' })
    await user.click(within(dialog).getByRole('button', { name: 'Stop and open the test' }))
    await eventually(() => expect(requestsOf(`POST ${ONE}/stop`)).toHaveLength(1))
  })

  it('that was decided has the verdict as its headline, and opens the version that was tested', async () => {
    serveExperiments({ experiment: DONE, results: RESULTS })
    openPage(EXPERIMENT_PAGE)
    await heading('Proposal 2 is better on correct by 0.09.')
    await heading('Test split opened once')
    expect((await screen.findByRole('link', { name: /^Open version 15/ })).getAttribute('href')).toContain('version=15')
    expect(screen.getByText(/The last 10 proposals were not better\./)).toBeTruthy()
  })

  it('without a finalist keeps the split sealed', async () => {
    const results = { ...INTERIM, verdict: 'noFinalist' as const }
    serveExperiments({ experiment: { ...DONE, trialId: null }, results })
    openPage(EXPERIMENT_PAGE)
    await heading('No proposal beat the start.')
    await heading('124 test items are sealed')
  })

  it('that failed says why, and goes on unless its test had begun', async () => {
    const failed = { ...RUNNING, status: 'failed' as const, error: 'The key was rejected' }
    serveExperiments({ experiment: failed })
    onRequest(`POST ${ONE}/resume`, RUNNING)
    const user = openPage(EXPERIMENT_PAGE)
    await heading('It could not go on.')
    await user.click(await screen.findByRole('button', { name: 'Resume' }))
    await eventually(() => expect(requestsOf(`POST ${ONE}/resume`)).toHaveLength(1))
  })

  it.each([
    ['regressed', 'Proposal 2 is worse on correct by 0.09.'],
    ['noClearDifference', 'Proposal 2 shows no clear difference on correct.'],
    ['equivalent', 'Proposal 2 and the start are equivalent on correct.'],
    ['tooFewCases', 'Too few test items for a verdict.'],
    ['noVerdict', 'The test ended without a verdict.'],
  ] as const)('that ended with %s says so', async (verdict, title) => {
    serveExperiments({ experiment: DONE, results: { ...RESULTS, verdict } })
    openPage(EXPERIMENT_PAGE)
    await heading(title)
  })

  it.each([
    ['waits', { status: 'pending', phase: 'created', startedAt: null }, 'Not started yet.', 'Start experiment'],
    [
      'is stopping',
      { endedBy: 'stopped' },
      'Proposal 2 leads by 0.07; 0.04 is expected on new items.',
      'Stop and open the test',
    ],
    ['was canceled', { status: 'failed', endedBy: 'canceled', error: 'canceled' }, 'Canceled.', 'Resume'],
  ] as const)(
    'that %s has its state, its headline and its action, and a viewer reads why it is not allowed',
    async (_, state, title, action) => {
      serveExperiments({ role: 'viewer', experiment: { ...RUNNING, ...state } })
      openPage(EXPERIMENT_PAGE)
      await heading(title)
      expect(document.querySelector('header h2')?.textContent).not.toMatch(VERDICT_WORDS)
      expect(await reasonOf(new RegExp(`^${action}`))).toMatch(/requires the role editor; yours is viewer\.$/)
    },
  )

  it('that runs says how long it may still run, and what is set aside for the test', async () => {
    const endsAt = new Date(Date.now() + 50 * 60_000).toISOString()
    const plan = { ...RUNNING.plan, expected: { answerUsd: 0.005, taskShare: 1 } }
    serveExperiments({ experiment: { ...RUNNING, endsAt, plan } })
    openPage(EXPERIMENT_PAGE)
    const cost = await screen.findByRole('region', { name: 'Cost' })
    expect(cost.textContent).toMatch(/about (49|50) min are left\./)
    expect(cost.textContent).toContain('set aside for the test, about$1.24')
  })

  it('whose stream was lost says since when, and connects again', async () => {
    serveExperiments()
    onRequest(`GET ${ONE}/events`, () => failed(503, 'The server is stopping'))
    openPage(EXPERIMENT_PAGE)
    await screen.findByText(/^Live paused, last \d\d:\d\d/)
    await screen.findByRole('button', { name: 'Connect again' })
  })

  it('has its proposals as a table by the key t, and long parts that are the same folded to a line that names them', async () => {
    serveExperiments({ experiment: DONE, results: RESULTS })
    const same = ['Answer.', ...Array.from({ length: 8 }, (_, place) => `Rule ${place}.`), 'End.', ''].join('\n')
    onRequest(`GET ${ONE}/iterations/{iteration}/diff`, {
      from: 0,
      to: 2,
      messages: [
        {
          change: 'changed',
          from: 0,
          to: 0,
          before: { role: 'system', content: same },
          after: { role: 'system', content: `${same}Ask.` },
          hunks: [
            { change: 'same', text: same },
            { change: 'added', text: 'Ask.' },
          ],
        },
      ],
      variables: { added: [], removed: [] },
      placeholders: { added: [], removed: [] },
      tools: [],
    })
    const user = openPage(EXPERIMENT_PAGE)
    const folded = await screen.findByRole('button', { name: /^8 lines are the same: ?Answer\.$/ })
    expect(screen.queryByText(/Rule 3\./)).toBeNull()
    await user.click(folded)
    await screen.findByText(/Rule 3\./)
    await user.keyboard('t')
    const table = await screen.findByRole('region', { name: 'Proposals as a table' })
    expect(within(table).getByRole('row', { name: /Lists every shipment/ }).textContent).toContain('3 of 8 against 4')
    expect(screen.queryByRole('list', { name: 'All proposals' })).toBeNull()
    expectMeansWithCount(table)
  })

  it('shows the verdict also if only the list of live events has said that the test has ended', async () => {
    serveExperiments()
    openPage(EXPERIMENT_PAGE)
    await heading('Proposal 2 leads by 0.07; 0.04 is expected on new items.')
    onRequest(`GET ${ONE}`, DONE)
    onRequest(`GET ${ONE}/results`, RESULTS)
    await sendLiveEvent(['experiments'])
    await heading('Proposal 2 is better on correct by 0.09.')
  })

  it('saves a proposal that was not tested, for those who may', async () => {
    serveExperiments()
    onRequest(`POST ${ONE}/iterations/{iteration}/version`, { promptId: RUNNING.promptId, version: 15 })
    const user = openPage(`${EXPERIMENT_PAGE}?proposal=2&against=parent`)
    await user.click(await screen.findByRole('button', { name: 'Save as a version' }))
    await screen.findByText('Proposal 2 is saved as v15.')
  })
})
