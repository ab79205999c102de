/** "Did my change help?", from the traces of two versions to a recorded decision, with nothing but the interface. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { createComponent, describePages, newOwner } from './describe-pages.ts'
import { INVALID_CONFIG } from './new-evaluation-visits.ts'

const COMPONENT = 'warranty assistant'

const QUESTIONS = Array.from({ length: 30 }, (_, place) => ({
  question: `Does part ${place + 1} have a warranty?`,
  answer: place % 2 === 0 ? 'Yes, two years.' : 'No.',
}))

/** The first version is wrong about every second part, the second one about one part. */
const VERSIONS = [
  { name: 'prompt v1', tag: 'v1', isRight: (place: number) => place % 2 === 0 },
  { name: 'prompt v2', tag: 'v2', isRight: (place: number) => place !== 3 },
]

describePages('a change', (app, open) => {
  it('leads from a file and two imported runs to a recorded decision without a command line', async () => {
    const { person, workspaceId, client } = await newOwner(app(), 'Support')
    await sendVersions(client)
    const page = await open(app().url, { person, complaints: [INVALID_CONFIG] })
    await page.goto(`/a/${workspaceId}/components`)
    await createComponent(page, COMPONENT)
    await importQuestions(page)
    for (const { name, tag } of VERSIONS) await addRun(page, name, tag)
    for (const { name } of VERSIONS) await evaluate(page, name)
    await decide(page)

    const [component] = await client.list('/components')
    const [decision, ...others] = await client.list(`/components/${component?.id}/decisions`)
    expect(others).toEqual([])
    expect(decision).toMatchObject({ decision: 'release', note: 'Right about 29 of 30 parts.' })
    const [v2, v1] = await client.list(`/components/${component?.id}/runs`)
    const { body } = await client.get(`/components/${component?.id}/comparisons?baseline=${v1?.id}&candidate=${v2?.id}`)
    const recorded = await client.get(`/components/${component?.id}/decisions/${decision?.id}`)
    expect(Object(recorded.body.comparison).summary).toBe(body.summary)
    await follow(page, 'Compare')
    await page.getByRole('link', { name: 'Decisions', exact: true }).click()
    const shown = page.getByRole('list', { name: 'Decisions' })
    await shown.getByText('Right about 29 of 30 parts.').waitFor()
    await shown
      .getByText(String(body.summary).replace('exactMatch', 'same as expected').split('. ')[0] ?? '')
      .first()
      .waitFor()
  })
})

/** As the two versions of a program send them: they know nothing of datasets and runs. */
async function sendVersions(client: Client): Promise<void> {
  for (const [version, { tag, isRight }] of VERSIONS.entries()) {
    const spans = QUESTIONS.map(({ question, answer }, place) => ({
      traceId: traceIdOf(1_000 * (version + 1) + place),
      spanId: spanIdOf(1),
      name: 'answer',
      attributes: {
        'langfuse.trace.tags': [tag],
        'touchstone.input': question,
        'touchstone.output': isRight(place) ? answer : 'I do not know.',
      },
    }))
    await sendSpans(client, spans)
  }
}

async function importQuestions(page: Page): Promise<void> {
  await follow(page, 'Datasets')
  await page.getByRole('button', { name: 'New dataset' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('warranty questions')
  await page.getByRole('button', { name: 'Create dataset' }).click()
  await page.getByRole('link', { name: 'Import a file' }).click()
  const rows = QUESTIONS.map(({ question, answer }) => `"${question}","${answer}"`)
  const buffer = Buffer.from(['question,expected', ...rows, ''].join('\n'))
  await page.getByLabel('File to import').setInputFiles({ name: 'warranty.csv', mimeType: 'text/csv', buffer })
  await page.getByRole('button', { name: 'Check the rows' }).click()
  await page.getByRole('button', { name: 'Import 30 rows' }).click()
  await page.getByRole('link', { name: 'Open the items' }).click()
  await page.getByText('Does part 30 have a warranty?').waitFor()
}

async function addRun(page: Page, name: string, tag: string): Promise<void> {
  await follow(page, 'Runs')
  await page.getByRole('button', { name: 'New run' }).click()
  const creation = page.getByRole('dialog', { name: 'New run' })
  await creation.getByRole('textbox', { name: 'Name' }).fill(name)
  await creation.getByRole('button', { name: 'Create run' }).click()
  await page.getByRole('button', { name: 'Add traces by query' }).click()
  const addition = page.getByRole('dialog', { name: 'Add traces to the run' })
  await addition.getByRole('combobox', { name: 'Query' }).fill(`tag:${tag}`)
  await page.keyboard.press('Enter')
  await addition.getByRole('button', { name: 'Add 30 traces' }).click()
  await page.getByText('Added 30 traces to the run.').first().waitFor()
  await page
    .getByRole('grid', { name: 'Cases' })
    .getByText(/^Does part/)
    .first()
    .waitFor()
}

async function evaluate(page: Page, name: string): Promise<void> {
  await follow(page, 'Runs')
  await page.getByRole('grid', { name: 'Runs' }).getByRole('link', { name, exact: true }).click()
  await page.getByRole('link', { name: 'Evaluate', exact: true }).click()
  await page.getByRole('checkbox', { name: /^Same as expected/ }).check()
  await page.getByRole('button', { name: /^Start evaluation/ }).click()
  await page.waitForURL(/\/evaluations\/[0-9a-f-]{36}$/)
  await page.getByText('Completed').first().waitFor()
}

async function decide(page: Page): Promise<void> {
  await follow(page, 'Compare')
  await page.getByRole('heading', { name: /^prompt v2 is better than .* on same as expected/ }).waitFor()
  await page.getByText('Release prompt v2').click()
  await page.getByRole('textbox', { name: /^Note/ }).fill('Right about 29 of 30 parts.')
  await page.getByRole('button', { name: 'Record decision' }).click()
  await page.getByText('The decision is recorded.').first().waitFor()
}

/** A tab of the component, which is in the rail on every page. */
async function follow(page: Page, title: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Application' }).getByRole('link', { name: COMPONENT }).click()
  const tabs = page.getByRole('navigation', { name: 'Component' })
  await tabs.getByRole('link', { name: new RegExp(`^${title}`) }).click()
}
