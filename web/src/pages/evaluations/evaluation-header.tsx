import { Link, useNavigate } from '@tanstack/react-router'
import { EllipsisVertical, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { describeError } from '../../api/api-error.ts'
import type { EvaluationKey } from '../../api/components-query.ts'
import { useCancelEvaluation, useRetryEvaluation } from '../../api/evaluation-query.ts'
import type { EvaluationDetail } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { countOf, formatCount } from '../../ui/format-number.ts'
import { Menu } from '../../ui/menu.tsx'
import { CopyIdItem, DeleteItem, MenuNote } from '../../ui/menu-items.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { missingRole } from '../shell/roles.ts'
import { useApplication, useMe } from '../shell/use-application.ts'
import { DeleteEvaluationDialog } from './delete-evaluation-dialog.tsx'
import { EvaluationFacts } from './evaluation-facts.tsx'
import type { EvaluationNames } from './evaluation-names.ts'

interface EvaluationHeaderProps {
  evaluationKey: EvaluationKey
  evaluation: EvaluationDetail
  names: EvaluationNames
  /** Of the stream, while it runs. */
  spentUsd: number | null
  /** External scores that were not delivered. */
  undelivered: number
}

/** The name of an evaluation, how it ended, what it was about, and what can be done with it. */
export function EvaluationHeader({ evaluationKey, evaluation, names, spentUsd, undelivered }: EvaluationHeaderProps) {
  const { applicationId, componentId, evaluationId } = evaluationKey
  const navigate = useNavigate()
  const application = useApplication()
  const me = useMe()
  const [isDeleting, setIsDeleting] = useState(false)
  const cancel = useCancelEvaluation(evaluationKey)
  const retry = useRetryEvaluation(evaluationKey)
  const disabledReason = missingRole(me, 'editor', 'Changing an evaluation')
  const { status, progress, error } = evaluation
  const isOpen = status === 'pending' || status === 'running'
  const isCancelled = error === 'cancelled'
  const canRetry = !isOpen && (progress.failed > 0 || isCancelled || undelivered > 0)
  const onError = (problem: Error) => showToast({ tone: 'danger', message: describeError(problem).message })
  const retryNow = () => retry.mutate(undefined, { onError })
  useShortcut('retryFailed', canRetry && disabledReason === undefined ? retryNow : undefined)
  return (
    <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
      <title>{[names.title, application?.name, 'Touchstone'].filter(Boolean).join(' · ')}</title>
      <div className="min-w-0 flex-1 basis-60">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className="min-w-0 font-display text-title font-semibold tracking-tight wrap-anywhere">{names.title}</h1>
          <StatusBadge status={isCancelled ? 'canceled' : status} failedCount={progress.failed} />
        </div>
        <EvaluationFacts
          applicationId={applicationId}
          componentId={componentId}
          evaluation={evaluation}
          names={names}
          spentUsd={spentUsd}
        />
      </div>
      <div className="flex max-w-full flex-wrap gap-2 max-sm:w-full">
        {isOpen && (
          <Button
            isBusy={cancel.isPending}
            disabledReason={disabledReason}
            onClick={() => cancel.mutate(undefined, { onError })}
          >
            Cancel
          </Button>
        )}
        {canRetry && (
          <Button isBusy={retry.isPending} disabledReason={disabledReason} onClick={retryNow}>
            <RotateCcw aria-hidden className="size-4" />
            {retryLabel({ failed: progress.failed, isCancelled, undelivered })}
            <ShortcutKeys id="retryFailed" />
          </Button>
        )}
        {!isOpen && (
          <Link
            to={pagePaths.newEvaluation(applicationId, componentId)}
            search={{ from: evaluationId }}
            className={buttonClass('secondary')}
          >
            Again with changes
          </Link>
        )}
        <Menu
          trigger={
            <Button look="quiet" size="icon" aria-label="More about this evaluation">
              <EllipsisVertical aria-hidden className="size-4" />
            </Button>
          }
        >
          <CopyIdItem title="Copy evaluation id" id={evaluationId} />
          <DeleteItem
            title="Delete evaluation"
            isDisabled={disabledReason !== undefined}
            onSelect={() => setIsDeleting(true)}
          />
          <MenuNote text={disabledReason} />
        </Menu>
      </div>
      {isDeleting && (
        <DeleteEvaluationDialog
          evaluationKey={evaluationKey}
          title={names.title}
          isOpen={isOpen}
          onDeleted={() =>
            void navigate({ to: pagePaths.componentPart(applicationId, componentId, 'evaluations'), replace: true })
          }
          onClose={() => setIsDeleting(false)}
        />
      )}
    </header>
  )
}

function retryLabel({
  failed,
  isCancelled,
  undelivered,
}: {
  failed: number
  isCancelled: boolean
  undelivered: number
}) {
  if (failed > 0) return `Retry ${formatCount(failed)} failed`
  return isCancelled ? 'Continue' : `Wait again for ${countOf(undelivered, 'score')}`
}
