import { screen, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { IntervalMark } from '../../web/src/ui/charts/interval-mark.tsx'
import type { TimeRange } from '../../web/src/ui/charts/time-buckets.ts'
import { TimeStrip } from '../../web/src/ui/charts/time-strip.tsx'
import { formatRatio } from '../../web/src/ui/format-number.ts'
import { ChartsKit } from '../../web/src/ui-kit/charts-kit.tsx'
import { MatrixKit } from '../../web/src/ui-kit/matrix-kit.tsx'
import { expectMeansWithCount } from './means-with-count.ts'
import { eventually, showPart } from './open-page.ts'

beforeEach(() => {
  window.history.replaceState(null, '', '/ui-kit')
})

describe('a mean', () => {
  it.each([
    ['interval marks, plots and trends', ChartsKit],
    ['agreement', MatrixKit],
  ])('is never shown without n: %s', async (_name, kit) => {
    showPart(kit, {})
    await screen.findAllByRole('figure')
    expect(document.querySelectorAll('[data-mean]').length).toBeGreaterThan(3)
    expectMeansWithCount(document.body)
  })

  it('is found without its n by the check of the other tests', () => {
    document.body.innerHTML = '<p data-estimate><b data-mean>0.86</b> 0.81 to 0.91</p>'
    expect(() => expectMeansWithCount(document.body)).toThrow(/0\.86/)
    document.body.innerHTML = '<b data-mean>0.86</b>'
    expect(() => expectMeansWithCount(document.body)).toThrow(/0\.86/)
  })

  it('below the minimum is replaced by the summary of the server', async () => {
    showPart(IntervalMark, { estimate: { summary: '12 of 30 scores; too few for a mean' }, domain: [0, 1] })
    await screen.findByText('12 of 30 scores; too few for a mean')
    expect(document.querySelector('svg, [data-mean]')).toBeNull()
  })

  it('has a line at 0 if it is a difference', async () => {
    const estimate = { mean: -0.1, low: -0.16, high: -0.04, n: 187 }
    showPart(IntervalMark, { estimate, domain: [-0.2, 0.2], change: 'difference' })
    await screen.findByText(/n 187/)
    expect(document.querySelector('[data-line="no change"]')?.getAttribute('x1')).toBe('50%')
  })

  it('has a log axis with a line at 1 if it is a ratio', async () => {
    const estimate = { mean: 2, low: 1, high: 4, n: 12 }
    showPart(IntervalMark, { estimate, domain: [0.25, 4], change: 'ratio', series: 'candidate', format: formatRatio })
    await screen.findByText(/1\.00 to 4\.00 × · n 12/)
    expect(document.querySelector('[data-line="no change"]')?.getAttribute('x1')).toBe('50%')
    // Double is a quarter of the way from a quarter to four times.
    expect(document.querySelector('[data-series=candidate]')?.getAttribute('x')).toBe('75%')
  })
})

describe('a chart', () => {
  it('has a summary for screen readers and a table with the same numbers', async () => {
    const { user } = showPart(ChartsKit, {})
    const figures = await screen.findAllByRole('figure')
    expect(figures.length).toBeGreaterThan(4)
    for (const figure of figures) {
      expect(figure.querySelector('p.sr-only')?.textContent).toBeTruthy()
      await user.click(within(figure).getByRole('button', { name: /^Show as table/ }))
      expect(within(figure).getByRole('table').querySelectorAll('th').length).toBeGreaterThan(1)
      await user.click(within(figure).getByRole('button', { name: /^Show as chart/ }))
      expect(within(figure).queryByRole('table')).toBeNull()
    }
  })

  it('shows the baseline as a circle and the candidate as a diamond', async () => {
    showPart(ChartsKit, {})
    await screen.findAllByRole('figure')
    for (const mark of document.querySelectorAll('[data-series=baseline]')) {
      expect(mark.querySelector('circle')?.getAttribute('class')).toContain('fill-series-1')
    }
    for (const mark of document.querySelectorAll('[data-series=candidate]')) {
      expect(mark.querySelector('path')?.getAttribute('class')).toContain('fill-series-2')
    }
  })

  it('breaks the line of a trend where the points cannot be compared', async () => {
    showPart(ChartsKit, {})
    const figure = await screen.findByRole('figure', { name: 'correct by version' })
    // Seven versions: one break, and one version without a mean.
    expect(figure.querySelectorAll('[data-line=break]')).toHaveLength(1)
    expect(figure.querySelectorAll('[data-line=trend]')).toHaveLength(3)
  })
})

describe('the range of a strip of time', () => {
  const hour = 3_600_000
  const range = { from: 0, to: 10 * hour }
  const buckets = Array.from({ length: 10 }, (_, index) => ({ start: index * hour, count: index, errors: 0 }))

  function showStrip(selection?: TimeRange) {
    const onSelect = vi.fn((next: TimeRange | undefined) => update({ ...props, selection: next }))
    const props = { title: 'Traces', range, buckets, bucketMs: hour, selection, onSelect }
    const { user, update } = showPart(TimeStrip, props)
    return { user, onSelect }
  }

  it('shows the number of the tallest bar', async () => {
    const buckets = [3, 1234].map((count, index) => ({ start: index * hour, count, errors: 0 }))
    showPart(TimeStrip, { title: 'Traces', range: { from: 0, to: 2 * hour }, buckets, bucketMs: hour })
    expect((await screen.findByText('1,234')).closest('table')).toBeNull()
  })

  it('is chosen by keys, in whole buckets, and never becomes empty', async () => {
    const { user, onSelect } = showStrip()
    const start = await screen.findByRole('slider', { name: 'Start of the range' })
    start.focus()
    await user.keyboard('{ArrowRight}{ArrowRight}')
    expect(onSelect).toHaveBeenLastCalledWith({ from: 2 * hour, to: 10 * hour })
    screen.getByRole('slider', { name: 'End of the range' }).focus()
    await user.keyboard('{PageDown}')
    expect(onSelect).toHaveBeenLastCalledWith({ from: 2 * hour, to: 3 * hour })
    await user.keyboard('{Escape}')
    expect(onSelect).toHaveBeenLastCalledWith(undefined)
  })

  it('is chosen by dragging', async () => {
    const { user, onSelect } = showStrip()
    const brush = await screen.findByTestId('time-brush')
    vi.spyOn(brush, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, 100, 80))
    brush.setPointerCapture = () => undefined
    await user.pointer([
      { keys: '[MouseLeft>]', target: brush, coords: { clientX: 32 } },
      { target: brush, coords: { clientX: 58 } },
      { keys: '[/MouseLeft]' },
    ])
    expect(onSelect).toHaveBeenLastCalledWith({ from: 3 * hour, to: 6 * hour })
    await eventually(() => expect(screen.getAllByRole('slider')).toHaveLength(2))
  })
})
