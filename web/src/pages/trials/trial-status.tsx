import type { Trial } from '../../api/generated/api.ts'
import { Badge } from '../../ui/badge.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'

interface TrialStatusProps {
  trial: Pick<Trial, 'status' | 'endedBy'>
  failedCount?: number
}

export function TrialStatus({ trial: { status, endedBy }, failedCount = 0 }: TrialStatusProps) {
  if (endedBy === 'canceled') return <StatusBadge status="canceled" />
  if (status === 'completed' && endedBy === 'budget') return <Badge tone="warn">ended at the cost limit</Badge>
  if (status === 'completed' && endedBy === 'time') return <Badge tone="warn">ended at the time limit</Badge>
  if (status === 'completed' && endedBy === 'decided') return <Badge tone="good">decided early</Badge>
  if (status === 'completed' && endedBy === 'futile') return <Badge>ended early, no difference in sight</Badge>
  return <StatusBadge status={status} failedCount={failedCount} />
}
