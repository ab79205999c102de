import { CircleCheck } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import type { RatingLook } from '../../api/rating-scheme-query.ts'
import { Button } from '../../ui/button.tsx'
import type { DataColumn } from '../../ui/data-table/data-column.ts'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { QuestionAndAnswer } from '../../ui/question-and-answer.tsx'
import { type DisagreementRow, type PersonRating, type Two, twoRatings } from './agreement-model.ts'
import { RatingWord } from './rating-word.tsx'
import { StepScale } from './step-scale.tsx'

interface DisagreementTableProps {
  rows: DisagreementRow[]
  totalCount?: number | undefined
  /** The raters whose ratings are shown; without them those that are farthest apart. */
  raters: Two | undefined
  /** The ratings in their order. */
  order: string[]
  lookOf: (rating: string) => RatingLook
  /** Without it, the rows have no resolutions. */
  resolutions?: 'shown'
  activeId: string | undefined
  onActiveChange: (id: string) => void
  empty: ReactNode
  isLoading?: boolean
  error?: ReactNode
  hasMore?: boolean
  isLoadingMore?: boolean
  onLoadMore?: () => void
}

const rowId = ({ id }: DisagreementRow) => id

/** The traces on which raters disagree: question, answer, and two ratings with their comments. */
export function DisagreementTable({ raters, order, lookOf, resolutions, ...table }: DisagreementTableProps) {
  const { activeId, onActiveChange } = table
  const [first, second] = raters ?? []
  const columns = useMemo(
    () =>
      columnsOf({ raters: first && second ? [first, second] : undefined, order, lookOf, onResolve: onActiveChange }),
    [first, second, order, lookOf, onActiveChange],
  )
  const isNarrowed = activeId !== undefined
  const columnIds = [
    'content',
    'first',
    'second',
    ...(table.rows.some(({ steps }) => steps !== null) && !isNarrowed ? ['steps'] : []),
    ...(resolutions && !isNarrowed ? ['resolution'] : []),
  ]
  return (
    <DataTable
      {...table}
      label="Disagreements"
      columns={columns}
      columnIds={columnIds}
      rowId={rowId}
      onOpen={onActiveChange}
      density="normal"
      scroll="page"
      card={(row) => (
        <div className="flex min-w-0 flex-col gap-2">
          <Content row={row} onOpen={() => onActiveChange(row.id)} />
          {twoRatings(row, raters, order).map((rating) => (
            <RatingCell key={rating.userId} rating={rating} look={lookOf(rating.rating)} />
          ))}
          <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
            <StepScale row={row} order={order} />
            {resolutions && <ResolutionCell row={row} lookOf={lookOf} onResolve={onActiveChange} />}
          </span>
        </div>
      )}
    />
  )
}

type ColumnOptions = Pick<DisagreementTableProps, 'raters' | 'order' | 'lookOf'> & { onResolve: (id: string) => void }

function columnsOf({ raters, order, lookOf, onResolve }: ColumnOptions): DataColumn<DisagreementRow>[] {
  const ratingAt = (row: DisagreementRow, place: 0 | 1) => {
    const rating = twoRatings(row, raters, order)[place]
    return rating && <RatingCell rating={rating} look={lookOf(rating.rating)} />
  }
  return [
    {
      id: 'content',
      title: 'Question → answer',
      width: 200,
      grows: true,
      cell: (row) => <Content row={row} />,
    },
    { id: 'first', title: 'One rating', width: 180, grows: true, cell: (row) => ratingAt(row, 0) },
    { id: 'second', title: 'Another', width: 180, grows: true, cell: (row) => ratingAt(row, 1) },
    { id: 'steps', title: 'Apart', width: 130, cell: (row) => <StepScale row={row} order={order} /> },
    {
      id: 'resolution',
      title: 'Resolution',
      width: 130,
      cell: (row) => <ResolutionCell row={row} lookOf={lookOf} onResolve={onResolve} />,
    },
  ]
}

function Content({ row, onOpen }: { row: DisagreementRow; onOpen?: () => void }) {
  const question = row.hasTrace ? row.input || 'no input' : 'The trace is not here'
  return <QuestionAndAnswer question={question} answer={row.output || 'no output'} onOpen={onOpen} />
}

function RatingCell({ rating: { name, comment }, look }: { rating: PersonRating; look: RatingLook }) {
  return (
    <span className="flex min-w-0 flex-col leading-4.5">
      <span className="flex min-w-0 items-center gap-2">
        <RatingWord look={look} />
        <span className="truncate text-soft">{name}</span>
      </span>
      {comment ? (
        <span className="truncate text-soft">{comment}</span>
      ) : (
        <em className="truncate text-faint">No comment</em>
      )}
    </span>
  )
}

interface ResolutionCellProps {
  row: DisagreementRow
  lookOf: (rating: string) => RatingLook
  onResolve: (id: string) => void
}

function ResolutionCell({ row, lookOf, onResolve }: ResolutionCellProps) {
  if (!row.resolution) {
    return (
      <Button size="small" onClick={() => onResolve(row.id)}>
        Resolve
      </Button>
    )
  }
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <CircleCheck role="img" aria-label="Resolved as" className="size-3.5 shrink-0 text-good" />
      <RatingWord look={lookOf(row.resolution.rating)} />
    </span>
  )
}
