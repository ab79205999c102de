/**
 * Takes the pictures of docs/screenshots: a server with the example data, as a newcomer starts it, in a real browser.
 *
 * Usage: npm run screenshots
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium, type Page } from 'playwright-core'
import { BROWSER_ADVICE, BROWSER_ARGUMENTS, findChromium } from '../harness/find-chromium.ts'
import { freePort } from '../harness/free-port.ts'

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(ROOT, 'docs/screenshots')
const SIZE = { width: 1440, height: 900 }

type Example = Record<
  'applicationId' | 'componentId' | 'datasetId' | 'runId' | 'candidateId' | 'evaluationId' | 'traceId',
  string
>

type Picture = {
  name: string
  path: (example: Example) => string
  /** What is on the page when it is complete. */
  shows: (page: Page) => Promise<unknown>
  theme?: 'dark'
}

const heading = (name: string | RegExp) => (page: Page) => page.getByRole('heading', { name }).first().waitFor()

const PICTURES: Picture[] = [
  { name: 'overview', path: ({ applicationId }) => `/a/${applicationId}`, shows: heading('Overview') },
  {
    name: 'traces',
    path: ({ applicationId }) => `/a/${applicationId}/traces`,
    shows: (page) => page.getByRole('grid', { name: 'Traces' }).getByRole('row').nth(3).waitFor(),
  },
  {
    name: 'trace',
    path: ({ applicationId, traceId }) => `/a/${applicationId}/traces/${traceId}`,
    shows: heading('Scores'),
    theme: 'dark',
  },
  {
    name: 'component',
    path: ({ applicationId, componentId }) => `/a/${applicationId}/c/${componentId}`,
    shows: heading('Recent'),
  },
  {
    name: 'annotate',
    path: ({ applicationId, componentId, runId }) => `/a/${applicationId}/c/${componentId}/runs/${runId}/annotate`,
    shows: (page) => page.getByRole('button', { name: /positive/ }).waitFor(),
  },
  {
    name: 'agreement',
    path: ({ applicationId, componentId, runId }) => `/a/${applicationId}/c/${componentId}/runs/${runId}?tab=agreement`,
    shows: heading('Disagreements'),
  },
  {
    name: 'dataset',
    path: ({ applicationId, componentId, datasetId }) => `/a/${applicationId}/c/${componentId}/datasets/${datasetId}`,
    shows: (page) => page.getByRole('grid', { name: 'Items' }).getByRole('row').nth(3).waitFor(),
  },
  {
    name: 'evaluation',
    path: ({ applicationId, componentId, evaluationId }) =>
      `/a/${applicationId}/c/${componentId}/evaluations/${evaluationId}`,
    shows: (page) => page.getByRole('grid', { name: 'Cases' }).getByRole('row').nth(3).waitFor(),
  },
  {
    name: 'compare',
    path: ({ applicationId, componentId, runId, candidateId }) =>
      `/a/${applicationId}/c/${componentId}/compare?base=${runId}&cand=${candidateId}`,
    shows: heading('Every metric'),
  },
]

const executablePath = findChromium()
if (!executablePath) throw new Error(BROWSER_ADVICE)
const folder = mkdtempSync(join(tmpdir(), 'touchstone-screenshots-'))
const port = await freePort()
const server = spawn(process.execPath, ['touchstone.mjs'], {
  cwd: ROOT,
  env: { ...process.env, PORT: String(port), DATABASE_URL: `file:${folder}/data.db`, TOUCHSTONE_OTLP_GRPC_PORT: 'off' },
  stdio: ['ignore', 'pipe', 'inherit'],
})
const browser = await chromium.launch({ executablePath, args: BROWSER_ARGUMENTS })
try {
  const context = await browser.newContext({
    viewport: SIZE,
    reducedMotion: 'reduce',
    baseURL: `http://127.0.0.1:${port}`,
  })
  const page = await context.newPage()
  await page.goto(await setupLink())
  await page.getByRole('textbox', { name: 'Name' }).fill('Ada Lindqvist')
  await page.getByRole('textbox', { name: 'E-mail' }).fill('ada@example.com')
  await page.getByRole('textbox', { name: 'Password' }).fill('correct horse, charged battery')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL('**/a/**')
  const example = await loadExample(page)
  mkdirSync(FOLDER, { recursive: true })
  for (const { name, path, shows, theme = 'light' } of PICTURES) {
    await page.emulateMedia({ colorScheme: theme })
    await page.goto(path(example))
    await shows(page)
    await page.getByText('Loading…').first().waitFor({ state: 'detached' })
    await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled' })
    process.stdout.write(`docs/screenshots/${name}.png\n`)
  }
} finally {
  await browser.close()
  server.kill()
  await new Promise((resolve) => server.once('exit', resolve))
  rmSync(folder, { recursive: true })
}

async function setupLink(): Promise<string> {
  for await (const line of createInterface({ input: server.stdout })) {
    const [link] = /http\S+\/setup#\S+/.exec(line) ?? []
    if (link) return link
  }
  throw new Error('The server ended before it printed a set-up link')
}

/** Sent by the page, with its session. */
async function loadExample(page: Page): Promise<Example> {
  const [, applicationId = ''] = /\/a\/([^/]+)/.exec(page.url()) ?? []
  const ask = async (method: string, path: string): Promise<Record<string, unknown>> => {
    const script = `fetch('/api/v1${path}', { method: '${method}', headers: { 'X-AI-Application-Id': '${applicationId}' } })
      .then((response) => response.json())`
    return Object(await page.evaluate<unknown>(script))
  }
  const { componentId, datasetId, runIds, evaluationIds } = await ask('POST', '/example-data')
  for (const id of [evaluationIds].flat()) {
    while ((await ask('GET', `/components/${componentId}/evaluations/${id}`))['status'] !== 'completed')
      await page.waitForTimeout(200)
  }
  const { data } = await ask('GET', '/traces?limit=1')
  const [runId, candidateId] = [runIds].flat().map(String)
  const evaluationId = [evaluationIds].flat().map(String).at(-1)
  const [trace] = [data].flat()
  if (!runId || !candidateId || !evaluationId) throw new Error('The example data has evaluated runs')
  const ids = { componentId: String(componentId), datasetId: String(datasetId), traceId: String(Object(trace).id) }
  return { applicationId, ...ids, runId, candidateId, evaluationId }
}
