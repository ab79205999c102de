import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { PromptSummary } from '../../api/generated/api.ts'
import { countOf, formatPercent } from '../../ui/format-number.ts'

type Warned = Pick<PromptSummary, 'missingLabels' | 'sources' | 'traces' | 'withoutVersion' | 'unknownVersions'>

/** Where code and labels do not fit together: users get the text in the code then, or an old one. */
export function PromptWarnings({ prompt }: { prompt: Warned }) {
  const { missingLabels, sources, traces, withoutVersion, unknownVersions } = prompt
  const fallbacks = Math.max(sources.fallback, withoutVersion)
  return (
    <>
      {missingLabels.map(({ label, traces: asking }) => (
        <Warning key={label}>
          code asks for <bdi className="font-semibold">{label}</bdi>, which serves nothing ({countOf(asking, 'trace')})
        </Warning>
      ))}
      {fallbacks > 0 && (
        <Warning>{formatPercent(fallbacks / Math.max(1, traces))} of the traces used the text in the code</Warning>
      )}
      {unknownVersions > 0 && <Warning>{countOf(unknownVersions, 'trace')} of a version that is not here</Warning>}
    </>
  )
}

export function Warning({ children }: { children: ReactNode }) {
  return (
    <span className="flex max-w-60 items-start gap-1.5 text-meta text-warn">
      <TriangleAlert aria-hidden className="mt-px size-3.5 shrink-0" />
      <span>{children}</span>
    </span>
  )
}
