import { readText, type Search } from '../../routes/search-params.ts'

export interface DeploySearch {
  /** Without one, the page proposes the newest. */
  version: number | undefined
  /** The share in percent. */
  weight: number | undefined
  /** The dialog that sets the conditions is open. */
  conditions: true | undefined
}

export function readDeploy(search: Search): DeploySearch {
  const weight = readWhole(search['weight'])
  return {
    version: readWhole(search['version']) || undefined,
    weight: weight !== undefined && weight <= 100 ? weight : undefined,
    conditions: String(search['conditions']) === 'true' ? true : undefined,
  }
}

function readWhole(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : (readText(value) ?? '')
  return /^(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : undefined
}
