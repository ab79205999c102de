import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { connectionsQuery } from '../../api/connections-query.ts'
import type {
  Component,
  Dataset,
  EvaluationDetail,
  EvaluatorType,
  EvaluationSummary as FormerEvaluation,
  Run,
} from '../../api/generated/api.ts'
import { estimateQuery, useStartEvaluation } from '../../api/new-evaluation-query.ts'
import { absoluteUrl, apiPaths, pagePaths } from '../../path-builder.ts'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { JsonTextField } from '../../ui/schema-form/json-text-field.tsx'
import { isObject, withProperty } from '../../ui/schema-form/json-value.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { curlCommand } from '../shell/curl-command.ts'
import { PageBody } from '../shell/page-body.tsx'
import { type Crumb, TopRow } from '../shell/top-row.tsx'
import { useDebounced } from '../traces/use-debounced.ts'
import { configError, keyError } from './config-error.ts'
import { type Config, evaluatorsOf, requestOf, usualBaseline } from './evaluation-draft.ts'
import { EvaluationSummary } from './evaluation-summary.tsx'
import { EvaluatorsPart } from './evaluators-part.tsx'
import { FormSection } from './form-section.tsx'
import { ModelSection } from './model-section.tsx'
import { MoreSettings } from './more-settings.tsx'
import { RunAndBaselineSection } from './run-and-baseline-section.tsx'
import { useEvaluationDraft } from './use-evaluation-draft.ts'

interface EvaluationFormProps {
  applicationId: string
  component: Component
  parents: Crumb[]
  types: EvaluatorType[]
  runs: Run[]
  onMoreRuns: (() => void) | undefined
  datasets: Dataset[]
  /** The newest evaluations, newest first. */
  evaluations: FormerEvaluation[]
  /** What the address names. */
  run: Run | undefined
  datasetId: string | undefined
  previous: EvaluationDetail | undefined
}

const ESTIMATE_DELAY_MS = 400
const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/evaluations/new')

export function EvaluationForm(props: EvaluationFormProps) {
  const { applicationId, component, types, runs, datasets, run, datasetId, previous } = props
  const navigate = useNavigate()
  const search = route.useSearch()
  const path = pagePaths.newEvaluation(applicationId, component.id)
  const storageKey = ['touchstone.new-evaluation', component.id, run?.id, datasetId, previous?.id].join(':')
  const [newestRun] = runs
  const newestDatasetId = datasets[0]?.id
  const baselineOf = (one: Run | undefined) => usualBaseline(one, runs, props.evaluations)
  const sources = { storageKey, run, datasetId, previous, newestRun, newestDatasetId, baselineOf }
  const { draft, change, discard, startOver } = useEvaluationDraft(sources)
  const { config } = draft
  const setKey = (key: string, value: unknown) => change({ config: withProperty(config, key, value) })

  const request = requestOf(draft)
  const settled = useDebounced(JSON.stringify(request), ESTIMATE_DELAY_MS)
  const estimated = settled === undefined ? undefined : JSON.parse(settled)
  const { name: _, ...estimatedBody } = Object(estimated)
  const estimate = useQuery({
    ...estimateQuery(applicationId, component.id, estimatedBody),
    enabled: estimated !== undefined,
  })
  const problem = configError(estimate.error)
  const errorOf = (key: string) => keyError(problem, key)

  const connections = useInfiniteQuery(connectionsQuery(applicationId))
  const asksModel = (type: string) => types.find((known) => known.type === type)?.needs.includes('model') === true
  const needsModel = evaluatorsOf(config).some(({ type }) => asksModel(type))

  const start = useStartEvaluation(applicationId, component.id)
  const canStart = request !== undefined && !estimate.error
  const begin = () => {
    if (!request || estimate.error) return
    start.mutate(request, {
      onSuccess: (id) => {
        discard()
        if (id) void navigate({ to: pagePaths.evaluation(applicationId, component.id, id) })
      },
    })
  }
  useShortcut('startEvaluation', canStart ? begin : undefined)
  const view = search.view ?? 'form'
  const show = (next: 'form' | 'json') =>
    void navigate({
      to: path,
      search: { ...search, view: next === 'json' ? next : undefined },
      replace: true,
      resetScroll: false,
    })
  return (
    <>
      <TopRow parents={props.parents} current="New">
        <Button look="quiet" size="small" onClick={startOver} className="max-sm:hidden">
          Start over
        </Button>
        <CopyButton look="quiet" label="Copy as API request" text={apiRequest(component.id, request)} />
      </TopRow>
      <PageBody width="form">
        <PageHeader
          title="New evaluation"
          within={component.name}
          text="Ask the same questions about every answer of a run, and find out whether the change helped."
          actions={
            <Segmented
              label="How to edit it"
              value={view}
              options={[
                { value: 'form', label: 'Form' },
                { value: 'json', label: 'View as JSON' },
              ]}
              onChange={show}
            />
          }
        />
        <div className="grid grid-cols-1 items-start gap-8 lg:grid-cols-[minmax(0,1fr)_336px]">
          <div className="flex min-w-0 flex-col gap-8">
            <RunAndBaselineSection
              draft={draft}
              runs={runs}
              datasets={datasets}
              onMoreRuns={props.onMoreRuns}
              baselineOf={baselineOf}
              error={errorOf('baselineRunId')}
              onChange={change}
            />
            {view === 'json' ? (
              <FormSection title="Config">
                <ConfigJson
                  config={config}
                  error={problem && `${problem.path.join('.')}: ${problem.message}`}
                  onChange={(next) => change({ config: next })}
                />
              </FormSection>
            ) : (
              <>
                <EvaluatorsPart
                  applicationId={applicationId}
                  componentId={component.id}
                  types={types}
                  connections={connections.data ?? []}
                  draft={draft}
                  request={request}
                  problem={problem}
                  modelPart={
                    needsModel && (
                      <ModelSection
                        applicationId={applicationId}
                        config={config}
                        connections={connections}
                        errorOf={errorOf}
                        onChange={setKey}
                      />
                    )
                  }
                  onConfig={(next) => change({ config: next })}
                />
                <MoreSettings
                  draft={draft}
                  datasets={datasets}
                  errorOf={errorOf}
                  onName={(name) => change({ name })}
                  onChange={setKey}
                />
              </>
            )}
          </div>
          <EvaluationSummary
            applicationId={applicationId}
            draft={draft}
            types={types}
            estimate={estimate}
            isOutdated={settled !== JSON.stringify(request)}
            problem={problem}
            start={{ run: begin, isBusy: start.isPending, error: start.error, isPossible: canStart }}
            onChange={setKey}
          />
        </div>
      </PageBody>
    </>
  )
}

function apiRequest(componentId: string, body: unknown): string {
  return curlCommand({
    method: 'POST',
    url: absoluteUrl(apiPaths.componentPart(componentId, 'evaluations')),
    headers: ['Authorization: Bearer $TOUCHSTONE_API_KEY'],
    body,
  })
}

interface ConfigJsonProps {
  config: Config
  /** What the server says about the config. */
  error: string | undefined
  onChange: (config: Config) => void
}

/** The whole config as the API takes it. The form shows the same, and everything that it cannot draw is only here. */
function ConfigJson({ config, error, onChange }: ConfigJsonProps) {
  return (
    <JsonTextField
      label="Config"
      hint="As the API takes it. The form follows what you write here."
      rows={24}
      error={error}
      value={config}
      onChange={(value) => {
        if (value === undefined) onChange({})
        else if (isObject(value)) onChange(value)
      }}
    />
  )
}
