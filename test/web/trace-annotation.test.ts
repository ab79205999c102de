import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { AnnotationOfTrace } from '../../web/src/api/generated/api.ts'
import { ANNOTATION, BEN, openFacts, openTrace, reload, undo } from './annotated-trace.ts'
import { failed, networkFailure, onRequest, requestsOf } from './mock-api.ts'
import { eventually, idOf, inSupport } from './open-page.ts'
import { listOf, rowOf, SERIES } from './open-traces.ts'

const word = (name: string) => screen.findByRole('button', { name, pressed: false })
const chosenWord = (name: string) => screen.findByRole('button', { name, pressed: true })
describe('rating a trace', () => {
  it('a key rates and saves; another one changes the rating and keeps the comment', async () => {
    const user = openTrace({ saved: { comment: 'Nearly', correctedOutput: 'Better' } })
    await word('right')
    await user.keyboard('3')
    await chosenWord('wrong')
    await screen.findByText('Saved')
    await user.keyboard('1')
    await chosenWord('right')
    await eventually(() => expect(requestsOf(ANNOTATION)).toHaveLength(2))
    expect(requestsOf(ANNOTATION).map(({ body }) => body)).toEqual([
      { rating: 'wrong', comment: 'Nearly', correctedOutput: 'Better' },
      { rating: 'right', comment: 'Nearly', correctedOutput: 'Better' },
    ])
  })

  it('works in the panel next to the list, too', async () => {
    onRequest('GET /traces', listOf([rowOf(5)]))
    onRequest('GET /traces/series', SERIES)
    const user = openTrace({ path: inSupport(`traces?trace=${idOf(5)}`) })
    await word('right')
    await user.keyboard('3')
    await chosenWord('wrong')
    await eventually(() => expect(requestsOf(ANNOTATION)[0]?.body).toMatchObject({ rating: 'wrong' }))
  })

  it('is removed, and undo restores rating and comment', async () => {
    const user = openTrace({ saved: { rating: 'partly', comment: 'Nearly' } })
    await chosenWord('partly')
    await user.click(screen.getByRole('button', { name: 'Remove my rating' }))
    await word('partly')
    await eventually(() => expect(requestsOf(ANNOTATION)[0]?.body).toMatchObject({ rating: null, comment: null }))
    await undo(user)
    await chosenWord('partly')
    await eventually(() =>
      expect(requestsOf(ANNOTATION)[1]?.body).toMatchObject({ rating: 'partly', comment: 'Nearly' }),
    )
  })

  it('has a comment that survives a reload until it is saved', async () => {
    const first = openTrace({ saved: { rating: 'wrong' } })
    await first.click(await screen.findByRole('button', { name: 'Say why' }))
    await first.type(screen.getByRole('textbox', { name: 'Comment with your rating' }), 'No label')
    reload()
    const user = openTrace({ saved: { rating: 'wrong' } })
    await user.click(await screen.findByRole('button', { name: 'Say why' }))
    const field = await screen.findByDisplayValue('No label')
    await user.type(field, ' was sent{Control>}{Enter}{/Control}')
    await screen.findByRole('button', { name: 'Reason' })
    await eventually(() =>
      expect(requestsOf(ANNOTATION).map(({ body }) => body)).toEqual([
        { rating: 'wrong', comment: 'No label was sent', correctedOutput: null },
      ]),
    )
  })

  it('that could not be saved is shown as such, survives a reload and is sent again', async () => {
    const first = openTrace()
    await word('right')
    onRequest(ANNOTATION, networkFailure)
    await first.keyboard('2')
    await screen.findByText('Could not be saved')
    await chosenWord('partly')
    reload()
    openTrace()
    await chosenWord('partly')
    await eventually(() => expect(requestsOf(ANNOTATION).at(-1)?.body).toMatchObject({ rating: 'partly' }))
    await screen.findByText('Saved')
  })

  it('that the server rejects is not kept: the page shows why, and the saved state', async () => {
    const user = openTrace({ saved: { rating: 'right' } })
    await chosenWord('right')
    onRequest(ANNOTATION, failed(400, 'The field rating must be one of the values of the rating scheme: good, bad'))
    await user.keyboard('3')
    await screen.findByText(/values of the rating scheme: good, bad/)
    await chosenWord('right')
  })

  it('needs the role annotator', async () => {
    const user = openTrace({ role: 'viewer' })
    await screen.findByText('Rating requires the role annotator; yours is viewer.')
    await user.keyboard('1')
    await user.click(await word('right'))
    expect(requestsOf(ANNOTATION)).toEqual([])
  })
})

describe('ratings of others', () => {
  const annotation: AnnotationOfTrace = {
    id: idOf(30),
    traceDbId: idOf(5),
    aiComponentId: idOf(3),
    runId: idOf(31),
    runName: 'Prompt v7',
    userId: BEN.id,
    name: BEN.name,
    rating: 'wrong',
    comment: 'No label',
    correctedOutput: null,
    createdAt: '2026-11-16T10:00:00.000Z',
    updatedAt: '2026-11-16T10:00:00.000Z',
  }

  it('are shown with names and runs', async () => {
    const user = openTrace()
    onRequest('GET /traces/{traceId}/annotations', { data: [annotation], hiddenRaters: [] })
    const facts = await openFacts(user)
    const [rating] = await within(await within(facts).findByRole('list', { name: '' })).findAllByRole('listitem')
    expect(rating?.textContent).toMatch(/Ben Okri.*wrong.*No label.*in Prompt v7/)
  })

  it('that are hidden are only names', async () => {
    const user = openTrace()
    onRequest('GET /traces/{traceId}/annotations', {
      data: [],
      hiddenRaters: [
        { userId: BEN.id, name: BEN.name },
        { userId: idOf(9), name: 'Cleo Ames' },
      ],
    })
    const facts = await openFacts(user)
    await within(facts).findByText(/^Ben Okri and Cleo Ames have rated\./)
  })
})
