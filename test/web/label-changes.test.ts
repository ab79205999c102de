// @module-tag deep
/** Rolling a label back, and the conditions of its moves. */
import { fireEvent, screen, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Dataset } from '../../web/src/api/generated/api.ts'
import { changeToUndo } from '../../web/src/pages/deploy/change-to-undo.ts'
import { shareRange, splitsAfter } from '../../web/src/pages/deploy/splits-after.ts'
import { exampleOf } from './api-description.ts'
import { ALLOWED, DEPLOY_PAGE, HISTORY, LABEL, MOVED_BY_GRACE, ON_V2, serveDeployment } from './deploy-examples.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { address, eventually, idOf, openPage, signIn } from './open-page.ts'
import { ONE, PROMPT_PAGE } from './prompt-examples.ts'

const ROLL_BACK = `POST ${LABEL}/rollback`
const PROTECT = `PUT ${LABEL}/protection`

beforeEach(() => {
  signIn()
  serveDeployment({ ...ALLOWED, current: MOVED_BY_GRACE, change: 8 }, MOVED_BY_GRACE)
})

const dialog = async (name: RegExp) => within(await screen.findByRole('dialog', { name }))

describe('rolling back', () => {
  it('shows before and after with their change numbers, and is one key', async () => {
    onRequest(ROLL_BACK, { ...ON_V2, change: 9 })
    const user = openPage(PROMPT_PAGE)
    await user.click(await screen.findByRole('button', { name: 'More about this prompt' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Roll back production…' }))
    const open = await dialog(/^Roll production back to v2\?$/)
    expect(address()).toBe(`${PROMPT_PAGE}?rollback=production`)
    const form = open.getByRole('textbox', { name: 'Note' }).closest('form')
    expect(form?.textContent).toMatch(/^now, change 8v2 95.% · v3 5.%then, change 9v2 100.%/)
    expect(form?.textContent).toContain('It takes back change 8, made by Grace Hopper')
    await user.keyboard('{Enter}')
    await screen.findByText('Rolled production back: it serves v2.')
    expect(requestsOf(ROLL_BACK)[0]?.body).toEqual({ ifChange: 8 })
    expect(address()).toBe(PROMPT_PAGE)
  })

  it('keeps the note', async () => {
    onRequest(ROLL_BACK, ON_V2)
    const user = openPage(`${PROMPT_PAGE}?rollback=production`)
    const open = await dialog(/^Roll production back/)
    await user.type(await open.findByRole('textbox', { name: 'Note' }), 'wrong company{Enter}')
    await eventually(() => expect(requestsOf(ROLL_BACK)[0]?.body).toEqual({ ifChange: 8, note: 'wrong company' }))
  })

  it('says why it failed, and leaves the label as it is', async () => {
    onRequest(ROLL_BACK, failed(503, 'The database is busy.'))
    const user = openPage(`${PROMPT_PAGE}?rollback=production`)
    const open = await dialog(/^Roll production back/)
    await user.click(await open.findByRole('button', { name: /^Roll back/ }))
    await open.findByText('The database is busy.')
    await user.click(open.getByRole('button', { name: 'Keep it' }))
    await eventually(() => expect(address()).toBe(PROMPT_PAGE))
  })

  it('undoes nothing that the user has not seen: a faster person is named, and looking again shows what is now', async () => {
    const [newest] = HISTORY
    const faster = {
      ...newest,
      change: 9,
      before: newest?.after,
      after: { seed: 9, splits: [{ version: 3, weight: 100 }] },
      note: 'all of it',
    }
    onRequest(ROLL_BACK, failed(409, 'Label production is not at change 8: it is at change 9.'))
    const user = openPage(`${PROMPT_PAGE}?rollback=production`)
    const open = await dialog(/^Roll production back to v2\?$/)
    onRequest(`GET ${LABEL}/history`, { data: [faster, ...HISTORY], nextCursor: null })
    await user.type(await open.findByRole('textbox', { name: 'Note' }), 'too long{Enter}')
    await open.findByText('It serves v3 now (change 9). Your numbers were for change 8.')
    await user.click(open.getByRole('button', { name: 'Look again' }))
    const again = await dialog(/^Roll production back to v2 95/)
    again.getByText('now, change 9')
    onRequest(ROLL_BACK, { ...ON_V2, change: 10 })
    await user.click(again.getByRole('button', { name: /^Roll back/ }))
    await eventually(() => expect(requestsOf(ROLL_BACK)[1]?.body).toEqual({ ifChange: 9, note: 'too long' }))
  })

  it('says that there is no earlier state before the second change', async () => {
    onRequest(`GET ${LABEL}/history`, { data: [{ ...HISTORY[1], before: null }], nextCursor: null })
    openPage(`${PROMPT_PAGE}?rollback=production`)
    await (await dialog(/^Roll production back/)).findByText(/has no earlier state to return to/)
  })

  it('is off for viewers, with the reason', async () => {
    signIn('viewer')
    const user = openPage(`${PROMPT_PAGE}?rollback=production`)
    const open = await dialog(/^Roll production back/)
    await user.click(await open.findByRole('button', { name: /^Roll back/ }))
    await open.findAllByText('Rolling back requires the role editor; yours is viewer.')
    expect(requestsOf(ROLL_BACK)).toEqual([])
  })

  it('goes further back after a rollback, never forward', () => {
    const [canary, main] = HISTORY
    if (!canary || !main) throw new Error('the example has two changes')
    const undone = { ...main, change: 9, kind: 'rolledBack' as const, undoes: 8 }
    expect(changeToUndo([canary, main])?.change).toBe(8)
    expect(changeToUndo([undone, canary, main])?.change).toBe(7)
    expect(changeToUndo([{ ...undone, change: 10, undoes: 7 }, undone, canary, main])).toBeUndefined()
  })
})

describe('the splits of a move', () => {
  const two = [
    { version: 11, weight: 90 },
    { version: 12, weight: 10 },
  ]

  it('take a share from the largest version, in the order in which they are', () => {
    expect(splitsAfter(two, { version: 12, weight: 30 })).toEqual([
      { version: 11, weight: 70 },
      { version: 12, weight: 30 },
    ])
    expect(splitsAfter(two, { version: 13, weight: 20 })).toEqual([
      { version: 11, weight: 70 },
      { version: 12, weight: 10 },
      { version: 13, weight: 20 },
    ])
  })

  it('give what is freed to the largest version, because more of another one would need a verdict', () => {
    const three = [
      { version: 10, weight: 20 },
      { version: 11, weight: 70 },
      { version: 12, weight: 10 },
    ]
    expect(splitsAfter(three, { version: 12, weight: 0 })).toEqual([
      { version: 10, weight: 20 },
      { version: 11, weight: 80 },
    ])
  })

  it('sum to 100 for each share that the slider has', () => {
    for (const version of [11, 12, 13]) {
      const { min, max } = shareRange(two, version)
      for (let weight = min; weight <= max; weight += 1) {
        const after = splitsAfter(two, { version, weight })
        expect(after.reduce((sum, split) => sum + split.weight, 0)).toBe(100)
        expect(after.find((split) => split.version === version)?.weight ?? 0).toBe(weight)
      }
    }
    expect(shareRange(two, 11)).toEqual({ min: 90, max: 100 })
    expect(shareRange([], 1)).toEqual({ min: 100, max: 100 })
  })
})

describe('the conditions of a label', () => {
  it('are set by an admin: a role and a verdict', async () => {
    const label = { ...ON_V2, protection: { minRole: 'editor' as const, gate: null } }
    serveDeployment({ ...ALLOWED, current: label, gate: null, needsVerdict: false, verdict: null, metrics: [] }, label)
    onRequest(PROTECT, ON_V2)
    const dataset = { ...exampleOf<Dataset>('Dataset'), id: idOf(60), name: 'Hard returns' }
    onRequest('GET /components/{componentId}/datasets', { data: [dataset] })
    const user = openPage(`${DEPLOY_PAGE}?version=3`)
    await screen.findByText('Production has no conditions')
    await user.click(await screen.findByRole('button', { name: 'Set conditions…' }))
    const open = await dialog(/^Conditions of production$/)
    await user.selectOptions(open.getByRole('combobox', { name: 'Who may move it' }), 'admin')
    await user.click(open.getByRole('checkbox', { name: 'A version needs a verdict before it gets a share' }))
    await eventually(() => expect(open.getByRole('combobox', { name: 'Metric' })).toHaveProperty('value', 'grounded'))
    fireEvent.change(open.getByLabelText('Not worse by more than'), { target: { value: '0.03' } })
    fireEvent.change(open.getByLabelText('Days that a verdict holds'), { target: { value: '7' } })
    await user.click(open.getByRole('button', { name: 'Save conditions' }))
    await eventually(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(requestsOf(PROTECT)[0]?.body).toEqual({
      minRole: 'admin',
      gate: { datasetId: idOf(60), metric: 'grounded', margin: 0.03, maxAgeDays: 7 },
    })
    expect(address()).toBe(`${DEPLOY_PAGE}?version=3`)
  })

  it('are taken away by saving them without a verdict', async () => {
    onRequest(PROTECT, ON_V2)
    const user = openPage(`${DEPLOY_PAGE}?version=3&conditions=true`)
    const open = await dialog(/^Conditions of production$/)
    await user.click(open.getByRole('checkbox'))
    await user.click(open.getByRole('button', { name: 'Save conditions' }))
    await eventually(() => expect(requestsOf(PROTECT)[0]?.body).toEqual({ minRole: 'editor', gate: null }))
  })

  it('that the server rejects say why, with the form as it was', async () => {
    onRequest(PROTECT, failed(400, 'The margin of grounded must be smaller than its scale, which is 0 to 1.'))
    const user = openPage(`${DEPLOY_PAGE}?version=3&conditions=true`)
    const open = await dialog(/^Conditions of production$/)
    fireEvent.change(open.getByLabelText('Not worse by more than'), { target: { value: '2' } })
    await user.click(open.getByRole('button', { name: 'Save conditions' }))
    await open.findByText(/^The margin of grounded must be smaller/)
    expect(open.getByLabelText('Not worse by more than')).toHaveProperty('value', '2')
  })

  it('have a ratio as the margin of a duration', async () => {
    onRequest(PROTECT, ON_V2)
    const user = openPage(`${DEPLOY_PAGE}?version=3&conditions=true`)
    const open = await dialog(/^Conditions of production$/)
    await user.selectOptions(open.getByRole('combobox', { name: 'Metric' }), 'duration')
    expect(open.getByLabelText('Not worse by more than')).toHaveProperty('value', '1.1')
    await user.click(open.getByRole('button', { name: 'Save conditions' }))
    await eventually(() =>
      expect(requestsOf(PROTECT)[0]?.body).toMatchObject({ gate: { metric: 'durationMs', margin: 1.1 } }),
    )
  })

  it('are off for an editor, who follows a link to them', async () => {
    signIn('editor')
    const user = openPage(`${DEPLOY_PAGE}?version=3&conditions=true`)
    const open = await dialog(/^Conditions of production$/)
    await user.click(open.getByRole('button', { name: 'Save conditions' }))
    await open.findAllByText('Conditions are changed by admins.')
    expect(requestsOf(PROTECT)).toEqual([])
  })
})

it('a label is rolled back from its prompt only after it was moved', async () => {
  onRequest(`GET ${ONE}/labels`, { data: [{ ...ON_V2, change: 0, seed: 0, splits: [] }] })
  const user = openPage(PROMPT_PAGE)
  await user.click(await screen.findByRole('button', { name: 'More about this prompt' }))
  await screen.findByRole('menuitem', { name: /^Copy prompt id/ })
  expect(screen.queryByRole('menuitem', { name: /^Roll back/ })).toBeNull()
})
