/** A prompt with three versions, of which the second is live and the third on its way, for the pages that show it. */
import type {
  Dataset,
  DeploymentEvidence,
  Prompt,
  PromptChange,
  PromptDiff,
  PromptLabel,
  PromptLivePeriod,
  PromptSummaries,
  PromptSummary,
  PromptVersion,
  PromptVersionRow,
  PromptVersionSummary,
  VersionResults,
} from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { onRequest } from './mock-api.ts'
import { ADA, ASSISTANT, idOf, inSupport } from './open-page.ts'

export const PROMPT: Prompt = {
  ...exampleOf<Prompt>('Prompt'),
  id: idOf(81),
  name: 'answer',
  description: 'Writes the answer',
}
export const GRACE = { id: idOf(82), name: 'Grace Hopper' }
export const LIST_PAGE = inSupport(`c/${ASSISTANT.id}/prompts`)
export const PROMPT_PAGE = `${LIST_PAGE}/${PROMPT.id}`

const COMPONENT = '/components/{componentId}'
export const ONE = `${COMPONENT}/prompts/{promptId}`

const TEXTS = ['Answer.', 'Answer for {{company}}.', 'Answer for {{company}}, in one sentence.']

export function versionOf(number: number, changes: Partial<PromptVersion> = {}): PromptVersion {
  const text = TEXTS[number - 1] ?? `Text ${number}`
  return {
    promptId: PROMPT.id,
    number,
    hash: `sha256:${number}`,
    variables: text.includes('{{') ? ['company', 'question'] : ['question'],
    placeholders: [],
    labels: number === 2 ? ['production'] : [],
    source: { kind: 'person', id: null },
    createdBy: GRACE.id,
    createdAt: `2026-11-1${number}T09:00:00.000Z`,
    note: `note of v${number}`,
    content: {
      messages: [
        { role: 'system', content: text },
        { role: 'user', content: '{{question}}' },
      ],
      provider: null,
      model: 'gpt-5-mini',
      parameters: { temperature: 0.2 },
      tools: [],
      responseFormat: null,
    },
    ...changes,
  }
}

export function rowOfVersion(number: number): PromptVersionRow {
  const { content: _, ...row } = versionOf(number)
  return row
}

export const PRODUCTION: PromptLabel = {
  name: 'production',
  change: 3,
  seed: 2,
  splits: [
    { version: 2, weight: 90 },
    { version: 3, weight: 10 },
  ],
  protection: { minRole: 'editor', gate: null },
  changedBy: GRACE.id,
  changedAt: '2026-11-13T10:00:00.000Z',
}

const USED: Omit<PromptVersionSummary, 'number' | 'note' | 'user' | 'createdAt' | 'isDeleted' | 'live'> = {
  traces: 90,
  series: [{ start: '2026-11-12T00:00:00.000Z', count: 90 }],
  rate: { mean: 0.9, ci: [0.85, 0.94], n: 80, summary: null },
  cost: { mean: 0.0036, n: 90 },
  sources: { network: 10, memory: 80, disk: 0, fallback: 0, unknown: 0 },
  lastUsedAt: '2026-11-14T09:00:00.000Z',
}

function versionSummary(number: number, changes: Partial<PromptVersionSummary>): PromptVersionSummary {
  const { note, createdAt } = versionOf(number)
  return { number, note, user: GRACE, createdAt, isDeleted: false, ...USED, live: [], ...changes }
}

export const SUMMARY: PromptSummary = {
  ...USED,
  id: PROMPT.id,
  name: PROMPT.name,
  description: PROMPT.description,
  createdAt: PROMPT.createdAt,
  updatedAt: PROMPT.updatedAt,
  traces: 100,
  labels: [PRODUCTION],
  newest: {
    number: 3,
    note: 'note of v3',
    user: { id: ADA.id, name: ADA.name },
    createdAt: '2026-11-13T09:00:00.000Z',
  },
  withoutVersion: 0,
  unknownVersions: 0,
  missingLabels: [],
  versions: [
    versionSummary(3, {
      traces: 10,
      rate: { mean: null, ci: null, n: 3, summary: 'too few: 3 of 30 scores' },
      live: [{ label: 'production', weight: 10, since: '2026-11-13T10:00:00.000Z', until: null }],
    }),
    versionSummary(2, { live: [{ label: 'production', weight: 90, since: '2026-11-13T10:00:00.000Z', until: null }] }),
  ],
  hasMoreVersions: false,
}

export const SUMMARIES: PromptSummaries = {
  ...exampleOf<PromptSummaries>('PromptSummaries'),
  from: '2026-11-07T12:00:00.000Z',
  to: '2026-11-14T12:00:00.000Z',
  metric: 'rating',
  metrics: ['rating', 'grounded'],
  scale: [0, 1],
  data: [SUMMARY],
  unknownPrompts: [],
  nextCursor: null,
}

const EVIDENCE: DeploymentEvidence = {
  ...exampleOf<DeploymentEvidence>('DeploymentEvidence'),
  summary: 'v2 is not worse than v1 on grounded by more than 0.03 (243 items).',
}

export const SAVED: PromptChange = {
  kind: 'saved',
  at: '2026-11-13T09:00:00.000Z',
  user: { id: ADA.id, name: ADA.name },
  prompt: { id: PROMPT.id, name: PROMPT.name },
  note: 'note of v3',
  version: 3,
  isDeleted: false,
  label: null,
  change: null,
  undoes: null,
  before: null,
  after: null,
  evidence: [],
}

export const MOVED: PromptChange = {
  ...SAVED,
  kind: 'moved',
  user: GRACE,
  note: null,
  version: null,
  label: 'production',
  change: 2,
  before: [{ version: 1, weight: 100 }],
  after: [{ version: 2, weight: 100 }],
  evidence: [EVIDENCE],
}

const LIVE: PromptLivePeriod[] = [
  {
    label: 'production',
    change: 3,
    splits: PRODUCTION.splits,
    since: '2026-11-13T10:00:00.000Z',
    until: null,
    evidence: [],
    changedBy: GRACE.id,
  },
  {
    label: 'production',
    change: 1,
    splits: [{ version: 1, weight: 100 }],
    since: '2026-11-11T10:00:00.000Z',
    until: '2026-11-13T10:00:00.000Z',
    evidence: [],
    changedBy: GRACE.id,
  },
]

export const RESULTS: VersionResults = {
  ...exampleOf<VersionResults>('VersionResults'),
  dataset: { id: idOf(60), name: 'Hard returns' },
  metric: 'grounded',
  metrics: ['grounded'],
  scale: [0, 1],
  data: [
    resultOf(3, 0.93, null),
    resultOf(2, 0.86, {
      version: 1,
      edited: 0,
      added: 43,
      removed: 0,
      summary: '43 items were added: not comparable below.',
    }),
    resultOf(1, 0.78, null),
  ],
}

function resultOf(version: number, mean: number, changed: VersionResults['data'][number]['changed']) {
  return {
    version,
    runId: idOf(90 + version),
    runName: `v${version}`,
    evaluationId: idOf(95 + version),
    evaluatedAt: '2026-11-14T09:00:00.000Z',
    mean,
    ci: [mean - 0.04, mean + 0.03],
    n: 200,
    items: 200,
    cost: { meanUsd: 0.0036, n: 200 },
    duration: { medianMs: 3_900, n: 200 },
    changed,
  }
}

export const DIFF: PromptDiff = {
  from: 2,
  to: 3,
  messages: [
    {
      change: 'changed',
      from: 0,
      to: 0,
      before: { role: 'system', content: TEXTS[1] ?? '' },
      after: { role: 'system', content: TEXTS[2] ?? '' },
      hunks: [
        { change: 'same', text: 'Answer for {{company}}' },
        { change: 'added', text: ', in one sentence' },
        { change: 'same', text: '.' },
      ],
    },
    {
      change: 'same',
      from: 1,
      to: 1,
      before: { role: 'user', content: '{{question}}' },
      after: { role: 'user', content: '{{question}}' },
      hunks: [],
    },
  ],
  parameters: [{ name: 'maxTokens', before: 600, after: 800 }],
  variables: { added: [], removed: [] },
  placeholders: { added: [], removed: [] },
}

/** All that the pages of prompts read. */
export function servePrompts(): void {
  onRequest(`GET ${COMPONENT}`, ASSISTANT)
  onRequest(`GET ${COMPONENT}/prompt-summaries`, SUMMARIES)
  onRequest(`GET ${COMPONENT}/prompt-changes`, { data: [SAVED, MOVED], nextCursor: null })
  onRequest(`GET ${COMPONENT}/datasets`, { data: [{ ...exampleOf<Dataset>('Dataset'), ...RESULTS.dataset }] })
  onRequest(`GET ${ONE}`, PROMPT)
  onRequest(`GET ${ONE}/versions`, { data: [3, 2, 1].map(rowOfVersion), nextCursor: null })
  onRequest(`GET ${ONE}/versions/{number}`, ({ params }) => versionOf(Number(params['number'])))
  onRequest(`GET ${ONE}/labels`, { data: [PRODUCTION] })
  onRequest(`GET ${ONE}/live`, { data: LIVE, nextCursor: null })
  onRequest(`GET ${ONE}/results`, RESULTS)
  onRequest(`GET ${ONE}/diff`, DIFF)
  onRequest('GET /members/directory', {
    data: [
      { userId: GRACE.id, name: GRACE.name, state: 'member', role: 'admin' },
      { userId: ADA.id, name: ADA.name, state: 'member', role: 'viewer' },
    ],
  })
}
