import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { TraceComment } from '../../web/src/api/generated/api.ts'
import { buildOutline } from '../../web/src/pages/trace/outline-model.ts'
import { SpanRow } from '../../web/src/pages/trace/span-row.tsx'
import { BEN, COMMENTS, commentOf, OUTLINE, openTrace, PAGE, reload, undo } from './annotated-trace.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { address, eventually, heading, showPart } from './open-page.ts'

describe('comments on a trace', () => {
  it('have names; those on a span link to it', async () => {
    const user = openTrace()
    onRequest(COMMENTS, {
      data: [
        commentOf(1, { userId: BEN.id, name: BEN.name }),
        commentOf(2, { spanId: 'a' }),
        commentOf(3, { spanId: 'a' }),
      ],
    })
    const list = await screen.findByRole('list', { name: 'Comments' })
    const cards = within(list).getAllByRole('listitem')
    expect(cards.map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/Ben Okri.*Comment 1$/),
      expect.stringMatching(/Ada Lovelace \(you\).*on turn.*Comment 2$/),
      expect.stringMatching(/Comment 3$/),
    ])
    const [link] = within(list).getAllByRole('button', { name: 'on turn' })
    if (link) await user.click(link)
    await heading('turn')
    expect(address()).toBe(`${PAGE}?span=a`)
    await user.click(screen.getByRole('radio', { name: 'This span 2' }))
    await eventually(() => expect(within(list).getAllByRole('listitem')).toHaveLength(2))
  })

  it('on a span are counted in its row of the tree', async () => {
    const [span] = buildOutline(OUTLINE).spans
    if (!span) throw new Error('there is one')
    const row = {
      id: 'row',
      span,
      shown: { startMs: 0, endMs: 1000 },
      isSelected: false,
      isCollapsed: false,
      isMatch: false,
      top: 0,
    }
    const handlers = { onSelect: () => undefined, onToggle: () => undefined }
    const { update } = showPart(SpanRow, { ...row, ...handlers, look: 'tree', commentCount: 2 })
    await screen.findByRole('img', { name: '2 comments' })
    update({ ...row, ...handlers, look: 'tree', commentCount: 0 })
    await eventually(() => expect(screen.queryByRole('img')).toBeNull())
  })

  it('are written on the trace, or on the selected span', async () => {
    const comments: TraceComment[] = []
    const user = openTrace({ path: `${PAGE}?span=b` })
    onRequest(COMMENTS, () => ({ data: comments }))
    onRequest('POST /traces/{traceId}/comments', ({ body }) => {
      const comment = commentOf(comments.length, Object(body))
      comments.push(comment)
      return comment
    })
    await heading('answer')
    await screen.findByRole('textbox', { name: 'Comment on the trace' })
    await user.keyboard('m')
    await user.keyboard('On all of it{Control>}{Enter}{/Control}')
    await screen.findByText('On all of it', { selector: 'p' })
    await user.click(screen.getByRole('radio', { name: 'This span 0' }))
    await user.type(screen.getByRole('textbox', { name: 'Comment on answer' }), 'On the call')
    await user.click(screen.getByRole('button', { name: 'Comment' }))
    await screen.findByText('On the call', { selector: 'p' })
    expect(requestsOf('POST /traces/{traceId}/comments').map(({ body }) => body)).toEqual([
      { text: 'On all of it' },
      { text: 'On the call', spanId: 'b' },
    ])
    expect(screen.getByRole('textbox', { name: 'Comment on answer' })).toHaveProperty('value', '')
  })

  it('a draft survives a reload and a failure', async () => {
    const first = openTrace()
    onRequest('POST /traces/{traceId}/comments', failed(503, 'The server is busy'))
    const field = await screen.findByRole('textbox', { name: 'Comment on the trace' })
    await first.type(field, 'Long thoughts{Control>}{Enter}{/Control}')
    await screen.findByText('The server is busy')
    expect(field).toHaveProperty('value', 'Long thoughts')
    reload()
    openTrace()
    await screen.findByDisplayValue('Long thoughts')
  })

  it('are changed and deleted by their author; undo writes the comment again', async () => {
    let comments = [commentOf(1), commentOf(2, { userId: BEN.id, name: BEN.name })]
    const user = openTrace()
    onRequest(COMMENTS, () => ({ data: comments }))
    onRequest('PATCH /traces/{traceId}/comments/{commentId}', ({ body }) => {
      const changed = { ...commentOf(1, Object(body)), updatedAt: '2026-11-16T11:00:00.000Z' }
      comments = comments.with(0, changed)
      return changed
    })
    onRequest('DELETE /traces/{traceId}/comments/{commentId}', () => {
      comments = comments.slice(1)
      return null
    })
    await screen.findByText('Comment 2')
    expect(screen.queryByRole('button', { name: 'More for the comment of Ben Okri' })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'More for the comment of Ada Lovelace' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Edit' }))
    const field = await screen.findByRole('textbox', { name: 'Change the comment' })
    await user.clear(field)
    await user.type(field, 'Changed')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await screen.findByText('Changed', { selector: 'p' })
    await screen.findByText('edited')
    await user.click(screen.getByRole('button', { name: 'More for the comment of Ada Lovelace' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Delete' }))
    await undo(user)
    await eventually(() =>
      expect(requestsOf('POST /traces/{traceId}/comments').map(({ body }) => body)).toEqual([{ text: 'Changed' }]),
    )
  })
})
