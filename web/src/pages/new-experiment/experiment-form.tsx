import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { connectionsQuery } from '../../api/connections-query.ts'
import { experimentEstimateQuery, useCreateExperiment } from '../../api/experiments-query.ts'
import type { Connection, Dataset, EvaluatorType, Prompt } from '../../api/generated/api.ts'
import { promptVersionQuery, promptVersionsQuery } from '../../api/prompts-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { withProperty } from '../../ui/schema-form/json-value.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { describeProblem, keyError } from '../new-evaluation/config-error.ts'
import { evaluatorsOf } from '../new-evaluation/evaluation-draft.ts'
import { describeTypes } from '../new-evaluation/evaluator-words.ts'
import { EvaluatorsPart } from '../new-evaluation/evaluators-part.tsx'
import { ModelSection } from '../new-evaluation/model-section.tsx'
import { useDebounced } from '../traces/use-debounced.ts'
import { DockedStart } from './docked-start.tsx'
import { type ExperimentDraft, requestOf, SHARES } from './experiment-draft.ts'
import { evaluatorProblem } from './experiment-problem.ts'
import { ExperimentSummaryCard } from './experiment-summary-card.tsx'
import { GoalsPart } from './goals-part.tsx'
import type { NewExperimentSearch } from './new-experiment-search.ts'
import { PromptPart } from './prompt-part.tsx'
import { RequestJson } from './request-json.tsx'
import { SearchPart } from './search-part.tsx'
import { SplitsPart } from './splits-part.tsx'
import { TriedProposal, TryButton, useOneProposal } from './try-proposal.tsx'

interface ExperimentFormProps {
  applicationId: string
  componentId: string
  /** At least one, as of the prompts. */
  datasets: Dataset[]
  prompts: Prompt[]
  connections: Connection[]
  types: EvaluatorType[]
  search: NewExperimentSearch
}

const ESTIMATE_DELAY_MS = 400

export function ExperimentForm(props: ExperimentFormProps) {
  const { applicationId, componentId, datasets, prompts, types } = props
  const navigate = useNavigate()
  const [draft, setDraft] = useState(() => startDraft(props))
  const change = (changes: Partial<ExperimentDraft>) => setDraft((known) => ({ ...known, ...changes }))
  const setKey = (key: string, value: unknown) => change({ config: withProperty(draft.config, key, value) })
  const promptKey = { applicationId, componentId, promptId: draft.promptId ?? '' }
  const versions = useInfiniteQuery({ ...promptVersionsQuery(promptKey), enabled: draft.promptId !== undefined })
  // Without a choice the newest version is improved.
  const number = draft.version ?? versions.data?.[0]?.number
  const version = useQuery({
    ...promptVersionQuery(promptKey, number ?? 0),
    enabled: number !== undefined,
  })
  // The parts of the first version are above everything else, which would move when they arrive.
  const [hasBegun, setHasBegun] = useState(false)
  if (!hasBegun && (version.data || version.error || versions.error || versions.data?.length === 0)) setHasBegun(true)
  const names = [...(version.data?.variables ?? []), ...(version.data?.placeholders ?? [])]
  const request = requestOf({ ...draft, version: number }, names)
  const asked = JSON.stringify(request)
  const settled = useDebounced(asked, ESTIMATE_DELAY_MS)
  const estimate = useQuery(
    experimentEstimateQuery(applicationId, componentId, settled === undefined ? undefined : JSON.parse(settled)),
  )
  const connections = useInfiniteQuery(connectionsQuery(applicationId))
  const problem = evaluatorProblem(estimate.error, draft)
  const words = describeTypes(types)
  const asksModel = (type: string) => words.find((one) => one.type === type)?.asksModel === true
  const needsModel = evaluatorsOf(draft.config).some(({ type }) => asksModel(type))
  const one = useOneProposal(applicationId, componentId, request)
  const known = request && !estimate.error ? estimate.data : undefined
  const create = useCreateExperiment(applicationId, componentId)
  const isOutdated = asked !== settled
  const titleOf = (type: string) => words.find((one) => one.type === type)?.title ?? type
  const disabledReason = whyNot()
  const begin = () => {
    if (!request || disabledReason !== undefined) return
    create.mutate(request, {
      onSuccess: (id) => {
        if (id) void navigate({ to: pagePaths.experiment(applicationId, componentId, id) })
      },
    })
  }
  useShortcut('startExperiment', disabledReason === undefined ? begin : undefined)
  function whyUnfinished(): string | undefined {
    if (number === undefined) return 'Choose a prompt with a version.'
    if (!request) return 'Choose at least one evaluator: it says what is better.'
    return problem && `Not yet: ${describeProblem(problem, draft.config, titleOf)}`
  }
  function whyNot(): string | undefined {
    const unfinished = whyUnfinished()
    if (unfinished !== undefined) return unfinished
    if (estimate.error) return 'It cannot be started. The reason is above.'
    if (!estimate.data || isOutdated) return 'Estimating…'
    return undefined
  }

  if (!hasBegun && draft.promptId !== undefined) return <Skeleton rows={8} />
  const start = { run: begin, isBusy: create.isPending, error: create.error, disabledReason }
  return (
    <div className="grid grid-cols-1 items-start gap-8 lg:grid-cols-[minmax(0,1fr)_320px]">
      {props.search.view === 'json' && <RequestJson componentId={componentId} request={request} />}
      {/* What is being edited in the form, such as a text that is no number yet, must not be lost. */}
      <div hidden={props.search.view === 'json'} className="flex min-w-0 flex-col gap-8 [&[hidden]]:hidden">
        <PromptPart
          draft={draft}
          prompts={prompts}
          datasets={datasets}
          versions={versions.data ?? []}
          version={version.data}
          names={names}
          onChange={change}
        />
        <SplitsPart
          applicationId={applicationId}
          componentId={componentId}
          draft={draft}
          dataset={datasets.find(({ id }) => id === draft.datasetId)}
          estimate={known}
          error={estimate.error}
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
          noneText="Choose at least one: it says which answer is better."
          onConfig={(config) => change({ config })}
        />
        <GoalsPart
          applicationId={applicationId}
          componentId={componentId}
          draft={draft}
          version={number}
          asksModel={asksModel}
          onChange={change}
        />
        <SearchPart
          applicationId={applicationId}
          draft={draft}
          connections={props.connections}
          version={version.data}
          onChange={change}
        />
        <TriedProposal one={one} />
      </div>
      <ExperimentSummaryCard
        applicationId={applicationId}
        componentId={componentId}
        draft={draft}
        estimate={estimate}
        known={known}
        isOutdated={isOutdated}
        problem={problem}
        start={start}
        tryOne={<TryButton one={one} disabledReason={whyUnfinished()} />}
        onChange={change}
      />
      <DockedStart known={known} start={start} />
    </div>
  )
}

function startDraft({ datasets, prompts, search }: ExperimentFormProps): ExperimentDraft {
  const dataset = datasets.find(({ id }) => id === search.dataset) ?? datasets[0]
  const prompt = prompts.find(({ id }) => id === search.prompt) ?? prompts[0]
  return {
    name: '',
    promptId: prompt?.id,
    version: prompt?.id === search.prompt ? search.version : undefined,
    datasetId: dataset?.id ?? '',
    frozen: [],
    frozenTexts: [],
    variables: {},
    shares: SHARES,
    seed: undefined,
    config: {},
    roles: {},
    cheaperWins: true,
    optimizer: 'gepa',
    target: undefined,
    reflection: undefined,
    maxCostUsd: undefined,
    maxMinutes: undefined,
    maxCalls: undefined,
    patience: undefined,
    maxPromptTokens: undefined,
    finalists: undefined,
    repetitions: undefined,
    allowTooFew: false,
  }
}
