import type { CommandName } from '@muster/contract/agent/commands'

/**
 * What belongs to remote tools, and is refused where they may not be used. Ending something, tidying up and looking at
 * what is measured stay allowed.
 */
export const REMOTE_COMMANDS: ReadonlySet<CommandName> = new Set<CommandName>([
  'open-channel',
  'list-folder',
  'change-file',
  'read-text',
  'write-text',
  'begin-upload',
  'look-at-upload',
  'end-process',
  'set-priority',
  'list-shells',
  'list-services',
  'control-service',
  'set-start-type',
  'read-service-log',
  'read-log',
  'read-registry-key',
  'read-registry-value',
  'change-registry',
])
