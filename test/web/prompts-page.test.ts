import { screen, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it } from 'vitest'
import { expectMeansWithCount } from './means-with-count.ts'
import { failed, onRequest, requestsOf, sendLiveEvent } from './mock-api.ts'
import { address, eventually, heading, idOf, openPage, signIn } from './open-page.ts'
import { LIST_PAGE, MOVED, PROMPT, PROMPT_PAGE, SAVED, SUMMARIES, SUMMARY, servePrompts } from './prompt-examples.ts'

const READ = 'GET /components/{componentId}/prompt-summaries'
const OTHER = { ...SUMMARY, id: idOf(83), name: 'classify', description: null, labels: [], versions: [] }

beforeEach(() => {
  signIn()
  servePrompts()
})

const table = () => screen.findByRole('table', { name: 'Prompts and their versions' })

async function rowOf(text: string | RegExp): Promise<string> {
  const rows = within(await table()).getAllByRole('row')
  return rows.map(({ textContent }) => textContent ?? '').find((row) => row.search(text) !== -1) ?? 'no such row'
}

describe('the prompts of a component', () => {
  it('show a chip for each version that a label serves, with its share', async () => {
    openPage(LIST_PAGE)
    const row = await rowOf(/Writes the answer/)
    expect(row).toContain('productionv290\u202f%')
    expect(row).toContain('productionv310\u202f%')
    expect(row).toContain('v3 by you')
  })

  it('show traces, rate with interval and n, cost and when it was live of each served version', async () => {
    openPage(LIST_PAGE)
    const live = await rowOf(/^v2/)
    for (const text of ['note of v2', '90', '0.90', '0.85 to 0.94 · n 80', '$0.0036', '90\u202f% of production since'])
      expect(live).toContain(text)
    expectMeansWithCount(document.body)
  })

  it('show the words of the server in place of a rate of few scores', async () => {
    openPage(LIST_PAGE)
    expect(await rowOf(/^v3/)).toContain('too few: 3 of 30 scores')
  })

  it('hide and show versions by the arrow keys, and move between prompts by j and k', async () => {
    onRequest(READ, { ...SUMMARIES, data: [SUMMARY, OTHER] })
    const user = openPage(LIST_PAGE)
    await table()
    await user.keyboard('j')
    expect(document.activeElement?.textContent).toBe('answer')
    await user.keyboard('{ArrowLeft}')
    expect(await rowOf(/^v2/)).toBe('no such row')
    await user.keyboard('{ArrowRight}')
    expect(await rowOf(/^v2/)).toContain('note of v2')
    await user.keyboard('j')
    expect(document.activeElement?.textContent).toBe('classify')
    await user.keyboard('k')
    expect(document.activeElement?.textContent).toBe('answer')
  })

  it('warn of a label that code asks for and that serves nothing, and of fallbacks', async () => {
    const missing = { label: 'canary', traces: 94, lastUsedAt: '2026-11-14T09:00:00.000Z' }
    const sources = { ...SUMMARY.sources, fallback: 25 }
    onRequest(READ, { ...SUMMARIES, data: [{ ...SUMMARY, missingLabels: [missing], sources }] })
    openPage(LIST_PAGE)
    const row = await rowOf(/Writes the answer/)
    expect(row).toContain('code asks for canary, which serves nothing (94 traces)')
    expect(row).toContain('25\u202f% of the traces used the text in the code')
  })

  it('name prompts that only traces know', async () => {
    const unknown = { name: 'refund', versions: 1, traces: 12, lastUsedAt: '2026-11-14T09:00:00.000Z' }
    onRequest(READ, { ...SUMMARIES, unknownPrompts: [unknown] })
    openPage(LIST_PAGE)
    expect((await screen.findByText('Traces name a prompt that is not here')).parentElement?.textContent).toContain(
      'refund: 12 traces',
    )
  })

  it('are found by name, label and note, and the address keeps what is looked for', async () => {
    onRequest(READ, { ...SUMMARIES, data: [SUMMARY, OTHER] })
    const user = openPage(LIST_PAGE)
    await table()
    await user.keyboard('/')
    await user.keyboard('classi')
    await eventually(() => expect(screen.queryByText('Writes the answer')).toBeNull())
    expect(address()).toBe(`${LIST_PAGE}?q=classi`)
    await user.clear(screen.getByRole('searchbox'))
    await user.keyboard('refnd')
    await heading('No prompt is like “refnd”')
    await user.click(screen.getByRole('button', { name: 'Show all prompts' }))
    await user.click(screen.getByRole('button', { name: 'no label 1' }))
    await eventually(() => expect(screen.queryByText('Writes the answer')).toBeNull())
    expect(await rowOf(/^classify/)).toContain('not served')
  })

  it('are searched on all pages of the list', async () => {
    onRequest(READ, ({ query }) =>
      query['cursor'] === undefined ? { ...SUMMARIES, nextCursor: 'next' } : { ...SUMMARIES, data: [OTHER] },
    )
    openPage(`${LIST_PAGE}?q=classify`)
    expect(await rowOf(/^classify/)).toContain('classify')
  })

  it('are measured in the chosen period by the chosen metric, which the heads of the columns show', async () => {
    const heads = async () =>
      within(await table())
        .getAllByRole('columnheader')
        .map(({ textContent }) => textContent)
    const user = openPage(LIST_PAGE)
    expect(await heads()).toEqual([
      'Prompt',
      'Labels point to',
      'Traces, 7 days',
      'rating, 7 days',
      'Cost a trace',
      'Newest',
    ])
    onRequest(READ, { ...SUMMARIES, from: '2026-10-15T12:00:00.000Z', metric: 'grounded' })
    await user.selectOptions(screen.getByRole('combobox', { name: 'Period' }), 'Last 30 days')
    await user.selectOptions(await screen.findByRole('combobox', { name: 'Metric' }), 'grounded')
    await eventually(() => expect(requestsOf(READ).at(-1)?.query).toMatchObject({ days: '30', metric: 'grounded' }))
    expect(address()).toBe(`${LIST_PAGE}?period=30d&metric=grounded`)
    await eventually(async () => expect(await heads()).toContain('grounded, 30 days'))
  })

  it('are read again when someone else changes one', async () => {
    openPage(LIST_PAGE)
    await table()
    const before = requestsOf(READ).length
    await sendLiveEvent(['prompts'])
    await eventually(() => expect(requestsOf(READ).length).toBeGreaterThan(before))
  })
})

describe('what changed lately', () => {
  it('names who saved and moved what, with the verdict that a move rests on', async () => {
    const gave = { ...MOVED, change: 3, after: SUMMARY.labels[0]?.splits ?? [], before: MOVED.after, evidence: [] }
    const back = { ...MOVED, kind: 'rolledBack' as const, change: 4, evidence: [] }
    const gone = { ...MOVED, kind: 'deleted' as const, change: 5, after: null, evidence: [] }
    const first = { ...MOVED, change: 1, before: null, evidence: [] }
    const data = [gone, back, gave, SAVED, MOVED, first]
    onRequest('GET /components/{componentId}/prompt-changes', { data, nextCursor: null })
    openPage(LIST_PAGE)
    const card = within(await screen.findByRole('region', { name: 'What changed lately' }))
    const texts = (await card.findAllByRole('listitem')).map(({ textContent }) => textContent)
    expect(texts[0]).toContain('Grace Hopper removed the label production of answer')
    expect(texts[1]).toContain('rolled back production of answer to v2')
    expect(texts[2]).toContain('gave v3 10\u202f% of production of answer')
    expect(texts[3]).toContain('You saved answer v3“note of v3”')
    expect(texts[4]).toContain('moved production of answer from v1 to v2')
    expect(texts[4]).toContain('v2 is not worse than v1 on grounded by more than 0.03 (243 items).')
    expect(texts[4]).toContain('change 2')
    expect(texts[5]).toContain('pointed production of answer to v2')
  })

  it('fails alone: the prompts stay', async () => {
    onRequest('GET /components/{componentId}/prompt-changes', failed(503, 'Busy.'))
    openPage(LIST_PAGE)
    await table()
    await screen.findByText('Busy.', undefined, { timeout: 60_000 })
    expect(await rowOf(/^v2/)).toContain('note of v2')
  })
})

describe('a new prompt', () => {
  it('is created by the key n, and opened to write its first version', async () => {
    onRequest(
      'POST /components/{componentId}/prompts',
      Response.json({ ...PROMPT, description: null }, { status: 201 }),
    )
    const user = openPage(LIST_PAGE)
    await table()
    await user.keyboard('n')
    const dialog = within(await screen.findByRole('dialog', { name: 'New prompt' }))
    await user.type(dialog.getByLabelText('Name'), 'answer')
    await user.click(dialog.getByRole('button', { name: 'Create prompt' }))
    await eventually(() => expect(address()).toBe(PROMPT_PAGE))
    expect(requestsOf('POST /components/{componentId}/prompts')[0]?.body).toEqual({ name: 'answer' })
  })

  it('with a name that is taken says so in the dialog', async () => {
    onRequest('POST /components/{componentId}/prompts', failed(409, 'The component has a prompt answer already.'))
    const user = openPage(`${LIST_PAGE}?new=true`)
    const dialog = within(await screen.findByRole('dialog', { name: 'New prompt' }))
    await user.type(dialog.getByLabelText('Name'), 'answer')
    await user.click(dialog.getByRole('button', { name: 'Create prompt' }))
    await dialog.findByText('The component has a prompt answer already.')
  })

  it('is what a component without prompts offers, with the command that pushes files', async () => {
    onRequest(READ, { ...SUMMARIES, data: [] })
    const user = openPage(LIST_PAGE)
    await heading('No prompts yet')
    await screen.findByText('touchstone prompts push prompts/*.md')
    await user.click(screen.getByRole('button', { name: 'Write the first one' }))
    await screen.findByRole('dialog', { name: 'New prompt' })
    expect(address()).toBe(`${LIST_PAGE}?new=true`)
  })

  it('is not for viewers, who read why', async () => {
    signIn('viewer')
    openPage(LIST_PAGE)
    const button = await screen.findByRole('button', { name: /New prompt/ })
    expect(button.getAttribute('aria-disabled')).toBe('true')
    await screen.findByText('Creating a prompt requires the role editor; yours is viewer.')
  })
})

it('the tab of prompts is there before the first prompt', async () => {
  onRequest(READ, { ...SUMMARIES, data: [] })
  openPage(LIST_PAGE)
  const nav = within(await screen.findByRole('navigation', { name: 'Component' }))
  expect(nav.getByRole('link', { name: 'Prompts' }).getAttribute('aria-current')).toBe('page')
})
