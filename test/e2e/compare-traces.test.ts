// @module-tag deep
import { expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { describePages, newOwner } from './describe-pages.ts'
import { HOSTILE_TEXTS } from './hostile-texts.ts'

const SPANS = 10_000

describePages('compared traces', (app, open) => {
  it('are selected in the list without a mouse, compared, walked through, and opened', async () => {
    const { person, workspaceId, client } = await newOwner(app())
    await sendPair(client, 'You can send it back for free.', 'You can send it back for $5.')
    const page = await open(app().url, { person })
    await page.goto(`/a/${workspaceId}/traces`)
    const boxes = page.getByRole('grid', { name: 'Traces' }).getByRole('row').getByRole('checkbox')
    await boxes.nth(2).waitFor()
    for (const index of [1, 2]) {
      await boxes.nth(index).focus()
      await page.keyboard.press('Space')
    }
    await page.keyboard.press('c')
    await page.getByRole('heading', { name: 'Can I send it back?' }).waitFor()
    expect(await page.getByRole('region', { name: 'Question and answer' }).locator('mark').count()).toBe(2)
    await page.keyboard.press('j')
    await page.getByRole('article', { name: 'Step' }).getByRole('heading', { name: 'search' }).waitFor()
    await page.reload()
    await page.getByRole('option', { name: /search/, selected: true }).waitFor()
    await page.getByRole('link', { name: 'Open in trace B' }).click()
    await page.getByRole('heading', { level: 2, name: 'search' }).waitFor()
  })

  it('of 10,000 spans each have at most 600 elements in their list, wherever it is scrolled', async () => {
    const { person, workspaceId, client } = await newOwner(app())
    const ids = [traceIdOf(1), traceIdOf(2)]
    for (const [side, traceId] of ids.entries()) await sendLarge(client, traceId, side)
    const page = await open(app().url, { person })
    await page.goto(`/a/${workspaceId}/traces/compare?left=${ids[0]}&right=${ids[1]}`)
    const list = page.getByRole('listbox', { name: 'Steps' })
    await list.getByRole('option').first().waitFor()
    await page.getByRole('button', { name: /^in both 9,/ }).waitFor()
    const elements = () => list.locator('*').count()
    expect(await elements()).toBeLessThanOrEqual(600)
    await list.focus()
    await page.keyboard.press('End')
    const [total] = /[\d,]+/.exec((await page.getByRole('button', { name: /^all / }).textContent()) ?? '') ?? []
    await list.locator(`[aria-selected=true][aria-posinset="${total?.replaceAll(',', '')}"]`).waitFor()
    expect(await elements()).toBeLessThanOrEqual(600)
  })

  // The harness checks after each test that nothing runs, opens a dialog, loads or breaks the content policy.
  it('show hostile text in names, messages and errors, which does nothing', async () => {
    const { person, workspaceId, client } = await newOwner(app())
    const text = HOSTILE_TEXTS.join('\n\n')
    await sendPair(client, text, `${text} and more`, text)
    const page = await open(app().url, { person })
    const span = spanIdOf(2)
    await page.goto(
      `/a/${workspaceId}/traces/compare?left=${traceIdOf(3)}&right=${traceIdOf(4)}&leftSpan=${span}&rightSpan=${span}`,
    )
    await page.getByRole('article', { name: 'Step' }).getByRole('heading', { name: 'Output' }).waitFor()
    expect(await page.locator('main img, main iframe, main script, main object').count()).toBe(0)
  })
})

/** Two traces of a root and one step, which answer the same question. */
async function sendPair(client: Client, before: string, after: string, hostile = ''): Promise<void> {
  for (const [index, output] of [before, after].entries()) {
    const traceId = traceIdOf(3 + index)
    const texts = { 'touchstone.input': 'Can I send it back?', 'touchstone.output': output }
    await sendSpans(client, [
      { traceId, spanId: spanIdOf(1), name: 'turn', attributes: { 'touchstone.kind': 'agent', ...texts } },
      {
        traceId,
        spanId: spanIdOf(2),
        parentSpanId: spanIdOf(1),
        name: hostile.slice(0, 200) || 'search',
        status: hostile ? 'error' : 'ok',
        statusMessage: hostile,
        attributes: { 'touchstone.kind': 'tool', ...texts },
      },
    ])
  }
}

/** Every hundredth step has another name in the second trace. */
async function sendLarge(client: Client, traceId: string, side: number): Promise<void> {
  const idAt = (index: number) => spanIdOf(0x10000 + index)
  const start = Date.UTC(2026, 10, 15, 9, 30)
  const nameOf = (index: number) => {
    return index % 100 === 50 ? `changed ${side} ${index}` : `step ${index}`
  }
  const spans = Array.from({ length: SPANS }, (_, index) => ({
    traceId,
    spanId: idAt(index),
    ...(index > 0 && { parentSpanId: idAt(Math.floor((index - 1) / 8)) }),
    name: nameOf(index),
    start: start + index,
  }))
  for (let sent = 0; sent < SPANS; sent += 5_000) await sendSpans(client, spans.slice(sent, sent + 5_000))
}
