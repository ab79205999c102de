/** A move of production from v2 to v3 that its conditions allow, and the ways in which it is not allowed. */
import type {
  ComparedMetric,
  DeploymentCheck,
  DeploymentCondition,
  DeploymentEvidence,
  PromptLabel,
  PromptLabelChange,
} from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { onRequest } from './mock-api.ts'
import { ADA, idOf } from './open-page.ts'
import { GRACE, ONE, PRODUCTION, PROMPT_PAGE, RESULTS, servePrompts } from './prompt-examples.ts'

export const LABEL = `${ONE}/labels/{label}`
export const MOVE = `PUT ${LABEL}`
export const CHECK = `GET ${LABEL}/check`
export const DEPLOY_PAGE = `${PROMPT_PAGE}/deploy/production`

const GATE = { datasetId: idOf(60), metric: 'grounded', margin: 0.03, maxAgeDays: 14 }

/** All of it serves v2. */
export const ON_V2: PromptLabel = {
  ...PRODUCTION,
  change: 7,
  splits: [{ version: 2, weight: 100 }],
  protection: { minRole: 'editor', gate: GATE },
}

const EVIDENCE: DeploymentEvidence = {
  ...exampleOf<DeploymentEvidence>('DeploymentEvidence'),
  dataset: { id: GATE.datasetId, name: 'Hard returns' },
  metric: GATE.metric,
  margin: GATE.margin,
  baseline: sideOf(2, 0.86),
  candidate: sideOf(3, 0.93),
  verdict: 'improved',
  passed: true,
  summary: 'Passed.',
  items: 200,
  ...{ wins: 32, ties: 158, losses: 10 },
  difference: 0.07,
  ci: [0.01, 0.12],
  marginCi: [0.01, 0.12],
  confidence: 0.95,
  looks: 10,
  rule: 'sequential',
}

function sideOf(version: number, mean: number): DeploymentEvidence['baseline'] {
  return {
    version,
    runId: idOf(90 + version),
    runName: `Run of v${version}`,
    evaluationId: idOf(95 + version),
    evaluatedAt: '2026-11-14T09:00:00.000Z',
    mean,
    ci: [mean - 0.04, mean + 0.03],
  }
}

const DURATION: ComparedMetric = {
  ...exampleOf<ComparedMetric>('ComparedMetric'),
  name: 'durationMs',
  kind: 'numeric',
  role: 'reported',
  n: 200,
  items: 200,
  baseline: { mean: 3900, ci: [3800, 4000], method: '' },
  candidate: { mean: 4000, ci: [3900, 4100], method: '' },
  difference: 100,
  ratio: 1.02,
  ratioCi: [0.98, 1.06],
  verdict: 'noClearDifference',
}

const met = (key: DeploymentCondition['key'], summary: string) => ({ key, met: true, summary })

export const ALLOWED: DeploymentCheck = {
  label: 'production',
  version: 3,
  weight: 10,
  current: ON_V2,
  change: 7,
  baseline: 2,
  gate: GATE,
  needsVerdict: true,
  allowed: true,
  error: null,
  conditions: [
    met('role', 'Your role is owner, and moving label production requires editor.'),
    met('version', 'Prompt answer has version 3.'),
    met('compared', 'Version 3 (Run of v3) was compared with version 2 (Run of v2) on Hard returns, 200 items.'),
    met('unchanged', 'The items are what they were when they were evaluated.'),
    met('recent', 'The older of the two evaluations is 9 minutes old, and at most 14 days are allowed.'),
    met('notWorse', 'Passed: grounded is not worse by more than the margin of 0.03. More about it.'),
  ],
  verdict: EVIDENCE,
  metrics: [DURATION],
  warnings: [],
  traffic: { tracesPerDay: 1270, days: 7, traces: 8890, summary: 'About 1,270 traces of production a day.' },
  share: {
    weight: 10,
    tracesPerDay: 127,
    othersPerDay: 1143,
    detectable: [
      { days: 1, difference: 0.1 },
      { days: 7, difference: 0.04 },
    ],
    daysForMargin: 12,
    summary: '',
  },
  itemsNeeded: null,
  diff: { from: 2, to: 3 },
  retirement: null,
}

/** With some conditions replaced. */
export function notMet(check: DeploymentCheck, failed: Partial<Record<DeploymentCondition['key'], string>>) {
  const conditions = check.conditions.map((condition) => {
    const summary = failed[condition.key]
    return summary === undefined ? condition : { ...condition, met: false, summary }
  })
  return { ...check, allowed: false, error: 'Label production needs a verdict.', conditions }
}

/** Compared, and may be worse by more than the margin. */
export const UNCLEAR: DeploymentCheck = {
  ...notMet(ALLOWED, { notWorse: 'grounded may be worse by up to 0.05.' }),
  verdict: { ...EVIDENCE, verdict: 'noClearDifference', passed: false, difference: 0.03, ci: [-0.05, 0.11] },
  itemsNeeded: { ifEqual: 960, ifAsMeasured: 440, available: 243, summary: '' },
}

const NO_COMPARISON = 'There is no comparison.'

export const NEVER_COMPARED: DeploymentCheck = {
  ...notMet(ALLOWED, {
    compared:
      'On dataset Hard returns, no evaluated run has only traces of version 3. Run version 3 over it so that all traces name answer@3, evaluate the run with grounded, then move the label again.',
    unchanged: NO_COMPARISON,
    recent: NO_COMPARISON,
    notWorse: NO_COMPARISON,
  }),
  verdict: null,
  metrics: [],
  share: { weight: 10, tracesPerDay: 127, othersPerDay: 1143, detectable: [], daysForMargin: null, summary: '' },
  itemsNeeded: { ifEqual: 1590, ifAsMeasured: null, available: 243, summary: '' },
}

/** What the label serves after someone else has moved it. */
export const MOVED_BY_GRACE: PromptLabel = {
  ...ON_V2,
  change: 8,
  splits: [
    { version: 2, weight: 95 },
    { version: 3, weight: 5 },
  ],
  changedBy: GRACE.id,
}

const CHANGE: PromptLabelChange = {
  change: 7,
  kind: 'moved',
  undoes: null,
  before: { seed: 5, splits: [{ version: 1, weight: 100 }] },
  after: { seed: 7, splits: [{ version: 2, weight: 100 }] },
  note: 'better',
  evidence: [],
  changedBy: ADA.id,
  changedAt: '2026-11-12T10:00:00.000Z',
}

/** A canary of v3, on top of v2. */
export const HISTORY: PromptLabelChange[] = [
  {
    ...CHANGE,
    change: 8,
    before: CHANGE.after,
    after: { seed: 8, splits: MOVED_BY_GRACE.splits },
    note: 'canary',
    changedBy: GRACE.id,
  },
  CHANGE,
]

/** All that the page reads. Each share that is asked for gets its own response. */
export function serveDeployment(check: DeploymentCheck, label: PromptLabel | null = ON_V2): void {
  servePrompts()
  onRequest(`GET ${ONE}/labels`, { data: label ? [label] : [] })
  onRequest(`GET ${LABEL}/history`, { data: HISTORY, nextCursor: null })
  onRequest(`GET ${ONE}/results`, { ...RESULTS, dataset: EVIDENCE.dataset, higherIsBetter: true })
  onCheck(check)
}

export function onCheck(check: DeploymentCheck): void {
  onRequest(CHECK, ({ query, params }) => {
    const weight = Number(query['weight'] ?? 100)
    return { ...check, label: params['label'], version: Number(query['version']), weight }
  })
}
