/**
 * Creates the components that spans name, if an admin has turned this on. Runs inside the transaction that stores the spans, and only if
 * they name an unknown component.
 */
import { recordAudit } from '../auth/audit/audit.ts'
import { createdAtOf, type NewId } from '../base/ids.ts'
import type { Principal } from '../base/principal.ts'
import { CLEAN_TEXT_LENGTH_MAX } from '../base/text.ts'
import { findComponentIdsByName, insertComponent } from '../components/component-queries.ts'
import { NAME_LENGTH_MAX } from '../http/schemas.ts'
import { foldText } from '../storage/dialect.ts'
import { lockForCreatingComponents } from '../traces/settings/trace-setting-queries.ts'
import type { CreateComponents } from '../traces/storing/store-spans.ts'

/** A sender that puts an id into the name would otherwise create a component per trace. */
const PER_REQUEST_MAX = 20

/** Who sends spans, and by which request. */
export type TraceSender = Principal & { requestId: string; address: string }

/** For one request, which may need several transactions, some of them repeated: a name that was chosen once may be created by each. */
export function componentCreation(newId: NewId, sender: TraceSender): CreateComponents {
  const { workspaceId, requestId, address } = sender
  const chosen = new Set<string>()
  const choose = (name: string) => {
    if (!isValidName(name)) return false
    const folded = foldText(name)
    if (chosen.size < PER_REQUEST_MAX) chosen.add(folded)
    return chosen.has(folded)
  }

  return async (tx, names) => {
    const wanted = names.filter(choose)
    // Without a name to create, batches do not wait for each other.
    if (wanted.length === 0 || !(await lockForCreatingComponents(tx, workspaceId))) return new Map()
    // Under the lock: another batch may have created some since they were looked up.
    const ids = await findComponentIdsByName(tx, workspaceId, wanted)
    const created = new Map<string, string>()
    for (const name of wanted) {
      if (ids.has(name)) continue
      const folded = foldText(name)
      const id = created.get(folded) ?? newId()
      ids.set(name, id)
      if (created.has(folded)) continue
      created.set(folded, id)
      await insertComponent(tx, { workspaceId, id, name, description: null, createdAt: createdAtOf(id) })
      const event = { by: sender, workspaceId, action: 'component.created', resourceId: id, detail: name } as const
      await recordAudit(tx, { newId, requestId, address }, event)
    }
    return ids
  }
}

/** As `Name` of the API. A name of the greatest length may be the beginning of another one, which was cut when it was read. */
function isValidName(name: string): boolean {
  return name.length < CLEAN_TEXT_LENGTH_MAX && [...name].length <= NAME_LENGTH_MAX
}
