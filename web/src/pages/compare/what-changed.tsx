import type { Comparison, RunSummary } from '../../api/generated/api.ts'
import { formatCount } from '../../ui/format-number.ts'
import { Card } from '../components/card.tsx'

interface WhatChangedProps {
  baseline: RunSummary | undefined
  candidate: RunSummary | undefined
  prompts: Comparison['prompts']
}

/** Which prompts the traces of the two runs used, and what their metadata say: model, prompt, commit. What differs comes first. */
export function WhatChanged({ baseline, candidate, prompts }: WhatChangedProps) {
  if (!baseline || !candidate) return null
  const [before, after] = [baseline.metadata, candidate.metadata]
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const ofMetadata = names.map((name) => ({ name, before: textOf(before[name]), after: textOf(after[name]) }))
  const used = {
    name: 'prompts of the traces',
    before: promptsText(prompts.baseline),
    after: promptsText(prompts.candidate),
  }
  const rows = [...(used.before === undefined && used.after === undefined ? [] : [used]), ...ofMetadata].sort(
    (a, b) => Number(a.before === a.after) - Number(b.before === b.after),
  )
  return (
    <Card title="What changed">
      {rows.length === 0 ? (
        <p className="text-data text-soft">
          The runs have no metadata. Set model, prompt or commit on each run to see here what differs.
        </p>
      ) : (
        <dl className="flex flex-col gap-1.5 text-data">
          {rows.map((row) => (
            <div key={row.name} className="flex justify-between gap-4">
              <dt className="min-w-0 shrink-0 break-words text-soft">
                <bdi>{row.name}</bdi>
              </dt>
              <dd className="min-w-0 text-right wrap-anywhere">
                {row.before === row.after ? (
                  <>
                    <bdi>{row.after}</bdi>, same
                  </>
                ) : (
                  <>
                    <bdi>{row.before ?? 'not set'}</bdi> → <bdi className="font-semibold">{row.after ?? 'not set'}</bdi>
                  </>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Card>
  )
}

/** With their traces: a run in which two versions were used is none of either. */
function promptsText(prompts: Comparison['prompts']['baseline']): string | undefined {
  return prompts.map(({ name, traces }) => `${name} (${formatCount(traces)})`).join(', ') || undefined
}

const LENGTH_MAX = 200

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX)}…` : text
}
