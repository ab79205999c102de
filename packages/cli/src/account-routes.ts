/** Commands about the connection, the shell and the server itself. */
import { defineCommand, switchFlag, textArg } from './build-command.ts'
import type { Shell } from './commands/completion-commands.ts'

const SHELLS: Shell[] = ['bash', 'zsh', 'fish']

export const loginCommand = defineCommand({
  brief: 'Get a key for this machine, which you approve in a browser',
  examples: [
    ['--url https://touchstone.example.com', ''],
    ['--with-key < key.txt', 'stores a key that you have'],
  ],
  flags: { withKey: switchFlag('Read a key from stdin instead') },
  load: async () => (await import('./commands/login-commands.ts')).login,
})

export const logoutCommand = defineCommand({
  brief: 'Remove the stored key of a server',
  examples: [['', '']],
  load: async () => (await import('./commands/login-commands.ts')).logout,
})

export const whoamiCommand = defineCommand({
  brief: 'Show the user, the application and where each setting comes from',
  examples: [
    ['', ''],
    ['--json', ''],
  ],
  load: async () => (await import('./commands/login-commands.ts')).whoami,
})

export const doctorCommand = defineCommand({
  brief: 'Check the connection, the key, the clock and OTLP, with what to do',
  examples: [['', '']],
  load: async () => (await import('./commands/doctor-command.ts')).runDoctor,
})

export const completionCommand = defineCommand({
  brief: 'Print completion for a shell',
  examples: [
    ['bash >> ~/.bashrc', ''],
    ['zsh > ~/.zfunc/_touchstone', ''],
    ['fish > ~/.config/fish/completions/touchstone.fish', ''],
  ],
  args: {
    kind: 'tuple',
    parameters: [{ ...textArg('bash, zsh or fish', 'shell'), parse: parseShell, proposeCompletions: () => SHELLS }],
  },
  load: async () => (await import('./commands/completion-commands.ts')).printCompletion,
})

export const mcpCommand = defineCommand({
  brief: 'Serve the Model Context Protocol on stdin and stdout, for agents that start a program',
  examples: [
    ['', ''],
    ['--url https://touchstone.example.com', 'as the command in the settings of an agent'],
  ],
  load: async () => (await import('./commands/mcp-command.ts')).serveMcp,
})

export const serveCommand = defineCommand({
  brief: 'Run the server, if touchstone-server is installed',
  examples: [
    ['', ''],
    ['-- migrate', 'arguments of the server follow --'],
  ],
  args: { kind: 'array', parameter: textArg('Arguments of the server', 'argument') },
  load: async () => (await import('./commands/serve-command.ts')).serve,
})

function parseShell(text: string): Shell {
  const shell = SHELLS.find((one) => one === text)
  if (!shell) throw new RangeError(`must be one of ${SHELLS.join(', ')}`)
  return shell
}
