/** The commands and their options, for the parser and for `help`. */

export const OPTIONS = {
  'no-worker': { type: 'boolean', usage: '--no-worker', summary: 'serve requests only; another process runs the jobs' },
  name: { type: 'string', usage: '--name NAME', summary: 'the name of the new key' },
  application: {
    type: 'string',
    usage: '--application ID',
    summary: 'the AI application that the key belongs to; the first one by default',
  },
  role: { type: 'string', usage: '--role ROLE', summary: 'viewer, annotator or editor; editor by default' },
  'expires-in-days': {
    type: 'string',
    usage: '--expires-in-days DAYS',
    summary: 'how long the new key works, or never; 90 by default',
  },
  workspace: { type: 'string', usage: '--workspace ID', summary: 'the AI application to work on; all by default' },
  to: { type: 'string', usage: '--to URL', summary: 'the address of the empty database to move to' },
  restart: {
    type: 'boolean',
    usage: '--restart',
    summary: 'copy everything again instead of continuing an interrupted move',
  },
  force: { type: 'boolean', usage: '--force', summary: 'distribute a database of any size' },
  help: { type: 'boolean', short: 'h', usage: '--help', summary: 'describe the command' },
  version: { type: 'boolean', short: 'v', usage: '--version', summary: 'print the version' },
} as const

export type OptionName = keyof typeof OPTIONS

type Command = {
  /** Without the name of the program. */
  usages: readonly { line: string; summary: string }[]
  /** The number of arguments, without options. */
  argumentsMin: number
  argumentsMax: number
  options: readonly OptionName[]
}

const NO_ARGUMENTS = { argumentsMin: 0, argumentsMax: 0, options: [] }

export const COMMANDS = {
  serve: {
    ...NO_ARGUMENTS,
    usages: [{ line: 'serve [--no-worker]', summary: 'serve requests and run jobs; the default command' }],
    options: ['no-worker'],
  },
  work: {
    ...NO_ARGUMENTS,
    usages: [{ line: 'work', summary: 'run jobs only, as one of several processes on a shared database' }],
  },
  migrate: { ...NO_ARGUMENTS, usages: [{ line: 'migrate', summary: 'update the database to this version and exit' }] },
  'api-key': {
    usages: [
      {
        line: 'api-key create [--name NAME] [--role ROLE] [--expires-in-days DAYS] [--application ID]',
        summary: 'create an API key and print it',
      },
      { line: 'api-key list [--application ID]', summary: 'list the API keys' },
      { line: 'api-key revoke KEY-ID [--application ID]', summary: 'revoke an API key' },
    ],
    // It has a message of its own for a missing action.
    argumentsMin: 0,
    argumentsMax: 2,
    options: ['name', 'role', 'expires-in-days', 'application'],
  },
  user: {
    usages: [
      { line: 'user list', summary: 'list the accounts' },
      { line: 'user reset-link EMAIL', summary: 'print a link to choose a new password; works once, for an hour' },
      { line: 'user disable EMAIL', summary: 'sign an account out and block it and its keys' },
      { line: 'user enable EMAIL', summary: 'enable a disabled account' },
      { line: 'user end-sessions EMAIL', summary: 'sign an account out everywhere' },
      { line: 'user reset-second-factor EMAIL', summary: 'turn off the second factor of an account that lost it' },
    ],
    // It has a message of its own for a missing action.
    argumentsMin: 0,
    argumentsMax: 2,
    options: [],
  },
  backup: {
    usages: [{ line: 'backup FILE', summary: 'copy the embedded database into a new file while it is in use' }],
    argumentsMin: 1,
    argumentsMax: 1,
    options: [],
  },
  move: {
    ...NO_ARGUMENTS,
    usages: [
      {
        line: 'move --to URL [--restart]',
        summary: 'move the embedded database to a database server, and compare both row by row',
      },
    ],
    options: ['to', 'restart'],
  },
  distribute: {
    ...NO_ARGUMENTS,
    usages: [
      { line: 'distribute [--force]', summary: 'spread the database by application over the nodes of a Citus cluster' },
    ],
    options: ['force'],
  },
  'rotate-key': {
    ...NO_ARGUMENTS,
    usages: [
      { line: 'rotate-key', summary: 'encrypt the keys of model connections and second factors with a new secret key' },
    ],
  },
  remap: {
    ...NO_ARGUMENTS,
    usages: [{ line: 'remap [--workspace ID]', summary: 'map stored traces again, after an upgrade' }],
    options: ['workspace'],
  },
} as const satisfies Record<string, Command>

export type CommandName = keyof typeof COMMANDS

export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name)
}

export function commandOf(name: CommandName): Command {
  return COMMANDS[name]
}
