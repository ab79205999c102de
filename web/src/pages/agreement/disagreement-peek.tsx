import { Link } from '@tanstack/react-router'
import { Maximize2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { RatingLook } from '../../api/rating-scheme-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { PeekPanel } from '../../ui/peek-panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { TitledText } from '../trace/titled-text.tsx'
import type { DisagreementRow } from './agreement-model.ts'
import { RatingWord } from './rating-word.tsx'
import { StepScale } from './step-scale.tsx'

interface DisagreementPeekProps {
  applicationId: string
  row: DisagreementRow
  order: string[]
  lookOf: (rating: string) => RatingLook
  nameOf: (userId: string) => string
  /** Where it is in the list: "2 of 31". */
  position: string
  onPrevious: (() => void) | undefined
  onNext: (() => void) | undefined
  onClose: () => void
  footer?: ReactNode
}

/** One disagreement next to the list: what was asked and answered, what everyone said, and how it was resolved. */
export function DisagreementPeek({ applicationId, row, order, lookOf, nameOf, ...panel }: DisagreementPeekProps) {
  const { resolution } = row
  return (
    <PeekPanel
      {...panel}
      label="Disagreement"
      openLink={
        row.hasTrace && (
          <Link to={pagePaths.trace(applicationId, row.id)} className={buttonClass('quiet', 'small')}>
            <Maximize2 aria-hidden className="size-3.5" />
            Open trace
          </Link>
        )
      }
    >
      {row.hasTrace ? (
        <>
          <TitledText title="Question" text={row.input} />
          <TitledText title="Answer" text={row.output} />
          {row.expected !== null && <TitledText title="Expected" text={row.expected} />}
        </>
      ) : (
        <p className="text-soft">The trace has not arrived, or was deleted. Its ratings are kept.</p>
      )}
      <div className="mt-5 mb-1 flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-meta font-medium text-faint">Ratings</h2>
        <StepScale row={row} order={order} />
      </div>
      <ul className="divide-y divide-line border-y border-line">
        {row.ratings.map(({ userId, name, rating, comment }) => (
          <li key={userId} className="py-2 text-data">
            <p className="flex min-w-0 flex-wrap items-center gap-2">
              <Avatar name={name} />
              {name}
              <RatingWord look={lookOf(rating)} />
            </p>
            {comment ? (
              <p className="mt-1 wrap-anywhere whitespace-pre-wrap text-soft">{comment}</p>
            ) : (
              <p className="mt-1 text-faint italic">No comment</p>
            )}
          </li>
        ))}
      </ul>
      {resolution && (
        <section aria-label="Resolution" className="mt-4 rounded-control bg-good-wash px-3 py-2 text-data">
          <p className="flex flex-wrap items-center gap-x-1.5">
            Resolved as <RatingWord look={lookOf(resolution.rating)} />
            <span>
              by {resolution.name ?? nameOf(resolution.userId)}, <RelativeTime time={resolution.resolvedAt} />
            </span>
          </p>
          {resolution.note && <p className="mt-1 wrap-anywhere whitespace-pre-wrap">{resolution.note}</p>}
        </section>
      )}
    </PeekPanel>
  )
}
