import { describeError } from '../../api/api-error.ts'
import { type ExperimentKey, useResumeExperiment } from '../../api/experiments-query.ts'
import { Button } from '../../ui/button.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'

/** In the row of an experiment that has failed before its test. */
export function ResumeButton({ experimentKey }: { experimentKey: ExperimentKey }) {
  const resume = useResumeExperiment(experimentKey)
  const missing = missingRole(useMe(), 'editor', 'Resuming an experiment')
  return (
    <Button
      size="small"
      className="mt-1"
      isBusy={resume.isPending}
      disabledReason={missing}
      onClick={() =>
        resume.mutate(undefined, {
          onError: (problem) => showToast({ tone: 'danger', message: describeError(problem).message }),
        })
      }
    >
      Resume
    </Button>
  )
}
