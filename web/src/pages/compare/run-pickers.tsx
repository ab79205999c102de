import { ArrowLeftRight, Plus, X } from 'lucide-react'
import type { RunSummary } from '../../api/generated/api.ts'
import { Button } from '../../ui/button.tsx'
import { SeriesIcon } from '../../ui/charts/series-mark.tsx'
import { Select } from '../../ui/select-field.tsx'
import { runTitle } from '../runs/run-title.ts'
import type { CompareSearch } from './compare-search.ts'
import type { ChangeSearch } from './use-compare-search.ts'

const CANDIDATES_MAX = 10

interface RunPickersProps {
  runs: RunSummary[]
  search: CompareSearch
  change: ChangeSearch
}

/** Which runs are compared. Only runs of one dataset can be. */
export function RunPickers({ runs, search, change }: RunPickersProps) {
  const { base, cand = [] } = search
  const datasetId = runs.find(({ id }) => id === base)?.datasetId
  const others = runs.filter((run) => run.id !== base && (datasetId === undefined || run.datasetId === datasetId))
  const [candidate] = cand
  const free = others.find(({ id }) => !cand.includes(id))
  const setCandidate = (index: number, id: string) =>
    change({ cand: [...new Set(cand.map((known, at) => (at === index ? id : known)))], item: undefined })
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-3">
      <RunSelect
        label="Baseline"
        series="baseline"
        value={base}
        runs={runs}
        onChange={(id) => change({ base: id, cand: cand.filter((one) => one !== id), item: undefined })}
      />
      {cand.length < 2 && (
        <Button
          look="quiet"
          size="icon"
          aria-label="Swap the runs"
          tip="Swap the runs"
          {...(!(base && candidate) && { disabledReason: 'Choose two runs first.' })}
          onClick={() => base && candidate && change({ base: candidate, cand: [base], item: undefined })}
        >
          <ArrowLeftRight aria-hidden className="size-4" />
        </Button>
      )}
      {cand.length === 0 && (
        <RunSelect
          label="Candidate"
          series="candidate"
          value={undefined}
          runs={others}
          onChange={(id) => change({ cand: [id] })}
        />
      )}
      {cand.map((id, index) => (
        <span key={id} className="flex min-w-0 items-center">
          <RunSelect
            label={cand.length > 1 ? `Candidate ${index + 1}` : 'Candidate'}
            series="candidate"
            value={id}
            runs={others}
            onChange={(next) => setCandidate(index, next)}
          />
          {cand.length > 1 && (
            <Button
              look="quiet"
              size="icon"
              aria-label={`Remove candidate ${index + 1}`}
              onClick={() => change({ cand: cand.filter((other) => other !== id) })}
            >
              <X aria-hidden className="size-4" />
            </Button>
          )}
        </span>
      ))}
      {base && candidate && free && cand.length < CANDIDATES_MAX && (
        <Button look="quiet" size="small" onClick={() => change({ cand: [...cand, free.id], item: undefined })}>
          <Plus aria-hidden className="size-3.5" /> Candidate
        </Button>
      )}
    </div>
  )
}

interface RunSelectProps {
  label: string
  series: 'baseline' | 'candidate'
  value: string | undefined
  runs: RunSummary[]
  onChange: (id: string) => void
}

function RunSelect({ label, series, value, runs, onChange }: RunSelectProps) {
  const isKnown = runs.some(({ id }) => id === value)
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the select inside
    <label className="flex min-w-0 items-center text-data">
      <SeriesIcon series={series} />
      <span className="sr-only">{label}</span>
      <Select
        value={value ?? ''}
        onChange={(event) => onChange(event.target.value)}
        className="max-w-72 min-w-0 [&>select]:w-full [&>select]:truncate [&>select]:font-medium"
      >
        {!isKnown && (
          <option value={value ?? ''} disabled>
            {value === undefined ? `Choose the ${series}` : 'An older run'}
          </option>
        )}
        {runs.map((run) => (
          <option key={run.id} value={run.id}>
            {runTitle(run)}
          </option>
        ))}
      </Select>
    </label>
  )
}
