import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Rocket } from 'lucide-react'
import { labelCheckKey, labelCheckQuery } from '../../api/deployment-query.ts'
import type { DeploymentCheck, DeploymentEvidence, PromptLabel } from '../../api/generated/api.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import { type PromptKey, promptResultsQuery } from '../../api/prompts-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { formatInterval } from '../../ui/charts/estimate.ts'
import { countOf, formatPercent } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { Notice } from '../../ui/notice.tsx'
import { changeFormat, changeOf } from '../compare/metric-change.ts'
import { asMetric } from '../deploy/evidence-metric.ts'

const LABEL = 'production'
/** Each check compares two runs. */
const CHECKED_MAX = 3

interface BetterVersionProps {
  promptKey: PromptKey
  labels: PromptLabel[]
  liveNumber: number | undefined
}

/** That a newer version than the live one has a verdict which opens the label, so that it does not wait unseen. */
export function BetterVersion({ promptKey, labels, liveNumber }: BetterVersionProps) {
  const gate = labels.find(({ name }) => name === LABEL)?.protection.gate
  const enabled = gate != null && liveNumber !== undefined
  const datasetId = gate?.datasetId ?? ''
  const first = useQuery({ ...promptResultsQuery(promptKey, { datasetId, metric: undefined }), enabled })
  // A gate by a metric of traces has no results of its own: then those of any evaluation name the versions.
  const metric = first.data?.metrics.find((one) => one === gate?.metric && one !== first.data?.metric)
  const evaluated = useQuery({
    ...promptResultsQuery(promptKey, { datasetId, metric }),
    enabled: enabled && !!first.data,
  })
  if (!enabled) return null
  const newer = (evaluated.data?.data ?? []).map(({ version }) => version).filter((version) => version > liveNumber)
  return <FirstThatOpens promptKey={promptKey} versions={newer.slice(0, CHECKED_MAX)} />
}

/** The newest version first; an older one is only asked for if that one is not good enough. */
function FirstThatOpens({ promptKey, versions: [version, ...older] }: { promptKey: PromptKey; versions: number[] }) {
  const check = useQuery({
    ...labelCheckQuery({ ...promptKey, label: LABEL }, { version: version ?? 0, weight: 100 }),
    enabled: version !== undefined,
  })
  useLiveQuery(promptKey.applicationId, ['prompts', 'evaluations', 'runs'], labelCheckKey(promptKey.applicationId))
  if (version === undefined || check.data?.version !== version) return null
  const evidence = openingVerdict(check.data)
  if (!evidence) return <FirstThatOpens key={older[0]} promptKey={promptKey} versions={older} />
  const { applicationId, componentId, promptId } = promptKey
  return (
    <section aria-label="A newer version can go live" className="mb-5">
      <Notice tone="good" title={titleOf(evidence)}>
        <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
          <p className="text-soft tabular-nums">{numbersOf(evidence)}</p>
          <Link
            to={pagePaths.promptDeploy(applicationId, componentId, promptId, LABEL)}
            search={{ version }}
            className={buttonClass()}
          >
            <Rocket aria-hidden className="size-4" />
            Deploy v{version}…
          </Link>
        </div>
      </Notice>
    </section>
  )
}

/** The evidence that the label would accept, with any role. */
function openingVerdict({ verdict, conditions }: DeploymentCheck): DeploymentEvidence | undefined {
  const isMet = conditions.every(({ key, met }) => met || key === 'role')
  return verdict?.passed && isMet ? verdict : undefined
}

function titleOf({ verdict, metric, baseline, candidate }: DeploymentEvidence): string {
  const [after, before] = [`v${candidate.version}`, `what is live, v${baseline.version}`]
  if (verdict === 'improved') return `${after} is better on ${metricTitle(metric)} than ${before}`
  return `${after} is shown to be not worse on ${metricTitle(metric)} than ${before}`
}

function numbersOf(evidence: DeploymentEvidence): string {
  const { value, ci } = changeOf(evidence)
  const format = changeFormat(asMetric(evidence))
  const [low, high] = ci ?? []
  const interval =
    low === undefined || high === undefined
      ? ''
      : ` (${formatPercent(evidence.confidence ?? 0.95)} CI ${formatInterval({ low, high }, format)})`
  const change = value === null ? '' : `${format(value)}${interval} on `
  return `${change}${countOf(evidence.items, 'item')} of ${evidence.dataset.name}. All conditions of production that rest on it are met.`
}
