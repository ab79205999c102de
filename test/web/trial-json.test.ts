/** A trial as JSON, with the request that starts it again. */
import { screen } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { address, eventually, openPage } from './open-page.ts'
import { DONE, serveTrials, TRIAL_PAGE } from './trial-examples.ts'

it('a trial is shown as JSON with the request that starts it again, and back', async () => {
  const plan = { ...DONE.plan, variables: { question: 'input.question' }, plannedLooks: 5 }
  serveTrials({ trial: { ...DONE, plan } })
  const user = openPage(TRIAL_PAGE)
  await user.click(await screen.findByRole('button', { name: 'More about this trial' }))
  await user.click(await screen.findByRole('menuitem', { name: 'View as JSON' }))
  await eventually(() => expect(address()).toBe(`${TRIAL_PAGE}?view=json`))
  const command = (await screen.findByText(/^curl -X POST/)).textContent ?? ''
  const [, body = ''] = /-d '(.*)'$/s.exec(command) ?? []
  expect(JSON.parse(body)).toEqual({
    datasetId: DONE.datasetId,
    name: 'Two versions',
    sample: { n: 20, seed: 7 },
    variants: DONE.variants.map(({ name, target }) => ({ name, target })),
    baseline: 'v11',
    variables: { question: 'input.question' },
    repetitions: 2,
    concurrency: 8,
    maxCostUsd: 8,
    maxMinutes: 60,
    plannedLooks: 5,
    evaluation: { evaluators: [{ type: 'contains', name: 'grounded' }] },
  })
  await user.click(screen.getByRole('button', { name: 'Back to the results' }))
  await screen.findByRole('heading', { name: 'v12 is better than v11.' })
})
