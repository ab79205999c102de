import { screen, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { formatPath, toJsonLines } from '../../web/src/ui/json-view/json-lines.ts'
import { JsonView } from '../../web/src/ui/json-view/json-view.tsx'
import { eventually, showPart } from './open-page.ts'

const VALUE = { model: 'small', usage: { input: 12, output: null }, 'odd name': [true, 'last'] }

let copied: string[] = []

beforeEach(() => {
  copied = []
})

function show(value: unknown = VALUE) {
  const shown = showPart(JsonView, { label: 'Attributes', value })
  vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(async (text) => void copied.push(text))
  return shown
}

const tree = () => screen.findByRole('tree', { name: 'Attributes' })
const shownLines = () => screen.getAllByRole('treeitem').map((line) => line.textContent)

describe('a JSON value', () => {
  it('is shown line by line, and its branches close and open by keys', async () => {
    const { user } = show()
    const element = await tree()
    expect(shownLines()).toEqual([
      '3 fields',
      'model: "small"',
      'usage: 2 fields',
      'input: 12',
      'output: null',
      'odd name: 2 items',
      '0: true',
      '1: "last"',
    ])
    element.focus()
    await user.keyboard('{ArrowDown}{ArrowDown}{ArrowLeft}')
    await eventually(() => expect(shownLines()).not.toContain('input: 12'))
    expect(screen.getByRole('treeitem', { name: /usage/ }).getAttribute('aria-expanded')).toBe('false')
    await user.keyboard('{ArrowRight}{ArrowRight}')
    await eventually(() =>
      expect(element.getAttribute('aria-activedescendant')).toBe(screen.getByRole('treeitem', { name: /input/ }).id),
    )
  })

  it('copies the path and the value of the active line to the clipboard', async () => {
    const { user } = show()
    await tree()
    await user.click(screen.getByRole('treeitem', { name: /last/ }))
    await user.click(screen.getByRole('button', { name: 'Copy path' }))
    await user.click(screen.getByRole('button', { name: 'Copy value' }))
    expect(copied).toEqual(['$["odd name"][1]', 'last'])
  })

  it('is searched, also inside of closed branches', async () => {
    const { user } = show()
    await tree()
    await user.click(screen.getByRole('button', { name: 'Collapse all' }))
    await eventually(() => expect(shownLines()).toHaveLength(1))
    await user.type(screen.getByRole('searchbox', { name: 'Search in Attributes' }), 'OUT{Enter}')
    await eventually(() => expect(shownLines()).toContain('output: null'))
    expect([...document.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual(['out'])
    expect(screen.getByText('1 of 1 found')).toBeTruthy()
  })

  it('never becomes an element or a link', async () => {
    show({ '<b>key</b>': '<img src=x onerror=alert(1)>', link: 'javascript:alert(1)', site: 'https://example.com' })
    const element = await tree()
    expect(element.querySelectorAll('a, img, b, iframe, script')).toHaveLength(0)
    expect(within(element).getByText(/onerror/)).toBeTruthy()
  })

  it('shows another value with a tree of its own', async () => {
    const { user, update } = show()
    await tree()
    await user.click(screen.getByRole('button', { name: 'Collapse all' }))
    update({ label: 'Attributes', value: { other: 1 } })
    await eventually(() => expect(shownLines()).toEqual(['1 field', 'other: 1']))
  })

  it('cuts long texts until they are opened', async () => {
    const { user } = show({ text: 'x'.repeat(5000) })
    await tree()
    expect(document.body.textContent?.length).toBeLessThan(1500)
    await user.click(screen.getByRole('button', { name: '4,002 more characters' }))
    await eventually(() => expect(document.body.textContent?.length).toBeGreaterThan(5000))
  })

  it('of thousands of lines has few of them in the document', async () => {
    vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(400)
    vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(20)
    const { user } = show(Array.from({ length: 5000 }, (_, index) => ({ index })))
    await tree()
    await user.click(screen.getByRole('button', { name: 'Expand all' }))
    await eventually(() => expect(shownLines().length).toBeGreaterThan(5))
    expect(shownLines().length).toBeLessThan(100)
  })
})

describe('the lines of a value', () => {
  it('end at a depth that no document needs', () => {
    let deep: unknown = 'end'
    for (let depth = 0; depth < 5000; depth += 1) deep = [deep]
    expect(toJsonLines(deep)).toHaveLength(201)
  })

  it('have paths that can be pasted into code', () => {
    expect(formatPath(['messages', 0, 'content'])).toBe('$.messages[0].content')
    expect(formatPath(['a "b"', 'c.d'])).toBe('$["a \\"b\\""]["c.d"]')
  })
})
