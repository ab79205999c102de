import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleDashed } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ApiKey, ArrivedTrace, Onboarding } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { STONE_PATH, STREAK_PATH } from '../../ui/logo.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

interface ArrivalLightProps {
  applicationId: string
  onboarding: Onboarding
  /** The key that was created on this page. */
  newKey: ApiKey | undefined
}

/** Whether a trace has arrived, and how to open it. */
export function ArrivalLight({ applicationId, onboarding, newKey }: ArrivalLightProps) {
  const { firstTrace, newestTrace } = onboarding
  return (
    <section
      className={`rounded-card border bg-surface p-5 shadow-lift max-sm:p-4 ${firstTrace ? 'border-good' : 'border-line'}`}
    >
      <div className="flex items-center gap-4">
        <LogoStatusIcon isOn={firstTrace !== null} />
        <div className="min-w-0">
          {/* Only the heading is announced: the times below it change on their own. */}
          <div role="status">
            <h2 className="font-display text-section font-semibold">
              {firstTrace ? 'Your first trace has arrived' : 'Waiting for a trace…'}
            </h2>
          </div>
          <p className="text-data text-soft">
            {firstTrace ? <RelativeTime time={firstTrace.arrivedAt} /> : 'It appears here by itself'}
          </p>
        </div>
      </div>
      {firstTrace && (
        <div className="mt-4 flex flex-col gap-3">
          <Link to={pagePaths.trace(applicationId, firstTrace.id)} className={buttonClass('primary')}>
            Open the trace
          </Link>
          <p className="text-data break-words text-soft">{describeTrace(firstTrace)}</p>
        </div>
      )}
      {firstTrace && newestTrace && newestTrace.id !== firstTrace.id && (
        <p className="mt-2 text-data break-words text-soft">
          Newest:{' '}
          <Link to={pagePaths.trace(applicationId, newestTrace.id)} className="text-ink underline">
            {describeTrace(newestTrace)}
          </Link>
          , <RelativeTime time={newestTrace.arrivedAt} />
        </p>
      )}
      <Facts onboarding={onboarding} newKey={newKey} />
    </section>
  )
}

function Facts({ onboarding: { endpoints, keys }, newKey }: Pick<ArrivalLightProps, 'onboarding' | 'newKey'>) {
  const grpcPort = endpoints.grpc === null ? undefined : /:(\d+)\/?$/.exec(endpoints.grpc)?.[1]
  const lastUsedAt = keys.find(({ id }) => id === newKey?.id)?.lastUsedAt ?? null
  return (
    <ul className="mt-4 flex flex-col gap-1.5 border-t border-line pt-3 text-data text-soft">
      <Fact isDone>
        Accepting <Code>/v1/traces</Code> over HTTP
      </Fact>
      {grpcPort && (
        <Fact isDone>
          Accepting gRPC on port <Code>{grpcPort}</Code>
        </Fact>
      )}
      {newKey && (
        <Fact isDone={lastUsedAt !== null}>
          {lastUsedAt === null ? 'Nothing yet' : 'Requests received'} with the key{' '}
          <Code>
            {newKey.prefix}…{newKey.lastFour}
          </Code>
        </Fact>
      )}
    </ul>
  )
}

function Fact({ isDone, children }: { isDone: boolean; children: ReactNode }) {
  const Icon = isDone ? CircleCheck : CircleDashed
  return (
    <li className="flex gap-2.5">
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${isDone ? 'text-good' : 'text-faint'}`} />
      <span className="min-w-0">{children}</span>
    </li>
  )
}

function Code({ children }: { children: ReactNode }) {
  return <code className="inline-block font-mono text-meta text-ink">{children}</code>
}

function describeTrace({ name, service }: ArrivedTrace): string {
  return [name ?? 'Trace without a name', service].filter(Boolean).join(' · ')
}

/** The stone of the logo: an outline while nothing has arrived, with its streak of gold afterwards. */
function LogoStatusIcon({ isOn }: { isOn: boolean }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className="size-13 shrink-0">
      <path d={STONE_PATH} strokeWidth="1.6" className={isOn ? 'fill-stone stroke-good' : 'fill-none stroke-edge'} />
      <path
        d={STREAK_PATH}
        fill="none"
        strokeWidth="3.2"
        strokeLinecap="round"
        strokeDasharray={isOn ? undefined : '1.5 4.2'}
        className={isOn ? 'stroke-[#e3b657]' : 'stroke-edge motion-safe:animate-pulse'}
      />
    </svg>
  )
}
