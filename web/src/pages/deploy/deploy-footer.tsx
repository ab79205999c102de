import { Link } from '@tanstack/react-router'
import { Link2, Rocket } from 'lucide-react'
import { describeError, hasStatus } from '../../api/api-error.ts'
import type { LabelKey } from '../../api/deployment-query.ts'
import { absoluteUrl, apiPaths, pagePaths, withQuery } from '../../path-builder.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { copyText } from '../../ui/copy-text.ts'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { TextAreaField } from '../../ui/text-area-field.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { curlCommand } from '../shell/curl-command.ts'
import { moveAction } from './deploy-words.ts'
import type { Deployment } from './use-deployment.ts'
import type { WayOut } from './way-out.ts'

interface DeployFooterProps {
  deployment: Deployment
  /** What the move rests on is on the page. */
  isReady: boolean
  labelKey: LabelKey
  version: number
  note: string
  onNote: (note: string) => void
  /** What to do instead, if the label does not move. */
  out: WayOut | undefined
  /** Another label that could serve the version. */
  instead: { label: string; path: string } | undefined
  cancelTo: string
  onChangeConditions: (() => void) | undefined
}

/** The note and the button, which says what it does. If the label is shut, the way out takes the place of the button. */
export function DeployFooter({
  deployment,
  isReady,
  labelKey,
  version,
  note,
  onNote,
  out,
  ...props
}: DeployFooterProps) {
  const { applicationId, componentId, promptId, label } = labelKey
  const { move, share, now, seen, isAllowed, isMovedMeanwhile } = deployment
  const reason = isMovedMeanwhile
    ? 'The label was moved meanwhile. Look again first.'
    : share === now
      ? `v${version} has this share already.`
      : isAllowed === undefined || !isReady
        ? 'Checking the conditions.'
        : isAllowed
          ? undefined
          : 'The conditions are not met.'
  const run = reason === undefined && !move.isPending ? () => move.mutate(note.trim()) : undefined
  useShortcut('moveLabel', run)
  const isShut = isAllowed === false
  const request = curlCommand({
    method: 'PUT',
    url: absoluteUrl(apiPaths.promptLabel(componentId, promptId, label)),
    headers: ['Authorization: Bearer $TOUCHSTONE_API_KEY'],
    body: { splits: deployment.splits, ifChange: seen.change, ...(note.trim() && { note: note.trim() }) },
  })
  const here = pagePaths.promptDeploy(applicationId, componentId, promptId, label)
  const link = absoluteUrl(withQuery(here, { version: String(version), weight: String(share) }))
  return (
    <>
      {!isShut && (
        <div className="border-t border-line px-6 pt-5 pb-1 max-sm:px-4">
          <TextAreaField
            label="Note"
            hint={`Kept with the verdict and your name.${seen.splits.length > 0 ? ' You can roll back at any time.' : ''}`}
            isOptional
            rows={2}
            maxLength={20_000}
            value={note}
            onChange={(event) => onNote(event.target.value)}
          />
        </div>
      )}
      <MoveError deployment={deployment} onRetry={run} />
      {/* On a phone, the buttons stay above the bar of the navigation. */}
      <footer
        className={`flex flex-wrap items-center justify-end gap-2 rounded-b-dialog bg-surface px-6 py-4 max-sm:sticky max-sm:bottom-14 max-sm:z-10 max-sm:flex-col-reverse max-sm:items-stretch max-sm:border-t max-sm:border-line max-sm:px-4 max-sm:py-3 ${isShut ? 'border-t border-line' : ''}`}
      >
        {run && (
          <span className="mr-auto max-sm:hidden">
            <CopyButton look="quiet" label="Copy as API request" text={request} />
          </span>
        )}
        <Link to={props.cancelTo} search={{ version }} className={buttonClass()}>
          Cancel
          <ShortcutKeys id="leaveDeploy" />
        </Link>
        {out?.kind === 'link' && props.instead && (
          <Link to={props.instead.path} search={{ version }} className={buttonClass()}>
            Move {props.instead.label} instead
          </Link>
        )}
        {(!out || out.kind === 'copy') && (
          <Button
            look={isShut ? 'secondary' : 'primary'}
            isBusy={move.isPending}
            disabledReason={reason}
            onClick={run}
            className="max-w-full wrap-anywhere whitespace-normal!"
          >
            <Rocket aria-hidden className="size-4 shrink-0" />
            {moveAction({ label, version, splits: seen.splits, share })}
            <ShortcutKeys id="moveLabel" />
          </Button>
        )}
        {out && <Out out={out} link={link} onChangeConditions={props.onChangeConditions} />}
      </footer>
    </>
  )
}

interface OutProps {
  out: WayOut
  /** The address of this move. */
  link: string
  onChangeConditions: (() => void) | undefined
}

function Out({ out, link, onChangeConditions }: OutProps) {
  if (out.kind === 'copy') {
    return (
      <Button look="primary" onClick={() => void copyLink(link)}>
        <Link2 aria-hidden className="size-4" />
        {out.label}
      </Button>
    )
  }
  if (out.kind === 'conditions') {
    return (
      <Button look="primary" onClick={onChangeConditions}>
        {out.label}
      </Button>
    )
  }
  return (
    <Link to={out.to} search={out.search} className={buttonClass('primary')}>
      {out.label}
    </Link>
  )
}

async function copyLink(link: string): Promise<void> {
  const isCopied = await copyText(link)
  showToast(
    isCopied
      ? { tone: 'good', message: 'Copied. Send it to an admin, who sees the same page.' }
      : { tone: 'danger', message: 'The browser denied it. Copy the address of this page by hand.' },
  )
}

/** Why nothing has moved. That someone else was faster is said where the numbers are. */
function MoveError({
  deployment: { move, isMovedMeanwhile },
  onRetry,
}: {
  deployment: Deployment
  onRetry: (() => void) | undefined
}) {
  const { error } = move
  if (!error || isMovedMeanwhile) return null
  const { message, ...described } = describeError(error)
  const isUnknown = hasStatus(error, 0)
  return (
    <div className="mx-6 mt-4 max-sm:mx-4">
      <ErrorNotice
        {...described}
        message={isUnknown ? `${message} A retry never moves it twice.` : `Nothing has moved. ${message}`}
        {...(onRetry && !hasStatus(error, 409) && { onRetry })}
      />
    </div>
  )
}
