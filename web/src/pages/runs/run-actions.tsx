import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { EllipsisVertical, ListPlus, Pencil } from 'lucide-react'
import { useState } from 'react'
import type { Run, RunSummary } from '../../api/generated/api.ts'
import type { RunKey } from '../../api/run-query.ts'
import { runSummariesQuery } from '../../api/runs-query.ts'
import { pagePaths, withQuery } from '../../path-builder.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Menu, menuItemClass } from '../../ui/menu.tsx'
import { CopyIdItem, DeleteItem, disableableItemClass, MenuNote } from '../../ui/menu-items.tsx'
import { MenuItem } from '../../ui/menu-parts.tsx'
import { HrefLink } from '../shell/href-link.tsx'
import { lazyDialog } from '../shell/lazy-dialog.tsx'
import { hasRole, missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import { runTitle } from './run-title.ts'

const AddTracesDialog = lazyDialog(async () => (await import('./add-traces-dialog.tsx')).AddTracesDialog)
const DeleteRunDialog = lazyDialog(async () => (await import('./run-dialogs.tsx')).DeleteRunDialog)
const RenameRunDialog = lazyDialog(async () => (await import('./run-dialogs.tsx')).RenameRunDialog)

interface RunActionsProps {
  runKey: RunKey
  run: Run
  title: string
  summary: RunSummary | undefined
}

export function RunActions({ runKey, run, title }: RunActionsProps) {
  const { applicationId, componentId, runId } = runKey
  const me = useMe()
  const navigate = useNavigate()
  const [dialog, setDialog] = useState<'add' | 'rename' | 'delete'>()
  const canEdit = missingRole(me, 'editor', 'Changing a run')
  const isEditor = hasRole(me.role, 'editor')
  const close = () => setDialog(undefined)
  return (
    <>
      {hasRole(me.role, 'annotator') && (
        <Link to={pagePaths.annotate(applicationId, componentId, runId)} className={buttonClass('primary')}>
          Annotate
        </Link>
      )}
      {isEditor && (
        <HrefLink
          href={withQuery(pagePaths.newEvaluation(applicationId, componentId), { run: runId })}
          className={buttonClass('secondary')}
        >
          Evaluate
        </HrefLink>
      )}
      <CompareWith runKey={runKey} run={run} />
      <Menu
        trigger={
          <Button look="quiet" size="icon" aria-label="More about this run">
            <EllipsisVertical aria-hidden className="size-4" />
          </Button>
        }
      >
        <MenuItem className={disableableItemClass} disabled={!isEditor} onSelect={() => setDialog('add')}>
          <ListPlus aria-hidden className="size-4 text-faint" />
          Add traces by query…
        </MenuItem>
        <MenuItem className={disableableItemClass} disabled={!isEditor} onSelect={() => setDialog('rename')}>
          <Pencil aria-hidden className="size-4 text-faint" />
          Rename…
        </MenuItem>
        <CopyIdItem title="Copy run id" id={runId} />
        <DeleteItem title="Delete run…" isDisabled={!isEditor} onSelect={() => setDialog('delete')} />
        <MenuNote text={canEdit} />
      </Menu>
      {dialog === 'add' && <AddTracesDialog runKey={runKey} onClose={close} />}
      {dialog === 'rename' && <RenameRunDialog runKey={runKey} run={run} onClose={close} />}
      {dialog === 'delete' && (
        <DeleteRunDialog
          runKey={runKey}
          title={title}
          onDeleted={() =>
            void navigate({ to: pagePaths.componentPart(applicationId, componentId, 'runs'), replace: true })
          }
          onClose={close}
        />
      )}
    </>
  )
}

const RUNS_OFFERED = 12

/** The other runs of the dataset. The older one of the two is the baseline. */
function CompareWith({ runKey, run }: { runKey: RunKey; run: Run }) {
  const { applicationId, componentId, runId } = runKey
  const navigate = useNavigate()
  const { data: runs } = useInfiniteQuery(runSummariesQuery({ applicationId, componentId, datasetId: run.datasetId }))
  const others = (runs ?? []).filter(({ id }) => id !== runId).slice(0, RUNS_OFFERED)
  const compare = (otherId: string) => {
    const [base, cand] = otherId < runId ? ([otherId, runId] as const) : ([runId, otherId] as const)
    void navigate({ href: withQuery(pagePaths.compare(applicationId, componentId), { base, cand }) })
  }
  if (others.length === 0) {
    return (
      <Button disabledReason={runs ? 'The dataset has no other run.' : 'Loading the other runs.'}>Compare with…</Button>
    )
  }
  return (
    <Menu trigger={<Button>Compare with…</Button>}>
      {others.map((other) => (
        <MenuItem key={other.id} className={menuItemClass} onSelect={() => compare(other.id)}>
          <bdi className="max-w-72 truncate">{runTitle(other)}</bdi>
        </MenuItem>
      ))}
    </Menu>
  )
}
