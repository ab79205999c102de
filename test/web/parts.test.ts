import { screen, within } from '@testing-library/dom'
import { describe, expect, it, vi } from 'vitest'
import { Button } from '../../web/src/ui/button.tsx'
import { ColumnMenu } from '../../web/src/ui/data-table/column-menu.tsx'
import { NewRowsButton } from '../../web/src/ui/data-table/new-rows-button.tsx'
import { ErrorNotice } from '../../web/src/ui/error-notice.tsx'
import {
  formatCost,
  formatCount,
  formatDifference,
  formatDuration,
  formatScore,
} from '../../web/src/ui/format-number.ts'
import { IconButton } from '../../web/src/ui/icon-button.tsx'
import { Cost } from '../../web/src/ui/quantities.tsx'
import { SaveState } from '../../web/src/ui/save-state.tsx'
import { StatusBadge } from '../../web/src/ui/status-badge.tsx'
import { showUndoToast } from '../../web/src/ui/toast-store.ts'
import { eventually, showPart } from './open-page.ts'

describe('numbers', () => {
  it('have the precision that is needed to compare them', () => {
    expect([0.4, 9.96, 412, 999.6, 3420, 59_999, 192_000, 7_560_000].map(formatDuration)).toEqual([
      '0.4 ms',
      '10 ms',
      '412 ms',
      '1.00 s',
      '3.42 s',
      '1 min 0 s',
      '3 min 12 s',
      '2 h 6 min',
    ])
    expect([0.0094, 74.92, 1234.5, 0.000001, 0].map(formatCost)).toEqual([
      '$0.0094',
      '$74.92',
      '$1,234.50',
      '<$0.0001',
      '$0',
    ])
    expect([41_208, -3].map(formatCount)).toEqual(['41,208', '−3'])
    expect([-0.104, -0.001, 0.9].map(formatScore)).toEqual(['−0.10', '0.00', '0.90'])
    expect([0.19, -0.1, 0].map(formatDifference)).toEqual(['+0.19', '−0.10', '0.00'])
  })

  it('that are unknown are no zeros', async () => {
    expect(formatCost(null)).toBe('unknown')
    showPart(Cost, { dollars: null })
    await screen.findByText('unknown')
  })
})

describe('a button', () => {
  it('keeps the focus when the reason for which it is disabled appears and disappears', async () => {
    const { user, update } = showPart<{ children: string; disabledReason?: string }>(Button, { children: 'Next' })
    const button = await screen.findByRole('button', { name: 'Next' })
    await user.tab()
    expect(document.activeElement).toBe(button)
    for (const disabledReason of ['This is the last one.', undefined]) {
      update({ children: 'Next', ...(disabledReason && { disabledReason }) })
      await eventually(() => expect(button.getAttribute('aria-disabled')).toBe(disabledReason ? 'true' : null))
      expect(document.activeElement).toBe(button)
    }
  })

  it('with only an icon keeps the focus, too, and shows the reason instead of its name', async () => {
    const label = 'Next trace'
    const { user, update } = showPart<{ label: string; disabledReason?: string }>(IconButton, { label })
    const button = await screen.findByRole('button', { name: label })
    await user.tab()
    expect(await screen.findByRole('tooltip')).toHaveProperty('textContent', label)
    update({ label, disabledReason: 'This is the last one.' })
    await eventually(() => expect(screen.getByRole('tooltip').textContent).toBe('This is the last one.'))
    expect(document.activeElement).toBe(button)
  })
})

describe('an action that can be undone', () => {
  it('is undone by its toast, and only the newest one can be', async () => {
    const undo = vi.fn()
    const { user } = showPart(SaveState, { state: 'saved' })
    await screen.findByText('Saved')
    showUndoToast('Rated right.', vi.fn())
    showUndoToast('Rated wrong.', undo)
    await user.click(await screen.findByRole('button', { name: 'Undo' }))
    expect(undo).toHaveBeenCalledTimes(1)
    await eventually(() => expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull())
  })
})

describe('states', () => {
  it('a job that completed with failures is no success', async () => {
    showPart(StatusBadge, { status: 'completed', failedCount: 50 })
    await screen.findByText('completed, 50 failed')
  })

  it('an error has a button to try again', async () => {
    const onRetry = vi.fn()
    const { user } = showPart(ErrorNotice, { message: 'The database is busy.', requestId: 'req-7', onRetry })
    await user.click(within(await screen.findByRole('alert')).getByRole('button', { name: 'Retry' }))
    expect(onRetry).toHaveBeenCalledTimes(1)
  })

  it('words that could not be saved are tried again on request', async () => {
    const onRetry = vi.fn()
    const { user } = showPart(SaveState, { state: 'failed', onRetry })
    await user.click(await screen.findByRole('button', { name: 'Retry' }))
    expect(onRetry).toHaveBeenCalledTimes(1)
  })

  it('new rows are announced, and shown on request', async () => {
    const onShow = vi.fn()
    const { user } = showPart(NewRowsButton, { count: 3, onShow })
    expect((await screen.findByRole('status')).textContent).toBe('3 new')
    await user.click(screen.getByRole('button', { name: '3 new' }))
    expect(onShow).toHaveBeenCalledTimes(1)
  })
})

describe('the menu of columns', () => {
  it('shows, hides and moves columns; the pinned one is not listed', async () => {
    const onChange = vi.fn()
    const columns = ['Time', 'Tokens', 'Cost', 'Rating'].map((title) => ({ id: title.toLowerCase(), title }))
    const { user } = showPart(ColumnMenu, { columns, columnIds: ['tokens', 'cost'], onChange })
    await user.click(await screen.findByRole('button', { name: 'Columns' }))
    const menu = within(await screen.findByRole('dialog', { name: 'Columns' }))
    expect(menu.queryByRole('checkbox', { name: 'Time' })).toBeNull()
    await user.click(menu.getByRole('checkbox', { name: 'Rating' }))
    expect(onChange).toHaveBeenLastCalledWith(['tokens', 'cost', 'rating'])
    await user.click(menu.getByRole('checkbox', { name: 'Tokens' }))
    expect(onChange).toHaveBeenLastCalledWith(['cost'])
    await user.click(menu.getByRole('button', { name: 'Move Cost up' }))
    expect(onChange).toHaveBeenLastCalledWith(['cost', 'tokens'])
    onChange.mockClear()
    await user.click(menu.getByRole('button', { name: 'Move Tokens up' }))
    expect(onChange).not.toHaveBeenCalled()
  })
})
