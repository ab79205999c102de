import { Ban, CircleCheck, CircleDashed, CircleX, LoaderCircle, type LucideIcon, TriangleAlert } from 'lucide-react'
import { Badge, type BadgeTone } from './badge.tsx'
import { formatCount } from './format-number.ts'

interface StatusBadgeProps {
  /** As the API spells it; an unknown status is shown as it is. */
  status: string
  /** Parts that failed: a job that completed with failures is not a success. */
  failedCount?: number
}

/** Word, shape and color have the same meaning, so that no user depends on one of them. */
export function StatusBadge({ status, failedCount = 0 }: StatusBadgeProps) {
  const isPartial = status === 'completed' && failedCount > 0
  const look = isPartial ? PARTIAL : looks.get(status)
  if (!look) return <Badge>{status}</Badge>
  const { icon: Icon, tone } = look
  return (
    <Badge tone={tone}>
      <Icon aria-hidden className="size-3.5" />
      {isPartial ? `completed, ${formatCount(failedCount)} failed` : status}
    </Badge>
  )
}

interface Look {
  icon: LucideIcon
  tone: BadgeTone
}

const PARTIAL: Look = { icon: TriangleAlert, tone: 'warn' }

const looks = new Map<string, Look>([
  ['pending', { icon: CircleDashed, tone: 'neutral' }],
  ['running', { icon: LoaderCircle, tone: 'info' }],
  ['completed', { icon: CircleCheck, tone: 'good' }],
  ['ok', { icon: CircleCheck, tone: 'good' }],
  ['failed', { icon: CircleX, tone: 'danger' }],
  ['error', { icon: CircleX, tone: 'danger' }],
  ['canceled', { icon: Ban, tone: 'neutral' }],
])
