import { screen } from '@testing-library/dom'
import { describe, expect, it, vi } from 'vitest'
import { DiffText } from '../../web/src/ui/diff-text/diff-text.tsx'
import { diffWords, partsOfSide } from '../../web/src/ui/diff-text/diff-words.ts'
import { eventually, showPart } from './open-page.ts'

const TITLES = { baselineTitle: 'Prompt v6', candidateTitle: 'Prompt v7' }
const marked = () =>
  [...document.querySelectorAll('mark')].map((mark) => mark.textContent?.replace(/\[only here: |\]$/g, ''))

describe('the difference of two texts', () => {
  it('marks the words that only one of them has', async () => {
    showPart(DiffText, { ...TITLES, baseline: 'It ships today.', candidate: 'It ships tomorrow.' })
    await screen.findByText('Prompt v6')
    expect(marked()).toEqual(['today', 'tomorrow'])
  })

  it('joins changed words to one mark, and loses no character', () => {
    const baseline = 'Please have it measured first.'
    const candidate = 'We will ship it now.'
    const parts = diffWords(baseline, candidate, 1000) ?? []
    for (const [side, text] of [
      ['baseline', baseline],
      ['candidate', candidate],
    ] as const) {
      const own = partsOfSide(parts, side)
      expect(own.map((part) => part.text).join('')).toBe(text)
      expect(own.filter((part) => part.isMarked)).toHaveLength(1)
    }
  })

  it('is computed in a worker if the texts are long, and shown without marks until then', async () => {
    const requests: { id: number }[] = []
    let answer: ((data: unknown) => void) | undefined
    vi.stubGlobal(
      'Worker',
      class extends EventTarget {
        postMessage(request: { id: number }) {
          requests.push(request)
          answer = (data) => this.dispatchEvent(new MessageEvent('message', { data }))
        }
      },
    )
    const baseline = 'word '.repeat(1000)
    showPart(DiffText, { ...TITLES, baseline, candidate: `${baseline}more` })
    await eventually(() => expect(requests.length).toBeGreaterThan(0))
    expect(marked()).toEqual([])
    for (const { id } of requests)
      answer?.({
        id,
        parts: [
          { text: baseline, side: 'both' },
          { text: 'more', side: 'candidate' },
        ],
      })
    await eventually(() => expect(marked()).toEqual(['more']))
  })
})
