import { numberFlag, switchFlag, textFlag } from './build-command.ts'

export const limit = numberFlag('How many at most (default: 50)', { min: 1, max: 100_000 })
export const yes = switchFlag('Delete without being asked')
export const component = textFlag('Name or id of the component (default: that of touchstone.yaml)', 'component')
export const run = textFlag('Name or id of the run (default: that of touchstone.yaml)', 'run')
export const dataset = textFlag('Name or id of the dataset (default: that of touchstone.yaml)', 'dataset')

/** Of all imports. */
export const importFlags = {
  component: textFlag(
    'Name or id of the component; created if there is none (default: that of touchstone.yaml)',
    'component',
  ),
  dryRun: switchFlag('Read everything and report what would be created; send nothing'),
} as const
