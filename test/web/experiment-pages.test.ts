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
import { onRequest, requestsOf } from './mock-api.ts'
import { eventually, heading, idOf, openPage } from './open-page.ts'

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

  it('saves a proposal that was not tested, for those who may', async () => {
    serveExperiments()
    onRequest(`POST ${ONE}/iterations/{iteration}/version`, { promptId: RUNNING.promptId, version: 15 })
    const user = openPage(`${EXPERIMENT_PAGE}?proposal=2&against=parent`)
    await user.click(await screen.findByRole('button', { name: 'Save as a version' }))
    await screen.findByText('Proposal 2 is saved as v15.')
  })
})
