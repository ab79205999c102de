import { Link } from '@tanstack/react-router'
import type { TrialDetail } from '../../api/generated/api.ts'
import type { TrialKey } from '../../api/trials-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { compareSearch } from './compare-link.ts'
import { baselineOf, candidatesOf, isOpen, type Variant } from './trial-words.ts'

/** The label that users of a prompt get. */
const LABEL = 'production'

interface NextStepsProps {
  trialKey: TrialKey
  trial: TrialDetail
}

/** After the end: from the verdict to a decision, and from a decision to users. */
export function NextSteps({ trialKey: { applicationId, componentId }, trial }: NextStepsProps) {
  const baseline = baselineOf(trial)
  const best = leaderOf(trial)
  if (isOpen(trial) || !compareSearch(trial) || !baseline || !best) return null
  const { promptId, version } = best.target
  const isDeployable =
    promptId !== undefined &&
    version !== undefined &&
    ['improved', 'equivalent'].includes(best.comparison?.verdict ?? '')
  return (
    <section aria-label="Next steps" className="mt-5 flex flex-wrap gap-2">
      <Link
        to={pagePaths.compare(applicationId, componentId)}
        search={{ base: baseline.runId, cand: [best.runId] }}
        className={buttonClass('secondary')}
      >
        Decide about {best.name}
      </Link>
      {isDeployable && (
        <Link
          to={pagePaths.promptDeploy(applicationId, componentId, promptId, LABEL)}
          search={{ version }}
          className={buttonClass('secondary')}
        >
          Deploy v{version}
        </Link>
      )}
    </section>
  )
}

function leaderOf(trial: TrialDetail): Variant | undefined {
  const candidates = candidatesOf(trial).filter(({ done }) => done > 0)
  return candidates.find(({ name }) => name === trial.ranking?.best) ?? candidates[0]
}
