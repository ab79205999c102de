import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { hasStatus } from '../../api/api-error.ts'
import { type LabelKey, labelCheckKey, labelCheckQuery, moveLabel } from '../../api/deployment-query.ts'
import type { DeploymentCheck, PromptLabel } from '../../api/generated/api.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import { useSubmission } from '../../api/use-submission.ts'
import { proposedShare, shareRange, splitsAfter, weightOf } from './splits-after.ts'

/** What a user looks at before a move: the change of the label, and what it serves with it. */
type Seen = Pick<PromptLabel, 'change' | 'splits'>

interface DeploymentOptions {
  label: PromptLabel | undefined
  version: number
  /** The share in the address. */
  weight: number | undefined
  onWeight: (weight: number) => void
  onMoved: (label: PromptLabel) => void
}

const SETTLE_MS = 200

/**
 * A move that is being prepared. The page keeps what its user has seen: if someone else moves the label meanwhile, the numbers stay what
 * they were until the user looks again, and the move is rejected by its `ifChange`.
 */
export function useDeployment(key: LabelKey, { label, version, weight, onWeight, onMoved }: DeploymentOptions) {
  const queryClient = useQueryClient()
  const [seen, setSeen] = useState<Seen>(label ?? { change: 0, splits: [] })
  const { min, max } = shareRange(seen.splits, version)
  const inRange = (share: number) => Math.min(max, Math.max(min, share))
  const settled = inRange(weight ?? proposedShare(seen.splits, version))
  const [chosen, setChosen] = useState<number>()
  const share = inRange(chosen ?? settled)
  const check = useQuery(labelCheckQuery(key, { version, weight: settled }))
  useLiveQuery(key.applicationId, ['prompts', 'evaluations', 'runs'], labelCheckKey(key.applicationId))
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  /** The slider follows at once, the address and the check when it rests. */
  const choose = (next: number) => {
    setChosen(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => onWeight(next), SETTLE_MS)
  }
  const splits = splitsAfter(seen.splits, { version, weight: share })
  const move = useSubmission({
    mutationFn: (note: string) => moveLabel(key, { splits, ifChange: seen.change, ...(note && { note }) }),
    onSuccess: onMoved,
    // What it is now says why: someone else was faster, or a condition is no longer met.
    onError: (error) =>
      hasStatus(error, 409) && queryClient.invalidateQueries({ queryKey: labelCheckKey(key.applicationId) }),
  })
  const now = weightOf(seen.splits, version)
  const data = check.data?.version === version && check.data.label === key.label ? check.data : undefined
  return {
    check,
    /** Of this version; also while the share changes. */
    data,
    seen,
    /** The label is no longer what the user has seen. */
    isMovedMeanwhile: data !== undefined && data.change !== seen.change && !move.isSuccess,
    lookAgain: ({ change, current }: DeploymentCheck) => {
      setSeen({ change, splits: current?.splits ?? [] })
      // What the user has chosen stays, also where the page would propose something else by now.
      choose(share)
      move.reset()
    },
    share,
    now,
    range: { min, max },
    choose,
    splits,
    move,
    /** Undefined while it is not known. All shares above what the version has need the same, and those below it nothing. */
    isAllowed: data && isSameKind(data, { share, now }) ? data.allowed : undefined,
    /** The numbers of the check are those of the share on the slider. */
    isSettled: data?.weight === share,
  }
}

export type Deployment = ReturnType<typeof useDeployment>

function isSameKind({ weight }: DeploymentCheck, { share, now }: { share: number; now: number }): boolean {
  return weight > now === share > now
}
