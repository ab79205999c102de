import { Link, useNavigate } from '@tanstack/react-router'
import { DatabaseZap, FlaskConical, Star } from 'lucide-react'
import { addItemsFromQuery, createDataset } from '../../api/dataset-items-query.ts'
import { useSubmission } from '../../api/use-submission.ts'
import { componentTraces, pagePaths } from '../../path-builder.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { countOf } from '../../ui/format-number.ts'
import { ErrorReport } from '../shell/error-report.tsx'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import { Card } from './card.tsx'

interface FirstStepsProps {
  applicationId: string
  component: { id: string; name: string }
  traceCount: number
}

const ITEMS_MAX = 50
const DATASET_NAME = 'Questions of users'

/** For a component with traces and nothing else: each button does what it says. */
export function FirstSteps({ applicationId, component, traceCount }: FirstStepsProps) {
  const navigate = useNavigate()
  const disabledReason = missingRole(useMe(), 'editor', 'Creating a dataset')
  const itemCount = Math.min(traceCount, ITEMS_MAX)
  const q = componentTraces(component)
  const create = useSubmission({
    mutationFn: async (next: 'dataset' | 'evaluation') => {
      const { id } = await createDataset(applicationId, component.id, DATASET_NAME)
      await addItemsFromQuery({ applicationId, componentId: component.id, datasetId: id }, { q, limit: itemCount })
      return { id, next }
    },
    onSuccess: ({ id, next }) =>
      next === 'dataset'
        ? navigate({ to: pagePaths.dataset(applicationId, component.id, id) })
        : navigate({ to: pagePaths.newEvaluation(applicationId, component.id), search: { dataset: id } }),
  })
  return (
    <Card title={`${countOf(traceCount, 'trace')} so far: what next?`}>
      <div className="flex flex-wrap gap-2">
        <Button
          look="primary"
          isBusy={create.isPending}
          disabledReason={disabledReason}
          onClick={() => create.mutate('dataset')}
        >
          <DatabaseZap aria-hidden className="size-4" />
          Make a dataset of {itemCount} of them
        </Button>
        <Link to={pagePaths.traces(applicationId)} search={{ q }} className={buttonClass()}>
          <Star aria-hidden className="size-4" />
          Rate them
        </Link>
        <Button isBusy={create.isPending} disabledReason={disabledReason} onClick={() => create.mutate('evaluation')}>
          <FlaskConical aria-hidden className="size-4" />
          Evaluate without expected answers
        </Button>
      </div>
      <p className="mt-3 text-data text-soft">
        A dataset lets you run the next version on the same questions. The evaluation makes one, too.
      </p>
      <div className="mt-3 empty:hidden">
        <ErrorReport error={create.error} />
      </div>
    </Card>
  )
}
