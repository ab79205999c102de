import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { isTransient } from '../../api/api-error.ts'
import { connectionsQuery } from '../../api/connections-query.ts'
import type { Connection, Dataset, Endpoint, EvaluatorType, Prompt } from '../../api/generated/api.ts'
import { promptVersionsQuery } from '../../api/prompts-query.ts'
import { trialEstimateQuery, useStartTrial } from '../../api/trials-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { withProperty } from '../../ui/schema-form/json-value.ts'
import { TextField } from '../../ui/text-field.tsx'
import { configError, describeProblem, keyError } from '../new-evaluation/config-error.ts'
import { evaluatorsOf } from '../new-evaluation/evaluation-draft.ts'
import { describeTypes } from '../new-evaluation/evaluator-words.ts'
import { EvaluatorsPart } from '../new-evaluation/evaluators-part.tsx'
import { ModelSection } from '../new-evaluation/model-section.tsx'
import { useDebounced } from '../traces/use-debounced.ts'
import { ItemsPart } from './items-part.tsx'
import { LimitsPart } from './limits-part.tsx'
import { type NewTrialSearch, versionsIn } from './new-trial-search.ts'
import { RECORDED_TRACE } from './recorded-part.tsx'
import { RequestJson } from './request-json.tsx'
import { requestOf, type TrialDraft } from './trial-draft.ts'
import { errorIn, trialFieldError } from './trial-error.ts'
import { TrialSummary } from './trial-summary.tsx'
import { VariantsPart } from './variants-part.tsx'

interface TrialFormProps {
  applicationId: string
  componentId: string
  /** At least one. */
  datasets: Dataset[]
  prompts: Prompt[]
  connections: Connection[]
  endpoints: Endpoint[]
  types: EvaluatorType[]
  search: NewTrialSearch
}

const ESTIMATE_DELAY_MS = 400

export function TrialForm(props: TrialFormProps) {
  const { applicationId, componentId, datasets, prompts, types } = props
  const navigate = useNavigate()
  const [draft, setDraft] = useState(() => startDraft(props))
  const change = (changes: Partial<TrialDraft>) => setDraft((known) => ({ ...known, ...changes }))
  const setKey = (key: string, value: unknown) => change({ config: withProperty(draft.config, key, value) })
  const promptId = draft.promptId ?? ''
  const versions = useInfiniteQuery({
    ...promptVersionsQuery({ applicationId, componentId, promptId }),
    enabled: draft.promptId !== undefined,
  })
  const chosen = (versions.data ?? []).filter(({ number }) => draft.versions.includes(number))
  const names = [...new Set(chosen.flatMap(({ variables, placeholders }) => [...variables, ...placeholders]))]
  const request = requestOf(draft, names)
  const asked = JSON.stringify(request)
  const settled = useDebounced(asked, ESTIMATE_DELAY_MS)
  const estimate = useQuery(
    trialEstimateQuery(applicationId, componentId, settled === undefined ? undefined : JSON.parse(settled)),
  )
  const connections = useInfiniteQuery(connectionsQuery(applicationId))
  const problem = configError(estimate.error)
  const fieldProblem = problem ? undefined : trialFieldError(estimate.error)
  const words = describeTypes(types)
  const needsModel = evaluatorsOf(draft.config).some(({ type }) => words.find((one) => one.type === type)?.asksModel)
  const known = request && !estimate.error ? estimate.data : undefined
  const start = useStartTrial(applicationId, componentId)
  const titleOf = (type: string) => words.find((one) => one.type === type)?.title ?? type
  const disabledReason = whyNot()
  const begin = () => {
    if (!request || disabledReason !== undefined) return
    start.mutate(request, {
      onSuccess: (id) => {
        if (id) void navigate({ to: pagePaths.trial(applicationId, componentId, id) })
      },
    })
  }
  useShortcut('startTrial', disabledReason === undefined ? begin : undefined)

  function whyNot(): string | undefined {
    if (!request) return 'Choose at least one variant.'
    // Items without a recorded answer fail alone.
    const [missing] = known?.missing.filter(({ variable }) => variable !== RECORDED_TRACE) ?? []
    if (missing) return `The variable ${missing.variable} has no value in ${missing.items} of ${missing.of} items.`
    if (fieldProblem) return `Not yet: ${fieldProblem.message}`
    if (problem) return `Not yet: ${describeProblem(problem, draft.config, titleOf)}`
    if (!estimate.error) return undefined
    // Without an estimate, only a limit says what it may cost.
    const isBounded = isTransient(estimate.error) && draft.maxCostUsd !== undefined
    return isBounded ? undefined : 'It cannot be estimated. The reason is above.'
  }

  return (
    <div className="grid grid-cols-1 items-start gap-8 lg:grid-cols-[minmax(0,1fr)_336px]">
      {props.search.view === 'json' && <RequestJson componentId={componentId} request={request} />}
      {/* What is being edited in the form, such as a text that is no number yet, must not be lost. */}
      <div hidden={props.search.view === 'json'} className="flex min-w-0 flex-col gap-8 [&[hidden]]:hidden">
        <TextField
          label="Name"
          isOptional
          error={errorIn(fieldProblem, 'name')}
          value={draft.name}
          onChange={({ target }) => change({ name: target.value })}
          className="sm:max-w-md"
        />
        <VariantsPart
          applicationId={applicationId}
          componentId={componentId}
          draft={draft}
          prompts={prompts}
          versions={versions}
          connections={props.connections}
          endpoints={props.endpoints}
          estimate={known}
          problem={fieldProblem}
          onChange={change}
        />
        <ItemsPart
          draft={draft}
          datasets={datasets}
          names={names}
          estimate={known}
          problem={fieldProblem}
          onChange={change}
        />
        <EvaluatorsPart
          applicationId={applicationId}
          componentId={componentId}
          types={types}
          connections={props.connections}
          draft={{ datasetId: draft.datasetId, runId: undefined, name: '', config: draft.config }}
          request={{ datasetId: draft.datasetId, config: draft.config }}
          problem={problem}
          modelPart={
            needsModel && (
              <ModelSection
                applicationId={applicationId}
                config={draft.config}
                connections={connections}
                errorOf={(key) => keyError(problem, key)}
                onChange={setKey}
              />
            )
          }
          noneText="Without a choice, the trial only collects the answers: nothing is scored or compared."
          onConfig={(config) => change({ config })}
        />
        <LimitsPart draft={draft} problem={fieldProblem} onChange={change} />
      </div>
      <TrialSummary
        applicationId={applicationId}
        componentId={componentId}
        request={request}
        draft={draft}
        types={types}
        estimate={estimate}
        known={known}
        isOutdated={asked !== settled}
        problem={problem}
        start={{ run: begin, isBusy: start.isPending, error: start.error, disabledReason }}
        onChange={change}
      />
    </div>
  )
}

function startDraft({ datasets, prompts, search }: TrialFormProps): TrialDraft {
  const dataset = datasets.find(({ id }) => id === search.dataset) ?? datasets[0]
  const prompt = prompts.find(({ id }) => id === search.prompt) ?? prompts[0]
  return {
    name: '',
    datasetId: dataset?.id ?? '',
    split: undefined,
    sampleSize: undefined,
    seed: undefined,
    promptId: prompt?.id,
    versions: prompt?.id === search.prompt ? versionsIn(search) : [],
    models: [],
    parameters: [],
    endpoint: undefined,
    body: undefined,
    output: '',
    isRecorded: false,
    queue: '',
    removed: [],
    baseline: undefined,
    variables: {},
    repetitions: 1,
    concurrency: undefined,
    maxCostUsd: undefined,
    maxMinutes: undefined,
    looks: 'atTheEnd',
    config: {},
  }
}
