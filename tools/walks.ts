/** The walks of ARCHITECTURE.md: what each of them requests, and how far it may be. */
import { START_EVALUATION, type WalkRequest } from './walk-server.ts'

/** On a busy machine V8 counts some functions as a whole, so up to fifteen lines differ between two measurements. */
type Walk = WalkRequest & { title: string; filesMax: number; linesMax: number }

export const WALKS: readonly Walk[] = [
  {
    title: 'create a component',
    request: 'POST /components',
    body: { name: 'Component {n}' },
    filesMax: 25,
    linesMax: 665,
  },
  {
    title: 'list traces',
    request: 'GET /traces?component_id={componentId}&include=previews,ratings,scores',
    filesMax: 37,
    linesMax: 830,
  },
  {
    title: 'an annotation',
    request: 'POST /components/{componentId}/runs/{runId}/annotations',
    body: { traceDbId: '{traceId}', rating: 'positive', comment: 'Comment {n}' },
    filesMax: 31,
    linesMax: 870,
  },
  {
    title: 'a comparison',
    request: 'GET /components/{componentId}/comparisons?baseline={baselineId}&candidate={runId}',
    filesMax: 67,
    linesMax: 2_300,
  },
  {
    title: 'a batch of spans',
    request: 'POST /v1/traces',
    body: {
      resourceSpans: [
        {
          resource: {
            attributes: [attribute('service.name', 'greeter'), attribute('touchstone.component', 'Greeter')],
          },
          scopeSpans: [{ scope: { name: 'greeter' }, spans: [span('1'), span('2', '1'), span('3', '1')] }],
        },
      ],
    },
    filesMax: 72,
    linesMax: 1_975,
  },
  { title: 'an evaluation', ...START_EVALUATION, filesMax: 110, linesMax: 3_300 },
]

function span(id: string, parent?: string) {
  return {
    traceId: `${'0'.repeat(24)}{n}`,
    spanId: id.padStart(16, '0'),
    parentSpanId: parent?.padStart(16, '0'),
    name: 'greet',
    kind: 1,
    startTimeUnixNano: '1800000000000000000',
    endTimeUnixNano: '1800000001000000000',
    attributes: [
      attribute('gen_ai.request.model', 'gpt-4o'),
      attribute('touchstone.input', 'Greet the world.'),
      attribute('touchstone.output', 'Hello, world!'),
      { key: 'gen_ai.usage.input_tokens', value: { intValue: '12' } },
      { key: 'gen_ai.usage.output_tokens', value: { intValue: '4' } },
    ],
  }
}

function attribute(key: string, value: string) {
  return { key, value: { stringValue: value } }
}
