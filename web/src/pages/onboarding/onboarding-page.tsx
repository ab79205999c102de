import { useSuspenseInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check, Zap } from 'lucide-react'
import type { ReactNode } from 'react'
import { useCreateApiKey } from '../../api/api-keys-query.ts'
import { apiKey } from '../../api/api-query.ts'
import { componentsQuery } from '../../api/components-query.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import { exampleDataQuery, onboardingQuery, useSendTestTrace } from '../../api/onboarding-query.ts'
import { absoluteUrl, pagePaths } from '../../path-builder.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import { PageBody } from '../shell/page-body.tsx'
import { missingRole } from '../shell/roles.ts'
import { TopRow } from '../shell/top-row.tsx'
import { useApplication, useApplicationCrumb, useApplicationId, useMe } from '../shell/use-application.ts'
import { ArrivalLight } from './arrival-light.tsx'
import { ExampleDataSection } from './example-data-section.tsx'
import { RejectedKeys } from './rejected-keys.tsx'
import { KEY_DAYS, SnippetStep } from './snippet-step.tsx'

/** How to send the first trace of an application, and whether it has arrived. */
export function OnboardingPage() {
  const applicationId = useApplicationId()
  const application = useApplication()
  const me = useMe()
  const onboarding = useSuspenseQuery(onboardingQuery(applicationId))
  useLiveQuery(applicationId, ['traces'], apiKey('/onboarding', applicationId))
  const component = useOwnComponent(applicationId)
  const createKey = useCreateApiKey(applicationId)
  const testTrace = useSendTestTrace(applicationId)
  const hasArrived = onboarding.data.firstTrace !== null
  const testDisabledReason = missingRole(me, 'editor', 'Sending a test trace')
  const sendTestTrace = () => testTrace.mutate(undefined)
  useShortcut('sendTestTrace', testDisabledReason ? undefined : sendTestTrace)
  return (
    <>
      <TopRow parents={[useApplicationCrumb()]} current="First trace">
        <Link to={pagePaths.components(applicationId)} className={buttonClass('quiet', 'small')}>
          {hasArrived ? 'Go to components' : 'Skip for now'}
        </Link>
      </TopRow>
      <PageBody>
        <PageHeader
          title="Send your first trace"
          within={application?.name ?? ''}
          text="Point the telemetry you already have at Touchstone. Nothing else changes in your program, and nothing leaves this server."
        />
        <div className="grid items-start gap-8 rail:grid-cols-[minmax(0,1fr)_304px]">
          <ol className="flex min-w-0 flex-col gap-6">
            <Step number={1} state="done" title={createdTitle(application?.name, component)} />
            <Step number={2} state="current" title="Connect your program">
              <p className="mb-3 text-soft">
                The variables work with the OpenTelemetry SDK of every language; the other tabs are whole programs. More
                in the{' '}
                <a href={pagePaths.guide('instrumentation')} className="touch-link underline underline-offset-4">
                  guide to instrumentation
                </a>
                .
              </p>
              <SnippetStep
                apiKey={createKey.data?.key}
                component={component}
                isBusy={createKey.isPending}
                error={createKey.error}
                disabledReason={missingRole(me, 'editor', 'Creating a key that sends traces')}
                onCreateKey={() => createKey.mutate({ name: 'First trace', role: 'editor', expiresInDays: KEY_DAYS })}
              />
            </Step>
            <Step number={3} state={hasArrived ? 'done' : 'next'} title="See it arrive">
              <p className="mb-3 text-soft">
                Run your program, or let Touchstone store one test trace. It needs no key and no model.
              </p>
              <Button
                look={hasArrived ? 'secondary' : 'primary'}
                className="max-sm:w-full"
                isBusy={testTrace.isPending}
                disabledReason={testDisabledReason}
                onClick={sendTestTrace}
              >
                <Zap aria-hidden className="size-4" />
                Send a test trace
                <ShortcutKeys id="sendTestTrace" />
              </Button>
              <div className="mt-3 empty:hidden">
                <ErrorReport error={testTrace.error} />
              </div>
            </Step>
          </ol>
          <aside
            aria-label="Arrival"
            className="flex min-w-0 flex-col gap-3 max-sm:order-first rail:sticky rail:top-18"
          >
            <ArrivalLight applicationId={applicationId} onboarding={onboarding.data} newKey={createKey.data} />
            <ErrorReport error={onboarding.error} />
            <RejectedKeys rejected={onboarding.data.rejectedKeys} />
            {!hasArrived && (
              <p className="px-1 text-data text-faint">
                Nothing arrives? Check that your program reaches{' '}
                <code className="font-mono text-meta break-words">{absoluteUrl('/v1/traces')}</code> through proxies,
                firewalls and TLS.
              </p>
            )}
          </aside>
        </div>
        <ExampleDataSection
          applicationId={applicationId}
          disabledReason={missingRole(me, 'editor', 'Changing the example data')}
        />
      </PageBody>
    </>
  )
}

/** The name of a component for the snippet. Traces of a program do not belong to the example. */
function useOwnComponent(applicationId: string): string | undefined {
  const { data: components } = useSuspenseInfiniteQuery(componentsQuery(applicationId))
  const { data: example } = useSuspenseQuery(exampleDataQuery(applicationId))
  return components.find(({ id }) => id !== example.componentId)?.name
}

function createdTitle(application: string | undefined, component: string | undefined): ReactNode {
  const name = <strong className="font-semibold text-ink">{application}</strong>
  if (component === undefined) return <>Application {name} created</>
  return (
    <>
      Application {name} and component <strong className="font-semibold text-ink">{component}</strong> created
    </>
  )
}

interface StepProps {
  number: number
  state: 'done' | 'current' | 'next'
  title: ReactNode
  children?: ReactNode
}

function Step({ number, state, title, children }: StepProps) {
  return (
    <li className="grid grid-cols-[26px_minmax(0,1fr)] gap-x-3.5 max-sm:grid-cols-1">
      <span
        className={`grid size-6.5 place-items-center rounded-full text-meta font-semibold max-sm:hidden ${marks[state]}`}
      >
        {state === 'done' ? <Check aria-hidden className="size-3.5" /> : number}
      </span>
      <div className="min-w-0">
        <h2 className={`leading-6.5 break-words ${number === 1 ? 'text-soft' : 'font-semibold'}`}>{title}</h2>
        {children}
      </div>
    </li>
  )
}

const marks = {
  done: 'bg-good-wash text-good',
  current: 'bg-action text-on-action',
  next: 'border border-edge text-soft',
}
