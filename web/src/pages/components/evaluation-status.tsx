import { CircleCheck, CircleDashed, CircleX, LoaderCircle } from 'lucide-react'
import { Badge } from '../../ui/badge.tsx'

/** Text, shape and color have the same meaning, so that no user depends on one of them. */
export function EvaluationStatus({ status }: { status: string }) {
  const look = looks.find((known) => known.status === status)
  if (!look) return <Badge>{status}</Badge>
  const { icon: Icon, tone } = look
  return (
    <Badge tone={tone}>
      <Icon aria-hidden className="size-3.5" />
      {status}
    </Badge>
  )
}

const looks = [
  { status: 'pending', icon: CircleDashed, tone: 'neutral' },
  { status: 'running', icon: LoaderCircle, tone: 'info' },
  { status: 'completed', icon: CircleCheck, tone: 'good' },
  { status: 'failed', icon: CircleX, tone: 'danger' },
] as const
