import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { RatingScheme, Role } from '../../web/src/api/generated/api.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { eventually, heading, idOf, inSupport, openPage, SUPPORT, signIn, switchApplication } from './open-page.ts'

const PAGE = inSupport('settings/rating-scheme')
const SCHEME: RatingScheme = {
  ratings: [
    { value: 'wrong', score: 0, label: 'Wrong', color: 'red', key: '1' },
    { value: 'partly', score: 1, label: null, color: 'gold', key: '2' },
    { value: 'right', score: 2, label: null, color: 'green', key: '3' },
  ],
  ordered: true,
}

async function openScheme(role: Role = 'editor') {
  signIn(role)
  onRequest('GET /rating-scheme', SCHEME)
  const user = openPage(PAGE)
  await screen.findByRole('textbox', { name: 'Word 1' })
  return user
}

const field = (name: string) => screen.getByLabelText(name)
const saveButton = () => screen.getByRole('button', { name: 'Save scheme' })
const bar = () =>
  within(screen.getByRole('region', { name: 'As annotators see it' }))
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent)
const barColors = () =>
  [...screen.getByRole('region', { name: 'As annotators see it' }).querySelectorAll('[data-color]')].map((mark) =>
    mark.getAttribute('data-color'),
  )
const words = () => screen.getAllByRole('textbox', { name: /^Word / }).map((input) => (input as HTMLInputElement).value)
const saved = () => requestsOf('PUT /rating-scheme').map(({ body }) => body)

describe('rating scheme page', () => {
  it('shows the words in order, what they count as, and the bar with its keys', async () => {
    await openScheme()
    expect(words()).toEqual(['wrong', 'partly', 'right'])
    expect(bar()).toEqual(['Wrong1', 'partly2', 'right3'])
    const rows = within(screen.getByRole('region', { name: 'Words' })).getAllByRole('listitem')
    expect(rows.map((row) => /good|bad|neither/.exec(row.textContent ?? '')?.[0])).toEqual(['bad', 'neither', 'good'])
    expect(screen.getByText('Existing ratings are kept, with the word that was given.')).toBeTruthy()
  })

  it('a tenth word has no key', async () => {
    signIn()
    const ratings = Array.from({ length: 9 }, (_, score) => ({
      value: `w${score}`,
      score,
      label: null,
      color: null,
      key: `${score + 1}`,
    }))
    onRequest('GET /rating-scheme', { ratings, ordered: false })
    const user = openPage(PAGE)
    await user.click(await screen.findByRole('button', { name: 'Add word' }))
    expect(field('Key 10')).toHaveProperty('value', '')
    expect(bar().slice(-2)).toEqual(['w89', 'New word'])
  })

  it('the preview has the color of each word as soon as it is chosen, and saves it', async () => {
    const user = await openScheme()
    onRequest('PUT /rating-scheme', ({ body }) => body as RatingScheme)
    expect(barColors()).toEqual(['red', 'gold', 'green'])
    await user.selectOptions(field('Color 2'), 'purple')
    await user.selectOptions(field('Color 3'), 'default')
    expect(barColors()).toEqual(['red', 'purple', 'default'])
    await user.click(saveButton())
    await screen.findByText('Saved the rating scheme.')
    expect(saved()).toMatchObject([{ ratings: [{ color: 'red' }, { color: 'purple' }, { color: null }] }])
  })

  it('a key that another word has is exchanged, so that no key chooses two words', async () => {
    const user = await openScheme()
    await user.selectOptions(field('Key 1'), '3')
    expect(bar()).toEqual(['Wrong3', 'partly2', 'right1'])
    await user.selectOptions(field('Key 2'), 'none')
    expect(bar()).toEqual(['Wrong3', 'partly', 'right1'])
  })

  it('keys that were chosen stay with their words when these are moved', async () => {
    const user = await openScheme()
    await user.selectOptions(field('Key 1'), '9')
    await user.click(screen.getByRole('button', { name: 'Move wrong down' }))
    expect(bar()).toEqual(['partly2', 'Wrong9', 'right3'])
  })

  it('saves added, changed, removed and reordered words, trimmed, and says so', async () => {
    const user = await openScheme()
    onRequest('PUT /rating-scheme', ({ body }) => body as RatingScheme)
    await user.click(screen.getByRole('button', { name: 'Remove partly' }))
    await user.click(screen.getByRole('button', { name: 'Add word' }))
    expect(document.activeElement).toBe(field('Word 3'))
    await user.keyboard(' superb ')
    await user.type(field('Label 3'), 'Superb!')
    expect(field('Score 3')).toHaveProperty('value', '3')
    await user.click(screen.getByRole('button', { name: 'Move superb up' }))
    await user.clear(field('Label 1'))
    await user.click(screen.getByRole('checkbox', { name: 'The words form a scale' }))
    await user.click(saveButton())
    await screen.findByText('Saved the rating scheme.')
    expect(saved()).toEqual([
      {
        ratings: [
          { value: 'wrong', score: 0, label: null, color: 'red', key: '1' },
          { value: 'superb', score: 3, label: 'Superb!', color: null, key: '2' },
          { value: 'right', score: 2, label: null, color: 'green', key: '3' },
        ],
        ordered: false,
      },
    ])
    expect(bar()).toEqual(['wrong1', 'Superb!2', 'right3'])
    expect(screen.queryByRole('button', { name: 'Discard changes' })).toBeNull()
  })

  it('Alt and an arrow key move the word, and the focus stays in it', async () => {
    const user = await openScheme()
    await user.click(field('Word 1'))
    await user.keyboard('{Alt>}{ArrowDown}{/Alt}')
    expect(words()).toEqual(['partly', 'wrong', 'right'])
    expect(screen.getByText('wrong is now 2 of 3.')).toBeTruthy()
    expect(document.activeElement).toBe(field('Word 2'))
    await user.keyboard('{Alt>}{ArrowUp}{ArrowUp}{/Alt}')
    expect(words()).toEqual(['wrong', 'partly', 'right'])
  })

  it('the ends cannot be moved further, and two words must stay', async () => {
    const user = await openScheme()
    await user.click(screen.getByRole('button', { name: 'Move wrong up', description: 'It is the first word.' }))
    await user.click(screen.getByRole('button', { name: 'Move right down', description: 'It is the last word.' }))
    await user.click(screen.getByRole('button', { name: 'Remove wrong' }))
    await user.click(
      screen.getByRole('button', { name: 'Remove right', description: 'A scheme needs at least two words.' }),
    )
    expect(words()).toEqual(['partly', 'right'])
  })

  it('warns that ratings with a renamed word no longer count, until the change is discarded', async () => {
    const user = await openScheme()
    await user.type(field('Word 2'), 'ish')
    expect(screen.getByText(/^No longer in the scheme/).textContent).toBe('No longer in the scheme: partly')
    await user.click(screen.getByRole('button', { name: 'Discard changes' }))
    expect(screen.queryByText(/^No longer in the scheme/)).toBeNull()
    expect(words()).toEqual(['wrong', 'partly', 'right'])
    expect(saved()).toEqual([])
  })

  it('a change is not kept for another application', async () => {
    const sales = { ...SUPPORT, id: idOf(20), name: 'Sales' }
    signIn('owner', [SUPPORT, sales])
    onRequest('GET /rating-scheme', SCHEME)
    const user = openPage(PAGE)
    await screen.findByRole('textbox', { name: 'Word 1' })
    await switchApplication(user, 'Support', 'Sales')
    await user.type(await screen.findByRole('textbox', { name: 'Word 1' }), '!')
    // Its scheme is known already, so the form is there at once.
    await switchApplication(user, 'Sales', 'Support')
    await eventually(() => expect(words()).toEqual(['wrong', 'partly', 'right']))
  })

  it('a saved word is sent unchanged, because a trimmed one would be another word', async () => {
    signIn()
    const spaced = { ...SCHEME, ratings: SCHEME.ratings.map((rating) => ({ ...rating, value: ` ${rating.value} ` })) }
    onRequest('GET /rating-scheme', spaced)
    const user = openPage(PAGE)
    await user.click(await screen.findByRole('button', { name: 'Save scheme' }))
    await screen.findByText('Saved the rating scheme.')
    expect(saved()).toEqual([spaced])
  })

  it('a word without text is not sent', async () => {
    const user = await openScheme()
    await user.clear(field('Word 2'))
    await user.click(saveButton())
    await screen.findByRole('alert')
    expect(saved()).toEqual([])
  })

  it('shows why the server rejects a scheme, and the typed text stays', async () => {
    const user = await openScheme()
    const message = 'The field ratings must have a different score for each value, because the scheme is ordered'
    onRequest('PUT /rating-scheme', failed(400, message))
    await user.clear(field('Score 2'))
    await user.type(field('Score 2'), '2')
    await user.click(saveButton())
    expect((await screen.findByRole('alert')).textContent).toContain(message)
    expect(field('Score 2')).toHaveProperty('value', '2')
  })

  it.each(['viewer', 'annotator'] as const)(
    'the role %s reads the scheme, and learns which role changes it',
    async (role) => {
      const user = await openScheme(role)
      const description = `Changing the rating scheme requires the role editor; yours is ${role}.`
      expect(field('Word 1')).toHaveProperty('readOnly', true)
      expect(screen.queryByRole('button', { name: 'Add word' })).toBeNull()
      await user.click(screen.getByRole('button', { name: 'Save scheme', description }))
      expect(saved()).toEqual([])
    },
  )

  it('a scheme that could not be loaded is requested again', async () => {
    signIn()
    onRequest('GET /rating-scheme', failed(429, 'Too many requests'))
    const user = openPage(PAGE)
    expect((await screen.findByRole('alert')).textContent).toContain('Too many requests')
    onRequest('GET /rating-scheme', SCHEME)
    await user.click(screen.getByRole('button', { name: 'Retry' }))
    await eventually(() => expect(words()).toEqual(['wrong', 'partly', 'right']))
    await heading('Rating scheme')
  })
})
