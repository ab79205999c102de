import { expressionBuilder } from 'kysely'
import type { Tables } from '../../storage/tables.ts'

export type TraceTables = Tables & { t: Tables['traces'] }

/** Builds conditions on a row of `traces as t`. */
export const traceExpression = expressionBuilder<TraceTables, 't'>()
