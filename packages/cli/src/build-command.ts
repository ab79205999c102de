import {
  type BaseArgs,
  buildCommand,
  type Command,
  type TypedCommandFlagParameters,
  type TypedPositionalParameters,
} from '@stricli/core'
import type { CliContext, CommonFlags } from './cli-context.ts'
import { reportError } from './report-error.ts'

type Action<Flags, Args extends BaseArgs> = (this: CliContext, flags: Flags, ...args: Args) => Promise<void>

interface Definition<Flags extends CommonFlags, Args extends BaseArgs> {
  brief: string
  /** Printed first by `--help`: command lines without the name of the program, with what they do. */
  examples: [input: string, brief: string][]
  /** Loaded when the command is run: starting must not wait for the code of all of them. */
  load: () => Promise<Action<Flags, Args>>
  flags?: TypedCommandFlagParameters<Omit<Flags, keyof CommonFlags>, CliContext>['flags']
  args?: TypedPositionalParameters<Args, CliContext>
  aliases?: Record<string, string>
}

export function defineCommand<Flags extends CommonFlags, Args extends BaseArgs>(
  definition: Definition<Flags, Args>,
): Command<CliContext> {
  const { brief, examples, load, flags, args, aliases } = definition
  return buildCommand<CommonFlags, BaseArgs, CliContext>({
    loader: async () => {
      const action = await load()
      return async function (given, ...values) {
        try {
          // The parameters below are those of `definition`, whose types are the ones of the action.
          await action.call(this, given as Flags, ...(values as unknown as Args))
        } catch (error) {
          this.exitCode = await reportError(this, error, given)
        }
      }
    },
    parameters: {
      flags: { ...flags, ...commonFlags },
      ...(args && { positional: args }),
      ...(aliases && { aliases }),
    } as Parameters<typeof buildCommand<CommonFlags, BaseArgs, CliContext>>[0]['parameters'],
    docs: { brief, customUsage: examples.map(([input, about]) => ({ input, brief: about })) },
  })
}

/** A flag with a value. */
export const textFlag = (brief: string, placeholder: string) =>
  ({ kind: 'parsed', parse: (text: string) => text, brief, placeholder, optional: true }) as const

/** A flag without a value. */
export const switchFlag = (brief: string) => ({ kind: 'boolean', brief, optional: true, withNegated: false }) as const

export const numberFlag = (brief: string, { min, max }: { min: number; max: number }) =>
  ({
    kind: 'parsed',
    parse(text: string) {
      const value = Number(text)
      if (!Number.isInteger(value) || value < min || value > max) {
        throw new RangeError(`must be a whole number from ${min} to ${max}`)
      }
      return value
    },
    brief,
    placeholder: 'n',
    optional: true,
  }) as const

export const textArg = (brief: string, placeholder: string) => ({ brief, placeholder, parse: (text: string) => text })

const commonFlags = {
  url: textFlag('Address of the server', 'url'),
  config: textFlag('File of the project (default: touchstone.yaml here or above)', 'file'),
  json: switchFlag('Print JSON'),
  debug: switchFlag('Print requests, and where an error comes from'),
} as const
