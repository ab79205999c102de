import { Link, useNavigate } from '@tanstack/react-router'
import { Braces, EllipsisVertical, RotateCcw, Square } from 'lucide-react'
import { useState } from 'react'
import { describeError } from '../../api/api-error.ts'
import { usePersonName } from '../../api/directory-query.ts'
import type { TrialDetail, TrialFailure } from '../../api/generated/api.ts'
import { type TrialKey, useCancelTrial, useRetryTrial } from '../../api/trials-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { countOf, formatCount } from '../../ui/format-number.ts'
import { Menu, menuItemClass } from '../../ui/menu.tsx'
import { CopyIdItem, DeleteItem, MenuNote } from '../../ui/menu-items.tsx'
import { MenuItem } from '../../ui/menu-parts.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { formatTime } from '../runs/run-title.ts'
import { missingRole } from '../shell/roles.ts'
import { useApplication, useMe } from '../shell/use-application.ts'
import { compareSearch } from './compare-link.ts'
import { DeleteTrialDialog } from './delete-trial-dialog.tsx'
import { retryOffer } from './retry-offer.ts'
import { StopTrialDialog } from './stop-trial-dialog.tsx'
import { useTrialSearch } from './trial-search.ts'
import { TrialStatus } from './trial-status.tsx'
import { isOpen } from './trial-words.ts'

interface TrialHeaderProps {
  trialKey: TrialKey
  trial: TrialDetail
  names: { title: string; dataset: string | undefined }
  /** Undefined until they are known. */
  failures: readonly TrialFailure[] | undefined
}

/** The name of a trial, its state and its plan, and what can be done with it. */
export function TrialHeader({ trialKey, trial, names, failures }: TrialHeaderProps) {
  const { applicationId, componentId, trialId } = trialKey
  const navigate = useNavigate()
  const application = useApplication()
  const { change: changeSearch } = useTrialSearch()
  const [open, setOpen] = useState<'stop' | 'delete'>()
  const cancel = useCancelTrial(trialKey)
  const retry = useRetryTrial(trialKey)
  const notEditable = missingRole(useMe(), 'editor', 'Changing a trial')
  const offer = retryOffer(trial, failures)
  const noRetry = notEditable ?? offer.disabledReason
  const onError = (problem: Error) => showToast({ tone: 'danger', message: describeError(problem).message })
  const retryNow = () => retry.mutate(undefined, { onError })
  useShortcut('retryTrial', noRetry === undefined ? retryNow : undefined)
  const search = compareSearch(trial)
  const comparePath = pagePaths.compare(applicationId, componentId)
  useShortcut('compareTrial', search ? () => void navigate({ to: comparePath, search }) : undefined)
  return (
    <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
      <title>{[names.title, application?.name, 'Touchstone'].filter(Boolean).join(' · ')}</title>
      <div className="min-w-0 flex-1 basis-60">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className="min-w-0 font-display text-title font-semibold tracking-tight wrap-anywhere">{names.title}</h1>
          <TrialStatus trial={trial} failedCount={trial.progress.failed} />
        </div>
        <p className="mt-1 text-data text-pretty wrap-anywhere text-soft">
          {names.dataset && (
            <>
              <Link
                to={pagePaths.dataset(applicationId, componentId, trial.datasetId)}
                className="touch-link underline decoration-edge underline-offset-3 hover:text-ink"
              >
                {names.dataset}
              </Link>
              {' · '}
            </>
          )}
          {planText(trial)}
          {trial.canceledBy !== null && <CanceledBy applicationId={applicationId} userId={trial.canceledBy} />}
        </p>
      </div>
      <div className="flex max-w-full flex-wrap gap-2 max-sm:w-full">
        {isOpen(trial) && (
          <Button isBusy={cancel.isPending} disabledReason={notEditable} onClick={() => setOpen('stop')}>
            <Square aria-hidden className="size-4" />
            Stop…
          </Button>
        )}
        <Button isBusy={retry.isPending} disabledReason={noRetry} onClick={retryNow}>
          <RotateCcw aria-hidden className="size-4" />
          {offer.count > 0 ? `Retry ${formatCount(offer.count)}` : 'Retry calls'}
          {noRetry === undefined && <ShortcutKeys id="retryTrial" />}
        </Button>
        {search && (
          <Link to={comparePath} search={search} className={buttonClass('primary')}>
            Compare
            <ShortcutKeys id="compareTrial" />
          </Link>
        )}
        <Menu
          trigger={
            <Button look="quiet" size="icon" aria-label="More about this trial">
              <EllipsisVertical aria-hidden className="size-4" />
            </Button>
          }
        >
          <MenuItem className={menuItemClass} onSelect={() => changeSearch({ view: 'json' }, 'push')}>
            <Braces aria-hidden className="size-4 text-faint" />
            View as JSON
          </MenuItem>
          <CopyIdItem title="Copy trial id" id={trialId} />
          <DeleteItem title="Delete trial" isDisabled={notEditable !== undefined} onSelect={() => setOpen('delete')} />
          <MenuNote text={notEditable} />
        </Menu>
      </div>
      {open === 'stop' && <StopTrialDialog trial={trial} cancel={cancel} onClose={() => setOpen(undefined)} />}
      {open === 'delete' && (
        <DeleteTrialDialog
          trialKey={trialKey}
          title={names.title}
          isOpen={isOpen(trial)}
          onDeleted={() => void navigate({ to: pagePaths.trials(applicationId, componentId), replace: true })}
          onClose={() => setOpen(undefined)}
        />
      )}
    </header>
  )
}

/** Those who wonder why a trial has no result can ask. */
function CanceledBy({ applicationId, userId }: { applicationId: string; userId: string }) {
  const nameOf = usePersonName(applicationId)
  return (
    <>
      {' · '}stopped by <bdi>{nameOf(userId)}</bdi>
    </>
  )
}

function planText({ plan, variants, progress, createdAt }: TrialDetail): string {
  const items = progress.total / variants.length / plan.repetitions
  const chosen = [
    plan.split === null ? '' : ` of the split ${plan.split}`,
    plan.sample === null ? '' : ` at random, seed ${plan.sample.seed}`,
  ].join('')
  return [
    `${countOf(items, 'item')}${chosen}`,
    `${countOf(variants.length, 'variant')} × ${countOf(plan.repetitions, 'repetition')}`,
    `started ${formatTime(createdAt)}`,
  ].join(' · ')
}
