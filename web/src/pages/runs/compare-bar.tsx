import { useNavigate } from '@tanstack/react-router'
import type { RunSummary } from '../../api/generated/api.ts'
import { pagePaths, withQuery } from '../../path-builder.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button } from '../../ui/button.tsx'
import { SelectionBar } from '../../ui/data-table/selection-bar.tsx'
import { formatCount } from '../../ui/format-number.ts'
import { runTitle } from './run-title.ts'

interface CompareBarProps {
  applicationId: string
  componentId: string
  /** The selected runs. */
  runs: RunSummary[]
  onClear: () => void
}

/** Limit of the comparison: one baseline and ten candidates. */
const RUNS_MAX = 11

/** Compares the selected runs: the oldest one is the baseline. */
export function CompareBar({ applicationId, componentId, runs, onClear }: CompareBarProps) {
  const navigate = useNavigate()
  const [base, ...candidates] = runs.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const disabledReason = whyNot(runs)
  const compare = () =>
    void navigate({
      href: withQuery(pagePaths.compare(applicationId, componentId), {
        base: base?.id ?? '',
        cand: candidates.map(({ id }) => id),
      }),
    })
  useShortcut('compareRuns', disabledReason === undefined ? compare : undefined)
  return (
    <div className="sticky bottom-0 z-10 max-sm:bottom-14">
      <SelectionBar count={runs.length} onClear={onClear}>
        <Button look="primary" size="small" disabledReason={disabledReason} onClick={compare}>
          Compare
          <ShortcutKeys id="compareRuns" />
        </Button>
        {base && disabledReason === undefined && (
          <span className="min-w-0 text-soft wrap-anywhere">
            {candidates.length === 1 ? describe(candidates[0]) : `${formatCount(candidates.length)} runs`} against the
            oldest, {runTitle(base)}
          </span>
        )}
      </SelectionBar>
    </div>
  )
}

function describe(run: RunSummary | undefined): string {
  return run ? runTitle(run) : ''
}

function whyNot(runs: RunSummary[]): string | undefined {
  if (runs.length < 2) return 'Select another run to compare with.'
  if (runs.length > RUNS_MAX) return `At most ${RUNS_MAX} runs can be compared at a time.`
  const isOneDataset = new Set(runs.map(({ datasetId }) => datasetId)).size === 1
  return isOneDataset ? undefined : 'Runs of different datasets have no cases in common.'
}
