import { CircleCheck, CircleX, Lock, LockOpen } from 'lucide-react'
import type { DeploymentCheck, DeploymentCondition, Role } from '../../api/generated/api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { metricTitle } from '../../ui/metric-words.ts'
import { DeploySection } from './deploy-section.tsx'
import { capital } from './deploy-words.ts'
import { inPageWords, roleText, splitRemedy } from './server-words.ts'

interface DeployConditionsProps {
  label: string
  check: DeploymentCheck
  role: Role
  /** Undefined for those who may not. */
  onChange: (() => void) | undefined
}

/** What a move of the label needs, one by one, each with whether it is met and why. */
export function DeployConditions({ label, check, role, onChange }: DeployConditionsProps) {
  const minRole = check.current?.protection.minRole ?? 'editor'
  const hasNone = check.gate === null && minRole === 'editor'
  const shown = check.conditions.filter(({ key, met }) => key !== 'version' || !met)
  const met = shown.filter((condition) => condition.met).length
  return (
    <DeploySection
      title={hasNone ? `${capital(label)} has no conditions` : `Conditions of ${label}`}
      note={
        !hasNone && (
          <Badge tone={met === shown.length ? 'good' : 'danger'}>
            {met === shown.length ? (
              <LockOpen aria-hidden className="size-3" />
            ) : (
              <Lock aria-hidden className="size-3" />
            )}
            {met} of {shown.length} met
          </Badge>
        )
      }
      action={
        <Button
          size="small"
          disabledReason={onChange ? undefined : 'Conditions are changed by admins.'}
          onClick={onChange}
        >
          {hasNone ? 'Set conditions…' : 'Change the conditions…'}
        </Button>
      }
    >
      {hasNone && (
        <p className="max-w-[72ch] text-data text-soft">
          Every editor moves it to any version. With conditions, a version needs a verdict before it gets a share.
        </p>
      )}
      {(!hasNone || met < shown.length) && (
        <ul className="divide-y divide-line">
          {shown.map((condition) => (
            <Condition key={condition.key} condition={condition} check={check} role={role} minRole={minRole} />
          ))}
        </ul>
      )}
      {check.gate && !check.needsVerdict && (
        <p className="mt-2 text-data text-soft">
          It gets no more than it has, or is what is served most: that needs no verdict.
        </p>
      )}
    </DeploySection>
  )
}

interface ConditionProps {
  condition: DeploymentCondition
  check: DeploymentCheck
  role: Role
  minRole: 'editor' | 'admin'
}

function Condition({ condition, check, role, minRole }: ConditionProps) {
  const { key, met } = condition
  const Icon = met ? CircleCheck : CircleX
  const text = key === 'role' ? roleText(role, met ? undefined : minRole) : reasonOf(condition)
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-start gap-x-3 py-2.5 text-data sm:grid-cols-[auto_minmax(0,2fr)_minmax(0,3fr)_3.5rem]">
      <Icon aria-hidden className={`mt-px size-[18px] ${met ? 'text-good' : 'text-danger'}`} />
      <b className="font-semibold">{conditionTitle(key, check, minRole)}</b>
      <span className="text-pretty text-soft max-sm:col-start-2 max-sm:row-start-2">{text}</span>
      <span className={`text-right font-semibold whitespace-nowrap ${met ? 'text-good' : 'text-danger'}`}>
        {met ? 'met' : 'not met'}
      </span>
    </li>
  )
}

function conditionTitle(key: DeploymentCondition['key'], { gate, version }: DeploymentCheck, minRole: string): string {
  if (key === 'role') return minRole === 'admin' ? 'An admin does it' : 'An editor does it'
  if (key === 'version') return `v${version} exists`
  if (key === 'compared') return 'Compared with what is live'
  if (key === 'unchanged') return 'The items are unchanged'
  if (key === 'recent') return `At most ${gate?.maxAgeDays === 1 ? 'a day' : `${gate?.maxAgeDays} days`} old`
  return `${metricTitle(gate?.metric ?? '')} is not worse by more than ${gate?.margin}`
}

/** What is missing is said below the conditions, what else the numbers show above them. */
function reasonOf({ key, met, summary }: DeploymentCondition): string {
  const text = inPageWords(summary)
  if (key === 'compared' && !met) return splitRemedy(text).reason
  if (key !== 'notWorse' || !met) return text
  const [first = text] = text.replace('Passed: ', '').split(/(?<=\.) (?=[A-Z])/)
  return first
}
