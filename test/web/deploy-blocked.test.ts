// @module-tag deep
/** A label that does not move: why, and the way out. */
import { screen, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  ALLOWED,
  DEPLOY_PAGE,
  MOVE,
  NEVER_COMPARED,
  notMet,
  ON_V2,
  onCheck,
  serveDeployment,
  UNCLEAR,
} from './deploy-examples.ts'
import { requestsOf, sendLiveEvent } from './mock-api.ts'
import { ASSISTANT, idOf, inSupport, openPage, signIn } from './open-page.ts'
import { PROMPT, PROMPT_PAGE } from './prompt-examples.ts'

const COMPONENT = inSupport(`c/${ASSISTANT.id}`)
const PAGE = `${DEPLOY_PAGE}?version=3`
const TRIAL = `${COMPONENT}/trials/new?prompt=${PROMPT.id}&version=2%2C3&dataset=${idOf(60)}`

beforeEach(() => signIn())

const action = (name: string | RegExp) => screen.findByRole('button', { name })
const conditions = async () =>
  within(await screen.findByRole('region', { name: /^Conditions of production/ })).getAllByRole('listitem')
const why = (button: HTMLElement) =>
  document.getElementById(button.getAttribute('aria-describedby') ?? '')?.textContent ?? undefined

describe('a label that is shut', () => {
  it('has no button that moves it, says how many items would open it, and leads to adding them', async () => {
    serveDeployment(UNCLEAR)
    const user = openPage(PAGE)
    await screen.findByText('Production is shut for v3')
    await screen.findByText(
      'No comparison of v3 with v2 shows that grounded is not worse by more than 0.03. grounded may be worse by up to 0.05.',
    )
    await screen.findByText('4 of 5 met')
    const opens = await screen.findByRole('region', { name: 'What would open it' })
    expect(opens.textContent).toContain(
      '440 items are enough in 80 of 100 attempts if the difference is what was measured',
    )
    expect(opens.textContent).toContain('960 if v3 is just as good. 243 are there.')
    const out = await screen.findByRole('link', { name: 'Add items to the dataset' })
    expect(out.getAttribute('href')).toBe(`${COMPONENT}/datasets/${idOf(60)}`)
    expect(screen.queryByRole('slider')).toBeNull()
    expect(screen.queryByRole('button', { name: /^(Give|Move)/ })).toBeNull()
    await user.keyboard('{Control>}{Enter}{/Control}')
    expect(requestsOf(MOVE)).toHaveLength(0)
    expect((await screen.findByRole('link', { name: 'Move staging instead' })).getAttribute('href')).toBe(
      `${PROMPT_PAGE}/deploy/staging?version=3`,
    )
  })

  it('leads to the items that differ if there are enough of them', async () => {
    serveDeployment({ ...UNCLEAR, itemsNeeded: { ifEqual: 100, ifAsMeasured: null, available: 243, summary: '' } })
    openPage(PAGE)
    const out = await screen.findByRole('link', { name: 'Look at the items that differ' })
    expect(out.getAttribute('href')).toBe(
      `${COMPONENT}/compare?base=${idOf(92)}&cand=${idOf(93)}&metric=grounded&margin=0.03`,
    )
  })

  it('says that two versions were never compared, and leads to a trial of both with the items of the gate', async () => {
    serveDeployment(NEVER_COMPARED)
    openPage(PAGE)
    await screen.findByText(/^v3 and v2 were never compared/)
    const opens = await screen.findByRole('region', { name: 'What would open it' })
    expect(opens.textContent).toContain('Run v3 over the dataset so that all traces name answer@3')
    expect(opens.textContent).toContain('At most 1,590 items are enough')
    expect((await screen.findByRole('link', { name: 'Set up a trial' })).getAttribute('href')).toBe(TRIAL)
  })

  it('leads to a trial if the dataset has more items than were compared, and enough of them', async () => {
    serveDeployment({ ...UNCLEAR, itemsNeeded: { ifEqual: 960, ifAsMeasured: 220, available: 243, summary: '' } })
    openPage(PAGE)
    expect((await screen.findByRole('link', { name: 'Set up a trial' })).getAttribute('href')).toBe(TRIAL)
  })

  it.each([
    ['compared', 'and 2 items were edited since then.'],
    ['unchanged', '2 items were edited since the evaluations.'],
    ['recent', 'The older of the two evaluations is 20 days old, and at most 14 days are allowed.'],
  ] as const)('after the condition %s is no longer met leads to evaluating again', async (key, summary) => {
    serveDeployment(notMet(ALLOWED, { [key]: summary }))
    openPage(PAGE)
    await screen.findByText(summary)
    const out = await screen.findByRole('link', { name: 'Evaluate both versions' })
    expect(out.getAttribute('href')).toBe(`${COMPONENT}/evaluations/new?run=${idOf(93)}&from=${idOf(98)}`)
  })

  it('opens by itself when an evaluation has made the verdict', async () => {
    serveDeployment(UNCLEAR)
    openPage(PAGE)
    await screen.findByText('Production is shut for v3')
    onCheck(ALLOWED)
    await sendLiveEvent(['evaluations'])
    await action('Give v3 10\u202f% of production')
  })

  it('for a role that is too low is off with the reason, and gives a link for an admin', async () => {
    signIn('viewer')
    serveDeployment(notMet(ALLOWED, { role: 'Label production is protected' }))
    const user = openPage(PAGE)
    await screen.findByText('4 of 5 met')
    // The directory has an admin and Ada, who reads the page.
    await screen.findByText('It takes the role editor. You are a viewer. Ask Grace Hopper.', { selector: 'p' })
    const [role] = await conditions()
    expect(role?.textContent).toBe('An editor does itIt takes the role editor. You are a viewer.not met')
    expect(why(await action('Give v3 10\u202f% of production'))).toBe('The conditions are not met.')
    await user.click(await action('Copy link for an admin'))
    await screen.findByText(/^Copied\./)
    expect(await navigator.clipboard.readText()).toBe(`${window.location.origin}${PAGE}&weight=10`)
    expect(why(await action('Change the conditions…'))).toBe('Conditions are changed by admins.')
  })
})

describe('the first move of a label', () => {
  it('gives all of it to the version', async () => {
    const check = { ...ALLOWED, current: null, change: 0, baseline: null, gate: null, needsVerdict: false, diff: null }
    serveDeployment(
      { ...check, verdict: null, metrics: [], conditions: ALLOWED.conditions.slice(0, 2), share: null },
      null,
    )
    const user = openPage(PAGE)
    await screen.findByText('Production has no conditions')
    expect(screen.queryByRole('slider')).toBeNull()
    await user.click(await action('Let production serve v3'))
    await screen.findByText('Production serves v3.')
    expect(requestsOf(MOVE)[0]?.body).toEqual({ splits: [{ version: 3, weight: 100 }], ifChange: 0 })
  })

  it('that has a gate needs an admin, who changes the conditions', async () => {
    const label = { ...ON_V2, splits: [] }
    const none = 'It serves nothing that version 3 could be compared with.'
    const check = { ...notMet(ALLOWED, { compared: none }), current: label, baseline: null, verdict: null, metrics: [] }
    serveDeployment({ ...check, share: null, diff: null }, label)
    const user = openPage(PAGE)
    await screen.findByText('It serves nothing that v3 could be compared with.', { selector: 'p' })
    await user.click(await action('Change the conditions'))
    await screen.findByRole('dialog', { name: 'Conditions of production' })
  })
})
