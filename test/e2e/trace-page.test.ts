import { expect, it } from 'vitest'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { describePages, newOwner } from './describe-pages.ts'
import { HOSTILE_TEXTS } from './hostile-texts.ts'

const SPANS = 10_000

describePages('trace page', (app, open) => {
  it('a trace of 10,000 spans has at most 600 elements in its tree, wherever it is scrolled', {
    tags: 'deep',
  }, async () => {
    const { person, workspaceId, client } = await newOwner(app())
    const traceId = traceIdOf(1)
    const start = Date.UTC(2026, 10, 15, 9, 30)
    const spans = Array.from({ length: SPANS }, (_, index) => ({
      traceId,
      spanId: idAt(index),
      ...(index > 0 && { parentSpanId: idAt(Math.floor((index - 1) / 8)) }),
      name: `step ${index}`,
      start: start + index,
    }))
    for (let sent = 0; sent < SPANS; sent += 5_000) await sendSpans(client, spans.slice(sent, sent + 5_000))

    const page = await open(app().url, { person })
    await page.goto(`/a/${workspaceId}/traces/${traceId}`)
    const tree = page.getByRole('tree', { name: 'Spans' })
    await tree.getByRole('treeitem').first().waitFor()
    const elements = () => tree.locator('*').count()
    expect(await elements()).toBeLessThanOrEqual(600)
    await page
      .getByText(`${SPANS.toLocaleString('en')} spans`)
      .first()
      .waitFor()

    await tree.focus()
    await page.keyboard.press('End')
    await expect.poll(() => page.url()).toContain('span=')
    await tree.getByRole('treeitem', { selected: true }).waitFor()
    expect(await elements()).toBeLessThanOrEqual(600)

    await page.keyboard.press('f')
    await page.getByRole('searchbox').fill('step 4321')
    await page.getByText('1', { exact: true }).first().waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'step 4321' }).waitFor()
    await tree.getByRole('treeitem', { name: /step 4321/, selected: true }).waitFor()
  })

  // The harness checks after each test that nothing runs, opens a dialog, loads or breaks the content policy.
  it('hostile text in names, messages, metadata and errors is shown, and does nothing', async () => {
    const { person, workspaceId, client } = await newOwner(app())
    const traceId = traceIdOf(2)
    const text = HOSTILE_TEXTS.join('\n\n')
    await sendSpans(client, [
      {
        traceId,
        spanId: spanIdOf(0),
        name: text.slice(0, 500),
        attributes: { 'touchstone.input': text, 'touchstone.output': text },
      },
      ...HOSTILE_TEXTS.map((hostile, index) => ({
        traceId,
        spanId: spanIdOf(index + 1),
        parentSpanId: spanIdOf(0),
        name: hostile.slice(0, 200) || 'empty',
        status: 'error' as const,
        statusMessage: hostile,
        attributes: {
          'touchstone.kind': 'llm',
          [`x.${index}`]: hostile,
          'touchstone.input': hostile,
          'touchstone.output': hostile,
        },
      })),
    ])
    const page = await open(app().url, { person })
    for (const view of ['tree', 'timeline', 'messages']) {
      await page.goto(`/a/${workspaceId}/traces/${traceId}?view=${view}&span=${spanIdOf(7)}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.getByRole('heading', { level: 2, name: 'Answer' }).waitFor()
      expect(await page.locator('main img, main iframe, main script, main object').count()).toBe(0)
    }
    await page.getByText('JSON', { exact: true }).click()
    await page.getByRole('tree', { name: 'Span', exact: true }).first().waitFor()
  })
})

/** Numbers of the same length have different ids. */
function idAt(index: number): string {
  return spanIdOf(0x10000 + index)
}
