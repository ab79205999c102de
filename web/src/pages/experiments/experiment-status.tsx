import type { Experiment } from '../../api/generated/api.ts'
import { Badge } from '../../ui/badge.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { isCanceled, isStopping } from './experiment-words.ts'

type Shown = Pick<Experiment, 'status' | 'endedBy'> & { phase: Parameters<typeof isStopping>[0]['phase'] }

export function ExperimentStatus({ experiment }: { experiment: Shown }) {
  if (isCanceled(experiment)) return <StatusBadge status="canceled" />
  if (isStopping(experiment)) return <Badge tone="info">stopping</Badge>
  return <StatusBadge status={experiment.status} />
}
