import { Link, useNavigate } from '@tanstack/react-router'
import { Rocket } from 'lucide-react'
import { useState } from 'react'
import { describeError } from '../../api/api-error.ts'
import {
  type ExperimentKey,
  useCancelExperiment,
  useResumeExperiment,
  useStartExperiment,
  useStopExperiment,
} from '../../api/experiments-query.ts'
import type { ExperimentDetail, ExperimentResults } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { countOf } from '../../ui/format-number.ts'
import { showToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import { bestFinalist, type CoursePoint, isStopping } from './experiment-words.ts'

interface WhatNowCardProps {
  experimentKey: ExperimentKey
  experiment: ExperimentDetail
  results: ExperimentResults | undefined
  points: readonly CoursePoint[] | undefined
}

const wide = 'w-full min-h-9'

/** What can be done in this state, with one primary action. */
export function WhatNowCard(props: WhatNowCardProps) {
  const { status } = props.experiment
  return (
    <section
      aria-labelledby="what-now"
      className="rounded-card border border-line bg-surface p-5 shadow-lift max-sm:p-4"
    >
      <h2 id="what-now" className="mb-3 text-body font-semibold">
        What now
      </h2>
      {status === 'pending' && <Waiting {...props} />}
      {status === 'running' && <Running {...props} />}
      {status === 'failed' && <Failed {...props} />}
      {status === 'completed' && <Completed {...props} />}
    </section>
  )
}

function Waiting({ experimentKey }: WhatNowCardProps) {
  const start = useStartExperiment(experimentKey)
  const notEditable = missingRole(useMe(), 'editor', 'Starting an experiment')
  const run = () => start.mutate(undefined, { onError: showProblem })
  useShortcut('startExperiment', notEditable === undefined ? run : undefined)
  return (
    <>
      <Button look="primary" className={wide} isBusy={start.isPending} disabledReason={notEditable} onClick={run}>
        Start experiment <ShortcutKeys id="startExperiment" />
      </Button>
      <Note>Nothing is called before the start. It stops by itself at its limits.</Note>
    </>
  )
}

function Running({ experimentKey, experiment }: WhatNowCardProps) {
  const [asked, setAsked] = useState<'stop' | 'cancel'>()
  const stop = useStopExperiment(experimentKey)
  const cancel = useCancelExperiment(experimentKey)
  const notEditable = missingRole(useMe(), 'editor', 'Stopping an experiment')
  const whyNotStop =
    notEditable ??
    (isStopping(experiment)
      ? 'The search is stopping.'
      : experiment.phase !== 'searching'
        ? 'The search has ended; the test is running.'
        : undefined)
  const whyNotCancel = notEditable
  useShortcut('stopExperiment', whyNotStop === undefined ? () => setAsked('stop') : undefined)
  const isSealed = experiment.trialId === null
  return (
    <>
      <Button look="primary" className={wide} disabledReason={whyNotStop} onClick={() => setAsked('stop')}>
        Stop and open the test <ShortcutKeys id="stopExperiment" />
      </Button>
      <Button
        look="quiet"
        className={`${wide} mt-2 text-danger!`}
        disabledReason={whyNotCancel}
        onClick={() => setAsked('cancel')}
      >
        {isSealed ? 'Cancel, keep the split sealed' : 'Cancel the test'}
      </Button>
      <Note>
        {isSealed
          ? `Stopping early asks for the verdict now: the start and the finalist answer ${countOf(experiment.items.test, 'test item')}. What that costs is set aside.`
          : 'The test split is opened once. A canceled test cannot be repeated.'}
      </Note>
      {asked === 'stop' && (
        <ConfirmDialog
          title="Stop and open the test"
          confirmLabel="Stop and open the test"
          isBusy={stop.isPending}
          error={<ErrorReport error={stop.error} />}
          onConfirm={() => stop.mutate(undefined, { onSuccess: () => setAsked(undefined) })}
          onClose={() => setAsked(undefined)}
        >
          The search ends, and calls that run may end. If a proposal is above the start, both answer the{' '}
          {countOf(experiment.items.test, 'sealed test item')}, once. The opening is counted.
        </ConfirmDialog>
      )}
      {asked === 'cancel' && (
        <ConfirmDialog
          title="Cancel the experiment"
          confirmLabel="Cancel the experiment"
          isBusy={cancel.isPending}
          error={<ErrorReport error={cancel.error} />}
          onConfirm={() => cancel.mutate(undefined, { onSuccess: () => setAsked(undefined) })}
          onClose={() => setAsked(undefined)}
        >
          All calls stop. The proposals are kept
          {isSealed ? ', the test split stays sealed, and you can resume later.' : '; the test cannot be resumed.'}
        </ConfirmDialog>
      )}
    </>
  )
}

function Failed({ experimentKey, experiment }: WhatNowCardProps) {
  const resume = useResumeExperiment(experimentKey)
  const missing = missingRole(useMe(), 'editor', 'Resuming an experiment')
  const reason =
    missing ??
    (experiment.trialId !== null
      ? 'The test has begun, and a test split is opened once.'
      : experiment.startedAt === null
        ? 'It was canceled before its start; create another one.'
        : undefined)
  return (
    <>
      <Button
        look="primary"
        className={wide}
        isBusy={resume.isPending}
        disabledReason={reason}
        onClick={() => resume.mutate(undefined, { onError: showProblem })}
      >
        Resume
      </Button>
      <SetUpAgain experimentKey={experimentKey} experiment={experiment} />
      <Note>{reason ?? 'It goes on where it stopped. What was paid for is not asked again.'}</Note>
    </>
  )
}

function Completed({ experimentKey, experiment, results }: WhatNowCardProps) {
  const { applicationId, componentId } = experimentKey
  const navigate = useNavigate()
  const version = results && bestFinalist(results)?.version
  const path = pagePaths.prompt(applicationId, componentId, experiment.promptId)
  const open = () => void navigate({ to: path, search: { version } })
  useShortcut('saveProposal', version === undefined ? undefined : open)
  const missing = missingRole(useMe(), 'editor', 'Deploying a version')
  const deploy = () =>
    void navigate({
      to: pagePaths.promptDeploy(applicationId, componentId, experiment.promptId, 'production'),
      search: { version },
    })
  if (version === undefined)
    return (
      <>
        <SetUpAgain experimentKey={experimentKey} experiment={experiment} look="primary" />
        <Note>Nothing was saved. Each proposal below can still be saved as a version, without a verdict.</Note>
      </>
    )
  return (
    <>
      <Link to={path} search={{ version }} className={`${buttonClass('primary')} ${wide}`}>
        Open version {version} <ShortcutKeys id="saveProposal" />
      </Link>
      <Button className={`${wide} mt-2`} disabledReason={missing} onClick={deploy}>
        <Rocket aria-hidden className="size-4" />
        Deploy v{version}…
      </Button>
      <Note>
        The finalist is saved as version {version}. Nothing is deployed without a person; a label with a gate asks for
        this verdict.
      </Note>
    </>
  )
}

interface SetUpAgainProps {
  experimentKey: ExperimentKey
  experiment: ExperimentDetail
  look?: 'primary'
}

function SetUpAgain({ experimentKey: { applicationId, componentId }, experiment, look }: SetUpAgainProps) {
  const { promptId, version, datasetId } = experiment
  const missing = missingRole(useMe(), 'editor', 'Starting an experiment')
  const navigate = useNavigate()
  const again = () =>
    void navigate({
      to: pagePaths.newExperiment(applicationId, componentId),
      search: { prompt: promptId, version, dataset: datasetId },
    })
  return (
    <Button
      {...(look && { look })}
      className={`${wide} ${look ? '' : 'mt-2'}`}
      disabledReason={missing}
      onClick={again}
    >
      Set up another one
    </Button>
  )
}

function showProblem(problem: Error): void {
  showToast({ tone: 'danger', message: describeError(problem).message })
}

function Note({ children }: { children: React.ReactNode }) {
  return <p className="mt-3 text-meta text-pretty text-soft">{children}</p>
}
