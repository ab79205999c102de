import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react'
import type { LabelKey } from '../../api/deployment-query.ts'
import { usePersonName } from '../../api/directory-query.ts'
import type { PromptLabel } from '../../api/generated/api.ts'
import { promptDiffQuery, promptResultsQuery } from '../../api/prompts-query.ts'
import { loadPart } from '../../api/server-connection.ts'
import { pagePaths } from '../../path-builder.ts'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { buttonClass } from '../../ui/button.tsx'
import type { Series } from '../../ui/charts/series-mark.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { splitsText } from '../prompts/version-mark.tsx'
import { formatTime } from '../runs/run-title.ts'
import { QueryError } from '../shell/query-error.tsx'
import { hasRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import { usePeopleWithRole } from '../shell/use-people-with-role.ts'
import { BlockedNotice, WhatOpensIt } from './blocked-notice.tsx'
import { DeployConditions } from './deploy-conditions.tsx'
import { DeployFooter } from './deploy-footer.tsx'
import { DeploySection } from './deploy-section.tsx'
import { DeployShare } from './deploy-share.tsx'
import { DeployVerdict } from './deploy-verdict.tsx'
import { moveDone, moveTitle } from './deploy-words.ts'
import { MovedMeanwhile } from './moved-meanwhile.tsx'
import { RetirementNotice } from './retirement-notice.tsx'
import { mainVersion } from './splits-after.ts'
import { useDeployment } from './use-deployment.ts'
import { wayOut } from './way-out.ts'

const SavedDiff = lazy(async () => ({
  default: (await loadPart(() => import('../prompts/saved-diff.tsx'))).SavedDiff,
}))
const ProtectionDialog = lazy(async () => ({
  default: (await loadPart(() => import('./protection-dialog.tsx'))).ProtectionDialog,
}))

interface DeployCardProps {
  labelKey: LabelKey
  promptName: string
  label: PromptLabel | undefined
  version: number
  weight: number | undefined
  isChangingConditions: boolean
  /** Another label that could serve the version. */
  instead: { label: string; path: string } | undefined
  /** Which label and version it is about. */
  choice: ReactNode
  onSearch: (changes: { weight?: number; conditions?: true | undefined }) => void
}

/** A move of a label, before it happens: what it rests on, who gets the version, what changes for them, and the button. */
export function DeployCard({ labelKey, promptName, label: opened, version, weight, ...props }: DeployCardProps) {
  const { applicationId, componentId, promptId, label } = labelKey
  const navigate = useNavigate()
  const me = useMe()
  const nameOfOthers = usePersonName(applicationId)
  const nameOf = (userId: string) => (userId === me.userId ? 'You' : nameOfOthers(userId))
  const [note, setNote] = useState('')
  const promptKey = { applicationId, componentId, promptId }
  const promptPath = pagePaths.prompt(applicationId, componentId, promptId)
  const leave = () => navigate({ to: promptPath, search: { version } })
  const deployment = useDeployment(labelKey, {
    label: opened,
    version,
    weight,
    onWeight: (chosen) => props.onSearch({ weight: chosen }),
    onMoved: async () => {
      showToast({ tone: 'good', message: moveDone({ label, version, share: deployment.share }) })
      await leave()
    },
  })
  const { check, data, seen, share, now, splits, range, move } = deployment
  const title = useRef<HTMLHeadingElement>(null)
  const main = mainVersion(seen.splits)
  const hasDiff = main !== undefined && main !== version
  const diff = useQuery({ ...promptDiffQuery(promptKey, { from: main ?? version, to: version }), enabled: hasDiff })
  const results = useQuery({
    ...promptResultsQuery(promptKey, { datasetId: data?.gate?.datasetId ?? '', metric: data?.gate?.metric }),
    enabled: data?.gate !== undefined && data.gate !== null,
  })
  // All at once: parts that come one after the other would move those below them under the pointer. A part that failed is there, too.
  const isReady = data !== undefined && (!data.gate || results.isFetched) && (!hasDiff || diff.isFetched)
  const isAdmin = hasRole(me.role, 'admin')
  const admins = usePeopleWithRole(applicationId, 'admin')
  const isBlocked = deployment.isAllowed === false
  const out = data && isBlocked ? wayOut({ prompt: promptKey, check: data, isAdmin }) : undefined
  const isShareShown = !isBlocked || now > 0 || out?.kind === 'copy'
  const seriesOf = (number: number): Series | undefined => {
    if (number === version) return 'candidate'
    return number === main ? 'baseline' : undefined
  }
  const meanwhile = data && deployment.isMovedMeanwhile && (
    <div className="mx-6 my-5 max-sm:mx-4">
      <MovedMeanwhile
        moved={data}
        seen={seen.change}
        nameOf={nameOf}
        onLookAgain={() => {
          deployment.lookAgain(data)
          title.current?.scrollIntoView({ block: 'center' })
        }}
      />
    </div>
  )
  const loading = (
    <DeploySection title={`Conditions of ${label}`}>
      <Skeleton rows={14} />
    </DeploySection>
  )
  useShortcut('leaveDeploy', () => void leave())
  const changeConditions = isAdmin ? () => props.onSearch({ conditions: true }) : undefined
  return (
    <article
      aria-labelledby="deploy-title"
      className="mx-auto max-w-[800px] animate-rise rounded-dialog border border-line bg-surface shadow-float"
    >
      <header className="relative px-6 pt-5 pb-4 max-sm:px-4">
        <div className="flex flex-wrap items-center gap-2 pr-10 text-data text-soft">
          Deploy · <code className="font-mono text-code wrap-anywhere">{promptName}</code> · {props.choice}
        </div>
        <h1
          ref={title}
          id="deploy-title"
          className="mt-1 pr-10 font-display text-title font-semibold tracking-tight wrap-anywhere"
        >
          {moveTitle({ label, version, splits: seen.splits, main, now })}
        </h1>
        <p className="mt-1 min-h-[22px] text-soft text-pretty max-sm:min-h-[66px]">
          {main === undefined || !opened
            ? `${label} serves nothing yet.`
            : `It serves ${splitsText(seen.splits)} since ${formatTime(opened.changedAt)}.`}{' '}
          {data?.traffic.tracesPerDay !== null && data?.traffic.summary}{' '}
          {main !== undefined && 'SDKs follow within 10 seconds.'}
        </p>
        <Link
          to={promptPath}
          search={{ version }}
          aria-label="Close"
          className={`${buttonClass('quiet', 'icon')} absolute top-3.5 right-4`}
        >
          <X aria-hidden className="size-4" />
        </Link>
      </header>
      {!data && check.error && (
        <div className="mx-6 mb-5 max-sm:mx-4">
          <QueryError query={check} />
        </div>
      )}
      {!isReady && !check.error && loading}
      {isReady && (
        <Suspense fallback={loading}>
          {!move.error && meanwhile}
          {data.retirement && <RetirementNotice retirement={data.retirement} version={version} />}
          {isBlocked && <BlockedNotice check={data} role={me.role} admins={admins} />}
          {data.verdict && (
            <DeployVerdict
              component={labelKey}
              evidence={data.verdict}
              metrics={data.metrics}
              warnings={data.warnings}
              higherIsBetter={results.data?.higherIsBetter}
            />
          )}
          {results.error && <QueryError query={results} />}
          <DeployConditions label={label} check={data} role={me.role} onChange={changeConditions} />
          {isBlocked && <WhatOpensIt check={data} />}
          {isShareShown && (
            <DeployShare
              version={version}
              splits={splits}
              share={share}
              range={range}
              check={data}
              isSettled={deployment.isSettled}
              seriesOf={seriesOf}
              onChoose={deployment.choose}
            />
          )}
          {hasDiff && (
            <DeploySection
              title="What changes"
              action={
                <Link
                  to={promptPath}
                  search={{ version, view: 'diff', from: main }}
                  className="touch-link underline underline-offset-4"
                >
                  Whole diff
                </Link>
              }
            >
              <SavedDiff prompt={promptKey} from={main} to={version} />
            </DeploySection>
          )}
          {/* The user who has pressed the button looks here. */}
          {move.error && meanwhile}
        </Suspense>
      )}
      <DeployFooter
        deployment={deployment}
        isReady={isReady}
        labelKey={labelKey}
        version={version}
        note={note}
        onNote={setNote}
        out={out}
        instead={props.instead}
        cancelTo={promptPath}
        onChangeConditions={changeConditions}
      />
      {props.isChangingConditions && (
        <Suspense>
          <ProtectionDialog
            labelKey={labelKey}
            protection={data?.current?.protection ?? opened?.protection}
            isAdmin={isAdmin}
            onClose={() => props.onSearch({ conditions: undefined })}
          />
        </Suspense>
      )}
    </article>
  )
}
