// @module-tag deep
import { fireEvent, screen, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  ALLOWED,
  CHECK,
  DEPLOY_PAGE,
  MOVE,
  MOVED_BY_GRACE,
  onCheck,
  serveDeployment,
  UNCLEAR,
} from './deploy-examples.ts'
import { expectMeansWithCount } from './means-with-count.ts'
import { failed, forceFailure, networkFailure, onRequest, requestsOf, sendLiveEvent } from './mock-api.ts'
import { address, eventually, heading, openPage, reloadPage, signIn } from './open-page.ts'
import { DIFF, ONE, PROMPT_PAGE } from './prompt-examples.ts'

const PAGE = `${DEPLOY_PAGE}?version=3`

beforeEach(() => signIn())

const action = (name: string | RegExp) => screen.findByRole('button', { name })
const slider = () => screen.findByRole('slider', { name: 'Share of v3 in percent' })
const conditions = async () =>
  within(await screen.findByRole('region', { name: /^Conditions of production/ })).getAllByRole('listitem')
const why = (button: HTMLElement) =>
  document.getElementById(button.getAttribute('aria-describedby') ?? '')?.textContent ?? undefined

async function chooseShare(share: number): Promise<void> {
  fireEvent.change(await slider(), { target: { value: String(share) } })
}

describe('deploying a version', () => {
  it('shows verdict, conditions, share, diff and note in this order', async () => {
    serveDeployment(ALLOWED)
    openPage(PAGE)
    await heading('Move production from v2 to v3')
    await screen.findByText(
      /^95.% CI \+0\.01 to \+0\.12, 200 items\. 32 items got better, 10 worse, 158 are the same\. Valid although it was looked at 10 times\./,
    )
    const order = [...document.querySelectorAll('article h2, article label:has(+ textarea)')].map(
      (one) => one.textContent,
    )
    expect(order).toEqual([
      'v3 is ▲ better on grounded by 0.07',
      'Conditions of production',
      'Who gets v3',
      'What changes',
      'Noteoptional',
    ])
    await screen.findByText('Same variables, code needs no change.')
    await screen.findByText(/^margin −0\.03: left of it the label is shut$/)
    expectMeansWithCount(document.body)
  })

  it.each([
    [22, 'v3 asks gpt-4o of my-openai, which ends on 11 Dec 2026, in 22 days.'],
    [1, 'v3 asks gpt-4o of my-openai, which ends on 11 Dec 2026, in 1 day.'],
    [0, 'v3 asks gpt-4o of my-openai, which ends today.'],
    [-3, 'v3 asks gpt-4o of my-openai, which ended on 11 Dec 2026.'],
  ])('says that the model of the version ends in %i days, and moves it all the same', async (daysLeft, text) => {
    const retirement = { provider: 'my-openai', model: 'gpt-4o', on: '2026-12-11', daysLeft, summary: '' }
    serveDeployment({ ...ALLOWED, retirement })
    openPage(PAGE)
    await screen.findByText(text)
    await action('Give v3 10\u202f% of production')
  })

  it('lists the conditions one by one, each with why it is met', async () => {
    serveDeployment(ALLOWED)
    openPage(PAGE)
    await screen.findByText('5 of 5 met')
    expect((await conditions()).map(({ textContent }) => textContent)).toEqual([
      'An editor does itYou are an owner.met',
      'Compared with what is livev3 (Run of v3) was compared with v2 (Run of v2) on Hard returns, 200 items.met',
      'The items are unchangedThe items are what they were when they were evaluated.met',
      'At most 14 days oldThe older of the two evaluations is 9 minutes old, and at most 14 days are allowed.met',
      'grounded is not worse by more than 0.03grounded is not worse by more than the margin of 0.03.met',
    ])
  })

  it('gives a canary share by the button that says so, with the change that was seen and a note', async () => {
    serveDeployment(ALLOWED)
    const user = openPage(PAGE)
    await user.type(await screen.findByRole('textbox', { name: 'Note' }), 'Over the weekend.')
    await user.click(await action('Give v3 10\u202f% of production'))
    await screen.findByText(/^Gave v3 10.% of production\.$/)
    expect(requestsOf(MOVE)[0]?.body).toEqual({
      splits: [
        { version: 2, weight: 90 },
        { version: 3, weight: 10 },
      ],
      ifChange: 7,
      note: 'Over the weekend.',
    })
    expect(address()).toBe(`${PROMPT_PAGE}?version=3`)
  })

  it('has a button and an address that follow the slider, and what that share can show', async () => {
    serveDeployment(ALLOWED)
    openPage(PAGE)
    await screen.findByText(
      /^Expected on grounded: \+0\.07 \(95.% CI \+0\.01 to \+0\.12\); the margin is 0\.03\. At 10.%, a loss of 0\.03 on grounded shows after about 12 days if all traces of v3 are scored; within 7 days only one of 0\.04\./,
    )
    await screen.findByText(/about 127 traces a day/)
    await chooseShare(60)
    await action('Give v3 60\u202f% of production')
    await screen.findByText(/about 762 traces a day/)
    await eventually(() => expect(address()).toBe(`${DEPLOY_PAGE}?version=3&weight=60`))
    await screen.findByText(/ At 60.%/)
    expect(requestsOf(CHECK).at(-1)?.query).toEqual({ version: '3', weight: '60' })
    reloadPage()
    await action('Give v3 60\u202f% of production')
  })

  it('moves all of it with Ctrl and Enter, also from the note', async () => {
    serveDeployment(ALLOWED)
    const user = openPage(PAGE)
    await user.click(await screen.findByRole('radio', { name: 'All' }))
    await action('Move production to v3')
    await screen.findByText(/ At 100.%/)
    await user.type(await screen.findByRole('textbox', { name: 'Note' }), 'ok{Control>}{Enter}{/Control}')
    await screen.findByText('Production serves v3.')
    expect(requestsOf(MOVE)[0]?.body).toMatchObject({ splits: [{ version: 3, weight: 100 }], note: 'ok' })
  })

  it('takes a canary out again, which needs no verdict', async () => {
    serveDeployment({ ...UNCLEAR, current: MOVED_BY_GRACE, change: 8 }, MOVED_BY_GRACE)
    onRequest(CHECK, ({ query }) => {
      const weight = Number(query['weight'])
      const isMore = weight > 5
      return { ...(isMore ? UNCLEAR : ALLOWED), current: MOVED_BY_GRACE, change: 8, weight, needsVerdict: isMore }
    })
    const user = openPage(PAGE)
    await heading('Change the share of v3 in production')
    await screen.findByRole('link', { name: 'Add items to the dataset' })
    await chooseShare(0)
    await screen.findByText(/needs no verdict/)
    await user.click(await action('Take v3 out of production'))
    await screen.findByText('Took v3 out of production.')
    expect(requestsOf(MOVE)[0]?.body).toEqual({ splits: [{ version: 2, weight: 100 }], ifChange: 8 })
  })

  it('is left by Escape, and reached by the key m and from the chip of the label', async () => {
    serveDeployment(ALLOWED)
    const user = openPage(PAGE)
    await heading('Move production from v2 to v3')
    await user.keyboard('{Escape}')
    await eventually(() => expect(address()).toBe(`${PROMPT_PAGE}?version=3`))
    const chip = await screen.findByRole('link', { name: 'Move production, which serves v2' })
    expect(chip.getAttribute('href')).toBe(`${DEPLOY_PAGE}?version=3`)
    await screen.findByRole('button', { name: /^Deploy v3/ })
    await user.keyboard('m')
    await eventually(() => expect(address()).toBe(PAGE))
  })

  it('names a new or lost variable, because code must change with it', async () => {
    serveDeployment(ALLOWED)
    onRequest(`GET ${ONE}/diff`, { ...DIFF, variables: { added: ['city'], removed: ['company'] } })
    openPage(PAGE)
    await screen.findByText('New: city. Code must give a value before this goes live. No longer used: company.')
  })

  it('proposes the newest version, and leads to another label or version', async () => {
    serveDeployment(ALLOWED)
    const user = openPage(DEPLOY_PAGE)
    await heading('Move production from v2 to v3')
    await user.selectOptions(screen.getByRole('combobox', { name: 'Version' }), 'v1')
    await heading('Move production from v2 to v1')
    expect(address()).toBe(`${DEPLOY_PAGE}?version=1`)
    await user.selectOptions(screen.getByRole('combobox', { name: 'Label' }), 'staging')
    await eventually(() => expect(address()).toBe(`${PROMPT_PAGE}/deploy/staging?version=1`))
  })

  it('has the move as a request, for scripts', async () => {
    serveDeployment(ALLOWED)
    const user = openPage(PAGE)
    await user.click(await action('Copy as API request'))
    const command = await navigator.clipboard.readText()
    expect(command).toContain('-X PUT')
    expect(command).toContain('"splits":[{"version":2,"weight":90},{"version":3,"weight":10}],"ifChange":7')
  })
})

describe('someone else', () => {
  it('who was faster is named with what is served now, and nothing is overwritten', async () => {
    serveDeployment(ALLOWED)
    const user = openPage(PAGE)
    await screen.findByText('5 of 5 met')
    await action('Give v3 10\u202f% of production')
    onRequest(MOVE, failed(409, 'Label production is not at change 7: it is at change 8 and serves 95 % version 2.'))
    onCheck({ ...ALLOWED, current: MOVED_BY_GRACE, change: 8 })
    await user.click(await action('Give v3 10\u202f% of production'))
    const alert = await screen.findByRole('alert')
    await eventually(() => expect(alert.textContent).toMatch(/^Grace Hopper moved production/))
    expect(alert.textContent).toContain(
      'It serves v2 95\u202f%, v3 5\u202f% now (change 8). Your numbers were for change 7.',
    )
    expect(why(await action('Give v3 10\u202f% of production'))).toBe(
      'The label was moved meanwhile. Look again first.',
    )
    onRequest(MOVE, MOVED_BY_GRACE)
    await user.click(await action('Look again'))
    await heading('Change the share of v3 in production')
    await user.click(await action('Give v3 10\u202f% of production'))
    await eventually(() => expect(requestsOf(MOVE)).toHaveLength(2))
    expect(requestsOf(MOVE)[1]?.body).toMatchObject({ ifChange: 8 })
  })

  it('who moves it while the page is open is seen before the button is pressed', async () => {
    serveDeployment(ALLOWED)
    openPage(PAGE)
    await screen.findByText('5 of 5 met')
    await action('Give v3 10\u202f% of production')
    onCheck({ ...ALLOWED, current: MOVED_BY_GRACE, change: 8 })
    await sendLiveEvent(['prompts'])
    await eventually(() => expect(screen.getByRole('alert').textContent).toMatch(/^Grace Hopper moved production/))
    expect(requestsOf(MOVE)).toHaveLength(0)
  })
})

describe('a move that fails', () => {
  it('by a verdict that no longer holds shows the conditions as they are now', async () => {
    serveDeployment(ALLOWED)
    const user = openPage(PAGE)
    await screen.findByText('5 of 5 met')
    await action('Give v3 10\u202f% of production')
    onRequest(MOVE, failed(409, 'Label production needs a verdict: an item was edited.'))
    onCheck(UNCLEAR)
    await user.click(await action('Give v3 10\u202f% of production'))
    await screen.findByText(/^Nothing has moved\. Label production needs a verdict: an item was edited\.$/)
    await screen.findByText('Production is shut for v3')
  })

  it('because the server is busy has moved nothing, and is repeated by Retry', async () => {
    serveDeployment(ALLOWED)
    const user = openPage(PAGE)
    await screen.findByText('5 of 5 met')
    onRequest(MOVE, failed(503, 'The database is busy.'))
    await user.click(await action('Give v3 10\u202f% of production'))
    await screen.findByText('Nothing has moved. The database is busy.')
    onRequest(MOVE, MOVED_BY_GRACE)
    await user.click(await action('Retry'))
    await screen.findByText(/^Gave v3 10.% of production\.$/)
  })

  it('without a response may be repeated, because it never moves twice', async () => {
    serveDeployment(ALLOWED)
    const user = openPage(PAGE)
    await screen.findByText('5 of 5 met')
    await action('Give v3 10\u202f% of production')
    forceFailure(MOVE, networkFailure)
    await user.click(await action('Give v3 10\u202f% of production'))
    await screen.findByText(/A retry never moves it twice\.$/)
  })

  it('to what it serves already is not sent', async () => {
    serveDeployment({ ...ALLOWED, needsVerdict: false, verdict: null, metrics: [], diff: null })
    openPage(`${DEPLOY_PAGE}?version=2`)
    await heading('Production serves v2')
    expect(why(await action('Move production to v2'))).toBe('v2 has this share already.')
  })
})

it('says that the conditions are being checked, and shows the reason if they cannot be', async () => {
  serveDeployment(ALLOWED)
  onRequest(CHECK, failed(503, 'The database is busy.'))
  const user = openPage(PAGE)
  await screen.findByText('The database is busy.')
  expect(why(await action('Give v3 10\u202f% of production'))).toBe('Checking the conditions.')
  onCheck(ALLOWED)
  await user.click(await action('Retry'))
  await screen.findByText('5 of 5 met')
})

it('offers to write a first version if there is none', async () => {
  serveDeployment(ALLOWED, null)
  onRequest(`GET ${ONE}/versions`, { data: [], nextCursor: null })
  openPage(DEPLOY_PAGE)
  await screen.findByText('No version yet')
})
