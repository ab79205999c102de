import { types } from 'node:util'
import { type Attributes, type Context, context, type Span, trace } from '@opentelemetry/api'
import { attributeText } from './attribute-text.ts'
import { recordError } from './record-error.ts'
import { useActiveSpan } from './register-tracing.ts'

export type SpanKindName =
  | 'llm'
  | 'embedding'
  | 'retriever'
  | 'reranker'
  | 'tool'
  | 'agent'
  | 'chain'
  | 'guardrail'
  | 'evaluator'
  | 'prompt'
  | 'span'

export interface ObserveOptions<Args extends unknown[] = unknown[]> {
  /** Default: the name of the function. */
  name?: string
  /** Default: `span`. */
  kind?: SpanKindName
  /** False to send no input, or a function that selects it. Default: the argument, or all of them if there are several. */
  captureInput?: boolean | ((...args: Args) => unknown)
  /** False to send no output, or a function that selects it. */
  captureOutput?: boolean | ((output: unknown) => unknown)
  /** Further attributes, for example `touchstone.session.id`. */
  attributes?: Attributes | ((...args: Args) => Attributes)
}

/**
 * Returns the function with a span around each call, which has its input, its output and its error. Spans of calls inside of it are
 * below it. Functions that return promises or generators keep doing so; the span ends with them.
 */
export function observe<Args extends unknown[], Result>(
  fn: (...args: Args) => Result,
  options: ObserveOptions<Args> = {},
): (...args: Args) => Result {
  useActiveSpan()
  const name = options.name ?? (fn.name || 'anonymous')
  function observed(this: unknown, ...args: Args): Result {
    const span = trace.getTracer('touchstone-sdk').startSpan(name)
    if (!span.isRecording()) return fn.apply(this, args)
    describe(span, args, options)
    const within = trace.setSpan(context.active(), span)
    try {
      return follow(
        context.with(within, () => fn.apply(this, args)),
        { span, within, options },
      )
    } catch (error) {
      fail(span, error)
      throw error
    }
  }
  Object.defineProperty(observed, 'name', { value: fn.name })
  return observed
}

interface Call {
  span: Span
  within: Context
  options: Pick<ObserveOptions, 'captureOutput'>
}

/** Ends the span when the result is there. */
function follow<Result>(result: Result, call: Call): Result {
  if (types.isPromise(result)) {
    // The promise itself is returned: clients of models have further methods on theirs.
    result.then(
      (output) => succeed(call, output),
      (error) => fail(call.span, error),
    )
    return result
  }
  if (types.isGeneratorObject(result)) {
    // Both kinds of generators have these methods; `types` does not distinguish them.
    return followGenerator(result as unknown as AnyGenerator, call) as Result
  }
  succeed(call, result)
  return result
}

type AnyGenerator = Generator<unknown, unknown, unknown> | AsyncGenerator<unknown, unknown, unknown>
type Step = IteratorResult<unknown, unknown>

/** The same generator, whose steps run within the span. It ends with the last step, or when the reader leaves. */
function followGenerator(generator: AnyGenerator, call: Call): AnyGenerator {
  const chunks: unknown[] = []
  const record = (step: Step): Step => {
    if (!step.done) chunks.push(step.value)
    else succeed(call, outputOf(chunks, step.value))
    return step
  }
  const reject = (error: unknown): never => {
    fail(call.span, error)
    throw error
  }
  const run = (method: 'next' | 'return' | 'throw', args: unknown[]) => {
    try {
      const step: Step | Promise<Step> = context.with(call.within, () =>
        Reflect.apply(generator[method], generator, args),
      )
      return types.isPromise(step) ? step.then(record, reject) : record(step)
    } catch (error) {
      return reject(error)
    }
  }
  return new Proxy(generator, {
    get(target, property) {
      if (property === 'next' || property === 'return' || property === 'throw') {
        return (...args: unknown[]) => run(property, args)
      }
      if (property === Symbol.iterator || property === Symbol.asyncIterator) {
        return property in target
          ? function (this: unknown) {
              return this
            }
          : undefined
      }
      return Reflect.get(target, property, target)
    },
  })
}

/** Chunks of text are one text, as the reader of a stream sees it. */
function outputOf(chunks: unknown[], returned: unknown): unknown {
  if (chunks.length === 0) return returned
  return chunks.every((chunk) => typeof chunk === 'string') ? chunks.join('') : chunks
}

function describe<Args extends unknown[]>(span: Span, args: Args, options: ObserveOptions<Args>): void {
  const { kind, captureInput = true, attributes } = options
  if (kind) span.setAttribute('touchstone.kind', kind)
  safely(() => {
    if (attributes) span.setAttributes(typeof attributes === 'function' ? attributes(...args) : attributes)
  })
  if (captureInput === false) return
  safely(() => {
    const all = args.length > 1 ? args : args[0]
    setText(span, 'touchstone.input', typeof captureInput === 'function' ? captureInput(...args) : all)
  })
}

function succeed({ span, options: { captureOutput = true } }: Call, output: unknown): void {
  // A generator that has ended may be asked again.
  if (!span.isRecording()) return
  if (captureOutput !== false) {
    safely(() =>
      setText(span, 'touchstone.output', typeof captureOutput === 'function' ? captureOutput(output) : output),
    )
  }
  span.end()
}

function fail(span: Span, error: unknown): void {
  recordError(span, error)
  span.end()
}

function setText(span: Span, attribute: string, value: unknown): void {
  const text = attributeText(value)
  if (text !== undefined) span.setAttribute(attribute, text)
}

/** A function that selects what to send must not fail the call that it observes. */
function safely(work: () => void): void {
  try {
    work()
  } catch {
    // The span then misses this attribute, which is visible in the trace.
  }
}
