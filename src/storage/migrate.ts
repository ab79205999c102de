import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { type Clock, timestamp } from '../base/clock.ts'
import { AppError } from '../base/errors.ts'
import type { Queries } from './db.ts'
import { type ColumnTypes, columnTypes, DISTRIBUTION_PLAN, hasTable, MOVE_PROGRESS } from './dialect.ts'
import { foundation } from './migrations/0001-foundation.ts'
import { traces } from './migrations/0002-traces.ts'
import { traceTotals } from './migrations/0003-trace-totals.ts'
import { evaluations } from './migrations/0004-evaluations.ts'
import { newestOfHours } from './migrations/0005-newest-of-hours.ts'
import { spanEvents } from './migrations/0006-span-events.ts'
import { accounts } from './migrations/0007-accounts.ts'
import { workspaceUsage } from './migrations/0008-workspace-usage.ts'
import { auditCounts } from './migrations/0009-audit-counts.ts'
import { traceTellers } from './migrations/0010-trace-tellers.ts'
import { linksFromSpans } from './migrations/0011-links-from-spans.ts'
import { scoresOfTraces } from './migrations/0012-scores-of-traces.ts'
import { people } from './migrations/0013-people.ts'
import { annotationWorkspace } from './migrations/0014-annotation-workspace.ts'
import { secondFactor } from './migrations/0015-second-factor.ts'
import { newestChanges } from './migrations/0016-newest-changes.ts'
import { calibration } from './migrations/0017-calibration.ts'
import { comparisonLooks } from './migrations/0018-comparison-looks.ts'
import { groupsAndSplits } from './migrations/0019-groups-and-splits.ts'
import { runMetadata } from './migrations/0020-run-metadata.ts'
import { decisions } from './migrations/0021-decisions.ts'
import { comparisonPreferences } from './migrations/0022-comparison-preferences.ts'
import { datasetImports } from './migrations/0023-dataset-imports.ts'
import { itemHistory } from './migrations/0024-item-history.ts'
import { externalScores } from './migrations/0025-external-scores.ts'
import { companySignIn } from './migrations/0026-company-sign-in.ts'
import { linksByToken } from './migrations/0027-links-by-token.ts'
import { traceListFields } from './migrations/0028-trace-list-fields.ts'
import { plainNames } from './migrations/0029-plain-names.ts'
import { itemHashes } from './migrations/0030-item-hashes.ts'
import { plannedLooks } from './migrations/0031-planned-looks.ts'
import { drawnSides } from './migrations/0033-drawn-sides.ts'
import { accountSecurity } from './migrations/0034-account-security.ts'
import { orderOfStarts } from './migrations/0035-order-of-starts.ts'
import { connectionKinds } from './migrations/0036-connection-kinds.ts'
import { prompts } from './migrations/0037-prompts.ts'
import { traceSources } from './migrations/0038-trace-sources.ts'
import { deployments } from './migrations/0039-deployments.ts'
import { spending } from './migrations/0040-spending.ts'
import { trials } from './migrations/0041-trials.ts'
import { endpoints } from './migrations/0042-endpoints.ts'
import { traceSettings } from './migrations/0043-trace-settings.ts'
import { trialLooks } from './migrations/0044-trial-looks.ts'
import { trialsOfEvaluations } from './migrations/0045-trials-of-evaluations.ts'
import { experiments } from './migrations/0046-experiments.ts'
import { cases } from './migrations/0047-cases.ts'
import { experimentKinds } from './migrations/0048-experiment-kinds.ts'
import { judgesOfEvaluations } from './migrations/0049-judges-of-evaluations.ts'
import { canceledTrials } from './migrations/0050-canceled-trials.ts'
import { tracesOfExperiments } from './migrations/0051-traces-of-experiments.ts'
import { tokensOfExperiments } from './migrations/0052-tokens-of-experiments.ts'
import { judgesOfTrials } from './migrations/0053-judges-of-trials.ts'
import { modelRetirements } from './migrations/0054-model-retirements.ts'
import { drawnTestSplits } from './migrations/0055-drawn-test-splits.ts'
import { applyToNodes, isDistributed, moveToCoordinator } from './postgres/citus.ts'
import type { Storage } from './storage.ts'

export type Migration = { name: string; statements(types: ColumnTypes): string[] }

/** In the order in which they are applied. Only ever add to the end. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0001-foundation', statements: foundation },
  { name: '0002-traces', statements: traces },
  { name: '0003-trace-totals', statements: traceTotals },
  { name: '0004-evaluations', statements: evaluations },
  { name: '0005-newest-of-hours', statements: newestOfHours },
  { name: '0006-span-events', statements: spanEvents },
  { name: '0007-accounts', statements: accounts },
  { name: '0008-workspace-usage', statements: workspaceUsage },
  { name: '0009-audit-counts', statements: auditCounts },
  { name: '0010-trace-tellers', statements: traceTellers },
  { name: '0011-links-from-spans', statements: linksFromSpans },
  { name: '0012-scores-of-traces', statements: scoresOfTraces },
  { name: '0013-people', statements: people },
  { name: '0014-annotation-workspace', statements: annotationWorkspace },
  { name: '0015-second-factor', statements: secondFactor },
  { name: '0016-newest-changes', statements: newestChanges },
  { name: '0017-calibration', statements: calibration },
  { name: '0018-comparison-looks', statements: comparisonLooks },
  { name: '0019-groups-and-splits', statements: groupsAndSplits },
  { name: '0020-run-metadata', statements: runMetadata },
  { name: '0021-decisions', statements: decisions },
  { name: '0022-comparison-preferences', statements: comparisonPreferences },
  { name: '0023-dataset-imports', statements: datasetImports },
  { name: '0024-item-history', statements: itemHistory },
  { name: '0025-external-scores', statements: externalScores },
  { name: '0026-company-sign-in', statements: companySignIn },
  { name: '0027-links-by-token', statements: linksByToken },
  { name: '0028-trace-list-fields', statements: traceListFields },
  { name: '0029-plain-names', statements: plainNames },
  { name: '0030-item-hashes', statements: itemHashes },
  { name: '0031-planned-looks', statements: plannedLooks },
  { name: '0033-drawn-sides', statements: drawnSides },
  { name: '0034-account-security', statements: accountSecurity },
  { name: '0035-order-of-starts', statements: orderOfStarts },
  { name: '0036-connection-kinds', statements: connectionKinds },
  { name: '0037-prompts', statements: prompts },
  { name: '0038-trace-sources', statements: traceSources },
  { name: '0039-deployments', statements: deployments },
  { name: '0040-spending', statements: spending },
  { name: '0041-trials', statements: trials },
  { name: '0042-endpoints', statements: endpoints },
  { name: '0043-trace-settings', statements: traceSettings },
  { name: '0044-trial-looks', statements: trialLooks },
  { name: '0045-trials-of-evaluations', statements: trialsOfEvaluations },
  { name: '0046-experiments', statements: experiments },
  { name: '0047-cases', statements: cases },
  { name: '0048-experiment-kinds', statements: experimentKinds },
  { name: '0049-judges-of-evaluations', statements: judgesOfEvaluations },
  { name: '0050-canceled-trials', statements: canceledTrials },
  { name: '0051-traces-of-experiments', statements: tracesOfExperiments },
  { name: '0052-tokens-of-experiments', statements: tokensOfExperiments },
  { name: '0053-judges-of-trials', statements: judgesOfTrials },
  { name: '0054-model-retirements', statements: modelRetirements },
  { name: '0055-drawn-test-splits', statements: drawnTestSplits },
]

type Applied = { name: string; checksum: string }

/**
 * Applies the missing migrations and returns their names. All of them are one transaction under one lock: a process that is killed
 * leaves the old schema, and two processes that start together do not collide.
 */
export async function migrate(
  storage: Pick<Storage, 'exclusiveTransaction'>,
  clock: Clock,
  migrations = MIGRATIONS,
): Promise<string[]> {
  return storage.exclusiveTransaction(async (tx) => {
    // Every server and command migrates first, so this stops all of them.
    for (const [table, message] of UNFINISHED) if (await hasTable(tx, table)) throw new AppError(500, message)
    const { timestamp: timestampType } = columnTypes(tx)
    await execute(
      tx,
      `create table if not exists schema_migrations (
        name text not null primary key, checksum text not null, applied_at ${timestampType} not null)`,
    )
    const { rows: applied } = await sql<Applied>`select name, checksum from schema_migrations order by name`.execute(tx)
    rejectNewer(applied, migrations)
    const missing = migrations.filter(({ name }) => !applied.some((row) => row.name === name))
    const isSpread = await isDistributed(tx)
    for (const migration of missing) {
      for (const statement of migration.statements(columnTypes(tx)))
        await (isSpread ? applyToNodes(tx, statement).catch(rejectLayout(migration)) : execute(tx, statement))
      await sql`insert into schema_migrations (name, checksum, applied_at)
        values (${migration.name}, ${checksum(tx, migration)}, ${timestamp(clock.now())})`.execute(tx)
    }
    if (isSpread) await moveToCoordinator(tx)
    for (const row of applied) rejectEdited(tx, row, migrations)
    return missing.map(({ name }) => name)
  })
}

/** Tables that exist only while a command changes the whole database, and what to do if one was interrupted. */
const UNFINISHED = [
  [
    MOVE_PROGRESS,
    'Data is being moved into this database and is not complete. Wait for the command `move`; if it was interrupted, run it again with the same settings',
  ],
  [
    DISTRIBUTION_PLAN,
    'This database is being spread over several nodes. Wait for the command `distribute`; if it was interrupted, run it again',
  ],
] as const

/** The exit code of `sysexits.h` for a configuration that cannot work. */
export const EXIT_NEWER_DATABASE = 78

export class NewerDatabaseError extends AppError {}

function rejectNewer(applied: Applied[], migrations: readonly Migration[]): void {
  const unknown = applied.find(({ name }) => !migrations.some((migration) => migration.name === name))
  if (!unknown) return
  throw new NewerDatabaseError(
    500,
    `The database was written by a newer Touchstone (it has migration ${unknown.name}). Start that version, or restore a backup made before the upgrade`,
  )
}

function rejectEdited(tx: Queries, row: Applied, migrations: readonly Migration[]): void {
  const migration = migrations.find(({ name }) => name === row.name)
  if (migration && checksum(tx, migration) !== row.checksum) {
    throw new AppError(500, `Migration ${row.name} was changed after it had been applied. Migrations only add files`)
  }
}

/** Some migrations are older than the command `distribute`, and create what a table that was distributed by hand cannot have. */
function rejectLayout({ name }: Migration): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Error) || error instanceof AppError) throw error
    throw new AppError(
      500,
      `Migration ${name} cannot be applied to distributed tables (${error.message}). Undo the distribution as the section "Layouts made by hand" of docs/guide/scaling.md says, run the command \`migrate\`, then \`distribute\``,
      { cause: error },
    )
  }
}

function checksum(tx: Queries, migration: Migration): string {
  return createHash('sha256')
    .update(migration.statements(columnTypes(tx)).join(';\n'))
    .digest('hex')
}

async function execute(tx: Queries, statement: string): Promise<void> {
  await sql.raw(statement).execute(tx)
}
