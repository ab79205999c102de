import type { UseQueryResult } from '@tanstack/react-query'
import { EyeOff } from 'lucide-react'
import type { AnnotationOfTrace } from '../../api/generated/api.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { useMe } from '../shell/use-application.ts'
import { FactSection } from './fact-section.tsx'

interface Ratings {
  data: AnnotationOfTrace[]
  hiddenRaters: { userId: string; name: string | null }[]
}

/** The ratings that the user may see, and who else has rated. */
export function TraceRatings({ query }: { query: UseQueryResult<Ratings> }) {
  const { data, error } = query
  const { userId } = useMe()
  if (!data && error)
    return (
      <FactSection title="Ratings">
        <QueryError query={query} />
      </FactSection>
    )
  if (!data) return null
  const hidden = listNames(data.hiddenRaters.map(({ name }) => name ?? 'a deleted account'))
  return (
    <FactSection title="Ratings">
      {data.data.length > 0 && (
        <ul className="flex flex-col gap-2.5">
          {data.data.map((annotation) => (
            <Rating key={annotation.id} annotation={annotation} isOwn={annotation.userId === userId} />
          ))}
        </ul>
      )}
      {hidden !== '' && (
        <p className="flex gap-2 text-soft not-first:mt-2">
          <EyeOff aria-hidden className="mt-0.5 size-4 shrink-0 text-faint" />
          <span>
            {hidden} {data.hiddenRaters.length === 1 ? 'has' : 'have'} rated. You see it once you have rated the trace
            in its run.
          </span>
        </p>
      )}
      {data.data.length === 0 && hidden === '' && <p className="text-soft">Not rated yet.</p>}
    </FactSection>
  )
}

function Rating({ annotation, isOwn }: { annotation: AnnotationOfTrace; isOwn: boolean }) {
  const { rating, comment, correctedOutput, runId, runName } = annotation
  const name = annotation.name ?? 'Deleted account'
  return (
    <li className="grid grid-cols-[22px_minmax(0,1fr)] gap-x-2">
      <Avatar name={name} />
      <div className="min-w-0">
        <p className="flex flex-wrap justify-between gap-x-2">
          <span className="truncate">{isOwn ? 'You' : name}</span>
          {rating && <bdi className="font-semibold wrap-anywhere">{rating}</bdi>}
        </p>
        {comment && <p className="break-words whitespace-pre-wrap text-soft">{comment}</p>}
        {correctedOutput && (
          <details className="text-soft">
            <summary>Expected answer</summary>
            <p className="break-words whitespace-pre-wrap">{correctedOutput}</p>
          </details>
        )}
        <p className="text-meta text-faint">
          <RelativeTime time={annotation.updatedAt} />
          {runId !== null && `, in ${runName ?? 'a run'}`}
        </p>
      </div>
    </li>
  )
}

const conjunction = new Intl.ListFormat('en', { type: 'conjunction' })

const NAMES_MAX = 3

/** "Ben, Cleo and 4 others", with a comma before "and" from three entries on. */
function listNames(names: readonly string[]): string {
  const shown = names.length > NAMES_MAX + 1 ? names.slice(0, NAMES_MAX) : names
  const rest = names.length - shown.length
  return conjunction.format(rest > 0 ? [...shown, `${rest} others`] : shown)
}
