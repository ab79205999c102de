import { Lock } from 'lucide-react'
import type { DeploymentCheck, Role } from '../../api/generated/api.ts'
import { formatCount } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { anyOf } from '../shell/use-people-with-role.ts'
import { reasonOf } from './deploy-conditions.tsx'
import { capital } from './deploy-words.ts'
import { inPageWords, roleText, splitRemedy } from './server-words.ts'

/** Why the label does not move, in one sentence: the conditions say it one by one. */
export function BlockedNotice({ check, role, admins }: { check: DeploymentCheck; role: Role; admins: string[] }) {
  const { label, version, baseline, gate, conditions, verdict } = check
  const first = conditions.find(({ met }) => !met)
  const claim = gate && `${metricTitle(gate.metric)} is not worse by more than ${gate.margin}`
  return (
    <div className="mx-6 mb-5 flex gap-3 rounded-control bg-danger-wash px-4 py-3 text-data max-sm:mx-4">
      <Lock aria-hidden className="mt-0.5 size-[18px] shrink-0 text-danger" />
      <div className="min-w-0">
        <p className="font-semibold text-danger">
          {capital(label)} is shut for v{version}
        </p>
        <p className="text-pretty">
          {first?.key === 'role'
            ? `${roleText(role, check.current?.protection.minRole ?? 'editor')}${askText(admins)}`
            : first?.key === 'version'
              ? inPageWords(`${first.summary}.`)
              : baseline === null
                ? `It serves nothing that v${version} could be compared with.`
                : verdict === null
                  ? `v${version} and v${baseline} were never compared, so nothing shows that ${claim}.`
                  : `No comparison of v${version} with v${baseline} shows that ${claim}. ${first ? reasonOf(first) : ''}`}
        </p>
      </div>
    </div>
  )
}

function askText(admins: string[]): string {
  return admins.length === 0 ? '' : ` Ask ${anyOf(admins)}.`
}

/** How many items a comparison needs, and what else would open the label. */
export function WhatOpensIt({ check }: { check: DeploymentCheck }) {
  const { gate, itemsNeeded: needed, verdict, baseline, version, conditions } = check
  const compared = conditions.find(({ key }) => key === 'compared')
  if (!gate || baseline === null || !needed) return null
  const remedy = compared && splitRemedy(inPageWords(compared.summary)).remedy?.replace(/over it\b/, 'over the dataset')
  return (
    <section aria-label="What would open it" className="border-t border-line px-6 py-5 text-data max-sm:px-4">
      <h2 className="mb-1 text-body font-semibold">What would open it</h2>
      {verdict === null && remedy && <p className="mb-1 text-pretty text-soft">{remedy}</p>}
      <p className="text-pretty text-soft">
        {needed.ifEqual === null ? (
          inPageWords(needed.summary)
        ) : (
          <>
            {needed.ifAsMeasured !== null && (
              <>
                <b className="font-semibold text-ink">{formatCount(needed.ifAsMeasured)} items</b> are enough in 80 of
                100 attempts if the difference is what was measured,{' '}
              </>
            )}
            <b className="font-semibold text-ink">
              {verdict === null ? 'At most ' : ''}
              {formatCount(needed.ifEqual)}
              {needed.ifAsMeasured === null ? ' items' : ''}
            </b>{' '}
            {needed.ifAsMeasured === null && 'are enough in 80 of 100 attempts '}if v{version} is just as good.{' '}
            {formatCount(needed.available)} {needed.available === 1 ? 'is' : 'are'} there.
            {verdict !== null &&
              needed.ifAsMeasured === null &&
              ' If it is as much worse as it looks now, no number of items is.'}
          </>
        )}
      </p>
    </section>
  )
}
