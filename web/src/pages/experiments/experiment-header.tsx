import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Braces, EllipsisVertical } from 'lucide-react'
import { useState } from 'react'
import { type ExperimentKey, useDeleteExperiment } from '../../api/experiments-query.ts'
import type { ExperimentDetail, ExperimentResults } from '../../api/generated/api.ts'
import { promptQuery } from '../../api/prompts-query.ts'
import { datasetQuery } from '../../api/run-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { formatDuration } from '../../ui/format-number.ts'
import { Menu, menuItemClass } from '../../ui/menu.tsx'
import { CopyIdItem, DeleteItem, MenuNote } from '../../ui/menu-items.tsx'
import { MenuItem } from '../../ui/menu-parts.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { formatTime } from '../runs/run-title.ts'
import { ErrorReport } from '../shell/error-report.tsx'
import { missingRole } from '../shell/roles.ts'
import { useApplication, useMe } from '../shell/use-application.ts'
import { useExperimentSearch } from './experiment-search.ts'
import { ExperimentStatus } from './experiment-status.tsx'
import { experimentTitle, headlineOf, planFacts } from './experiment-words.ts'

interface ExperimentHeaderProps {
  experimentKey: ExperimentKey
  experiment: ExperimentDetail
  results: ExperimentResults | undefined
}

/** The name and the plan in one line, and below it the answer in large letters, or what is missing for it. */
export function ExperimentHeader({ experimentKey, experiment, results }: ExperimentHeaderProps) {
  const { applicationId, componentId, experimentId } = experimentKey
  const application = useApplication()
  const navigate = useNavigate()
  const { change } = useExperimentSearch()
  const [isDeleting, setIsDeleting] = useState(false)
  const remove = useDeleteExperiment(experimentKey)
  const notEditable = missingRole(useMe(), 'editor', 'Changing an experiment')
  const dataset = useQuery(datasetQuery({ applicationId, componentId, datasetId: experiment.datasetId }))
  const prompt = useQuery(promptQuery({ applicationId, componentId, promptId: experiment.promptId }))
  const title = experimentTitle(experiment)
  const { verdict, text, title: headline } = headlineOf(experiment, results)
  const { optimizer, models } = planFacts(experiment)
  const link = 'touch-link underline decoration-edge underline-offset-3 hover:text-ink'
  return (
    <header>
      <title>{[title, application?.name, 'Touchstone'].filter(Boolean).join(' · ')}</title>
      <div className="flex items-start gap-3">
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1 text-data">
          <h1 className="font-semibold wrap-anywhere">{title}</h1>
          <ExperimentStatus experiment={experiment} />
          <p className="min-w-0 text-soft wrap-anywhere">
            improves{' '}
            <Link
              to={pagePaths.prompt(applicationId, componentId, experiment.promptId)}
              search={{ version: experiment.version }}
              className={link}
            >
              <bdi>{prompt.data?.name ?? 'the prompt'}</bdi> v{experiment.version}
            </Link>{' '}
            ·{' '}
            <Link to={pagePaths.dataset(applicationId, componentId, experiment.datasetId)} className={link}>
              <bdi>{dataset.data?.name ?? 'the dataset'}</bdi>
            </Link>{' '}
            ·{' '}
            {[optimizer, models.target, models.reflection && `proposals by ${models.reflection}`]
              .filter(Boolean)
              .join(' · ')}{' '}
            · {timesText(experiment)}
          </p>
        </div>
        <Menu
          trigger={
            <Button look="quiet" size="icon" aria-label="More about this experiment">
              <EllipsisVertical aria-hidden className="size-4" />
            </Button>
          }
        >
          <MenuItem className={menuItemClass} onSelect={() => change({ view: 'json' }, 'push')}>
            <Braces aria-hidden className="size-4 text-faint" />
            View as JSON
          </MenuItem>
          <CopyIdItem title="Copy experiment id" id={experimentId} />
          <DeleteItem
            title="Delete experiment"
            isDisabled={notEditable !== undefined}
            onSelect={() => setIsDeleting(true)}
          />
          <MenuNote text={notEditable} />
        </Menu>
      </div>
      <h2 className="mt-2 font-display text-verdict font-semibold tracking-tight text-balance wrap-anywhere max-sm:text-title">
        {verdict ? (
          <>
            {verdict.before}{' '}
            <span className={verdict.tone === 'good' ? 'text-good' : 'text-danger'}>{verdict.word}</span>{' '}
            {verdict.after}
          </>
        ) : (
          headline
        )}
      </h2>
      {text && <p className="mt-2 max-w-[80ch] text-reading text-soft wrap-anywhere">{text}</p>}
      {isDeleting && (
        <ConfirmDialog
          title="Delete experiment"
          confirmLabel="Delete experiment"
          isBusy={remove.isPending}
          error={<ErrorReport error={remove.error} />}
          onConfirm={() =>
            remove.mutate(undefined, {
              onSuccess: () => {
                showToast({ tone: 'good', message: `Deleted ${title}.` })
                void navigate({ to: pagePaths.experiments(applicationId, componentId), replace: true })
              },
            })
          }
          onClose={() => setIsDeleting(false)}
        >
          <bdi className="font-medium text-ink">{title}</bdi> goes with its proposals. Versions that were saved and the
          runs of its test stay. This cannot be undone.
        </ConfirmDialog>
      )}
    </header>
  )
}

function timesText({ startedAt, completedAt, createdAt }: ExperimentDetail): string {
  if (startedAt === null) return `created ${formatTime(createdAt)}`
  const end = completedAt === null ? Date.now() : Date.parse(completedAt)
  const duration = formatDuration(Math.max(0, end - Date.parse(startedAt)))
  return completedAt === null
    ? `since ${formatTime(startedAt)}, ${duration}`
    : `${formatTime(startedAt)}, took ${duration}`
}
