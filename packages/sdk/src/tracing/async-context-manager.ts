import { AsyncLocalStorage } from 'node:async_hooks'
import { type Context, type ContextManager, ROOT_CONTEXT } from '@opentelemetry/api'

/** Carries the current span through promises and callbacks, as the context manager of OpenTelemetry for Node does. */
export function createAsyncContextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>()
  const active = () => storage.getStore() ?? ROOT_CONTEXT
  const manager: ContextManager = {
    active,
    with: (context, run, receiver, ...rest) => storage.run(context, () => run.apply(receiver, rest)),
    bind<Target>(context: Context, target: Target): Target {
      if (typeof target !== 'function') return target
      const bound = function (this: unknown, ...rest: unknown[]) {
        return storage.run(context, () => target.apply(this, rest))
      }
      // Callable like the target, which is all that the interface asks of a bound function.
      return bound as Target
    },
    enable: () => manager,
    disable() {
      storage.disable()
      return manager
    },
  }
  return manager
}
