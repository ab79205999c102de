import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { datasetAgreementQuery } from '../../api/agreement-query.ts'
import { promptResultsQuery } from '../../api/prompts-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { hasMean } from '../../ui/charts/estimate.ts'
import { IntervalGlyph } from '../../ui/charts/interval-glyph.tsx'
import { niceDomain } from '../../ui/charts/percent-scale.ts'
import { formatCount, formatScore } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { NumberField } from '../../ui/schema-form/number-field.tsx'
import { Select } from '../../ui/select-field.tsx'
import { evaluatorsOf, nameOf } from '../new-evaluation/evaluation-draft.ts'
import { FormSection } from '../new-evaluation/form-section.tsx'
import { toEstimate } from '../overview/trace-estimates.ts'
import { type ExperimentDraft, type Role, roleOf } from './experiment-draft.ts'

interface GoalsPartProps {
  applicationId: string
  componentId: string
  draft: ExperimentDraft
  /** Of the prompt; undefined as long as it has none. */
  version: number | undefined
  asksModel: (type: string) => boolean
  onChange: (changes: Partial<ExperimentDraft>) => void
}

const roles: { value: Role; title: string }[] = [
  { value: 'improve', title: 'improve' },
  { value: 'notWorse', title: 'must not get worse' },
  { value: 'tieBreak', title: 'decides between equal ones' },
]

/** Below this, a judge agrees too little with people to stand for them, as the server says. */
const KAPPA_MIN = 0.4

const row =
  'grid items-center gap-x-4 gap-y-2 px-4 py-3 sm:grid-cols-[minmax(0,1fr)_auto] xl:grid-cols-[minmax(0,10fr)_13.5rem_minmax(0,11fr)_minmax(0,7fr)]'

/** What each score is for: the search raises some, and others only must not fall. Next to it what is known of the start and of the judge. */
export function GoalsPart({ applicationId, componentId, draft, version, asksModel, onChange }: GoalsPartProps) {
  const evaluators = evaluatorsOf(draft.config)
  const setRole = (metric: string, changes: Partial<ReturnType<typeof roleOf>>) =>
    onChange({ roles: { ...draft.roles, [metric]: { ...roleOf(draft, metric), ...changes } } })
  const key = { applicationId, componentId, datasetId: draft.datasetId }
  return (
    <FormSection title="What each score is for">
      <div className="divide-y divide-line rounded-card border border-line bg-surface text-data shadow-lift">
        {evaluators.length === 0 && <p className="px-4 py-3 text-soft">Choose evaluators above.</p>}
        {evaluators.length > 0 && (
          <div aria-hidden className={`${row} py-2! text-meta text-soft max-xl:hidden`}>
            <span>Evaluator</span>
            <span>Role</span>
            <span>v{version} now</span>
            <span>Against people</span>
          </div>
        )}
        {evaluators.map((evaluator) => {
          const metric = nameOf(evaluator)
          const { role, margin } = roleOf(draft, metric)
          return (
            <div key={metric} className={row}>
              <span className="min-w-0 font-medium wrap-anywhere">
                <bdi>{metricTitle(metric)}</bdi>
              </span>
              <span className="flex flex-wrap items-center gap-2">
                <Select
                  aria-label={`Role of ${metricTitle(metric)}`}
                  value={role}
                  onChange={({ target }) =>
                    setRole(metric, { role: roles.find(({ value }) => value === target.value)?.value ?? 'improve' })
                  }
                >
                  {roles.map(({ value, title }) => (
                    <option key={value} value={value}>
                      {title}
                    </option>
                  ))}
                </Select>
                {role === 'notWorse' && (
                  <span className="w-28">
                    <NumberField
                      label="May fall by"
                      placeholder="0.03"
                      value={margin}
                      onChange={(value) => setRole(metric, { margin: value })}
                    />
                  </span>
                )}
              </span>
              <Now {...key} promptId={draft.promptId} version={version} metric={metric} />
              {asksModel(evaluator.type) ? (
                <AgainstPeople {...key} metric={metric} />
              ) : (
                <span className="text-meta text-faint max-xl:hidden">not needed</span>
              )}
            </div>
          )
        })}
        <label className="flex min-h-10 cursor-pointer flex-wrap items-center gap-2 px-4 py-2.5 touch:min-h-11">
          <input
            type="checkbox"
            checked={draft.cheaperWins}
            onChange={({ target }) => onChange({ cheaperWins: target.checked })}
            className="accent-action"
          />
          <span className="font-medium">Cost of an answer</span>
          <span className="text-soft">the cheaper one wins if the scores are equal</span>
        </label>
      </div>
    </FormSection>
  )
}

interface OfDataset {
  applicationId: string
  componentId: string
  datasetId: string
  metric: string
}

/** The newest evaluation of the version that is to be improved, on this dataset. */
function Now({
  datasetId,
  metric,
  promptId,
  version,
  ...scope
}: OfDataset & { promptId: string | undefined; version: number | undefined }) {
  const query = useQuery({
    ...promptResultsQuery({ ...scope, promptId: promptId ?? '' }, { datasetId, metric }),
    enabled: promptId !== undefined && version !== undefined,
    retry: false,
  })
  const known = query.data?.metric === metric ? query.data : undefined
  const found = known?.data.find((one) => one.version === version)
  const estimate = found && toEstimate({ mean: found.mean, ci: found.ci, n: found.n }, '')
  if (!known || !estimate || !hasMean(estimate))
    return (
      <span className="text-meta text-faint">
        {query.isPending && query.fetchStatus !== 'idle' ? 'v… now' : `v${version} was not evaluated with it`}
      </span>
    )
  const domain = known.scale
    ? ([known.scale[0] ?? 0, known.scale[1] ?? 1] as const)
    : niceDomain([estimate.low, estimate.high])
  return (
    <span data-estimate="" className="flex flex-wrap items-center gap-x-2 tabular-nums">
      <b data-mean="" className="font-semibold">
        {formatScore(estimate.mean)}
      </b>
      <span className="w-14">
        <IntervalGlyph marks={[{ series: 'baseline', estimate }]} domain={domain} />
      </span>
      <span className="text-meta text-faint">
        <span className="xl:hidden">v{version} now, </span>
        {formatScore(estimate.low)} to {formatScore(estimate.high)} · n {formatCount(estimate.n)}
      </span>
    </span>
  )
}

/** A search finds what pleases its judge, so that a judge who was never compared with people is warned of. */
function AgainstPeople({ metric, applicationId, ...scope }: OfDataset) {
  const query = useQuery(datasetAgreementQuery({ applicationId, ...scope }))
  if (!query.data) return <span className="text-meta text-faint">{query.error ? 'unknown' : '…'}</span>
  const judge = query.data.judges.find(({ evaluator }) => evaluator === metric)
  const rate = (
    <Link
      to={pagePaths.work(applicationId)}
      className="touch-link text-meta text-soft underline decoration-edge underline-offset-3 hover:text-ink"
    >
      rate answers
    </Link>
  )
  if (judge?.kappa == null)
    return (
      <Warned>
        {judge && judge.shared > 0 ? `${formatCount(judge.shared)} labels, too few for κ` : 'no labels'} {rate}
      </Warned>
    )
  const [low, high] = judge.kappaCi ?? []
  const interval = (
    <span className="block text-meta text-soft">
      {low !== undefined && high !== undefined && `${formatScore(low)} to ${formatScore(high)} · `}n{' '}
      {formatCount(judge.shared)}
    </span>
  )
  if (judge.kappa < KAPPA_MIN)
    return (
      <Warned>
        κ {formatScore(judge.kappa)}: agrees too little {interval}
      </Warned>
    )
  return (
    <span className="tabular-nums">
      κ {formatScore(judge.kappa)} {interval}
    </span>
  )
}

function Warned({ children }: { children: ReactNode }) {
  return (
    <span className="flex items-start gap-1.5 font-medium text-warn tabular-nums">
      <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
      <span className="min-w-0">{children}</span>
    </span>
  )
}
