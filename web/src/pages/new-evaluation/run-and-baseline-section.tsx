import type { Dataset, Run } from '../../api/generated/api.ts'
import { SeriesIcon } from '../../ui/charts/series-mark.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { runTitle } from '../runs/run-title.ts'
import { compareWith, type EvaluationDraft, textOf } from './evaluation-draft.ts'
import { FormSection } from './form-section.tsx'

interface RunAndBaselineSectionProps {
  draft: EvaluationDraft
  runs: Run[]
  datasets: Dataset[]
  /** Loads older runs, if there are more. */
  onMoreRuns: (() => void) | undefined
  /** The run to compare a run with by default. */
  baselineOf: (run: Run | undefined) => string | undefined
  /** What the server says about the run to compare with. */
  error: string | undefined
  onChange: (changes: Partial<EvaluationDraft>) => void
}

/** What is evaluated, and what it is compared with. */
export function RunAndBaselineSection({
  draft,
  runs,
  datasets,
  onMoreRuns,
  baselineOf,
  error,
  onChange,
}: RunAndBaselineSectionProps) {
  const { runId, datasetId, config } = draft
  const baselineRunId = textOf(config['baselineRunId'])
  const titleOf = (run: Run) => runTitle({ ...run, datasetName: datasets.find(({ id }) => id === run.datasetId)?.name })
  const comparable = runs.filter((run) => run.datasetId === datasetId && run.id !== runId)
  const isComparable = (id: string | undefined) => id !== undefined && comparable.some((run) => run.id === id)
  const chooseRun = (id: string) => {
    const run = runs.find((one) => one.id === id)
    const isKept = run?.datasetId === datasetId && id !== baselineRunId
    onChange({
      runId: run?.id,
      datasetId: run?.datasetId ?? datasetId,
      config: run && isKept && baselineRunId ? config : compareWith(config, baselineOf(run)),
    })
  }
  const chooseDataset = (id: string) => {
    const newest = runs.find((run) => run.datasetId === id)
    onChange({ datasetId: id, runId: newest?.id, config: compareWith(config, baselineOf(newest)) })
  }
  return (
    <FormSection title="What">
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-3">
        <SelectField
          label={
            <span>
              <SeriesIcon series="candidate" />
              Run
            </span>
          }
          value={runId ?? ''}
          onChange={(event) => chooseRun(event.target.value)}
        >
          <option value="">None: the outputs of the dataset</option>
          {runs.map((run) => (
            <option key={run.id} value={run.id}>
              {titleOf(run)}
            </option>
          ))}
        </SelectField>
        <SelectField label="Dataset" value={datasetId ?? ''} onChange={(event) => chooseDataset(event.target.value)}>
          {datasets.map((dataset) => (
            <option key={dataset.id} value={dataset.id}>
              {dataset.name}
            </option>
          ))}
        </SelectField>
        <SelectField
          label={
            <span>
              <SeriesIcon series="baseline" />
              Compare with
            </span>
          }
          error={error}
          hint={comparable.length === 0 ? 'The dataset has no other run.' : undefined}
          value={baselineRunId ?? ''}
          onChange={(event) => onChange({ config: compareWith(config, textOf(event.target.value)) })}
        >
          <option value="">Nothing</option>
          {comparable.map((run) => (
            <option key={run.id} value={run.id}>
              {titleOf(run)}
            </option>
          ))}
          {baselineRunId !== undefined && !isComparable(baselineRunId) && (
            <option value={baselineRunId}>A run that is not in this list</option>
          )}
        </SelectField>
      </div>
      {onMoreRuns && (
        <button
          type="button"
          onClick={onMoreRuns}
          className="touch-link mt-2 rounded-sm text-data text-soft underline decoration-edge underline-offset-3 hover:text-ink"
        >
          Show older runs
        </button>
      )}
    </FormSection>
  )
}
