import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { decodeJson } from '../../src/ingestion/otlp/json/decode-json.ts'
import { writePreview } from '../../src/traces/list-fields.ts'
import { mapSpan } from '../../src/traces/semconv/map-span.ts'
import { MAPPING_VERSION } from '../../src/traces/storing/mapping-version.ts'
import type { ReceivedSpan } from '../../src/traces/storing/received-span.ts'
import { combineContent, ownContent } from '../../src/traces/trace-content.ts'
import { RECORDINGS } from '../recordings/recorded.ts'
import { readGoldenFiles, receivedSpan } from './golden-spans.ts'

type Digests = { version: number; digests: Record<string, string> }

const file = join(import.meta.dirname, 'mapping-digests.json')
const WHAT_TO_DO = `What is stored of these spans has changed, or they are new. If it has changed, increase MAPPING_VERSION, so that
\`remap\` finds the traces that are stored already, and PREVIEW_VERSION if their previews are outdated. Then run
\`UPDATE_GOLDEN=1 vitest run test/mapping/mapping-version.test.ts\`, which replaces no digest of the same version.`

it('the stored form of a span changes only with MAPPING_VERSION', async () => {
  const current = await currentDigests()
  const recorded = readDigests()
  if (process.env.UPDATE_GOLDEN === '1') {
    const known = recorded.version === MAPPING_VERSION ? recorded.digests : {}
    const digests = Object.fromEntries(Object.entries(current).map(([name, digest]) => [name, known[name] ?? digest]))
    writeFileSync(file, `${JSON.stringify({ version: MAPPING_VERSION, digests }, null, 2)}\n`)
  }
  expect(readDigests(), WHAT_TO_DO).toEqual({ version: MAPPING_VERSION, digests: current })
})

function readDigests(): Digests {
  return JSON.parse(readFileSync(file, 'utf8'))
}

async function currentDigests(): Promise<Record<string, string>> {
  const digests: Record<string, string> = {}
  for (const { name, file: golden } of readGoldenFiles()) digests[name] = digestOf([receivedSpan(golden.span)])
  for (const { name, text } of RECORDINGS) {
    const { spans } = await decodeJson(Buffer.from(text), (span) => span)
    digests[`recordings/${name}`] = digestOf(spans)
  }
  return digests
}

function digestOf(spans: readonly ReceivedSpan[]): string {
  return createHash('sha256')
    .update(JSON.stringify(spans.map(storedMeaning)))
    .digest('hex')
    .slice(0, 16)
}

/** The mapped fields, and the question and answer that a list would show of a trace of this span. */
function storedMeaning(span: ReceivedSpan): unknown {
  const mapped = mapSpan(span)
  const texts = { kind: mapped.kind, input: mapped.input?.text ?? null, output: mapped.output?.text ?? null }
  const all = { top: texts, first: texts, last: texts }
  const own = ownContent(texts)
  const ofModelCalls = combineContent({ input: 'none', output: 'none' }, all)
  return { mapped, own, ofModelCalls, preview: writePreview(combineContent(own, all)) }
}
